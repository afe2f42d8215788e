"""The key–value cache: the same outputs word by word, and multiplications counted by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attention_lib import Experiment, KeyValueCache, causal_mask, self_attention
from attention_lib.cache import all_anew, multiplications

EXACT = {"rtol": 0, "atol": 1e-12}


def test_three_words_token_by_token():
    e = Experiment.from_example("我爱你")
    cache = KeyValueCache(e.W_Q, e.W_K, e.W_V)
    want = [[0.8, 0.1], [0.6727905215, 0.3035351657], [0.5370494302, 0.5207209116]]
    for t, (x, output) in enumerate(zip(e.X, want, strict=True), 1):
        steps = cache.step(x)
        assert_allclose(steps.output, [output], rtol=0, atol=5e-11)
        assert (steps.K.shape, steps.V.shape, steps.weights.shape) == ((t, 2), (t, 2), (1, t))
        # 4 + 4 + 4 to project one word, then t keys and t values of length 2
        assert cache.multiplications == 12 + 4 * t
        assert all_anew(e.X[:t], e.W_Q, e.W_K, e.W_V)[1] == t * (12 + 4 * t)
    assert_allclose(cache.K, e["K"], **EXACT)
    assert_allclose(cache.V, e["V"], **EXACT)


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32))
def test_any_sentence_word_by_word(n, d_model, d_k, d_v, seed):
    random = np.random.default_rng(seed)
    shapes = (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    X, W_Q, W_K, W_V = map(random.standard_normal, shapes)
    whole = self_attention(X, W_Q, W_K, W_V, mask=causal_mask(n), scale=0.7)
    cache = KeyValueCache(W_Q, W_K, W_V, scale=0.7)
    for t in range(1, n + 1):
        steps = cache.step(X[t - 1 : t])
        assert_allclose(steps.output[0], whole.output[t - 1], **EXACT)
        assert_allclose(steps.weights[0], whole.weights[t - 1, :t], **EXACT)
        kept = d_model * (2 * d_k + d_v) + t * (d_k + d_v)
        anew, count = all_anew(X[:t], W_Q, W_K, W_V, scale=0.7)
        assert_allclose(anew.output, whole.output[:t], **EXACT)  # words that come later change nothing
        assert (cache.multiplications, count) == (kept, t * kept)


def test_multiplications_are_those_of_the_products():
    counted = 0
    A, B = np.ones((3, 4)), np.ones((4, 2))
    for i in range(3):
        for j in range(2):
            for _ in zip(A[i], B[:, j], strict=True):
                counted += 1
    assert multiplications((A, B)) == counted == 24


def test_a_row_that_does_not_fit_is_refused_and_leaves_no_trace():
    cache = KeyValueCache(np.eye(2), np.eye(2), np.eye(2))
    cache.step([1.0, 2.0])
    for wrong in ([1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]], [np.nan, 1.0], "no"):
        with pytest.raises(ValueError, match=r"^x: "):
            cache.step(wrong)
    assert len(cache.K) == len(cache.V) == 1
