"""What a teacher would write otherwise: notebooks of the peers, each as its own documentation shows it, and ours."""

INPUTS = """import numpy as np
from ipywidgets import FloatSlider
START = {"X": [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], "W_Q": [[0.5, 0.2], [0.1, 0.6]],
         "W_K": [[0.4, 0.3], [0.2, 0.7]], "W_V": [[0.8, 0.1], [0.3, 0.9]]}
SHAPE = {name: np.shape(value) for name, value in START.items()}
KEYS = [f"{name}_{i}{j}" for name in START for i, j in np.ndindex(SHAPE[name])]
def slider(name, i, j):
    return FloatSlider(value=START[name][i][j], min=-2, max=2, step=0.1, description=f"{name}_{i}{j}")
def sliders():
    return {f"{name}_{i}{j}": slider(name, i, j) for name in START for i, j in np.ndindex(SHAPE[name])}
def compute(entries):
    X, W_Q, W_K, W_V = (np.array([[entries[f"{name}_{i}{j}"] for j in range(SHAPE[name][1])]
                                  for i in range(SHAPE[name][0])]) for name in START)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / np.sqrt(2)
    e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return Q, K, V, scores, scaled, weights, weights @ V
"""

# (a) ipywidgets' "Using interact" with inline figures.
INTERACT = INPUTS + """
%matplotlib inline
import matplotlib.pyplot as plt
from ipywidgets import interact
def draw(**entries):
    weights = compute(entries)[5]
    fig, ax = plt.subplots()
    ax.imshow(weights, cmap="YlOrRd", vmin=0, vmax=1)
    for (i, j), w in np.ndenumerate(weights):
        ax.text(j, i, f"{w:.3f}", ha="center", va="center")
    plt.show()
interact(draw, **sliders());"""

# (b) ipympl's example of sliders: artists are updated, the canvas redraws when idle.
IPYMPL = INPUTS + """
%matplotlib widget
import matplotlib.pyplot as plt
from ipywidgets import VBox
from IPython.display import display
controls = sliders()
weights = compute({key: s.value for key, s in controls.items()})[5]
fig, ax = plt.subplots()
image = ax.imshow(weights, cmap="YlOrRd", vmin=0, vmax=1)
texts = {ij: ax.text(ij[1], ij[0], f"{w:.3f}", ha="center", va="center") for ij, w in np.ndenumerate(weights)}
def update(change):
    weights = compute({key: s.value for key, s in controls.items()})[5]
    image.set_data(weights)
    for ij, w in np.ndenumerate(weights):
        texts[ij].set_text(f"{w:.3f}")
    fig.canvas.draw_idle()
for s in controls.values():
    s.observe(update, names="value")
display(VBox(list(controls.values())))"""

# (c) one Figure that is kept and saved whole into an Image widget.
SAVED = INPUTS + """
import io
from ipywidgets import Image, VBox
from matplotlib.figure import Figure
controls = sliders()
fig = Figure()
ax = fig.subplots()
weights = compute({key: s.value for key, s in controls.items()})[5]
image = ax.imshow(weights, cmap="YlOrRd", vmin=0, vmax=1)
texts = {ij: ax.text(ij[1], ij[0], f"{w:.3f}", ha="center", va="center") for ij, w in np.ndenumerate(weights)}
picture = Image(format="png")
def update(change=None):
    weights = compute({key: s.value for key, s in controls.items()})[5]
    image.set_data(weights)
    for ij, w in np.ndenumerate(weights):
        texts[ij].set_text(f"{w:.3f}")
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png")
    picture.value = buffer.getvalue()
for s in controls.values():
    s.observe(update, names="value")
update()
VBox([picture, *controls.values()])"""

OURS = ('from attention_lib import Experiment, columns, edit, heatmap, rows, show, start\nstart("en")\n'
        'e = Experiment.from_example("我爱你")')
NUMBERS = "columns(edit(e), show(e))"
BESIDE = "columns(edit(e), show(e), heatmap(e))"

# A notebook with as many sliders as 07 and nothing else, for the time to open and run it.
SLIDERS_OF_07 = 39
BARE = INPUTS + """
import anywidget
import matplotlib.pyplot as plt
from ipywidgets import VBox
VBox([slider(*entry) for entry in 3 * [("X", i, j) for i in range(3) for j in range(2)] + 21 * [("W_Q", 0, 0)]])"""

# The packages 07 uses and nothing else, for the memory of a kernel.
IMPORTS = "import numpy, ipywidgets, anywidget, matplotlib.figure, matplotlib.backends.backend_agg"
