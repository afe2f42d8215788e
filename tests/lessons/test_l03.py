"""What the prose of lesson 03 claims: each number, from the Experiment, against the value worked out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment
from attention_lib.explain import explain
from attention_lib.lessons import l03

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def tokens():
    return Experiment.from_example("three tokens")


def test_arithmetic_of_me_looking_at_you(e):
    told = explain(e, "scores", 0, 2)
    assert "0.5×0.2 + 0.2×0.7" in " ".join(told.lines)
    assert told.lines[-1].endswith("0.24")
    assert told.sources == (("Q", 0, None), ("K", 2, None))


def test_a_negative_entry_turns_the_last_row_negative(e):
    assert_allclose(e["scores"][2], [0.22, 0.33, 0.44], **EXACT)
    first = e["scores"][0]
    e.set_entry("W_Q", 1, 1, -0.6)
    assert_allclose(e["scores"][2], [-0.14, -0.27, -0.40], **EXACT)
    assert np.array_equal(e["scores"][0], first)
    assert e["X"][0, 1] == 0


def test_a_row_of_scores_need_not_sum_to_one_and_scores_can_pass_one(e, tokens):
    assert_allclose(e["scores"].sum(axis=1), [0.75, 0.87, 0.99], **EXACT)
    assert tokens["scores"].max() > 1


def test_twice_the_query_twice_the_scores(e):
    before = e["scores"]
    e.set(W_Q=2 * e["W_Q"])
    assert_allclose(e["scores"], 2 * before, **EXACT)


def test_whom_each_word_looks_at_most(e):
    assert_allclose(e["scores"], [[0.26, 0.25, 0.24], [0.24, 0.29, 0.34], [0.22, 0.33, 0.44]], **EXACT)
    assert e["scores"].argmax(axis=1).tolist() == [0, 2, 2]


def test_moving_w_q_changes_rows(e):
    last = e["scores"][2]
    e.set_entry("W_Q", 0, 1, 1.2)
    assert_allclose(e["scores"][0], [0.56, 0.75, 0.94], **EXACT)
    assert np.array_equal(e["scores"][2], last)


def test_moving_w_k_changes_columns(e):
    before = e["scores"]
    e.set_entry("W_K", 0, 1, 1.3)
    assert_allclose(e["scores"][:, 0], [0.46, 0.64, 0.82], **EXACT)
    assert e["scores"].argmax(axis=1).tolist() == [0, 0, 0]
    assert np.array_equal(e["scores"][:, 2], before[:, 2])
    moved = abs(e["scores"] - before)
    assert (moved[:, 0] > moved[:, 1]).all()


def test_what_the_middle_word_is_after(e):
    assert_allclose(e["Q"][1], [0.3, 0.4], **EXACT)
    assert_allclose(e["K"][1:], [[0.3, 0.5], [0.2, 0.7]], **EXACT)


def test_no_token_looks_most_at_itself(tokens):
    assert_allclose(tokens["scores"], [[0.10, 1.00, 0.00], [1.02, 0.40, 1.00], [0.19, 0.92, 0.10]], **EXACT)
    assert tokens["scores"].argmax(axis=1).tolist() == [1, 0, 1]


def test_one_query_changes_one_row(tokens):
    before = tokens["scores"]
    tokens.set_entry("Q", 2, 0, -0.9)
    assert_allclose(tokens["scores"][2], [0.01, -0.88, 0.10], **EXACT)
    assert np.array_equal(tokens["scores"][:2], before[:2])


def test_two_queries_three_keys(tokens):
    cross = Experiment(Q=[[1.0, 0.0], [0.2, 1.0]], K=tokens["K"], V=tokens["V"])
    assert cross["scores"].shape == (2, 3)
    assert_allclose(cross["scores"], tokens["scores"][:2], **EXACT)


def test_five_words_look_at_seven():
    assert (np.ones((5, 4)) @ np.ones((7, 4)).T).shape == l03.EXERCISES["03.d"].answer == (5, 7)


def test_the_truth_of_each_prediction(e, tokens):
    truths = {key: p.truth(tokens if p.example == "three tokens" else e) for key, p in l03.PREDICTIONS.items()}
    assert truths == {"03.1": 1, "03.2": 2, "03.3": 1}


def test_the_smallest_step_that_turns_the_first_word(e):
    assert l03.smallest_to_turn(e) == 0.3
    assert_allclose(l03.first_row(e, 0.2), [0.26, 0.25, 0.24], **EXACT)
    assert_allclose(l03.first_row(e, 0.3), [0.29, 0.30, 0.31], **EXACT)
    e.set_entry("W_Q", 0, 1, 2.0)  # where the learner's own slider stands does not matter
    assert l03.smallest_to_turn(e) == 0.3


def test_at_a_quarter_the_first_word_is_undecided(e):
    assert_allclose(l03.first_row(e, 0.25), [0.275, 0.275, 0.275], **EXACT)
