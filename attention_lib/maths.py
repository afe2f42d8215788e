"""Attention in plain numpy, every step kept.

Scaled dot-product attention: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.
Shapes: n_q queries, n_k keys, keys of length d_k, values of length d_v; "..." are batch axes.
"""

from dataclasses import dataclass, fields

import numpy as np

from .language import say
from .validate import keep_mask, matrix, not_too_large, one_of, scale_factor, scores_like, shape_of, whole, wrong


@dataclass(frozen=True, eq=False)
class Steps:
    """Every intermediate of one attention, as read-only float64 arrays.

    Q (..., n_q, d_k) · K (..., n_k, d_k) · V (..., n_k, d_v) ·
    scores, scaled, weights (..., n_q, n_k) · output (..., n_q, d_v)
    """

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    weights: np.ndarray
    output: np.ndarray

    def __post_init__(self):
        for name in STEPS:
            array = getattr(self, name).view()  # a view, so that the caller's own array stays writeable
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in STEPS:
            raise one_of("Steps", name, STEPS)
        return getattr(self, name)


STEPS = tuple(field.name for field in fields(Steps))


def softmax(x, axis: int = -1) -> np.ndarray:
    """exp(x) shared out so that it sums to 1 along ``axis``.

    x: any shape, numbers; −inf is allowed and gets weight 0. A slice of nothing but −inf gives zeros.
    Returns float64 of the same shape. Raises ValueError for NaN, +inf, text, ragged or empty input,
    or an axis that is not there. The maximum is taken away first, so nothing overflows.
    """
    x = scores_like("x", x)
    axis = whole("axis", axis, -x.ndim, x.ndim - 1)
    largest = x.max(axis=axis, keepdims=True)
    largest[np.isneginf(largest)] = 0.0  # a slice of only −inf: −inf − 0, not −inf − (−inf)
    with np.errstate(over="ignore", under="ignore"):  # a gap beyond float64 is −inf, and exp(−inf) is 0
        e = np.exp(x - largest)
        total = e.sum(axis=axis, keepdims=True)
        return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def attention(Q, K, V, mask=None, scale=True) -> Steps:
    """softmax(Q Kᵀ / √d_k) V, step by step.

    Q (..., n_q, d_k), K (..., n_k, d_k), V (..., n_k, d_v): finite numbers, never changed.
    mask: None, or True / False (or whole numbers 1 / 0), broadcast to (..., n_q, n_k); True = may be looked at.
    scale: True divides the scores by √d_k, False leaves them, a number multiplies them.
    Raises ValueError that names the matrix, what it got and what it needs.
    """
    Q, K, V = matrix("Q", Q), matrix("K", K), matrix("V", V)
    fit_together(Q, K, V)
    scores = times("scores", Q, np.swapaxes(K, -1, -2))
    with np.errstate(over="ignore", under="ignore"):
        scaled = scores * scale_factor(scale, K.shape[-1])
    not_too_large("scaled", scaled)
    weights = softmax(scaled if mask is None else np.where(keep_mask(mask, scaled.shape), scaled, -np.inf))
    return Steps(Q, K, V, scores, scaled, weights, times("output", weights, V))


def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True) -> Steps:
    """Attention of X on itself: Q = X W_Q, K = X W_K, V = X W_V, then :func:`attention`.

    X (..., n, d_model); W_Q, W_K (..., d_model, d_k); W_V (..., d_model, d_v). Otherwise as :func:`attention`.
    """
    X = matrix("X", X)
    W_Q, W_K, W_V = matrix("W_Q", W_Q), matrix("W_K", W_K), matrix("W_V", W_V)
    for name, W in {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}.items():
        if W.shape[-2] != X.shape[-1]:
            raise wrong(name, shape_of(W), say("error.needs_rows_as_columns", other="X", shape=X.shape))
    if W_Q.shape[-1] != W_K.shape[-1]:
        raise wrong("W_Q", shape_of(W_Q), say("error.needs_columns_of", other="W_K", shape=W_K.shape))
    _same_batch(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V)
    return attention(times("Q", X, W_Q), times("K", X, W_K), times("V", X, W_V), mask=mask, scale=scale)


def causal_mask(n: int) -> np.ndarray:
    """(n, n) booleans: a position may look at itself and at what came before. True = may be looked at."""
    n = whole("n", n, 1)
    return np.tril(np.ones((n, n), dtype=bool))


def fit_together(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> None:
    """ValueError unless a query is as long as a key, each key has a value, and batch axes fit each other."""
    if Q.shape[-1] != K.shape[-1]:
        raise wrong("Q", shape_of(Q), say("error.needs_columns_of", other="K", shape=K.shape))
    if V.shape[-2] != K.shape[-2]:
        raise wrong("V", shape_of(V), say("error.needs_rows_of", other="K", shape=K.shape))
    _same_batch(Q=Q, K=K, V=V)


def times(name: str, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A @ B, or ValueError where the result does not fit into float64; ``name`` is what the product is called."""
    with np.errstate(all="ignore"):
        product = A @ B
    not_too_large(name, product)
    return product


def _same_batch(**matrices):
    try:
        np.broadcast_shapes(*(m.shape[:-2] for m in matrices.values()))
    except (ValueError, RuntimeError):  # RuntimeError: more axes than numpy can align
        shapes = ", ".join(str(m.shape) for m in matrices.values())
        raise wrong(", ".join(matrices), say("error.shape", shape=shapes), say("error.needs_batch")) from None
