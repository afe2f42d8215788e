"""What the prose of lesson 07 claims: each number, from the Experiment, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment, causal_mask
from attention_lib.digits import fixed
from attention_lib.explain import explain
from attention_lib.lessons import l07
from attention_lib.starting_points import starting_point

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def tokens():
    return Experiment.from_example("three tokens")


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in np.ravel(values)]


def by_hand(scores):
    powers = [math.exp(s) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def test_causal_preset(e):
    last = e["weights"][2]
    e.set(**starting_point(e, "causal"))
    assert np.array_equal(e.mask, causal_mask(3))
    assert shown(e["weights"][0]) == ["1.000", "0.000", "0.000"]
    assert shown(e["weights"][1]) == ["0.491", "0.509", "0.000"]
    assert_allclose(e["weights"][1], [*by_hand([0.24 / math.sqrt(2), 0.29 / math.sqrt(2)]), 0], **EXACT)
    assert_allclose(e["weights"][2], last, **EXACT)
    assert_allclose(e["output"][0], [0.8, 0.1], **EXACT)
    assert_allclose(e["output"][1], [0.6727905215, 0.3035351657], rtol=0, atol=5e-11)


def test_same_projection_preset(e):
    e.set(**starting_point(e, "W_Q = W_K"))
    assert_allclose(e["scores"], [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]], **EXACT)


@pytest.mark.parametrize(("name", "follow"), [
    ("W_V", {"V", "output"}),
    ("W_Q", {"Q", "scores", "scaled", "weights", "output"}),
    ("X", {"Q", "K", "V", "scores", "scaled", "weights", "output"}),
])
def test_what_follows_a_change(e, name, follow):
    before = {step: e[step] for step in e.names}
    e.set_entry(name, 0, 0, 1.3)
    moved = {step for step in e.names if not np.array_equal(before[step], e[step])}
    assert moved - {name} == follow


def test_another_seed_other_weights():
    first, second = (Experiment.from_sentence("我 爱 attention", width=2, seed=seed) for seed in (0, 1))
    assert first.words == second.words == ("我", "爱", "attention")
    assert (first["weights"].argmax(axis=1) != second["weights"].argmax(axis=1)).all()


def test_own_matrices_have_no_two_sizes_alike():
    own = Experiment(X=[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], W_Q=[[1, 0], [0, 1], [1, 1]],
                     W_K=[[0, 1], [1, 0], [1, -1]], W_V=[[1], [2], [3]])
    assert (*own["X"].shape, own["K"].shape[1], own["V"].shape[1]) == (4, 3, 2, 1)
    with pytest.raises(ValueError, match="W_Q"):
        Experiment(X=[[1, 0, 0]], W_Q=[[1, 0]], W_K=[[1, 0]], W_V=[[1]])


@pytest.mark.parametrize("order", [[2, 1, 0], [2, 0, 1], [1, 0, 2]])
def test_permuted_rows_permute_the_output(e, order):
    other = Experiment(e.X[order], e.W_Q, e.W_K, e.W_V)
    assert_allclose(other["output"], e["output"][order], **EXACT)
    assert_allclose(other["weights"], e["weights"][np.ix_(order, order)], **EXACT)


def test_first_word_after_turning_the_sentence_round(e):
    there = Experiment(e.X, e.W_Q, e.W_K, e.W_V)
    back = Experiment(e.X[::-1], e.W_Q, e.W_K, e.W_V, words=there.words[::-1])
    assert there.words == back.words[::-1] == ("w₁", "w₂", "w₃")
    assert shown(there["output"][0]) == shown(back["output"][2]) == ["0.551", "0.498"]
    products = [explain(each, "output", row, 0).lines[1].removeprefix("≈ ").removeprefix("= ").split(" + ")
                for each, row in ((there, 0), (back, 2))]
    assert products[0] == products[1][::-1]


def test_a_causal_mask_gives_away_some_order(e):
    masked = Experiment(e.X, e.W_Q, e.W_K, e.W_V, mask=causal_mask(3))
    other = Experiment(e.X[::-1], e.W_Q, e.W_K, e.W_V, mask=causal_mask(3))
    assert abs(other["output"] - masked["output"][::-1]).max() > 0.1


def test_the_claim_about_the_second_token(tokens):
    assert [shown(row) for row in tokens["weights"]] == [
        ["0.262", "0.494", "0.244"], ["0.380", "0.245", "0.375"], ["0.277", "0.464", "0.260"]]
    for row, scores in zip(tokens["weights"], [[0.1, 1, 0], [1.02, 0.4, 1], [0.19, 0.92, 0.1]], strict=True):
        assert_allclose(row, by_hand(np.array(scores) / math.sqrt(2)), **EXACT)
    assert tokens["weights"][1].argmin() == 1
    assert "0.2×1 + 1×0.2" in " ".join(explain(tokens, "scores", 1, 1).lines).replace(".0", "")
    assert tokens["weights"].sum(axis=0).argmax() == 1
    assert l07.EXERCISES["07.b"].answer(tokens) == [0, 2]


def test_the_truth_of_each_prediction(e, tokens):
    truths = {key: p.truth(tokens if p.example == "three tokens" else e) for key, p in l07.PREDICTIONS.items()}
    assert_allclose(truths.pop("07.1"), [0.4911620858, 0.5088379142, 0], rtol=0, atol=5e-11)
    assert truths == {"07.2": 1, "07.3": 1, "07.4": 0}
