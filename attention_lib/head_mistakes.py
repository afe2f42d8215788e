"""Known mistakes with several heads, each as the function that makes it. Their sentences are ``mistake.<name>``."""

import numpy as np

from .heads import merge_heads, split_heads
from .maths import attention


def _rows_cut(X, heads):
    n, d = X.shape
    return X.reshape(heads, n, d // heads)


def _axes_left(X, heads):
    n, d = X.shape
    return X.reshape(n, heads, d // heads)


def _every_other_column(X, heads):
    n, d = X.shape
    return X.reshape(n, d // heads, heads).transpose(2, 0, 1)


# X (n, d), heads -> (heads, n, d / heads)
SPLIT = (
    ("heads_mixed", _rows_cut),
    ("heads_not_moved", _axes_left),
    ("heads_interleaved", _every_other_column),
)


def _attend(split=split_heads, merge=merge_heads, weigh=None, scale=True):
    def output(X, W_Q, W_K, W_V, W_O, heads):
        Q, K, V = (split(X @ W, heads) for W in (W_Q, W_K, W_V))
        factor = scale(W_K) if callable(scale) else scale
        steps = attention(Q, K, V, scale=factor)
        spoken = weigh(steps.weights) @ V if weigh else steps.output
        merged = merge(spoken)
        return merged @ W_O

    return output


def _merge_uncrossed(spoken):
    heads, n, d = spoken.shape
    return spoken.reshape(n, heads * d)


def _one_head(X, W_Q, W_K, W_V, W_O, heads):
    return attention(X @ W_Q, X @ W_K, X @ W_V).output @ W_O


def _no_W_O(X, W_Q, W_K, W_V, W_O, heads):
    return merge_heads(attention(*(split_heads(X @ W, heads) for W in (W_Q, W_K, W_V))).output)


# X, W_Q, W_K, W_V, W_O, heads -> output (n, d_out)
ATTEND = (
    ("heads_mixed", _attend(split=_rows_cut)),
    ("heads_mixed", _attend(split=_rows_cut, merge=_merge_uncrossed)),
    ("heads_merged_wrong", _attend(merge=_merge_uncrossed)),
    ("heads_scaled_by_all", _attend(scale=lambda W_K: 1 / np.sqrt(W_K.shape[1]))),
    ("heads_averaged", _attend(weigh=lambda weights: weights.mean(axis=0))),
    ("heads_not_split", _one_head),
    ("no_W_O", _no_W_O),
    ("heads_not_scaled", _attend(scale=False)),
)
NAMES = tuple(dict.fromkeys(name for name, _ in SPLIT + ATTEND))
