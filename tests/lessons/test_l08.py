"""What the prose of lesson 08 claims: each number, from the Experiment, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import Experiment, causal_mask, check, mask_after_softmax, mask_before_softmax, padding_mask, softmax
from attention_lib.digits import fixed
from attention_lib.language import say
from attention_lib.lessons import l08
from attention_lib.verdict import RIGHT, WRONG

EXACT = {"rtol": 0, "atol": 1e-12}


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in values]


def shares(scores):
    powers = [math.exp(s) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def scaled(e, row, *columns):
    """Scaled scores of some keys, from the scores written out in the lesson."""
    scores = [[0.26, 0.25, 0.24], [0.24, 0.29, 0.34], [0.22, 0.33, 0.44]]
    assert_allclose(e["scores"], scores, **EXACT)
    return [scores[row][column] / math.sqrt(2) for column in columns]


def test_causal(e):
    e.mask = causal_mask(3)
    assert_allclose(e["weights"][1, :2], shares(scaled(e, 1, 0, 1)), **EXACT)
    assert [shown(row) for row in e["weights"]] == [
        ["1.000", "0.000", "0.000"], ["0.491", "0.509", "0.000"], ["0.308", "0.333", "0.360"]]
    assert_allclose(e["weights"], [[1, 0, 0], [0.4911620858, 0.5088379142, 0],
                                   [0.3077677972, 0.3326621264, 0.3595700764]], rtol=0, atol=6e-11)
    assert shown(e["output"][0]) == ["0.800", "0.100"]
    assert_allclose(e["output"][0], e["V"][0], **EXACT)


def test_you_without_itself(e):
    keep = causal_mask(3)
    keep[2, 2] = False
    e.mask = keep
    assert_allclose(e["weights"][2], [*shares(scaled(e, 2, 0, 1)), 0], **EXACT)
    assert shown(e["weights"][2]) == ["0.481", "0.519", "0.000"]


def test_the_rest_keeps_its_proportions(e):
    before = e["weights"]
    assert shown(before[1]) == ["0.322", "0.333", "0.345"]
    assert_allclose(_causal(e)[1, 0] / _causal(e)[1, 1], before[1, 0] / before[1, 1], **EXACT)
    assert_array_equal(_causal(e)[2], before[2])


def _causal(e):
    return mask_before_softmax(e["scaled"], causal_mask(3))


def padded(e, words, **settings):
    zeros = np.zeros((2, 2))
    X = np.vstack([zeros, e.X] if words[0] == "pad" else [e.X, zeros])
    return Experiment(X, e.W_Q, e.W_K, e.W_V, words=words, **settings)


def test_padding_of_zeros_takes_its_share(e):
    long = padded(e, ("我", "爱", "你", "pad", "pad"))
    assert_allclose(long["weights"][0], shares([*scaled(e, 0, 0, 1, 2), 0, 0]), **EXACT)
    assert shown(long["weights"][0]) == ["0.215", "0.214", "0.212", "0.179", "0.179"]
    assert shown(long["output"][0]) == ["0.354", "0.320"]
    assert shown(e["output"][0]) == ["0.551", "0.498"]
    assert fixed(long["weights"][0, 3:].sum()) == "0.358"
    assert shown(np.exp(scaled(e, 0, 0, 1, 2)), 1) == ["1.2"] * 3
    long.mask = padding_mask(3, 5)
    assert_allclose(long["weights"][:3, :3], e["weights"], **EXACT)
    assert_allclose(long["output"][:3], e["output"], **EXACT)
    assert shown(long["weights"][0, :3]) == ["0.336", "0.333", "0.331"]


def test_masks_combined():
    both = causal_mask(4) & padding_mask(2, 4)
    assert_array_equal(both, [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]])
    assert both.sum() == 7
    assert (causal_mask(5) & padding_mask(3, 5)).sum() == 12


def test_row_sums_of_the_late_mask(e):
    after = mask_after_softmax(e["scaled"], causal_mask(3))
    want = [shares(scaled(e, row, 0, 1, 2)) for row in range(3)]
    assert_allclose(after.sum(axis=1), [math.fsum(want[row][: row + 1]) for row in range(3)], **EXACT)
    assert shown(after.sum(axis=1)) == ["0.336", "0.655", "1.000"]
    assert (fixed(after[1, 0], 4), fixed(after[1].sum(), 4)) == ("0.3216", "0.6548")
    assert fixed(after[1, 0] / after[1].sum(), 4) == "0.4912"
    assert_allclose(mask_after_softmax(e["scaled"], causal_mask(3), renormalise=True), _causal(e), **EXACT)


def test_padding_in_front(e):
    left = padded(e, ("pad", "pad", "我", "爱", "你"), mask=causal_mask(5) & (np.arange(5) >= 2))
    assert_array_equal(left["weights"][:2], np.zeros((2, 5)))
    assert_array_equal(left["output"][:2], np.zeros((2, 2)))
    assert_allclose(left["weights"][2:, 2:], _causal(e), **EXACT)
    keep = left.mask.copy()
    keep[0, 0] = True
    left.mask = keep
    assert_array_equal(left["weights"][0], [1, 0, 0, 0, 0])


def test_a_large_negative_number_shares_among_all_that_is_hidden(e):
    assert_allclose(softmax(np.full(3, -1e9)), [1 / 3] * 3, **EXACT)
    assert_allclose(softmax(e["scaled"] - 1e9), e["weights"], rtol=0, atol=1e-6)  # added in float64, the gaps stay
    assert np.ptp(e["weights"][2]) > 0.05
    assert_array_equal(softmax(np.full(3, -np.inf)), [0, 0, 0])


def test_a_causal_mask_turned_round(e):
    e.mask = ~causal_mask(3)
    assert_array_equal(e["weights"] > 0, [[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def test_the_truth_of_each_prediction(e):
    truths = {key: p.truth(e) for key, p in l08.PREDICTIONS.items()}
    assert_allclose(truths.pop("08.1"), [*shares(scaled(e, 1, 0, 1)), 0], **EXACT)
    assert truths == {"08.2": 2, "08.3": 1, "08.4": 2}


# The checks of this lesson name what was done


def plain(scaled):
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def with_zero(scaled, mask):
    return plain(np.where(mask, scaled, 0))


def multiplied(scaled, mask):
    return plain(scaled * mask)


@pytest.mark.parametrize(("wrong", "name"), [
    (lambda scaled, mask: plain(scaled) * mask, "mask_after_softmax"),
    (lambda scaled, mask: plain(np.where(mask, -np.inf, scaled)), "mask_reversed"),
    (lambda scaled, mask: plain(scaled), "mask_forgotten"),
    (with_zero, "masked_with_zero"),
    (multiplied, "masked_with_zero"),
])
def test_mistakes_with_a_mask_are_named(language, wrong, name):
    verdict = check("08.c", wrong)
    assert verdict.state == WRONG
    assert any(say(f"mistake.{name}") in line for line in verdict.lines), verdict


def test_minus_infinity_by_any_name_is_right(language):
    assert check("08.c", lambda scaled, mask: plain(np.where(mask, scaled, -1e300))).state == RIGHT
    assert check("08.c", lambda scaled, mask: plain(scaled + np.where(mask, 0, -np.inf))).state == RIGHT


def test_a_mask_may_be_given_as_booleans_or_ones_and_zeros(language):
    assert check("08.a", lambda n: np.tri(n, dtype=bool)).state == RIGHT
    assert check("08.a", lambda n: np.tri(n, dtype=int)).state == RIGHT
    assert check("08.a", lambda n: np.arange(n)[:, None] >= np.arange(n)).state == RIGHT
    assert check("08.a", lambda n: np.tri(n)).lines[0] == say("check.needs_bool")
    assert say("mistake.mask_reversed") in check("08.a", lambda n: np.triu(np.ones((n, n)), 1) > 0).lines
