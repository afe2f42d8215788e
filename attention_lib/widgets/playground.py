"""The playground: every input in hand, every step in sight."""

from ipywidgets import Layout

from ..experiment import Experiment
from .classroom import classroom
from .controls import controls
from .edit import edit
from .layout import Columns, Whole
from .live_figure import heatmap
from .matrices import show
from .presets import presets
from .share import share


class Playground(Whole):
    """All panels of one experiment, from the presets at the top to the state code at the bottom."""

    def __init__(self, experiment: Experiment):
        self.experiment = experiment
        numbers = show(experiment)  # made first, so it is the first to hear of a change and the first to reach the page
        switches = [presets(experiment), controls(experiment)]
        pictures = Columns(classroom(experiment), heatmap(experiment))
        super().__init__(*switches, edit(experiment), numbers, pictures, share(experiment),
                         layout=Layout(grid_gap="0.8em", overflow="visible"))


def playground(experiment: Experiment | None = None) -> Playground:
    """Everything at once: presets and switches, all inputs on sliders, all steps, classroom, heat map, state code.

    experiment: the one to play with; without one, the example 我爱你. It is ``playground(…).experiment`` too.
    """
    return Playground(Experiment.from_example("我爱你") if experiment is None else experiment)
