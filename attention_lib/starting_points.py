"""Settings worth starting from, each a whole set of inputs. Each gives the same state whatever was there before."""

from itertools import product

import numpy as np

from .digits import clean
from .experiment import Experiment
from .maths import causal_mask
from .state import beginning

NAMES = ("as given", "W_Q = W_K", "identity", "look-up", "equal weights", "causal")
_GAP = 8.0  # one-hot to the eye: with 12 keys the largest weight is above 1 − 11 exp(−8) > 0.996
_SEARCHED = 6  # columns of X that make the words differ: 729 directions, a few milliseconds


def starting_point(e: Experiment, name: str) -> dict | None:
    """Every input and setting of ``e`` by name, for ``e.set(**…)``; None where it does not fit shapes or kind of ``e``.

    name: one of NAMES. What the name does not speak of is as it was when the experiment began.
    """
    change = _CHANGES[name](e)
    if change is None:
        return None
    neat = {key: np.vectorize(clean)(value) for key, value in change.items() if key in e.inputs}  # as e.set keeps them
    return beginning(e) | change | neat


def _as_given(e):
    return {}


def _same_projection(e):
    return {"W_K": beginning(e)["W_Q"]} if "X" in e.inputs else None


def _identity(e):
    """Projections that hand X on as it is, so that scores = X Xᵀ."""
    if "X" not in e.inputs:
        return None
    square = all(e[W].shape[0] == e[W].shape[1] for W in ("W_Q", "W_K", "W_V"))
    return dict.fromkeys(("W_Q", "W_K", "W_V"), np.eye(len(e["W_Q"]))) if square else None


def _look_up(e):
    """Large scores, so that each query takes the value of nearly one key alone, as from a table."""
    found = _look_up_projected(e) if "X" in e.inputs else _look_up_direct(e)
    return found and found | _OPEN


def _look_up_projected(e):
    """X stays. Only the first column of Q and K counts: score[i, j] = t[i] s[j], so that query i takes the key with
    the largest s where t[i] > 0, the smallest where t[i] < 0. Of small whole numbers, those that tell the words apart
    best make t and s. None where X cannot be told apart so: equal rows, or a row of zeros.
    """
    X = beginning(e)["X"]
    n, d_model = X.shape
    if n < 2:
        return None
    most, searched = (2, d_model) if d_model <= 3 else (1, min(d_model, _SEARCHED))
    directions = np.array(list(product(range(-most, most + 1), repeat=searched)), dtype=float)
    directions = np.pad(directions, ((0, 0), (0, d_model - searched)))
    size = np.maximum(abs(directions).max(axis=1), 1)
    s = np.sort(directions @ X.T, axis=1)
    u = directions[np.argmax(np.minimum(s[:, -1] - s[:, -2], s[:, 1] - s[:, 0]) / size - 1e-9 * size)]
    t = directions @ X.T
    both_signs = (t.max(axis=1) > 0) & (t.min(axis=1) < 0) & (abs(t).min(axis=1) > 1e-9)
    a = directions[np.lexsort((t.sum(axis=1), abs(t).min(axis=1) / size, both_signs))[-1]]
    factor = _factor(np.outer(X @ a, X @ u), e["W_K"].shape[1])
    first_column = np.eye(1, e["W_K"].shape[1])
    return factor and {"W_Q": factor * a[:, None] * first_column, "W_K": factor * u[:, None] * first_column}


def _look_up_direct(e):
    """Keys that point different ways, and query i points the way of key i + 1."""
    (n_q, d_k), n_k = e["Q"].shape, len(e["K"])
    if n_k <= d_k:
        K = np.eye(n_k, d_k)
    elif d_k == 1:
        K = np.linspace(1, -1, n_k)[:, None]
    else:
        angles = 2 * np.pi * np.arange(n_k) / n_k
        K = np.zeros((n_k, d_k))
        K[:, :2] = np.stack([np.cos(angles), np.sin(angles)], axis=1).round(1)
    Q = K[(np.arange(n_q) + 1) % n_k]
    factor = _factor(Q @ K.T, d_k)
    return factor and {"Q": factor * Q, "K": factor * K}


def _factor(scores, d_k):
    """The whole number that Q and K are to be multiplied by for a gap of _GAP in each row of the scaled scores."""
    if scores.shape[1] < 2:
        return None
    ordered = np.sort(scores, axis=1)
    gap = (ordered[:, -1] - ordered[:, -2]).min()
    return float(np.ceil(np.sqrt(_GAP * np.sqrt(d_k) / gap))) if gap > 1e-9 else None


def _equal(e):
    """Queries of zeros: every score is 0, and every key gets the same share."""
    name = "W_Q" if "X" in e.inputs else "Q"
    return {name: np.zeros(e[name].shape)} | _OPEN


def _causal(e):
    square = len(e.words) == len(e.key_words)
    return {"mask": causal_mask(len(e.words)), "scale": True, "fault": None} if square else None


_OPEN = {"mask": None, "scale": True, "fault": None}
_CHANGES = dict(zip(NAMES, (_as_given, _same_projection, _identity, _look_up, _equal, _causal), strict=True))
