"""What the prose of lesson 01 claims: each number, from the Experiment, against the value worked out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment
from attention_lib.digits import fixed
from attention_lib.lessons import l01

EXACT = {"rtol": 0, "atol": 1e-12}
SHOWN = {"rtol": 0, "atol": 0.0005}  # the page shows three decimals
LIN, AN, NING = range(3)


@pytest.fixture
def e():
    return Experiment.from_example("classroom")


def shown(row):
    return [fixed(x) for x in row]


def test_lin_looks(e):
    assert shown(e["scores"][LIN]) == ["0.260", "0.250", "0.240"]
    assert shown(e["weights"][LIN]) == ["0.336", "0.333", "0.331"]
    assert shown(e["output"][LIN]) == ["0.551", "0.498"]


def test_ning_looks(e):
    assert shown(e["weights"][NING]) == ["0.308", "0.333", "0.360"]
    assert shown(e["output"][NING]) == ["0.537", "0.521"]


def test_rounded_shares_miss_one_and_the_shares_themselves_do_not(e):
    assert sum(round(float(w), 3) for w in e["weights"][NING]) == pytest.approx(1.001, abs=1e-9)
    assert_allclose(e["weights"].sum(axis=1), 1, **EXACT)


def test_the_query_side(e):
    labels, words, ning = e["K"], e["V"], e["Q"][NING]
    e.set_entry("W_Q", 0, 1, 2.0)
    assert_allclose(e["Q"][LIN], [0.5, 2.0], **EXACT)
    assert_allclose(e["weights"][LIN], [0.255, 0.327, 0.418], **SHOWN)
    e.set_entry("W_Q", 0, 1, -2.0)
    assert_allclose(e["weights"][LIN], [0.443, 0.322, 0.235], **SHOWN)
    assert np.array_equal(e["K"], labels)
    assert np.array_equal(e["V"], words)
    assert np.array_equal(e["Q"][NING], ning)
    assert e["X"][NING].tolist() == [0, 1]


def test_ning_has_the_largest_second_number_on_the_label(e):
    assert_allclose(e["K"][NING], [0.2, 0.7], **EXACT)
    assert e["K"][:, 1].argmax() == NING


def test_the_label_side(e):
    words = e["V"]
    assert_allclose(e["weights"][LIN, NING], 0.331, **SHOWN)
    e.set_entry("W_K", 1, 0, 2.0)
    assert_allclose(e["K"], [[0.4, 0.3], [1.2, 0.5], [2.0, 0.7]], **EXACT)
    assert_allclose(e["weights"][LIN, NING], 0.441, **SHOWN)
    assert_allclose(e["output"][LIN], [0.499, 0.582], **SHOWN)
    assert np.array_equal(e["V"], words)
    assert_allclose(e["V"][NING], [0.3, 0.9], **EXACT)


def test_the_students_are_the_words(e):
    words = Experiment.from_example("我爱你")
    for name in e.names:
        assert np.array_equal(e[name], words[name])


def test_moving_ning_moves_all_three_of_ning_and_no_other(e):
    before = {name: e[name] for name in ("Q", "K", "V", "weights")}
    e.set_entry("X", NING, 0, 1.0)
    assert_allclose(e["Q"][NING], [0.6, 0.8], **EXACT)
    assert_allclose(e["K"][NING], [0.6, 1.0], **EXACT)
    assert_allclose(e["V"][NING], [1.1, 1.0], **EXACT)
    for name in ("Q", "K", "V"):
        assert np.array_equal(e[name][:2], before[name][:2])
    assert (e["weights"][:2, NING] > before["weights"][:2, NING] + 0.01).all()


def test_moving_an_moves_target_and_label(e):
    assert_allclose(e["weights"][AN, AN], 0.333, **SHOWN)
    e.set_entry("X", AN, 1, 2.0)
    assert_allclose(e["weights"][AN, AN], 0.588, **SHOWN)


def test_the_truth_of_each_prediction(e):
    assert {key: p.truth(e) for key, p in l01.PREDICTIONS.items()} == {"01.1": 1, "01.2": 2, "01.3": 1}


def test_the_scores_named_in_the_first_question(e):
    for text in l01.PREDICTIONS["01.1"].question.values():
        assert all(score in text for score in shown(e["scores"][LIN]))


def test_the_smallest_step_with_a_share_of_0_4(e):
    assert l01.smallest_for_enough(e) == 1.7
    for value, enough in ((1.6, False), (1.7, True)):
        e.set_entry("W_Q", 0, 1, value)
        assert (e["weights"][LIN, NING] >= l01.ENOUGH) == enough


def test_the_label_of_a_ning_who_likes_both(e):
    assert_allclose(l01.EXERCISES["01.c"].answer(e), [0.6, 1.0], **EXACT)
