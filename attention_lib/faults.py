"""The same computation, broken on purpose in one place, so that a learner sees what each rule is for."""

import numpy as np

from .language import say
from .masks import mask_after_softmax
from .maths import Steps, attention, causal_mask, softmax, times
from .validate import keep_mask, one_of, shape_of, wrong

FAULTS = ("wrong axis", "no scaling", "mask after softmax", "V is K", "W_K is W_Q")


def broken_attention(fault: str, Q, K, V, mask=None, scale=True) -> Steps:
    """:func:`attention` with one fault of FAULTS in it; shapes and errors as there.

    "W_K is W_Q" is made before, by the caller. "V is K" needs values as long as the keys.
    "mask after softmax" uses a causal mask where none is given and there are as many queries as keys.
    Raises ValueError for an unknown fault, or one that does not fit the matrices.
    """
    if not (isinstance(fault, str) and fault in FAULTS):
        raise one_of("fault", fault, FAULTS)
    right = attention(Q, K, V, mask, scale)
    if fault == "no scaling":
        return attention(Q, K, V, mask, scale=False)
    if fault == "V is K":
        if right.V.shape[-1] != right.K.shape[-1]:
            raise wrong("V", shape_of(right.V), say("error.needs_columns_of", other="K", shape=right.K.shape))
        return attention(Q, K, K, mask, scale)
    if fault == "wrong axis":
        scaled = right.scaled if mask is None else np.where(keep_mask(mask, right.scaled.shape), right.scaled, -np.inf)
        return _with_weights(right, softmax(scaled, axis=-2))
    if fault == "mask after softmax":
        return _with_weights(right, mask_after_softmax(right.scaled, pairs_kept(fault, mask, right.scores.shape)))
    return right


def pairs_kept(fault: str | None, mask, shape: tuple[int, ...]) -> np.ndarray:
    """Booleans of ``shape`` (..., n_q, n_k), True = may be looked at: the mask as the computation used it."""
    n_q, n_k = shape[-2:]
    if mask is None and fault == "mask after softmax" and n_q == n_k:
        mask = causal_mask(n_q)
    return np.ones(shape, dtype=bool) if mask is None else keep_mask(mask, shape)


def _with_weights(right: Steps, weights: np.ndarray) -> Steps:
    return Steps(right.Q, right.K, right.V, right.scores, right.scaled, weights, times("output", weights, right.V))
