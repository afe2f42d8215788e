"""Softmax and attention: what people have reported broken elsewhere, and other libraries' values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_lib.maths import STEPS, Steps, attention, causal_mask, self_attention, softmax

pytestmark = pytest.mark.filterwarnings("error")

SMALL_TO_LARGE = [0.0900305732, 0.2447284711, 0.6652409558]
THIRD = 1 / 3


def close(got, want, atol=0.5e-10):
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, want, rtol=0, atol=atol)


# What people have reported


@pytest.mark.parametrize(
    ("x", "want"),
    [
        ([1000, 1001, 1002], SMALL_TO_LARGE),
        ([-1000, -1001, -1002], SMALL_TO_LARGE[::-1]),
        ([[1, 2, 3], [4, 5, 7]], [SMALL_TO_LARGE, [0.0420100661, 0.1141951994, 0.8437947345]]),
        (np.array([[1, 2, 3], [4, 5, 7]], dtype=np.int8), [SMALL_TO_LARGE, [0.0420100661, 0.1141951994, 0.8437947345]]),
        (np.array([True, False]), [0.7310585786, 0.2689414214]),
        (np.array([11, 12, 13], dtype=np.float16), SMALL_TO_LARGE),
        ([[1, 2], [3, 1]], [[0.2689414214, 0.7310585786], [0.8807970780, 0.1192029220]]),
        ([1, -np.inf, 1], [0.5, 0, 0.5]),
        ([-np.inf, -np.inf], [0, 0]),
        ([[0, -np.inf], [-np.inf, -np.inf]], [[1, 0], [0, 0]]),
        ([1.7e308, -1.7e308], [1, 0]),
        ([[5e-324, 0]], [[0.5, 0.5]]),
        ([3], [1]),
    ],
)
def test_softmax(x, want):
    close(softmax(x), want)


@pytest.mark.parametrize("x", [[1, 1, np.inf], [1, np.nan], [[1, 2], [np.nan, 1]]])
def test_softmax_refuses_nan_and_infinity(x):
    with pytest.raises(ValueError, match=r"^x: got (NaN|an infinite number)"):
        softmax(x)


def test_softmax_along_any_axis_and_no_other():
    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in (-3, -2, -1, 0, 1, 2):
        np.testing.assert_allclose(softmax(x, axis=axis).sum(axis=axis), 1, rtol=1e-15)
    for axis in (3, -4, None, 1.0, True, "rows", (0, 1)):
        with pytest.raises(ValueError, match=r"^axis: got"):
            softmax(x, axis=axis)


@pytest.mark.parametrize("kind", [bool, int, np.uint8])
def test_a_hidden_query_row_gives_zeros(kind):
    mask = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]]).astype(kind)
    steps = attention(np.zeros((3, 2)), np.zeros((3, 2)), np.arange(1, 7).reshape(3, 2), mask=mask)
    close(steps.weights, [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0]])
    close(steps.output, [[1, 2], [2, 3], [0, 0]])


def test_true_means_may_be_looked_at():
    zeros, keep = np.zeros((3, 2)), np.tril(np.ones((3, 3), dtype=bool))
    assert np.array_equal(causal_mask(3), keep)
    close(attention(zeros, zeros, zeros, mask=keep).weights, [[1, 0, 0], [0.5, 0.5, 0], [THIRD] * 3])
    close(attention(zeros, zeros, zeros, mask=~keep).weights, [[0, 0.5, 0.5], [0, 0, 1], [0, 0, 0]])
    for function in (attention, causal_mask):
        assert "True = may be looked at" in function.__doc__


@pytest.mark.parametrize("mask", [
    np.tril(np.ones((3, 3))), np.tril(np.ones((3, 3), np.float16)), [[2, 0, 1]], "causal", [[-1e9, 0, 0]],
    [[True, None, False]], [], [[True], [True, False]], np.ma.masked_all((3, 3), bool),
])
def test_other_masks_are_refused(mask):
    with pytest.raises(ValueError, match=r"^mask: got"):
        attention(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2)), mask=mask)


def test_a_masked_position_gets_exactly_nothing():
    x = np.array([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]])
    weights = attention([[1.0]], x.T, np.ones((6, 1)), mask=[1, 1, 1, 0, 0, 0], scale=False).weights
    close(weights, [[0.3050673278, 0.1608596908, 0.5340729815, 0, 0, 0]])
    assert (weights[0, 3:] == 0).all()


def test_queries_and_keys_may_differ_in_number():
    random = np.random.default_rng(0)
    Q, K, V = random.normal(size=(2, 4)), random.normal(size=(3, 4)), random.normal(size=(3, 5))
    steps = attention(Q, K, V, mask=np.ones((2, 3), dtype=bool))
    assert (steps.weights.shape, steps.output.shape) == ((2, 3), (2, 5))
    with pytest.raises(ValueError, match=r"(?s)\(3, 2\).*\(2, 3\)"):
        attention(Q, K, V, mask=np.ones((3, 2), dtype=bool))


def test_the_scale_is_the_length_of_a_key():
    steps = attention([[2, 0, 0, 0]], [[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 0, 0]], np.eye(3))
    close(steps.scores, [[4, 0, 2]])
    close(steps.weights, [[0.6652409558, 0.0900305732, 0.2447284711]])


def test_projections_multiply_from_the_right():
    W = [[1, 2], [3, 4]]
    steps = self_attention([[1, 2]], W, W, W)
    close(steps.Q, [[7, 10]])
    close(steps.V, [[7, 10]])


def test_half_precision_with_a_mask():
    Q = np.array([[11, 12], [1, 13]], dtype=np.float16)
    close(attention(Q * 20, Q * 20, Q, mask=causal_mask(2)).weights[0], [1, 0])


# Other libraries


def test_like_scipy():
    special = pytest.importorskip("scipy.special")
    random = np.random.default_rng(1)
    for spread in (0.01, 1, 30, 1000):
        x = random.normal(scale=spread, size=(4, 5, 6))
        for axis in (0, 1, -1):
            np.testing.assert_allclose(softmax(x, axis=axis), special.softmax(x, axis=axis), rtol=1e-12, atol=1e-12)


def test_like_pytorch():
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(2)
    X = random.normal(size=(2, 5, 4))
    Q, K, V = random.normal(size=(2, 3, 6)), random.normal(size=(2, 5, 6)), random.normal(size=(2, 5, 7))
    mask = random.random((3, 5)) < 0.6
    mask[:, 0] = True
    for keep in (None, mask):
        for scale in (True, False, 0.3):
            want = torch.nn.functional.scaled_dot_product_attention(
                *map(torch.from_numpy, (Q, K, V)), attn_mask=None if keep is None else torch.from_numpy(keep),
                scale={True: None, False: 1.0}.get(scale, scale),
            )
            np.testing.assert_allclose(attention(Q, K, V, keep, scale).output, want.numpy(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(softmax(X), torch.softmax(torch.from_numpy(X), -1).numpy(), rtol=1e-12)


# Properties


@st.composite
def three(draw, elements):
    n_q, n_k, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    batch = draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    return tuple(draw(hnp.arrays(np.float64, (*batch, *shape), elements=elements))
                 for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


@settings(max_examples=150)
@given(three(st.floats(-5, 5)), st.data())
def test_attention_is_its_formula(matrices, data):
    Q, K, V = matrices
    shape = (*Q.shape[:-1], K.shape[-2])
    mask = data.draw(st.none() | hnp.arrays(bool, shape) | hnp.arrays(bool, shape[-2:]))
    scale = data.draw(st.booleans() | st.floats(-2, 2))
    for array in matrices:
        array.flags.writeable = False
    steps = attention(Q, K, V, mask, scale)
    factor = {True: 1 / np.sqrt(K.shape[-1]), False: 1.0}[scale] if isinstance(scale, bool) else scale
    scores = np.einsum("...id,...jd->...ij", Q, K)
    powers = np.exp(scores * factor) * (True if mask is None else mask)
    total = powers.sum(axis=-1, keepdims=True)
    weights = powers / np.where(total == 0, 1, total)
    for got, want in ((steps.scores, scores), (steps.scaled, scores * factor), (steps.weights, weights),
                      (steps.output, np.einsum("...ij,...jv->...iv", weights, V))):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)
    row_sums = steps.weights.sum(axis=-1)
    assert ((abs(row_sums - 1) < 1e-12) | (row_sums == 0)).all()


@settings(max_examples=150)
@given(three(st.floats(allow_nan=True, allow_infinity=True)), st.data())
def test_any_float_gives_numbers_or_a_value_error(matrices, data):
    scale = data.draw(st.booleans() | st.floats())
    with np.errstate(all="raise"):
        try:
            steps = attention(*matrices, scale=scale)
        except ValueError:
            return
    assert np.isfinite(matrices[0]).all()
    assert all(np.isfinite(steps[name]).all() for name in STEPS)
    np.testing.assert_allclose(steps.weights.sum(axis=-1), 1, rtol=1e-12)


def test_batches_are_matrices_side_by_side():
    random = np.random.default_rng(3)
    X, W = random.normal(size=(2, 3, 4)), random.normal(size=(3, 4, 5))
    steps = self_attention(X, *W)
    for i in range(2):
        for name in STEPS:
            np.testing.assert_allclose(steps[name][i], self_attention(X[i], *W)[name], rtol=1e-12, atol=1e-12)


def test_steps_are_frozen_and_inputs_are_not():
    Q, K, V = np.ones((2, 4)), np.asfortranarray(np.ones((3, 4))), np.ones((6, 5))[::2]
    steps = attention(Q, K, V)
    for name in STEPS:
        with pytest.raises(ValueError, match="read-only"):
            steps[name][0] = 0
    with pytest.raises(AttributeError):
        steps.Q = Q
    Q[0], K[0], V[0] = 5, 5, 5
    assert (steps.Q == 1).all()
    mine = np.ones((2, 2))
    Steps(*[mine] * 7)
    mine[0, 0] = 3
    for name in ("mask", "__class__", 0, None):
        with pytest.raises(ValueError, match=r"^Steps: got .* needs one of 'Q', 'K'"):
            steps[name]


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, True, [3]])
def test_causal_mask_needs_a_whole_number(n):
    with pytest.raises(ValueError, match=r"^n: got .* whole number of at least 1"):
        causal_mask(n)
