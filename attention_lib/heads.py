"""Multi-head attention: several attentions side by side, each on its own part of the columns.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2. Shapes: n words, h heads, d_model columns of X;
"..." are batch axes. The columns of a matrix belong to the heads in turn: the first d_model/h to the first head.
"""

from dataclasses import dataclass

import numpy as np

from .language import say
from .maths import Steps, attention, times
from .validate import glimpse, matrix, shape_of, whole, wrong


@dataclass(frozen=True, eq=False)
class HeadSteps:
    """heads: the steps of every head, with an axis of length h before the last two, so weights are (..., h, n, n).

    merged (..., n, h d_v): the outputs of the heads side by side · output (..., n, columns of W_O)
    """

    heads: Steps
    merged: np.ndarray
    output: np.ndarray


def split_heads(X, heads: int) -> np.ndarray:
    """(..., n, d) → (..., heads, n, d/heads): each head gets its own columns, of every word.

    Raises ValueError where d is no multiple of ``heads``. ``reshape(heads, n, d // heads)`` alone has the right shape
    and the wrong numbers: it cuts rows, so that a head gets some of the words.
    """
    X = matrix("X", X)
    heads = whole("heads", heads, 1)
    *batch, n, d = X.shape
    if d % heads:
        raise wrong("X", shape_of(X), say("error.needs_heads", heads=heads))
    return X.reshape(*batch, n, heads, d // heads).swapaxes(-3, -2)


def merge_heads(X) -> np.ndarray:
    """(..., heads, n, d) → (..., n, heads d), the way back: what the heads say of a word stands side by side again."""
    X = matrix("X", X)
    if X.ndim < 3:
        raise wrong("X", shape_of(X), say("error.needs_head_axis"))
    *batch, heads, n, d = X.shape
    return X.swapaxes(-3, -2).reshape(*batch, n, heads * d)


def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads: int, mask=None, scale=True, keep=None) -> HeadSteps:
    """Concat(head₁, …, head_h) W_O with head_i = attention(Q_i, K_i, V_i), and Q_i the i-th part of X W_Q.

    X (..., n, d_model); W_Q, W_K (d_model, h d_k); W_V (d_model, h d_v); W_O (h d_v, d_out). The scores of a head are
    divided by √d_k, the length of a key of that head. mask: as in :func:`attention`, the same for every head.
    keep: None, or h booleans; the part of a head that is False is 0 before W_O, as if it had never spoken
    (Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", section 2.3).
    Raises ValueError that names the matrix, what it got and what it needs.
    """
    given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    X, W_Q, W_K, W_V, W_O = (matrix(name, value) for name, value in given.items())
    heads = whole("heads", heads, 1)
    for name, W in {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}.items():
        if W.shape[-2] != X.shape[-1]:
            raise wrong(name, shape_of(W), say("error.needs_rows_as_columns", other="X", shape=X.shape))
        if W.shape[-1] % heads:
            raise wrong(name, shape_of(W), say("error.needs_heads", heads=heads))
    if W_O.shape[-2] != W_V.shape[-1]:
        raise wrong("W_O", shape_of(W_O), say("error.needs_rows_as_columns", other="W_V", shape=W_V.shape))
    Q, K, V = (split_heads(times(name, X, W), heads) for name, W in {"Q": W_Q, "K": W_K, "V": W_V}.items())
    steps = attention(Q, K, V, mask=mask, scale=scale)
    speaking = keep_heads(keep, heads)[:, None, None]
    merged = merge_heads(steps.output * speaking)
    return HeadSteps(steps, merged, times("output", merged, W_O))


def keep_heads(keep, heads: int) -> np.ndarray:
    """``keep`` as (heads,) booleans, True = switched on; None keeps all."""
    if keep is None:
        return np.ones(heads, dtype=bool)
    try:
        array = np.asarray(keep)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    is_01 = array.dtype.kind in "iu" and np.isin(array, (0, 1)).all()
    if array.shape != (heads,) or not (array.dtype == bool or is_01):
        raise wrong("keep", glimpse(keep), say("error.needs_keep", heads=heads))
    return array.astype(bool)
