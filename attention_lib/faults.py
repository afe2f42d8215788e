"""The same computation, broken on purpose in one place, so that a learner sees what each rule is for."""

import numpy as np

from .maths import Steps, attention, causal_mask, softmax, times
from .validate import keep_mask

FAULTS = ("wrong axis", "no scaling", "mask after softmax", "V is K", "W_K is W_Q")


def broken_attention(fault: str, Q, K, V, mask=None, scale=True) -> Steps:
    """:func:`attention` with one fault of FAULTS in it; "W_K is W_Q" is made before, by the caller.

    "mask after softmax" uses a causal mask where none is given and there are as many queries as keys.
    """
    if fault == "no scaling":
        return attention(Q, K, V, mask, scale=False)
    if fault == "V is K":
        return attention(Q, K, K, mask, scale)
    if fault == "wrong axis":
        right = attention(Q, K, V, mask, scale)
        scaled = right.scaled if mask is None else np.where(keep_mask(mask, right.scaled.shape), right.scaled, -np.inf)
        return _with_weights(right, softmax(scaled, axis=-2))
    if fault == "mask after softmax":
        right = attention(Q, K, V, None, scale)
        n_q, n_k = right.scores.shape[-2:]
        if mask is None and n_q == n_k:
            mask = causal_mask(n_q)
        keep = True if mask is None else keep_mask(mask, right.scores.shape)
        return _with_weights(right, right.weights * keep)
    return attention(Q, K, V, mask, scale)


def _with_weights(right: Steps, weights: np.ndarray) -> Steps:
    return Steps(right.Q, right.K, right.V, right.scores, right.scaled, weights, times("output", weights, right.V))
