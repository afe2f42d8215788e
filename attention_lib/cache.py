"""Word by word: causal attention that keeps the keys and values it has, and what that saves.

Incremental attention: Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4.
What keeping them costs: Pope et al. 2022, "Efficiently Scaling Transformer Inference", section 2.
"""

import numpy as np

from .language import say
from .maths import Steps, attention, causal_mask, self_attention
from .validate import matrix, shape_of, wrong


class KeyValueCache:
    """Causal self-attention, one word after the other: K and V grow by one row a word, and no row is computed twice.

    W_Q, W_K (d_model, d_k), W_V (d_model, d_v); scale as for :func:`attention`.
    K (t, d_k), V (t, d_v): keys and values of the t words so far. multiplications: of the last step.
    """

    def __init__(self, W_Q, W_K, W_V, scale=True):
        self.W_Q, self.W_K, self.W_V = matrix("W_Q", W_Q), matrix("W_K", W_K), matrix("W_V", W_V)
        self.scale = scale
        self.K, self.V = np.empty((0, self.W_K.shape[1])), np.empty((0, self.W_V.shape[1]))
        self.multiplications = 0

    def step(self, x) -> Steps:
        """Attention of the next word on itself and on all words before it.

        x (1, d_model) or (d_model,). Gives Q (1, d_k), K (t, d_k), V (t, d_v), scores, scaled, weights (1, t) and
        output (1, d_v). Raises ValueError for a row of another length; then nothing is kept.
        """
        x = matrix("x", np.atleast_2d(x))
        if x.shape != (1, len(self.W_K)):
            raise wrong("x", shape_of(x), say("error.needs_one_row", columns=len(self.W_K)))
        K, V = np.vstack([self.K, x @ self.W_K]), np.vstack([self.V, x @ self.W_V])
        steps = attention(x @ self.W_Q, K, V, scale=self.scale)
        self.K, self.V = K, V
        self.multiplications = multiplications(
            (x, self.W_Q), (x, self.W_K), (x, self.W_V), (steps.Q, K.T), (steps.weights, V))
        return steps


def all_anew(X, W_Q, W_K, W_V, scale=True) -> tuple[Steps, int]:
    """The same without a cache: causal attention of all t words so far, X (t, d_model), and its multiplications."""
    steps = self_attention(X, W_Q, W_K, W_V, mask=causal_mask(len(X)), scale=scale)
    pairs = (X, W_Q), (X, W_K), (X, W_V), (steps.Q, steps.K.T), (steps.weights, steps.V)
    return steps, multiplications(*pairs)


def multiplications(*products) -> int:
    """How many multiplications of numbers these matrix products take: n m p for A (n, m) times B (m, p)."""
    return sum(np.size(A) * np.shape(B)[-1] for A, B in products)
