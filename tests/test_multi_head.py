"""Several heads under the learner's hands: matrices, arithmetic, switches and pictures, without a browser."""

import re

import ipywidgets
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import MultiHead, causal_mask, edit, head_maps, head_switches, multi_head_attention, show
from attention_lib.arithmetic import explain
from attention_lib.language import say
from attention_lib.multi_head import OF_A_HEAD

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("language")]

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def m():
    return MultiHead.from_example()


def other():
    """Other sizes throughout, three heads, a mask, one head off."""
    random = np.random.default_rng(3)
    shapes = (4, 5), (5, 6), (5, 6), (5, 3), (3, 2)
    X, W_Q, W_K, W_V, W_O = (np.round(random.uniform(-2, 2, shape), 1) for shape in shapes)
    return MultiHead(X, W_Q, W_K, W_V, W_O, heads=3, mask=causal_mask(4), keep=[True, False, True])


def test_every_matrix_is_that_of_the_function(m):
    for e in (m, other()):
        found = multi_head_attention(e.X, e.W_Q, e.W_K, e.W_V, e.W_O, e.heads, e.mask, e.scale, e.keep)
        for name in OF_A_HEAD:
            for h in range(e.heads):
                assert_array_equal(e[f"{name}_{h + 1}"], found.heads[name][h])
        assert_allclose(e["Q"], e.X @ e.W_Q, **EXACT)
        assert_allclose(e["mean"], found.heads.weights.mean(axis=0), **EXACT)
        assert_array_equal(e["output"], found.output)
        assert e.names[:5] == e.inputs
        assert all(not e[name].flags.writeable for name in e.names)


def test_the_example_is_readable(m):
    big = np.exp(2 / np.sqrt(2))
    assert_allclose(m["weights_1"], np.array([[big, 1, big], [1, big, 1], [big, 1, big]])
                    / [[2 * big + 1], [big + 2], [2 * big + 1]], **EXACT)
    assert_allclose(m["weights_2"], np.array([[1, big, 1], [big, 1, 1], [big, 1, 1]]) / (big + 2), **EXACT)


def test_changes_are_heard_once_and_taken_back(m):
    heard = []
    m.observe(lambda change: heard.append(change.name), ["steps"])
    m.set(W_O=np.eye(4), keep=[True, False])
    assert heard == ["steps"]
    m.set_entry("W_Q", 0, 0, 1.5)
    assert m.W_Q[0, 0] == 1.5
    m.reset()
    assert m.keep == (True, True)
    assert m.W_Q[0, 0] == 2
    assert len(heard) == 3


@pytest.mark.parametrize("change", [
    {"weights_1": np.eye(3)}, {"Q": np.eye(3)}, {"keep": [True]}, {"W_O": np.eye(3)}, {"heads": 3},
    {"mask": [True] * 4},
])
def test_what_does_not_fit_changes_nothing(m, change):
    before = m.steps
    with pytest.raises(ValueError, match=next(iter(change))):
        m.set(**change)
    assert m.steps is before


@pytest.mark.parametrize("make", [MultiHead.from_example, other])
def test_the_arithmetic_of_every_cell_ends_with_its_number(make):
    e = make()
    for name in e.names:
        for cell in np.ndindex(e[name].shape):
            told = explain(e, name, *cell)
            ends = [re.search(r"[=≈] \(?(-?\d+(?:\.\d+)?)\)?$", line) for line in told.lines]
            last = [end for end in ends if end][-1]
            assert float(last[1]) == pytest.approx(e[name][cell], abs=0.51e-4), (name, cell, told.lines)
            for matrix, row, column in told.sources:
                e[matrix][slice(None) if row is None else row, slice(None) if column is None else column]
            if len(told.sources) == 2 and name != "mean":
                a, b = (e[s[0]][slice(None) if s[1] is None else s[1], slice(None) if s[2] is None else s[2]]
                        for s in told.sources)
                assert_allclose(a @ b, e[name][cell], **EXACT)


def test_a_cell_that_is_not_there(m):
    with pytest.raises(ValueError, match="weights_3"):
        explain(m, "weights_3", 0, 0)


def test_labels_and_titles(m):
    assert m.labels("Q_2") == (m.words, ("q₃", "q₄"))
    assert m.labels("merged")[1] == m.labels("W_O")[0] == ("o₁", "o₂", "o₃", "o₄")
    assert m.labels("output_2")[1] == ("o₃", "o₄")
    assert m.labels("weights_1") == (m.words, m.words)
    panel = show(m, "output_2", "merged", "mean")
    titles = {frame["name"]: frame["title"] for frame in panel.frames}
    assert titles["mean"] == say("name.mean", heads=2)
    m.keep = [True, False]
    titles = {frame["name"]: frame["title"] for frame in panel.frames}
    assert titles["output_2"] == say("heads.of_off", name=say("name.output"), head=2)
    assert panel.frames[1]["formula"] == "[output_1, 0 × output_2]"
    assert panel.cells["merged"]["text"][0][2:] == ["0.000", "0.000"]
    assert "sums" in panel.cells["mean"]


def test_sliders_move_the_heads(m):
    grid, panel = edit(m, "W_O"), show(m, "output")
    before = panel.cells["output"]["text"]
    grid.sliders[0].value = 2.0
    assert m.W_O[0, 0] == 2
    assert panel.cells["output"]["text"] != before
    assert [editor.name for editor in edit(m).children] == list(m.inputs)


def test_a_mask_is_marked_in_every_head(m):
    panel = show(m, "weights_1", "scaled_2")
    m.mask = causal_mask(3)
    above = [[False, True, True], [False, False, True], [False] * 3]
    assert panel.cells["weights_1"]["hidden"] == panel.cells["scaled_2"]["hidden"] == above
    assert explain(m, "scaled_2", 0, 1).lines[-1] == say("explain.masked_next")
    assert explain(m, "weights_1", 0, 1).lines[0] == say("explain.masked")


# Switches and pictures


def test_switches_switch_and_follow(m):
    panel = head_switches(m)
    assert panel.told == say("heads.told.all")
    panel._on_page(panel, {"toggle": 1}, None)
    assert m.keep == (True, False)
    assert panel.on == [True, False]
    assert panel.told == say("heads.told.off", list="2")
    panel._on_page(panel, {"toggle": 0}, None)
    assert panel.told == say("heads.told.none")
    assert_array_equal(m["output"], np.zeros((3, 4)))
    panel._on_page(panel, {"toggle": 2}, None)
    assert panel.message.startswith("head")
    m.keep = None
    assert panel.on == [True, True]
    assert "✓" in panel.static_text()


def test_heat_maps_of_heads_and_mean(m):
    figure = head_maps(m)
    picture = figure.picture
    titles = [one.ax.get_title() for one in picture.maps]
    assert titles == [say("figure.heads.head", head=1), say("figure.heads.head", head=2), say("figure.heads.mean")]
    assert [t.get_text() for row in picture.maps[2].numbers for t in row] == [
        f"{x:.2f}" for x in m["mean"].ravel()]
    before = figure.image.value
    m.keep = [False, True]
    assert picture.maps[0].ax.get_title() == say("figure.heads.off", head=1)
    m.set_entry("W_Q", 0, 0, -1.0)
    assert figure.image.value != before
    assert [t.get_text() for t in picture.maps[0].numbers[0]] == [f"{x:.2f}" for x in m["weights_1"][0]]
    _caption, rows, columns, cells = picture.table()
    assert (len(rows), len(columns), len(cells)) == (9, 3, 9)
    figure.close()


def test_many_heads_stay_on_the_picture():
    random = np.random.default_rng(0)
    m = MultiHead(*(random.normal(size=(8, 8)).round(1) for _ in range(5)), heads=8)
    picture = head_maps(m).picture
    assert len(picture.maps) == 9
    for one in picture.maps:
        box = one.ax.get_tightbbox().transformed(picture.figure.transFigure.inverted())
        assert min(box.x0, box.y0) >= 0
        assert max(box.x1, box.y1) <= 1


def test_closing_leaves_nothing(m):
    before = set(ipywidgets.widgets.widget._instances)
    for widget in (head_switches(m), show(m, "output"), head_maps(m)):
        widget.close()
    assert set(ipywidgets.widgets.widget._instances) == before
