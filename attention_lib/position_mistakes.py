"""Known mistakes with sinusoidal positions, each as the function that makes it: n, d_model -> (n, d_model)."""

import numpy as np

from .positions import BASE, angles


def _sine_only(n, d_model):
    return np.repeat(np.sin(angles(np.arange(n), d_model)), 2, axis=1)


def _in_halves(n, d_model):
    angle = angles(np.arange(n), d_model)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def _exchanged(n, d_model):
    angle = angles(np.arange(n), d_model)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1).reshape(n, -1)


def _from_one(n, d_model):
    angle = angles(np.arange(1, n + 1), d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, -1)


def _every_column(n, d_model):
    angle = np.arange(n)[:, None] / BASE ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2, np.cos(angle), np.sin(angle))


def _i_for_2i(n, d_model):
    angle = np.arange(n)[:, None] / BASE ** (np.arange(d_model // 2) / d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, -1)


SINUSOIDAL = (
    ("positions_sine_only", _sine_only),
    ("positions_in_halves", _in_halves),
    ("positions_exchanged", _exchanged),
    ("positions_from_one", _from_one),
    ("positions_every_column", _every_column),
    ("positions_i_for_2i", _i_for_2i),
)
NAMES = tuple(name for name, _ in SINUSOIDAL)
