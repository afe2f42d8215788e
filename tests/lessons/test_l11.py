"""What the prose of lesson 11 claims: each number, from the library, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import KeyValueCache, causal_mask, decoding, one_pass_softmax, self_attention
from attention_lib.cache import all_anew
from attention_lib.digits import fixed
from attention_lib.growing import BLOCK, FITTED, SIZES, WAYS, extra_memory, fitted_exponent, random_inputs
from attention_lib.lessons import l11
from attention_lib.online import COLUMNS, ROWS, blockwise_attention
from attention_lib.widgets.growth import mebibytes

EXACT = {"rtol": 0, "atol": 1e-12}


def test_words_and_pairs():
    assert 1000**2 * (64 + 64) == 128_000_000 == l11._cost(1000)
    assert 2000**2 * (64 + 64) == 512_000_000 == l11._cost(2000)
    assert mebibytes(4 * 8192**2) == "256 MiB"
    assert (SIZES[0], SIZES[-1], FITTED) == (128, 8192, 4)
    assert fitted_exponent([250, 500, 1000, 2000], [8 * n * n for n in (250, 500, 1000, 2000)]) == pytest.approx(2)


def test_multiplications_of_each_word(e):
    cache = KeyValueCache(e.W_Q, e.W_K, e.W_V)
    kept, anew = [], []
    for t, x in enumerate(e.X, 1):
        cache.step(x)
        kept.append(cache.multiplications)
        anew.append(all_anew(e.X[:t], e.W_Q, e.W_K, e.W_V)[1])
    assert (kept, anew) == ([16, 20, 24], [16, 40, 72])
    d = d_k = d_v = 2
    assert kept == [d * (2 * d_k + d_v) + t * (d_k + d_v) for t in (1, 2, 3)]
    panel = decoding(e)
    panel.turn(word=3)
    cost = next(box for box in panel.boxes if box["name"] == "cost")["tables"][0]["text"]
    assert [row[:2] for row in cost[:3]] == [["16", "16"], ["20", "40"], ["24", "72"]]


def test_outputs_under_the_causal_mask(e):
    whole = self_attention(e.X, e.W_Q, e.W_K, e.W_V, mask=causal_mask(3))
    assert [fixed(x) for x in whole.output[2]] == ["0.537", "0.521"]
    assert [fixed(x) for x in whole.weights[1, :2]] == ["0.491", "0.509"]
    gap = (0.29 - 0.24) / math.sqrt(2)  # the two scores of the second word
    assert_allclose(whole.weights[1, 1], 1 / (1 + math.exp(-gap)), **EXACT)


def test_without_the_mask_earlier_outputs_change(e):
    before, after = (self_attention(e.X[:t], e.W_Q, e.W_K, e.W_V) for t in (2, 3))
    assert_allclose(before.K, after.K[:2], **EXACT)
    assert abs(before.output - after.output[:2]).max() > 0.01


def test_the_cache_of_a_large_model():
    numbers = 32 * 32 * (128 + 128) * 8192  # layers, heads, a key and a value, words
    assert 2 * numbers == 4 * 2**30


def test_one_reading_of_the_third_word(e):
    panel = one_pass_softmax(e)
    panel.turn(step=3)
    boxes = {box["name"]: box for box in panel.boxes}
    assert [row[1] for row in boxes["running"]["tables"][0]["text"]] == ["0.0000", "1.0000", "1.9252", "2.7811"]
    assert boxes["result"]["tables"][0]["text"] == [["0.5370", "0.5207"]]
    gap = 0.11 / math.sqrt(2)
    assert fixed(1 + math.exp(-gap), 4) == "1.9252"
    assert fixed(1 + math.exp(-gap) + math.exp(-2 * gap), 4) == "2.7811"
    assert [fixed(x) for x in e["scaled"][2]] == ["0.156", "0.233", "0.311"]


def test_the_first_score_of_the_first_word_is_the_largest(e):
    panel = one_pass_softmax(e, row=0)
    panel.turn(step=2)
    lines = next(box for box in panel.boxes if box["name"] == "arithmetic")["lines"]
    assert lines[:2] == ["m = max(0.1838, 0.1768) = 0.1838", "exp(0.1838 − 0.1838) = 1.0000"]
    assert e["scaled"][0].argmax() == 0


@pytest.mark.parametrize(("size", "steps"), [(1, 3), (2, 2), (3, 1)])
def test_steps_by_block_size(e, size, steps):
    panel = one_pass_softmax(e, size=size)
    assert panel.turned["step"]["high"] == steps


def test_memory_of_both_ways():
    inputs = random_inputs(2048)
    held = [extra_memory(way, *inputs) / 2**20 for way in (WAYS["plain"], blockwise_attention)]
    assert [fixed(size, 1) for size in held] == ["16.0", "5.0"]
    assert ROWS * COLUMNS * 4 == 4 * 2**20
    blocks = extra_memory(blockwise_attention, *random_inputs(4096))  # no larger at 8192: it does not grow with n
    assert fixed(blocks / 2**20, 1) == "5.0"
    assert 45 < 256 / (blocks / 2**20) < 55
    sizes = [n for n in SIZES if BLOCK <= n <= 4096]
    flat = [extra_memory(WAYS["blockwise"], *random_inputs(n)) for n in sizes]
    assert fixed(fitted_exponent(sizes, flat), 2) == "0.00"
    assert BLOCK == 512
    assert fixed(flat[-1] / 2**20, 1) == "1.6"
    plain = [extra_memory(WAYS["plain"], *random_inputs(n)) for n in sizes]
    assert fixed(fitted_exponent(sizes, plain), 2) == "2.00"


def test_the_truth_of_each_prediction(e):
    truths = {key: p.truth(e) for key, p in l11.PREDICTIONS.items()}
    assert truths.pop("11.3") == pytest.approx(1 + math.exp(-0.11 / math.sqrt(2)), abs=1e-12)
    assert truths == {"11.1": 2, "11.2": 0, "11.4": 2, "11.5": 0}


def test_merging_two_halves():
    scores = np.array([0.3, -1.0, 2.0, 0.5])
    parts = [np.array([s.max(), np.exp(s - s.max()).sum()]) for s in (scores[:2], scores[2:], scores)]
    assert_allclose(l11._merge(*parts[:2]), parts[2], **EXACT)
