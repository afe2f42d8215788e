"""A whole block under the learner's hands: the experiment, the arithmetic of each cell, boxes, the stack."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_boxes import ask

from attention_lib import (
    Experiment,
    MultiHead,
    Parts,
    WholeBlock,
    block_flow,
    block_stack,
    causal_mask,
    layer_norm,
    multi_head_attention,
    show,
    sinusoidal_positions,
    transformer_block,
)
from attention_lib.arithmetic import explain
from attention_lib.block import size, unlikeness
from attention_lib.digits import fixed
from attention_lib.language import LANGUAGES, choose
from attention_lib.whole_block import STAGES, SWITCHES
from attention_lib.widgets.block_flow import STEPS, effects

pytestmark = pytest.mark.filterwarnings("error")
EXACT = {"rtol": 0, "atol": 1e-12}
PARTS = tuple(name for name in SWITCHES if name != "norm_first")


@pytest.fixture
def b():
    return WholeBlock.from_example()


def box(panel, name):
    return next(box for box in panel.boxes if box["name"] == name)


def test_the_example_is_the_block_around_the_heads_of_lesson_09(b):
    m = MultiHead.from_example()
    assert_allclose(b["attended"], m["output"], **EXACT)
    assert_allclose(b["weights_2"], m["weights_2"], **EXACT)
    same = WholeBlock.around(m)
    assert_allclose(same["output"], b["output"], **EXACT)
    assert (same.words, same.features, b.heads) == (m.words, m.features, 2)


def test_what_the_learner_has_moved_comes_along():
    m = MultiHead.from_example()
    m.set_entry("W_Q", 2, 3, -2.0)
    m.mask = causal_mask(3)
    moved = WholeBlock.around(m)
    assert_allclose(moved["attended"], m["output"], **EXACT)
    assert_allclose(moved["weights_1"], np.tril(moved["weights_1"]), **EXACT)
    e = Experiment.from_example("我爱你")
    e.W_Q = [[1.5, 0.2], [0.1, 0.6]]
    one = WholeBlock.around(e, np.eye(2), np.eye(2), b_2=[0.5, 0.0])
    assert_allclose(one["attended"], e["output"], **EXACT)
    assert_allclose(one["fed"], np.maximum(one["normed_1"], 0) + np.array([0.5, 0.0]), **EXACT)


@pytest.mark.parametrize("given", [
    Experiment.from_example("three tokens"), np.eye(3), None, Experiment.from_example("我爱你"),
])
def test_what_no_block_can_be_around(given):
    with pytest.raises(ValueError, match=r"around|W_1"):  # two columns do not fit the example's feed-forward part
        WholeBlock.around(given)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("off", [None, *PARTS])
def test_stages_are_those_of_the_maths(b, norm_first, off):
    b.set(norm_first=norm_first, gain_1=[[1, 2, 0.5, 1]], shift_2=[[0, 1, 0, -1]], b_2=[[0.1, 0, 0, 0]])
    if off:
        b.set(**{off: False})
    parts = Parts(**{"norm_first": norm_first} | ({off: False} if off else {}))
    want = transformer_block(b["X"], b.weights, 2, parts=parts)
    for name in STAGES:
        assert_allclose(b[name], getattr(want, name), err_msg=name, **EXACT)
    assert_allclose(b["output"], b[b.source("output")], **EXACT)
    assert_allclose(b["normed_1"], layer_norm(b[b.source("norm_1")], b["gain_1"][0]) if off != "norm_1"
                    else b[b.source("norm_1")], **EXACT)
    heard = multi_head_attention(b[b.source("heard")], b["W_Q"], b["W_K"], b["W_V"], b["W_O"], 2).output
    assert_allclose(b["attended"], heard if off != "attention" else 0, **EXACT)


def test_positions_are_added_once_before_the_first_block(b):
    b.positions = "sinusoidal"
    placed = b["X"] + sinusoidal_positions(3, 4)
    assert_allclose(b["placed"], placed, **EXACT)
    two = b.stacked(2)
    assert_allclose(two[0], placed, **EXACT)
    assert_allclose(two[2], transformer_block(two[1], b.weights, 2).output, **EXACT)


@pytest.mark.parametrize("change", [
    {"norm_1": 1}, {"attention": None}, {"norm_first": "yes"}, {"positions": "rotary"}, {"mask": [[True] * 2]},
    {"output": np.eye(4)}, {"W_1": np.eye(4)}, {"b_1": [1, 2]}, {"norms": True}, {"gain_1": [[np.nan] * 4]},
    {"W_2": np.full((6, 4), 1e308), "b_1": np.full((1, 6), 1e308)},
])
def test_what_does_not_fit_changes_nothing(b, change):
    before = b.steps
    with pytest.raises(ValueError, match=r"^(W_|layer norm|WholeBlock|" + "|".join(change) + ")"):
        b.set(**change)
    assert b.steps is before


def test_reset_brings_all_of_it_back(b):
    first = b["output"]
    b.set(norm_first=True, attention=False, positions="sinusoidal", W_1=np.zeros((4, 6)))
    assert abs(b["output"] - first).max() > 0.1
    b.reset()
    assert_allclose(b["output"], first, **EXACT)
    with pytest.raises(ValueError, match="stacked"):
        b.stacked(2, dropout=True)
    with pytest.raises(ValueError, match="blocks"):
        b.stacked(-1)


# ---------------------------------------------------------------- the arithmetic

@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("setting", [
    {}, {"positions": "sinusoidal", "mask": causal_mask(3)}, {"gain_1": [[1, 2, 1, 1]], "shift_2": [[0, 1, 0, -1.5]]},
    {"b_1": [[0.5] * 6], "b_2": [[0, -0.5, 0, 0]]}, dict.fromkeys(PARTS, False),
])
def test_the_arithmetic_of_every_cell_ends_with_its_number(b, setting, norm_first):
    b.set(norm_first=norm_first, **setting)
    for name in b.names:
        for cell in np.ndindex(b[name].shape):
            told = explain(b, name, *cell)
            ends = [re.search(r"[=≈] \(?(-?\d+(?:\.\d+)?)\)?$", line) for line in told.lines]
            last = [end for end in ends if end][-1]
            assert float(last[1]) == pytest.approx(b[name][cell], abs=0.51e-4), (name, cell, told.lines)
            for source, row, column in told.sources:
                assert b[source][np.s_[:] if row is None else row, np.s_[:] if column is None else column].size


def test_a_norm_written_out(b):
    assert explain(b, "normed_1", 0, 0).lines == (
        "mean of the row: (1.9734 + 0.1902 + 1.6094 + 0.2178) ÷ 4 ≈ 0.9977",
        "variance ≈ 0.6466, √(variance + 0.00001) ≈ 0.8041",
        "normed_1[cat, thing] ≈ (1.9734 - 0.9977) ÷ 0.8041 ≈ 1.2134")
    assert explain(b, "added_1", 0, 0).lines[0] == "added_1[cat, thing] = X[1, 1] + attended[1, 1]"
    assert explain(b, "hidden", 0, 1).lines[-1] == "hidden[cat, h₂] = max(0, -1.7306) ≈ 0.0"
    b.residual_1 = False
    assert explain(b, "added_1", 0, 0).lines[0] == "added_1[cat, thing] = attended[1, 1] ≈ 0.9734"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_matrix_can_be_shown(language):
    choose(language)
    b = WholeBlock.from_example()
    text = show(b, *b.names).static_text()
    assert all(b.title(name) in text for name in b.names)
    assert fixed(b["output"][0, 0]) in text


# ---------------------------------------------------------------- the flow of boxes

def test_boxes_stand_in_the_order_of_the_computation(b):
    panel = block_flow(b)
    post = ["placed", "attention", "residual_1", "norm_1", "feed_forward", "residual_2", "norm_2", "outcome"]
    assert [box["name"] for box in panel.boxes] == post
    ask(panel, order=1)
    pre = ["placed", "norm_1", "attention", "residual_1", "norm_2", "feed_forward", "residual_2", "outcome"]
    assert [box["name"] for box in panel.boxes] == pre
    assert b.norm_first
    assert panel.turned["order"]["text"] == "before each half (pre-norm)"


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("off", PARTS)
def test_a_switch_crosses_its_box_and_changes_all_after_it(b, off, norm_first):
    b.norm_first = norm_first
    panel = block_flow(b)
    ask(panel, **{off: False})
    assert getattr(b, off) is False
    for found in panel.boxes:
        assert (found["mark"] == "crossed") == (found["name"] == off)
    assert box(panel, off)["words"]
    for name, matrix in STEPS.items():
        assert box(panel, name)["tables"][0]["text"] == [[fixed(x) for x in row] for row in b[matrix]]
    measured = box(panel, "outcome")["tables"][0]["text"]
    assert measured[-1] == [fixed(np.sqrt((b["output"] ** 2).mean())), fixed(unlikeness(b["output"]))]
    names = [found["name"] for found in panel.boxes]
    for found in panel.boxes[1:names.index(off)]:  # nothing before it moves
        assert not any(mark for row in found["tables"][0]["marks"] for mark in row), found["name"]
    assert any(mark for row in panel.boxes[names.index(off)]["tables"][0]["marks"] for mark in row)
    assert panel.turned["reset"]["value"] is True
    ask(panel, reset=True)
    assert all(getattr(b, name) for name in PARTS)
    assert panel.turned["reset"]["value"] is False


def test_a_slider_changes_all_boxes_after_it_and_marks_them(b):
    panel = block_flow(b)
    b.set_entry("W_Q", 2, 3, -2.0)
    rows = [[fixed(x) for x in row] for row in b["output"]]
    assert box(panel, "norm_2")["tables"][0]["text"] == rows
    assert box(panel, "attention")["tables"][0]["marks"] == [["now"] * 4, [""] * 4, [""] * 4]
    assert box(panel, "norm_2")["tables"][0]["marks"][1] == [""] * 4


def test_switches_turned_elsewhere_are_followed(b):
    panel = block_flow(b)
    b.set(attention=False, norm_first=True, positions="sinusoidal")
    assert (panel["attention"], panel["order"], panel["positions"]) == (False, 1, 1)
    assert box(panel, "placed")["note"] == "X + PE"
    assert box(panel, "norm_1")["note"] == "normed_1 = norm(placed)"
    ask(panel, attention="no")
    assert panel.message
    assert b.attention is False
    ask(panel, order=2)
    assert panel.message
    ask(panel, positions=0)
    assert panel.message == ""
    assert b.positions == "none"


@pytest.mark.parametrize(("settings", "found"), [
    ({}, []), ({"attention": False}, ["attention"]), ({"residual_1": False}, ["residual"]),
    ({"residual_2": False}, ["residual"]), ({"feed_forward": False}, ["feed_forward"]), ({"norm_2": False}, ["norm"]),
    ({"norm_1": False}, []), ({"norm_1": False, "norm_first": True}, []),
    ({"norm_1": False, "norm_2": False, "norm_first": True}, ["norm"]),
    ({"attention": False, "residual_1": False}, ["nothing"]),
    ({"feed_forward": False, "residual_2": False}, ["nothing"]),
])
def test_what_is_off_is_told(b, settings, found):
    b.set(**settings)
    assert effects(b) == found
    if found == ["nothing"]:
        assert unlikeness(b["output"]) == 0
    if found == ["attention"]:  # no word hears another
        b.set_entry("X", 1, 0, 2.0)
        assert_allclose(b["output"][0], WholeBlock.from_example().stacked(1, attention=False)[1][0], **EXACT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twin_shows_every_box(language):
    choose(language)
    b = WholeBlock.from_example()
    b.residual_2 = False
    panel = block_flow(b)
    text, html = panel.static_text(), panel.static_html()
    assert html.count("<table>") == len(panel.boxes) == 8
    assert all(found["title"] in text for found in panel.boxes)
    assert all(fixed(x) in text for x in b["output"].flat)


def test_closing_stops_following(b):
    panels = block_flow(b), block_stack(b)
    for panel in panels:
        panel.close()
    before = [panel.boxes for panel in panels]
    b.norm_first = True
    assert [panel.boxes for panel in panels] == before


@pytest.mark.parametrize("make", [block_flow, block_stack])
def test_a_panel_needs_a_block(make):
    with pytest.raises(ValueError, match="WholeBlock"):
        make(MultiHead.from_example())


# ---------------------------------------------------------------- the stack

@pytest.mark.parametrize("blocks", [1, 2, 6, 12])
def test_the_stack_is_a_loop(b, blocks):
    panel = block_stack(b, blocks)
    x, rows = b["X"], [["0.645", "0.730"]]
    for _ in range(blocks):
        x = transformer_block(x, b.weights, 2).output
        rows.append([fixed(np.sqrt((x**2).mean())), fixed(unlikeness(x))])
    assert box(panel, "along")["tables"][0]["text"] == rows
    assert box(panel, "output")["tables"][0]["text"] == [[fixed(v) for v in row] for row in x]


def test_other_ways_beside_it(b):
    panel = block_stack(b)
    ends = {"post-norm": {}, "pre-norm": {"norm_first": True}, "no layer norm": {"norm_1": False, "norm_2": False},
            "no residual": {"residual_1": False, "residual_2": False}}
    want = []
    for settings in ends.values():
        x = b["X"]
        for _ in range(6):
            x = transformer_block(x, b.weights, 2, parts=Parts(**settings)).output
        want.append([fixed(size(x)), fixed(unlikeness(x))])
    table = box(panel, "beside")["tables"][0]
    assert (table["rows"], table["text"]) == (list(ends), want)
    b.residual_1 = False  # what is switched off here leaves the other ways as they are
    assert box(panel, "beside")["tables"][0]["text"] == want


def test_numbers_too_large_are_told(b):
    panel = block_stack(b, 12)
    b.W_2 = 2e30 * (np.arange(24.0).reshape(6, 4) % 7)
    rows = box(panel, "beside")["tables"][0]["text"]
    assert rows[0][0] == "1.000"
    assert rows[2] == ["too large", "–"]
    ask(panel, blocks=13)
    assert panel.message
    assert panel["blocks"] == 12
