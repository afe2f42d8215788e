"""Live matrices without a browser."""

import ipywidgets
import numpy as np
import pytest

from attention_lib import Experiment, columns, edit, rows, show
from attention_lib.widgets.matrices import round_limit

SCORES = [["0.260", "0.250", "0.240"], ["0.240", "0.290", "0.340"], ["0.220", "0.330", "0.440"]]
WEIGHTS = [["0.336", "0.333", "0.331"], ["0.322", "0.333", "0.345"], ["0.308", "0.333", "0.360"]]


def texts(panel, name):
    return panel.cells[name]["text"]


def test_all_steps_where_none_is_named(e):
    assert show(e).names == ("Q", "K", "V", "scores", "scaled", "weights", "output")
    assert show(Experiment.from_example("three tokens")).names == ("scores", "scaled", "weights", "output")


def test_the_numbers_of_the_lesson(e):
    panel = show(e)
    assert texts(panel, "Q") == [["0.500", "0.200"], ["0.300", "0.400"], ["0.100", "0.600"]]
    assert texts(panel, "scores") == SCORES
    assert texts(panel, "weights") == WEIGHTS
    assert texts(panel, "output") == [["0.551", "0.498"], ["0.544", "0.509"], ["0.537", "0.521"]]
    assert panel.cells["weights"]["sums"] == ["1.000"] * 3
    assert texts(show(e, "weights", decimals=10), "weights")[0] == ["0.3356931140", "0.3333277778", "0.3309791081"]


def test_one_message_a_change(e):
    panel = show(e)
    sent = []
    panel._send = lambda message, buffers=None: sent.append(message)
    panel.comm = panel.comm or object()
    e.set(W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]])
    assert len([m for m in sent if m["method"] == "update"]) <= 1
    assert texts(panel, "scores") == [
        ["1.000", "0.500", "0.000"],
        ["0.500", "0.500", "0.500"],
        ["0.000", "0.500", "1.000"],
    ]


def test_row_sums_that_miss_one_are_marked(e):
    panel = show(e, "weights")
    assert panel.cells["weights"]["wrong"] == [False] * 3
    e.fault = "wrong axis"
    assert panel.cells["weights"]["wrong"] == [True] * 3
    assert panel.cells["weights"]["sums"] == ["0.972", "0.999", "1.029"]


def test_never_minus_zero(e):
    e.X = [[0.0001, 0.0], [-0.0001, 0.0], [0.0, 0.0]]
    assert "-0.000" not in str(show(e).cells)


def test_arithmetic_follows_and_lights_its_sources_in_every_panel(e):
    steps, sliders = show(e, "Q", "scores"), edit(e, "W_Q")
    steps.look_at(("Q", 1, 0))
    assert steps.arithmetic[-1] == "= 0.3"
    assert steps.focus == ["Q", 1, 0]
    assert sliders.lit == [[None, 0]]
    e.W_Q = [[1.0, 0.2], [0.1, 0.6]]
    assert steps.arithmetic[-1] == "= 0.55"
    other = show(e, "weights")
    assert other.arithmetic == []
    assert other.focus is None
    other.look_at(("weights", 0, 0))
    assert steps.arithmetic == []
    assert sliders.lit == []
    steps.look_at(None)
    assert other.arithmetic == []


def test_a_cell_that_is_not_there_is_answered_in_words(e):
    panel = show(e, "Q")
    panel._on_click(panel, {"focus": ["Q", 9, 9]}, None)
    assert "row: got 9" in panel.message
    assert e.focus is None
    panel._on_click(panel, {"focus": ["Q", 0, 0]}, None)
    assert panel.message == ""
    assert e.focus == ("Q", 0, 0)


def test_unknown_matrix(e):
    with pytest.raises(ValueError, match="'P'"):
        show(e, "P")


def test_colour_scale_does_not_shimmer():
    assert [round_limit(x) for x in (0.0, 0.3, 1.0, 1.1, 2.0, 2.1, 7.0, 30.0, 1e6)] == [1, 1, 1, 2, 2, 5, 10, 50, 1e6]


def test_colours_are_shares_of_the_scale(e):
    assert show(e, "weights").cells["weights"]["shade"][0] == pytest.approx([0.336, 0.333, 0.331])
    e.X = [[2.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    q = show(e, "Q").cells["Q"]
    assert q["limits"] == ["-1", "1"]
    assert q["shade"] == [[1.0, 0.4], [-0.5, -0.2], [0.0, 0.0]]


def test_closed_panels_hear_nothing_and_leave_nothing(e):
    before = set(ipywidgets.widgets.widget._instances)
    group = rows(columns(show(e), edit(e)), show(e, "weights"))
    for widget in (*group.children[0].children[1].children, *group.children[0].children, *group.children, group):
        widget.close()
    assert set(ipywidgets.widgets.widget._instances) == before
    e.W_Q = np.eye(2)


def test_group_twin_holds_the_twins_of_all(e):
    data, _ = rows(columns(edit(e, "W_Q"), show(e, "Q")), show(e, "output"))._repr_mimebundle_()
    assert data["text/plain"].count("我") == 2
    assert "x₁: 0.5  0.2" in data["text/plain"]
    assert data["text/html"].count("<table>") == 3
    assert data["text/html"].index("W_Q") < data["text/html"].index("0.551")


def test_labels_are_escaped():
    e = Experiment(X=[[1.0]], W_Q=[[1.0]], W_K=[[1.0]], W_V=[[1.0]], words=["<b>&"])
    assert "&lt;b&gt;&amp;" in show(e, "weights").static_html()
