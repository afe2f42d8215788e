"""The way back through attention: how much the loss changes with each number, step by step, in plain numpy.

The chain rule along the steps of :mod:`attention_lib.maths`, from the last to the first. d_scores stands for
∂loss/∂scores, and has the shape of scores; so for every other step. The same equations: Dao et al. 2022,
"FlashAttention", appendix B.2; the softmax: Bishop 2006, Pattern Recognition and Machine Learning, equation 4.106.
"""

from dataclasses import dataclass

import numpy as np

from .language import say
from .maths import Steps
from .validate import matrix, scale_factor, shape_of, wrong


@dataclass(frozen=True, eq=False)
class Gradients:
    """∂loss/∂step for each step of one attention, and for the three projection matrices.

    d_output (…, n, d_v) · d_weights, d_scaled, d_scores (…, n, n) · d_V (…, n, d_v) · d_Q, d_K (…, n, d_k) ·
    d_W_Q, d_W_K (d_model, d_k) · d_W_V (d_model, d_v)
    """

    d_output: np.ndarray
    d_weights: np.ndarray
    d_V: np.ndarray
    d_scaled: np.ndarray
    d_scores: np.ndarray
    d_Q: np.ndarray
    d_K: np.ndarray
    d_W_Q: np.ndarray
    d_W_K: np.ndarray
    d_W_V: np.ndarray


def squared_error(output, target, counted=True) -> tuple[float, np.ndarray]:
    """Half the mean squared distance of outputs and targets, and its gradient with respect to the outputs.

    output, target (…, n, d_v). counted: True, or (n,) booleans, which rows have a target at all.
    Returns loss = 1/(2m) Σ |output_i − target_i|² over the m rows that count, and (output − target) / m.
    """
    off = np.where(np.reshape(counted, (-1, 1)), output - target, 0.0)
    m = np.count_nonzero(np.broadcast_to(counted, off.shape[:-1]))
    return float((off**2).sum() / (2 * m)), off / m


def backward(X, steps: Steps, d_output, scale=True) -> Gradients:
    """From ∂loss/∂output back to the gradients of W_Q, W_K and W_V.

    X (…, n, d_model): what :func:`self_attention` was given; steps: what it returned; scale: as it was there.
    d_output: of the shape of the output. The matrices are shared by all groups of a batch, so their gradients are
    sums over the groups. A mask needs no line of its own: where it hides, the weight is 0, and so is the gradient.
    Raises ValueError where the shape of d_output or X does not fit the steps.
    """
    X, d_output = matrix("X", X), matrix("d_output", d_output)
    if d_output.shape != steps.output.shape:
        raise wrong("d_output", shape_of(d_output), say("error.needs_shape_of", other="output",
                                                        shape=steps.output.shape))
    if X.shape[:-1] != steps.Q.shape[:-1]:
        raise wrong("X", shape_of(X), say("error.needs_rows_of", other="Q", shape=steps.Q.shape))
    Q, K, V, weights = steps.Q, steps.K, steps.V, steps.weights
    d_weights = d_output @ V.mT  # output = weights V
    d_V = weights.mT @ d_output
    d_scaled = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))  # ∂w_j/∂s_k = w_j (δ_jk − w_k)
    d_scores = d_scaled * scale_factor(scale, K.shape[-1])  # scaled = scores / √d_k
    d_Q = d_scores @ K  # scores = Q Kᵀ
    d_K = d_scores.mT @ Q
    d_W_Q, d_W_K, d_W_V = _of_projection(X, d_Q), _of_projection(X, d_K), _of_projection(X, d_V)
    return Gradients(d_output, d_weights, d_V, d_scaled, d_scores, d_Q, d_K, d_W_Q, d_W_K, d_W_V)


def _of_projection(X, d_Q):
    """Xᵀ d_Q, with the rows of all groups below each other: Q = X W_Q."""
    return X.reshape(-1, X.shape[-1]).T @ d_Q.reshape(-1, d_Q.shape[-1])
