"""What the prose of lesson 02 claims: each number, from the Experiment, against the value worked out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment
from attention_lib.explain import explain
from attention_lib.lessons import l02

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def same():
    same = Experiment.from_example("我爱你")
    same.fault = "W_K is W_Q"
    return same


def test_arithmetic_of_the_first_query_of_love(e):
    told = explain(e, "Q", 1, 0)
    assert "0.5×0.5 + 0.5×0.1" in " ".join(told.lines)
    assert told.lines[-1].endswith(" 0.3")
    assert told.sources == (("X", 1, None), ("W_Q", None, 0))


def test_a_row_of_x_is_a_recipe(e):
    W_Q = e.W_Q
    assert_allclose(e["Q"], [W_Q[0], (W_Q[0] + W_Q[1]) / 2, W_Q[1]], **EXACT)
    assert_allclose(e["Q"][0], [0.5, 0.2], **EXACT)
    assert not np.allclose(W_Q, W_Q.T)
    rest = e["Q"][1:]
    e.set_entry("X", 0, 1, 1.0)
    assert_allclose(e["Q"][0], [0.6, 0.8], **EXACT)
    assert_allclose(e["Q"][0], W_Q.sum(axis=0), **EXACT)
    assert np.array_equal(e["Q"][1:], rest)


def test_moving_x_moves_all_three_sides_of_one_word(e):
    e.set_entry("X", 1, 0, 1.5)
    assert_allclose(e["Q"][1], [0.8, 0.6], **EXACT)
    assert_allclose(e["K"][1], [0.7, 0.8], **EXACT)
    assert_allclose(e["V"][1], [1.35, 0.6], **EXACT)
    e.set_entry("X", 1, 0, -1.0)
    turned = [np.arctan2(*e[name][1]) for name in ("X", "Q", "K", "V")]
    assert min(abs(a - b) for i, a in enumerate(turned) for b in turned[:i]) > 0.01


@pytest.mark.parametrize(("entry", "changed", "kept"), [
    (("W_V", 0, 0, 1.8), ("V", "output"), ("K", "weights")),
    (("W_K", 1, 0, 1.2), ("K", "weights", "output"), ("V",)),
])
def test_the_value_is_not_the_key(e, entry, changed, kept):
    assert e[entry[0]][entry[1:3]] == pytest.approx(entry[3] - 1.0)
    before = {name: e[name] for name in changed + kept}
    e.set_entry(*entry)
    assert not any(np.allclose(e[name], before[name]) for name in changed)
    assert all(np.array_equal(e[name], before[name]) for name in kept)


def test_one_matrix_gives_symmetric_scores(same):
    assert_allclose(same["scores"], [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]], **EXACT)
    assert_allclose(np.diag(same["scores"]), (same["Q"] ** 2).sum(axis=1), **EXACT)
    assert same["scores"][1, 2] > same["scores"][1, 1]
    same.set_entry("W_Q", 0, 0, 1.5)
    assert_allclose(same["scores"], [[2.29, 1.28, 0.27], [1.28, 0.80, 0.32], [0.27, 0.32, 0.37]], **EXACT)


def test_merged_into_one_matrix(e):
    M = e.W_Q @ e.W_K.T
    assert_allclose(M, [[0.26, 0.24], [0.22, 0.44]], **EXACT)
    merged = Experiment(e.X, M, np.eye(2), e.W_V, words=e.words)
    assert_allclose(merged["K"], e.X, **EXACT)
    assert_allclose(merged["scores"], e["scores"], **EXACT)
    merged.set_entry("W_Q", 0, 1, 1.0)
    assert_allclose(merged["scores"][0, 2], 1.0, **EXACT)


def test_thin_matrices_hold_fewer_numbers_and_limit_the_rank():
    thin_Q, thin_K = np.random.default_rng(0).normal(size=(2, 8, 2))
    assert thin_Q.size + thin_K.size == 32
    assert (thin_Q @ thin_K.T).size == 64
    assert np.linalg.matrix_rank(thin_Q @ thin_K.T) == 2
    assert (2 * l02.D_MODEL * l02.D_K, l02.D_MODEL**2) == (65_536, 262_144)
    assert l02.PREDICTIONS["02.4"].truth(None) == 4


def test_the_truth_of_each_prediction(e):
    truths = {key: p.truth(e) for key, p in l02.PREDICTIONS.items()}
    assert truths == {"02.1": 1, "02.2": 1, "02.3": 1, "02.4": 4}


def test_the_statements_of_exercise_b(e):
    assert all(l02._rows_that_move(e, row, 0) == {key: [row] for key in "QKV"} for row in range(3))
    assert l02.EXERCISES["02.b"].answer == [0, 2]


def test_numbers_in_two_thin_matrices():
    assert np.zeros((100, 10)).size + np.zeros((100, 10)).size == l02.EXERCISES["02.c"].answer
