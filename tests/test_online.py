"""Softmax in one pass and attention by blocks: the same numbers as all at once, whatever the blocks."""

from decimal import Decimal
from functools import partial

import by_hand
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attention_lib import Experiment, attention, blockwise_attention, causal_mask, one_pass
from attention_lib.growing import extra_memory, plain_attention, random_inputs

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_three_words_in_one_pass(size):
    e = Experiment.from_example("我爱你")
    states = one_pass(e["scaled"], e["V"], size)
    assert len(states) == 1 + -(-3 // size)
    want = by_hand.self_attention(e["X"], e["W_Q"], e["W_K"], e["W_V"])
    assert_allclose(states[-1].output, want["output"], **EXACT)
    assert_allclose(states[-1].m[:, 0], np.max(want["scaled"], axis=1), **EXACT)


def test_the_running_numbers_of_the_third_word_by_hand():
    s = [Decimal("0.22"), Decimal("0.33"), Decimal("0.44")]
    s = [x / Decimal(2).sqrt() for x in s]
    V = [[Decimal("0.8"), Decimal("0.1")], [Decimal("0.55"), Decimal("0.5")], [Decimal("0.3"), Decimal("0.9")]]
    e = Experiment.from_example("我爱你")
    states = one_pass(e["scaled"][2:], e["V"], 1)
    assert (states[0].m[0, 0], states[0].l[0, 0], states[0].o.tolist()) == (-np.inf, 0, [[0, 0]])
    for k in (1, 2, 3):  # the scores rise, so the newest is the largest
        powers = [(x - s[k - 1]).exp() for x in s[:k]]
        assert_allclose(states[k].m[0, 0], float(s[k - 1]), **EXACT)
        assert_allclose(states[k].l[0, 0], float(sum(powers)), **EXACT)
        assert_allclose(states[k].o[0], [float(sum(p * v[c] for p, v in zip(powers, V, strict=False))) for c in (0, 1)],
                        **EXACT)


@settings(max_examples=60)
@given(data=st.data())
def test_any_blocks_give_what_attention_gives(data):
    sizes = st.integers(1, 9)
    n_q, n_k, d_k, d_v = (data.draw(sizes) for _ in range(4))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    large = data.draw(st.sampled_from([0.1, 1.0, 30.0]))
    Q, K, V = (large * random.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    mask = random.random((n_q, n_k)) < data.draw(st.sampled_from([0.0, 0.4, 0.9, 1.0]))
    scale = data.draw(st.sampled_from([True, False, 0.3]))
    rows, columns = data.draw(sizes), data.draw(sizes)
    want = attention(Q, K, V, mask=mask, scale=scale).output
    found = blockwise_attention(Q, K, V, mask=mask, scale=scale, rows=rows, columns=columns)
    assert_allclose(found, want, rtol=1e-12, atol=1e-12 * large)
    hidden = np.where(mask, attention(Q, K, V, scale=scale).scaled, -np.inf)
    assert_allclose(one_pass(hidden, V, min(columns, n_k))[-1].output, want, rtol=1e-12, atol=1e-12 * large)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 4), (7, 2), (20, 20)])
def test_causal_in_blocks_and_batches(rows, columns):
    random = np.random.default_rng(3)
    Q, K, V = random.standard_normal((2, 3, 11, 4)), random.standard_normal((3, 11, 4)), random.standard_normal((11, 5))
    want = attention(Q, K, V, mask=causal_mask(11)).output
    assert_allclose(blockwise_attention(Q, K, V, causal=True, rows=rows, columns=columns), want, **EXACT)
    far = causal_mask(11) & (np.arange(11) > 1)
    assert_allclose(blockwise_attention(Q, K, V, mask=np.arange(11) > 1, causal=True, rows=rows, columns=columns),
                    attention(Q, K, V, mask=far).output, **EXACT)


def test_float32_stays_float32_and_the_inputs_as_they_were():
    Q, K, V = random_inputs(300)
    before = [a.copy() for a in (Q, K, V)]
    found = blockwise_attention(Q, K, V, rows=64, columns=100)
    assert found.dtype == np.float32
    assert_allclose(found, attention(Q, K, V).output, rtol=0, atol=1e-6)
    assert_allclose(plain_attention(Q, K, V), attention(Q, K, V).output, rtol=0, atol=1e-6)
    assert all(np.array_equal(a, b) for a, b in zip((Q, K, V), before, strict=True))
    assert blockwise_attention(Q, K, V.astype(np.float64)).dtype == np.float64
    assert blockwise_attention(Q.tolist(), K.tolist(), V.tolist()).dtype == np.float64


def test_large_scores_neither_overflow_nor_pass_in_silence():
    Q, K, V = np.array([[1000.0], [-1000.0]]), np.array([[1.0], [1.001], [1.002]]), np.eye(3)
    found = blockwise_attention(Q, K, V, scale=False, columns=1)
    assert_allclose(found[0], [0.0900305732, 0.2447284711, 0.6652409558], rtol=0, atol=5e-11)
    with pytest.raises(ValueError, match="too large"):
        blockwise_attention(np.full((2, 2), 1e200), np.full((2, 2), 1e200), np.eye(2))
    with pytest.raises(ValueError, match="too large"):
        blockwise_attention(*(np.full((2, 2), 1e30, np.float32) for _ in range(3)))


@pytest.mark.parametrize(("change", "named"), [
    ({"Q": np.ones((3, 5))}, "Q"), ({"V": np.ones((3, 2))}, "V"), ({"K": [[1.0, np.nan]] * 4}, "K"),
    ({"mask": np.ones((4, 3), bool)}, "mask"), ({"rows": 0}, "rows"), ({"columns": 2.5}, "columns"),
    ({"scale": "no"}, "scale"), ({"causal": True}, "causal"), ({"Q": np.full((3, 2), np.inf, np.float32)}, "Q"),
])
def test_what_does_not_fit_is_refused_by_name(change, named):
    fits = {"Q": np.ones((3, 2)), "K": np.ones((4, 2)), "V": np.ones((4, 2))}
    with pytest.raises(ValueError, match=f"^{named}: "):
        blockwise_attention(**fits | change)


@pytest.mark.parametrize("size", [0, 4, 1.5, True])
def test_a_block_size_there_is_not(size):
    with pytest.raises(ValueError, match="size"):
        one_pass(np.zeros((1, 3)), np.eye(3), size)


def test_extra_memory_does_not_grow_with_n():
    small, large = (extra_memory(blockwise_attention, *random_inputs(n)) for n in (1024, 4096))
    assert large == pytest.approx(small, rel=0.05)
    assert small < 5.5 * 2**20
    assert extra_memory(partial(blockwise_attention, rows=64, columns=64), *random_inputs(1024)) < small / 16
    for n in (512, 1024, 2048):
        assert extra_memory(plain_attention, *random_inputs(n)) == pytest.approx(4 * n * n, rel=0.02)
    assert 16 * large < 4 * 8192**2  # so that at n = 8192 it is less than a sixteenth of the plain way's
