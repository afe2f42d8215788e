"""Known mistakes with a block and its layer norm, each as the function that makes it. Their sentences are
``mistake.<name>``."""

import numpy as np

from .block import EPSILON, feed_forward, layer_norm
from .maths import attention


def _norm(X, axis=-1, epsilon=EPSILON, centre=True, ddof=0, root=True, inside=True):
    mean = X.mean(axis=axis, keepdims=True) if centre else 0.0
    with np.errstate(all="ignore"):
        off = X - mean
        spread = X.var(axis=axis, keepdims=True, ddof=ddof) if centre else (X**2).mean(axis=axis, keepdims=True)
        if not inside:
            return off / (np.sqrt(spread) + epsilon)
        return off / (np.sqrt(spread + epsilon) if root else spread + epsilon)


# X (n, d) -> (n, d)
NORM = (
    ("norm_columns", lambda X: _norm(X, axis=0)),
    ("norm_everything", lambda X: _norm(X, axis=None)),
    ("norm_no_epsilon", lambda X: _norm(X, epsilon=0.0)),
    ("norm_epsilon_outside", lambda X: _norm(X, inside=False)),
    ("norm_n_minus_1", lambda X: _norm(X, ddof=1)),
    ("norm_no_root", lambda X: _norm(X, root=False)),
    ("norm_only_centred", lambda X: X - X.mean(axis=-1, keepdims=True)),
    ("norm_not_centred", lambda X: _norm(X, centre=False)),
)


def _block(residual_1=True, residual_2=True, norm_1=layer_norm, norm_2=layer_norm, relu=True, pre=False, from_X=False,
           scale=True, biases=True, feeds_X=False):
    def output(X, W_Q, W_K, W_V, W_1, b_1, W_2, b_2):
        def attend(x):
            return attention(x @ W_Q, x @ W_K, x @ W_V, scale=scale).output

        def feed(x):
            b, c = (b_1, b_2) if biases else (0.0, 0.0)
            return feed_forward(x, W_1, b, W_2, c) if relu else (x @ W_1 + b) @ W_2 + c

        if pre:
            middle = X + attend(layer_norm(X))
            return middle + feed(layer_norm(middle))
        middle = norm_1(X * residual_1 + attend(X))
        kept = X if from_X else middle * residual_2
        return norm_2(kept + feed(X if feeds_X else middle))

    return output


def _same(x):
    return x


right_block = _block()

# X, W_Q, W_K, W_V, W_1, b_1, W_2, b_2 -> output (n, d_model), post-norm, one head
BLOCK = (
    ("block_no_residuals", _block(residual_1=False, residual_2=False)),
    ("block_no_residual_1", _block(residual_1=False)),
    ("block_no_residual_2", _block(residual_2=False)),
    ("block_residual_from_X", _block(from_X=True)),
    ("block_pre_norm", _block(pre=True)),
    ("block_no_norms", _block(norm_1=_same, norm_2=_same)),
    ("block_no_norm_1", _block(norm_1=_same)),
    ("block_no_norm_2", _block(norm_2=_same)),
    ("block_no_relu", _block(relu=False)),
    ("block_no_biases", _block(biases=False)),
    ("block_not_scaled", _block(scale=False)),
    ("block_fed_with_X", _block(feeds_X=True)),
    ("block_only_attention", lambda X, W_Q, W_K, W_V, *_: layer_norm(X + attention(X @ W_Q, X @ W_K, X @ W_V).output)),
)
NAMES = tuple(dict.fromkeys(name for name, _ in NORM + BLOCK))
