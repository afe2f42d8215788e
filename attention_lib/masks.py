"""Masks besides the causal one, and what becomes of the weights where a mask is put in at another moment.

True = may be looked at, everywhere here. A mask acts before softmax: Vaswani et al. 2017, section 3.2.3, where what is
not allowed is set to −∞. Shapes as in :mod:`attention_lib.maths`.
"""

import numpy as np

from .maths import softmax
from .validate import keep_mask, scores_like, whole


def padding_mask(length: int, n: int) -> np.ndarray:
    """(n, n) booleans: of n positions only the first ``length`` are words and may be looked at, the rest fills up.

    length: 0 … n. Together with a causal mask: ``causal_mask(n) & padding_mask(length, n)``.
    Raises ValueError for a length that does not fit.
    """
    n = whole("n", n, 1)
    return np.tile(np.arange(n) < whole("length", length, 0, n), (n, 1))


def mask_before_softmax(scaled, mask) -> np.ndarray:
    """softmax of scaled (..., n_q, n_k), with −∞ where the mask is False: the right way.

    A query that may look at nothing gets a row of zeros, as from :func:`attention_lib.softmax`.
    """
    scaled = scores_like("scaled", scaled)
    return softmax(np.where(keep_mask(mask, scaled.shape), scaled, -np.inf))


def mask_after_softmax(scaled, mask, renormalise: bool = False) -> np.ndarray:
    """softmax of scaled (..., n_q, n_k), then 0 where the mask is False, so that rows may sum to less than 1.

    renormalise: divide each row by what is left of it. On paper that equals :func:`mask_before_softmax`; in floating
    point it fails where a hidden score is so large that nothing is left. Such a row, too, is zeros.
    """
    scaled = scores_like("scaled", scaled)
    weights = softmax(scaled) * keep_mask(mask, scaled.shape)
    if not renormalise:
        return weights
    left = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, left, out=np.zeros_like(weights), where=left > 0)
