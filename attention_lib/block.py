"""One whole block of a transformer: attention and a feed-forward part, each with its residual and its layer norm.

The block: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 and 3.3, norms after the addition (post-norm).
Norms before it (pre-norm): Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", section 3.
Residual: He et al. 2016, "Deep Residual Learning for Image Recognition", section 3. Shapes: n words, h heads; "..." are
batch axes. Forward only.
"""

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from .heads import HeadSteps, multi_head_attention
from .language import say
from .maths import times
from .validate import matrix, not_too_large, numbers, one_of, shape_of, wrong

EPSILON = 1e-5  # of the layer norm, PyTorch's


def layer_norm(X, gain=1.0, shift=0.0, epsilon: float = EPSILON) -> np.ndarray:
    """Each row with mean 0 and variance 1, times ``gain``, plus ``shift``.

    X (..., n, d_model); gain, shift: (d_model,) or one number. A row has its own mean and its own variance (the mean
    square, not over d_model − 1), so no word sees another: Ba, Kiros and Hinton 2016, "Layer Normalization", section 3.
    ``epsilon`` under the root keeps a row of equal entries at 0. Raises ValueError for what does not fit.
    """
    X = matrix("X", X)
    gain, shift = (_per_column(name, value, X.shape[-1]) for name, value in (("gain", gain), ("shift", shift)))
    with np.errstate(all="ignore"):
        centred = X - X.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
    not_too_large("layer norm", variance)
    return centred / np.sqrt(variance + epsilon) * gain + shift


def relu(x) -> np.ndarray:
    """max(0, x), entry by entry."""
    return np.maximum(numbers("x", x), 0.0)


def gelu(x) -> np.ndarray:
    """x Φ(x), entry by entry; Φ(x): the share of the normal distribution below x.

    Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2; the exact form, not the one with tanh.
    """
    x = numbers("x", x)
    return x * (1 + np.vectorize(erf, otypes=[np.float64])(x / sqrt(2))) / 2


ACTIVATIONS = {"relu": relu, "gelu": gelu}


def feed_forward(X, W_1, b_1, W_2, b_2, activation: str = "relu") -> np.ndarray:
    """activation(X W_1 + b_1) W_2 + b_2: the same for every word, and each word by itself.

    X (..., n, d_model), W_1 (d_model, d_ff), b_1 (d_ff,), W_2 (d_ff, d_model), b_2 (d_model,);
    a bias may be one number. activation: "relu" (Vaswani et al. 2017, section 3.3) or "gelu".
    Raises ValueError for what does not fit.
    """
    return _fed(matrix("X", X), W_1, b_1, W_2, b_2, activation)[1]


def _fed(X, W_1, b_1, W_2, b_2, activation):
    """What the hidden layer holds, and the output."""
    if activation not in tuple(ACTIVATIONS):
        raise one_of("activation", activation, ACTIVATIONS)
    hidden = ACTIVATIONS[activation](_affine("1", X, W_1, b_1))
    return hidden, _affine("2", hidden, W_2, b_2)


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """Everything a block has learned. Biases and shifts may be left out: 0; gains: 1.

    W_Q, W_K (d_model, h d_k), W_V (d_model, h d_v), W_O (h d_v, d_model), W_1 (d_model, d_ff), W_2 (d_ff, d_model);
    b_Q … b_2 one number for each column of its W; gain_1, shift_1 of attention's norm, gain_2, shift_2 of the other.
    """

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    W_1: np.ndarray
    W_2: np.ndarray
    b_Q: np.ndarray | float = 0.0
    b_K: np.ndarray | float = 0.0
    b_V: np.ndarray | float = 0.0
    b_O: np.ndarray | float = 0.0
    b_1: np.ndarray | float = 0.0
    b_2: np.ndarray | float = 0.0
    gain_1: np.ndarray | float = 1.0
    shift_1: np.ndarray | float = 0.0
    gain_2: np.ndarray | float = 1.0
    shift_2: np.ndarray | float = 0.0


@dataclass(frozen=True, eq=False)
class BlockSteps:
    """Every stage of a block, (..., n, d_model) where nothing else is said.

    normed_1: what the first norm gives, before attention in pre-norm, after added_1 in post-norm · heads: see
    :class:`HeadSteps` · attended: what attention says · added_1: with the residual · middle: what leaves the first half
    normed_2 · hidden (..., n, d_ff) · fed · added_2 · output.
    """

    X: np.ndarray
    normed_1: np.ndarray
    heads: HeadSteps
    attended: np.ndarray
    added_1: np.ndarray
    middle: np.ndarray
    normed_2: np.ndarray
    hidden: np.ndarray
    fed: np.ndarray
    added_2: np.ndarray
    output: np.ndarray


@dataclass(frozen=True)
class Parts:
    """Which parts of a block are switched on, and whether its norms come first.

    Off: attention or the feed-forward part says 0; a residual is not added; a norm hands on what it got.
    """

    norm_1: bool = True
    attention: bool = True
    residual_1: bool = True
    norm_2: bool = True
    feed_forward: bool = True
    residual_2: bool = True
    norm_first: bool = False


ALL_PARTS = Parts()


def transformer_block(X, weights: BlockWeights, heads: int = 1, mask=None, activation: str = "relu",
                      parts: Parts = ALL_PARTS, epsilon: float = EPSILON) -> BlockSteps:
    """One layer of an encoder, in evaluation: no dropout.

    Post-norm: middle = norm(X + attention(X)), output = norm(middle + feed_forward(middle)).
    Pre-norm: middle = X + attention(norm(X)), output = middle + feed_forward(norm(middle)).
    mask: as for :func:`attention`. Raises ValueError for what does not fit.
    """
    X, w = matrix("X", X), weights
    given = {}

    def attend(X):
        X_and_1 = np.concatenate([X, np.ones((*X.shape[:-1], 1))], axis=-1)
        W_and_b = (_under(name, X, getattr(w, f"W_{name}"), getattr(w, f"b_{name}")) for name in "QKV")
        given["heads"] = steps = multi_head_attention(X_and_1, *W_and_b, w.W_O, heads, mask)
        return steps.output + _per_column("b_O", w.b_O, steps.output.shape[-1])

    def feed(X):
        given["hidden"], fed = _fed(X, w.W_1, w.b_1, w.W_2, w.b_2, activation)
        return fed

    def norm(on, gain, shift):
        return (lambda x: layer_norm(x, gain, shift, epsilon)) if on else (lambda x: x)

    first = norm(parts.norm_1, w.gain_1, w.shift_1), attend, parts.attention, parts.residual_1, "W_O"
    second = norm(parts.norm_2, w.gain_2, w.shift_2), feed, parts.feed_forward, parts.residual_2, "W_2"
    normed_1, attended, added_1, middle = _half(X, *first, parts.norm_first)
    normed_2, fed, added_2, output = _half(middle, *second, parts.norm_first)
    return BlockSteps(X, normed_1, given["heads"], attended, added_1, middle, normed_2, given["hidden"], fed, added_2,
                      output)


def _half(X, norm, part, on, residual, last, norm_first):
    """normed, said, added, and what leaves one half of a block: a part with its residual and its norm."""
    said = part(norm(X) if norm_first else X)
    if said.shape != X.shape:
        needs = say("error.needs_columns_of", other="X", shape=X.shape)
        raise wrong(last, say("error.shape", shape=said.shape), needs)
    said = said * on
    added = X + said if residual else said
    return (norm(X), said, added, added) if norm_first else (norm(added), said, added, norm(added))


def _affine(name, X, W, b):
    """X W + b."""
    W, b = _fitting(name, X, W, b)
    return times(f"W_{name}", X, W) + b


def _under(name, X, W, b):
    """W with its bias as one more row, for an entry of X that is always 1: x W + b = [x, 1] [W; b]."""
    return np.vstack(_fitting(name, X, W, b))


def _fitting(name, X, W, b):
    W = matrix(f"W_{name}", W)
    if W.shape[-2] != X.shape[-1]:
        raise wrong(f"W_{name}", shape_of(W), say("error.needs_rows_as_columns", other="X", shape=X.shape))
    return W, _per_column(f"b_{name}", b, W.shape[-1])


def _per_column(name, value, columns):
    """``value`` as (columns,) finite numbers; one number stands for all."""
    array = matrix(name, np.atleast_2d(numbers(name, value)))
    if array.shape not in ((1, 1), (1, columns)):
        raise wrong(name, shape_of(np.asarray(value)), say("error.needs_per_column", columns=columns))
    return np.broadcast_to(array[0], columns)


# ------------------------------------------------------------- what many blocks do to the words


def size(X) -> float:
    """How large the entries of X are: the root of their mean square."""
    return float(np.sqrt(np.mean(np.square(numbers("X", X)))))


def unlikeness(X) -> float:
    """How far the rows of X are from all being the same: ‖X − 1 x̄‖ / ‖X‖ with x̄ the mean row; 0 … 1.

    Frobenius norms; after Dong, Cordonnier and Loukas 2021, "Attention is not all you need", section 2.
    """
    X = matrix("X", X)
    total = np.linalg.norm(X)
    return float(np.linalg.norm(X - X.mean(axis=-2, keepdims=True)) / total) if total else 0.0
