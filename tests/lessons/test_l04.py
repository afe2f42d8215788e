"""What the prose of lesson 04 claims: each number, from the Experiment, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment, softmax
from attention_lib.digits import fixed
from attention_lib.lessons import l04
from attention_lib.widgets.scaling_lab import ScalingLab

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def wide():
    return Experiment(Q=[[2, 0, 0, 0]], K=[[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 0, 0]], V=[[1], [2], [3]])


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in values]


def by_hand(scores):
    powers = [math.exp(s) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def test_the_last_row_scaled(e):
    assert_allclose(e["scores"][2], [0.22, 0.33, 0.44], **EXACT)
    assert_allclose(e["scaled"][2], np.array([0.22, 0.33, 0.44]) / math.sqrt(2), **EXACT)
    assert shown(e["scaled"][2]) == ["0.156", "0.233", "0.311"]
    assert shown(e["weights"][2]) == ["0.308", "0.333", "0.360"]


def test_no_scaling_changes_little_when_keys_are_short(e):
    weights, output = e["weights"], e["output"]
    e.fault = "no scaling"
    assert np.array_equal(e["scaled"], e["scores"])
    assert_allclose(e["weights"][2], by_hand([0.22, 0.33, 0.44]), **EXACT)
    assert shown(e["weights"][2]) == ["0.297", "0.332", "0.371"]
    moved = abs(e["weights"] - weights)
    assert np.unravel_index(moved.argmax(), moved.shape) == (2, 2)
    assert fixed(moved.max(), 3) == "0.011"
    assert 0.008 < abs(e["output"] - output).max() < 0.009


def test_variances_add_up_so_the_spread_is_a_square_root():
    """Independent entries ±1 have mean 0 and variance 1; all cases counted, no chance."""
    for d_k in (1, 2, 4):
        entries = np.array(np.meshgrid(*[[-1, 1]] * d_k)).reshape(d_k, -1).T
        scores = entries @ entries.T
        assert_allclose(scores.std(), math.sqrt(d_k), **EXACT)
    roots = [1, 1.41, 2, 4, 8, 16, 32]
    assert_allclose(np.sqrt([1, 2, 4, 16, 64, 256, 1024]), roots, rtol=0, atol=0.005)


def test_random_scores_scatter_as_told():
    random = np.random.RandomState(0)
    for d_k in (1, 4, 16, 64, 256, 1024):
        q, k = random.standard_normal((2, 2000, d_k))
        assert_allclose((q * k).sum(axis=1).std(), math.sqrt(d_k), rtol=0.05)


def test_numbers_of_the_lab():
    lab = ScalingLab(d_k=1024)

    def row(d_k, name):
        lab.d_k = d_k
        numbers = lab.shown["rows"][("none", "root", "d_k").index(name)]
        return [numbers[key]["text"] for key in ("deviation", "largest", "gradient")]

    assert [row(d_k, "none")[0] for d_k in (4, 16, 64)] == ["1.937", "3.973", "7.949"]
    assert all(abs(float(row(d_k, "root")[0]) - 1) < 0.05 for d_k in range(1, 1025))
    assert row(1024, "none")[1:] == ["0.968", "0.023"]
    assert row(1024, "d_k")[1] == "0.131"
    assert (row(1024, "root")[1:], row(64, "root")[1:]) == (["0.359", "0.217"], ["0.352", "0.216"])
    assert row(64, "none")[1] == "0.868"


def test_the_lab_against_vectors_drawn_in_full():
    random = np.random.default_rng(2)
    scores = np.array([random.standard_normal((8, 1024)) @ random.standard_normal(1024) for _ in range(400)])
    for divisor, largest in ((1, 0.968), (32, 0.359), (1024, 0.131)):
        assert_allclose(softmax(scores / divisor).max(axis=1).mean(), largest, rtol=0, atol=0.02)


def test_gradients_of_a_weight():
    assert 0.5 * (1 - 0.5) == 0.25
    assert_allclose(0.99 * (1 - 0.99), 0.0099, **EXACT)
    assert 0.98 * (1 - 0.98) < 0.25 / 12
    w, nudge = softmax([0.3, -0.2, 0.9]), 1e-6
    slope = (softmax([0.3, -0.2, 0.9 + nudge])[2] - w[2]) / nudge
    assert_allclose(slope, w[2] * (1 - w[2]), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("scale", "divisor", "want"), [
    (False, 1, ["0.867", "0.016", "0.117"]),
    (True, 2, ["0.665", "0.090", "0.245"]),
    (1 / 4, 4, ["0.506", "0.186", "0.307"]),
    (1 / math.sqrt(3), math.sqrt(3), ["0.707", "0.070", "0.223"]),
])
def test_four_divisors(wide, scale, divisor, want):
    wide.scale = scale
    assert_allclose(wide["scores"], [[4, 0, 2]], **EXACT)
    assert_allclose(wide["weights"][0], by_hand([4 / divisor, 0, 2 / divisor]), **EXACT)
    assert shown(wide["weights"][0]) == want


def test_no_two_of_the_sizes_agree(wide):
    assert (wide["Q"].shape, wide["K"].shape) == ((1, 4), (3, 4))
    assert_allclose(wide["scaled"], [[2, 0, 1]], **EXACT)


def test_which_number_under_the_root():
    e = Experiment(X=np.ones((5, 8)), W_Q=np.ones((8, 4)), W_K=np.ones((8, 4)), W_V=np.ones((8, 6)))
    assert e["K"].shape[1] == l04.EXERCISES["04.c"].answer == 4
    assert_allclose(e["scores"] / e["scaled"], math.sqrt(4), **EXACT)


def test_the_truth_of_each_prediction(e):
    truths = {key: p.truth(e) for key, p in l04.PREDICTIONS.items()}
    assert truths == {"04.1": 2, "04.2": 1, "04.3": 3, "04.4": 2.0}
    assert fixed(4 / math.sqrt(3), 3) == "2.309"
