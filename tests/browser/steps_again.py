"""Every step of the example 我爱你, written out again: what the page must show."""

import numpy as np

from attention_lib.examples import EXAMPLES

X, W_Q, W_K, W_V = (np.array(EXAMPLES["我爱你"].inputs[name]) for name in ("X", "W_Q", "W_K", "W_V"))


def steps(W_Q):
    """Every step after W_Q, written out again here."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / np.sqrt(2)
    exp = np.exp(scaled)
    weights = exp / exp.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights, "output": weights @ V}
