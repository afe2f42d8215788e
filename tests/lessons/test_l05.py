"""What the prose of lesson 05 claims: each number, from the Experiment, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment, softmax
from attention_lib.digits import fixed
from attention_lib.explain import explain
from attention_lib.lessons import l05

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def shift():
    return Experiment(Q=[[1.0, 0.0]], K=[[0, 1], [1, 1], [2, 1]], V=[[1], [2], [3]], scale=False)


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in values]


def by_hand(scores):
    powers = [math.exp(s) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def test_three_moves_of_the_first_weight(e):
    assert_allclose(e["scaled"][0], np.array([0.26, 0.25, 0.24]) / math.sqrt(2), **EXACT)
    assert shown(e["scaled"][0]) == ["0.184", "0.177", "0.170"]
    told = " ".join(explain(e, "weights", 0, 0).lines)
    for part in ("exp(0.1838) ≈ 1.2018", "1.2018 + 1.1934 + 1.1850 ≈ 3.5802", "1.2018 ÷ 3.5802 ≈ 0.3357"):
        assert part in told
    assert_allclose(e["weights"][0], by_hand(e["scaled"][0]), **EXACT)


def test_negative_scores_give_positive_weights_in_the_same_order(e):
    e.set_entry("W_Q", 0, 0, -2.0)
    root = math.sqrt(2)
    assert_allclose(e["scaled"][0], [-0.74 / root, -0.5 / root, -0.26 / root], **EXACT)
    assert shown(e["scaled"][0]) == ["-0.523", "-0.354", "-0.184"]
    assert_allclose(e["weights"][0], by_hand([-0.74 / root, -0.5 / root, -0.26 / root]), **EXACT)
    assert shown(e["weights"][0]) == ["0.279", "0.330", "0.391"]


def test_dividing_by_the_total_is_no_share(e):
    e.set_entry("W_Q", 0, 0, -2.0)
    row = np.array([-0.26, -0.085, 0.09]) / math.sqrt(2)
    assert_allclose(e["scaled"][1], row, **EXACT)
    assert shown(e["scaled"][1]) == ["-0.184", "-0.060", "0.064"]
    assert shown(e["scaled"][1] / e["scaled"][1].sum()) == shown(row / math.fsum(row)) == ["1.020", "0.333", "-0.353"]
    assert e["scaled"][1].argmin() == 0


def test_ratio_of_two_weights(e):
    gap = e["scaled"][0].max() - e["scaled"][0].min()
    assert_allclose(gap, 0.02 / math.sqrt(2), **EXACT)
    assert (fixed(gap, 4), fixed(math.exp(0.02 / math.sqrt(2)), 4)) == ("0.0141", "1.0142")
    assert_allclose(e["weights"][0].max() / e["weights"][0].min(), math.exp(0.02 / math.sqrt(2)), **EXACT)


def test_the_wrong_axis(e):
    right = e["weights"]
    e.fault = "wrong axis"
    assert_allclose(e["weights"].sum(axis=1), [0.9720694262, 0.9993340458, 1.0285965278], rtol=0, atol=2e-10)
    assert shown(e["weights"].sum(axis=1)) == ["0.972", "0.999", "1.029"]
    assert_allclose(e["weights"].sum(axis=0), 1, **EXACT)
    assert shown(e["weights"][:, 0]) == ["0.338", "0.333", "0.329"]
    assert 0.02 < abs(e["weights"] - right).max() < 0.03
    assert (e["weights"] > 0).all()


def test_rounded_numbers_miss_one(e):
    assert shown(e["weights"][2]) == ["0.308", "0.333", "0.360"]
    assert fixed(sum(map(float, shown(e["weights"][2]))), 3) == "1.001"
    assert_allclose(e["weights"][2], [0.3077677972, 0.3326621264, 0.3595700764], rtol=0, atol=5e-11)
    assert_allclose(e["weights"].sum(axis=1), 1, **EXACT)


def test_digits_of_a_large_power():
    assert math.floor(1000 * math.log10(math.e)) + 1 == 435


def test_lifting_all_scores_changes_nothing(shift):
    assert_allclose(shift["scores"], [[0, 1, 2]], **EXACT)
    before = shift["weights"]
    assert_allclose(before[0], by_hand([0, 1, 2]), **EXACT)
    assert shown(before[0]) == ["0.090", "0.245", "0.665"]
    shift.set_entry("Q", 0, 1, 1000)
    assert_allclose(shift["scores"], [[1000, 1001, 1002]], **EXACT)
    assert_allclose(shift["weights"], before, **EXACT)
    assert_allclose(shift["weights"][0], [0.0900305732, 0.2447284711, 0.6652409558], rtol=0, atol=5e-11)


def test_twice_the_gaps(shift):
    shift.set(Q=[[2, 1000]])
    assert_allclose(shift["scores"], [[1000, 1002, 1004]], **EXACT)
    assert_allclose(shift["weights"][0], by_hand([0, 2, 4]), **EXACT)
    assert shown(shift["weights"][0]) == ["0.016", "0.117", "0.867"]


@pytest.mark.parametrize(("T", "want"), [
    (1, ["0.308", "0.333", "0.360"]),
    (0.1, ["0.126", "0.275", "0.599"]),
    (0.05, ["0.035", "0.168", "0.796"]),
    (10, ["0.331", "0.333", "0.336"]),
])
def test_temperature(e, T, want):
    e.scale = 1 / (T * math.sqrt(2))
    assert_allclose(e["weights"][2], by_hand([s / (T * math.sqrt(2)) for s in (0.22, 0.33, 0.44)]), **EXACT)
    assert shown(e["weights"][2]) == want


def test_the_truth_of_each_prediction(e):
    truths = {key: p.truth(e) for key, p in l05.PREDICTIONS.items()}
    assert_allclose(truths.pop("05.4"), by_hand([s / (0.1 * math.sqrt(2)) for s in (0.22, 0.33, 0.44)])[2], **EXACT)
    assert truths == {"05.1": 1, "05.2": 2, "05.3": 2}
    assert_allclose(e["weights"][0], [0.3356931140, 0.3333277778, 0.3309791081], rtol=0, atol=5e-11)


def test_half_the_temperature_squares_the_ratio(e):
    ratio = e["weights"][2].max() / e["weights"][2].min()
    cooler = softmax(e["scaled"][2] / 0.5)
    assert_allclose(cooler.max() / cooler.min(), ratio**2, **EXACT)
    assert_allclose(ratio, math.exp(0.22 / math.sqrt(2)), **EXACT)
