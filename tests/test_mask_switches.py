"""The grid of switches, the laboratory around it, and the mask at three moments, without a browser."""

import ipywidgets
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import Experiment, before_or_after, causal_mask, mask_lab, mask_switches, padding_mask, show
from attention_lib.explain import explain
from attention_lib.language import say
from attention_lib.moments import MaskMoments

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def panel(e):
    return mask_switches(e)


def ask(panel, **content):
    panel._on_page(panel, content, None)


def test_all_is_open_at_first(e, panel):
    assert panel.allowed == [[True] * 3] * 3
    assert (panel.active, panel.length, panel.blind) == ("all", 2, "")
    assert panel.told == [say("mask.told.all", length=2, n=3)]
    assert [choice["key"] for choice in panel.frame["usual"]] == ["all", "causal", "padding", "both"]


def test_one_pair_is_turned_over_and_back(e, panel):
    ask(panel, toggle=[1, 2])
    assert_array_equal(e.mask, [[1, 1, 1], [1, 1, 0], [1, 1, 1]])
    assert panel.allowed[1] == [True, True, False]
    assert panel.active == ""
    assert panel.told[-1] == "1 of 9 pairs are hidden."
    ask(panel, toggle=[1, 2])
    assert e.mask is None
    assert panel.active == "all"


def test_a_whole_row_and_a_whole_column(e, panel):
    ask(panel, toggle=[0, None])
    assert_array_equal(e.mask, [[0, 0, 0], [1, 1, 1], [1, 1, 1]])
    assert_array_equal(e["weights"][0], [0, 0, 0])
    assert panel.blind == say("mask.blind", words="我 I")
    ask(panel, toggle=[None, 1])
    assert_array_equal(e.mask, [[0, 1, 0], [1, 1, 1], [1, 1, 1]])  # it was not all allowed: now it is
    ask(panel, toggle=[None, 1])
    assert_array_equal(e.mask, [[0, 0, 0], [1, 0, 1], [1, 0, 1]])
    ask(panel, toggle=[0, None])
    assert panel.allowed[0] == [True] * 3
    assert panel.blind == ""


@pytest.mark.parametrize(("name", "mask"), [
    ("causal", [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ("padding", [[1, 1, 0]] * 3),
    ("both", [[1, 0, 0], [1, 1, 0], [1, 1, 0]]),
])
def test_the_usual_masks(e, panel, name, mask):
    ask(panel, usual=name)
    assert_array_equal(e.mask, mask)
    assert panel.active == name
    ask(panel, usual="all")
    assert e.mask is None


def test_the_length_is_chosen_with_and_without_causal(e, panel):
    ask(panel, length=1)
    assert_array_equal(e.mask, [[1, 0, 0]] * 3)
    assert (panel.active, panel.length) == ("padding", 1)
    ask(panel, usual="causal")
    assert panel.length == 1
    ask(panel, length=2)
    assert_array_equal(e.mask, causal_mask(3) & padding_mask(2, 3))
    assert (panel.active, panel.length) == ("both", 2)
    ask(panel, length=3)
    assert_array_equal(e.mask, causal_mask(3))
    ask(panel, usual="all")
    ask(panel, length=3)
    assert e.mask is None


def test_it_follows_a_mask_set_elsewhere(e, panel):
    e.mask = padding_mask(1, 3)
    assert (panel.active, panel.length) == ("padding", 1)
    e.mask = np.eye(3, dtype=bool)
    assert (panel.active, panel.length) == ("", 1)
    e.mask = np.ones((3, 3), dtype=bool)
    assert panel.active == "all"


def test_what_does_not_fit_is_said_under_the_grid(e, panel):
    ask(panel, toggle=[3, 0])
    assert panel.message.startswith("row: got 3")
    ask(panel, usual="diagonal")
    assert panel.message.startswith("mask: got 'diagonal'")
    ask(panel, length=4)
    assert panel.message.startswith("length: got 4")
    assert e.mask is None
    ask(panel, toggle=[0, 0])
    assert panel.message == ""


def test_fewer_queries_than_keys():
    e = Experiment(Q=[[1.0, 0.0]], K=np.ones((4, 2)), V=np.ones((4, 1)))
    panel = mask_switches(e)
    assert [choice["key"] for choice in panel.frame["usual"]] == ["all", "padding"]
    ask(panel, length=1)
    assert_array_equal(e.mask, [[1, 0, 0, 0]])
    ask(panel, toggle=[0, 3])
    assert panel.active == ""


def test_a_single_word():
    panel = mask_switches(Experiment([[1.0]], [[1.0]], [[1.0]], [[1.0]]))
    assert [choice["key"] for choice in panel.frame["usual"]] == ["all", "causal"]
    ask(panel, length=1)
    assert panel.message == ""
    ask(panel, toggle=[0, 0])
    assert panel.blind != ""


def test_static_twin(e, panel):
    ask(panel, usual="causal")
    assert "爱 love: ✓  ✓  ✕" in panel.static_text()
    assert panel.static_html().count("<td>✕</td>") == 3


# Hidden cells in the matrices


def test_hidden_pairs_are_marked_where_the_mask_acts(e):
    matrices = show(e, "scores", "scaled", "weights", "output")
    assert all("hidden" not in cells for cells in matrices.cells.values())
    e.mask = causal_mask(3)
    above = [[False, True, True], [False, False, True], [False] * 3]
    assert matrices.cells["scaled"]["hidden"] == matrices.cells["weights"]["hidden"] == above
    assert not {"hidden"} & (set(matrices.cells["scores"]) | set(matrices.cells["output"]))
    assert "爱 love: 0.491  0.509  0.000 ⊘" in matrices.static_text()
    assert "⊘ hidden by the mask" in matrices.static_html()
    e.set(mask=None, fault="mask after softmax")
    assert matrices.cells["weights"]["hidden"] == above


# Before, after, and shared out again


def test_three_moments_side_by_side(e):
    panel = before_or_after(e)
    assert panel.names == ("before", "renormalised", "after")
    assert all(cells["sums"] == ["1.000"] * 3 for cells in panel.cells.values())
    e.mask = causal_mask(3)
    assert panel.cells["before"]["text"] == panel.cells["renormalised"]["text"]
    assert panel.cells["before"]["text"][1] == ["0.491", "0.509", "0.000"]
    assert panel.cells["after"]["sums"] == ["0.336", "0.655", "1.000"]
    assert panel.cells["after"]["wrong"] == [True, True, False]
    assert panel.cells["before"]["wrong"] == [False] * 3
    panel.look_at(("renormalised", 1, 0))
    assert panel.arithmetic == ["what is left of the row: 0.3216 + 0.3332 ≈ 0.6548",
                                "renormalised[爱 love, 我 I] = 0.3216 ÷ 0.6548 ≈ 0.4912"]
    assert panel.lit == [["after", 1, None]]
    assert e.focus is None


@pytest.mark.parametrize("mask", [None, causal_mask(3), [[0, 0, 0], [1, 0, 1], [0, 1, 0]]])
def test_every_arithmetic_ends_with_the_number(e, mask):
    e.mask = mask
    moments = MaskMoments(e)
    for name in moments.names:
        for cell in np.ndindex(3, 3):
            last = explain(moments, name, *cell).lines
            number = next(line for line in reversed(last) if line[-1].isdigit()).split()[-1]
            assert_allclose(float(number), moments[name][cell], rtol=0, atol=0.51e-4)


def test_closing_ends_the_following(e):
    before = set(ipywidgets.widgets.widget._instances)
    panel, lab = before_or_after(e), mask_lab(e)
    shown = panel.cells["after"]["sums"]
    panel.close()
    lab.close()
    assert set(ipywidgets.widgets.widget._instances) == before
    e.mask = causal_mask(3)
    assert panel.cells["after"]["sums"] == shown


# The laboratory


def test_a_typed_sentence_brings_new_words_and_leaves_nothing_of_the_old():
    lab = mask_lab()
    before = len(ipywidgets.widgets.widget._instances)
    sentence = lab.children[0]
    ask(sentence, sentence="dog bites man")
    assert lab.experiment.words == ("dog", "bites", "man")
    switches, numbers = lab.children[1].children
    assert switches.frame["rows"] == ["dog", "bites", "man"]
    ask(switches, usual="causal")
    assert numbers.cells["weights"]["sums"] == ["1.000"] * 3
    assert_array_equal(lab.experiment.mask, causal_mask(3))
    assert len(ipywidgets.widgets.widget._instances) == before
    assert "bites" in lab.static_text()


def test_a_sentence_that_does_not_fit_changes_nothing():
    lab = mask_lab()
    ask(lab.children[0], sentence=" ".join(["word"] * 13))
    assert lab.children[0].message.startswith("words: got 13 of them")
    assert lab.experiment.words == ("我 I", "爱 love", "你 you")
    ask(lab.children[0], sentence="我爱你")
    assert lab.children[0].message == ""
    assert lab.experiment.words == ("我", "爱", "你")
