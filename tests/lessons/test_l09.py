"""What the prose of lesson 09 claims: each number, from the experiments, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import Experiment, MultiHead, WordOrder, check, rotary, sinusoidal_positions, split_heads
from attention_lib.arithmetic import explain
from attention_lib.digits import fixed
from attention_lib.head_mistakes import ATTEND, SPLIT
from attention_lib.language import say
from attention_lib.lessons import l09
from attention_lib.position_mistakes import SINUSOIDAL
from attention_lib.verdict import RIGHT, WRONG

EXACT = {"rtol": 0, "atol": 1e-12}
BIG = math.exp(math.sqrt(2))  # exp(2 / √2), the only score of the example besides exp(0) = 1


@pytest.fixture
def m():
    return MultiHead.from_example()


@pytest.fixture
def o():
    return WordOrder(Experiment.from_example("我爱你"))


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in values]


def test_what_reshape_alone_does():
    X = np.arange(12).reshape(3, 4)
    assert split_heads(X, 2)[0].tolist() == [[0, 1], [4, 5], [8, 9]]
    wrong = X.reshape(2, 3, 2)
    assert wrong[0].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert wrong[1, 1:].ravel().tolist() == X[2].tolist()


def test_both_heads_and_their_mean(m):
    assert_allclose(m["weights_1"][0], np.array([BIG, 1, BIG]) / (2 * BIG + 1), **EXACT)
    assert_allclose(m["weights_2"][1], np.array([BIG, 1, 1]) / (BIG + 2), **EXACT)
    assert shown(m["weights_1"][0]) == ["0.446", "0.108", "0.446"]
    assert shown(m["weights_1"][1]) == ["0.164", "0.673", "0.164"]
    assert shown(m["weights_2"][1]) == ["0.673", "0.164", "0.164"]
    assert fixed(m["weights_2"][0, 1]) == "0.673"
    assert shown(m["mean"][1]) == ["0.418", "0.418", "0.164"]
    assert_allclose(m["mean"][1, 0], (BIG + 1) / (BIG + 2) / 2, **EXACT)


def test_one_slider_moves_one_head(m):
    before = m["weights_1"]
    assert m.labels("W_Q")[0][2] in ("活的", "alive")
    assert m.labels("W_Q")[1][3] == "q₄"
    m.set_entry("W_Q", 2, 3, -2.0)
    assert_allclose(m["weights_2"][0], np.array([1, 1 / BIG, 1]) / (2 + 1 / BIG), **EXACT)
    assert shown(m["weights_2"][0]) == ["0.446", "0.108", "0.446"]
    assert_array_equal(m["weights_1"], before)


def test_a_head_switched_off(m):
    assert len({tuple(np.round(row, 6)) for row in m["output"]}) == 3
    m.keep = [True, False]
    assert_array_equal(m["merged"][:, 2:], np.zeros((3, 2)))
    a, b = 2 * BIG / (2 * BIG + 1), 1 / (2 * BIG + 1)
    assert_allclose(m["output"][0], [a, b, a / 2, b / 2], **EXACT)
    assert shown(m["output"][0]) == shown(m["output"][2]) == ["0.892", "0.108", "0.446", "0.054"]
    assert_allclose(m["output"][0], m["output"][2], **EXACT)
    m.keep = [False, True]
    assert shown(m["output"][1]) == shown(m["output"][2]) == ["0.336", "0.082", "0.673", "0.164"]
    assert_allclose(m["output"][1], m["output"][2], **EXACT)


def test_turned_round_without_positions(o):
    o.order = (2, 1, 0)
    assert [shown(row) for row in o["change"]] == [["0.000", "0.000"]] * 3


def test_turned_round_with_sinusoidal_positions(o):
    o.positions = "sinusoidal"
    assert fixed(0.5 + math.sin(1), 4) == "1.3415"
    assert explain(o, "placed", 1, 0).lines[0].endswith("X[2, 1] + sin(1)")
    assert_allclose(o["placed"][1, 0], 0.5 + math.sin(1), **EXACT)
    o.order = (2, 1, 0)
    assert [shown(row) for row in o["change"]] == [["-0.005", "-0.043"], ["-0.076", "0.145"], ["-0.113", "0.255"]]


def test_turned_round_with_rotary_positions(o):
    assert fixed(o["scores"][0, 1]) == "0.250"
    o.positions = "rotary"
    assert shown(np.diag(o["scores"])) == ["0.260", "0.290", "0.440"]
    x, y = 0.3 * math.cos(1) - 0.5 * math.sin(1), 0.3 * math.sin(1) + 0.5 * math.cos(1)
    assert_allclose(o["scores"][0, 1], 0.5 * x + 0.2 * y, **EXACT)
    assert fixed(o["scores"][0, 1]) == "-0.025"
    o.order = (2, 1, 0)
    assert shown(o["change"][0]) == ["-0.033", "0.052"]


def test_no_two_places_are_the_same_and_the_slow_columns_hardly_move():
    PE = sinusoidal_positions(16, 16)
    apart = np.linalg.norm(PE[:, None] - PE[None], axis=-1)
    assert apart[~np.eye(16, dtype=bool)].min() > 0.5
    assert np.ptp(PE[:, -2:], axis=0).max() < 0.01
    assert np.ptp(PE[:, 0]) > 1.9


def test_distance_is_what_counts():
    q, k = np.array([[1.0, 0.5]]), np.array([[0.3, 0.8]])

    def score(a, b):
        z = complex(1, 0.5) * (complex(0.3, 0.8) * complex(math.cos(b - a), math.sin(b - a))).conjugate()
        found = float((rotary(q, [a]) @ rotary(k, [b]).T)[0, 0])
        assert_allclose(found, z.real, **EXACT)
        return found

    assert_allclose(score(2, 5), score(12, 15), **EXACT)
    assert abs(score(5, 2) - score(2, 5)) > 0.1


def test_the_truth_of_each_prediction():
    e = Experiment.from_example("我爱你")
    assert {key: p.truth(e) for key, p in l09.PREDICTIONS.items()} == {
        "09.1": 1, "09.2": 1, "09.3": 1, "09.4": 2, "09.5": 0}


@pytest.mark.parametrize(("key", "mistakes"), [("09.a", SPLIT), ("09.c", ATTEND), ("09.e", SINUSOIDAL)])
def test_every_mistake_is_named_by_its_own_sentence(language, key, mistakes):
    for name, function in mistakes:
        verdict = check(key, function)
        assert verdict.state == WRONG
        assert verdict.lines[0] == say(f"mistake.{name}"), (name, verdict)


def test_other_ways_to_write_it_are_right(language):
    assert check("09.a", lambda X, heads: np.array(np.split(X, heads, axis=1))).state == RIGHT
    assert check("09.a", lambda X, heads: X.reshape(2, 3, 2)).state == WRONG

    def one_by_one(X, W_Q, W_K, W_V, W_O, heads):
        told = []
        for Q, K, V in zip(*(np.split(X @ W, heads, axis=1) for W in (W_Q, W_K, W_V)), strict=True):
            powers = np.exp(Q @ K.T / np.sqrt(K.shape[1]))
            told.append(powers / powers.sum(axis=1, keepdims=True) @ V)
        return np.hstack(told) @ W_O

    assert check("09.c", one_by_one).state == RIGHT
