"""Where a word stands, as numbers: attention alone does not know it.

Sinusoidal: Vaswani et al. 2017, section 3.5. Rotary: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary
Position Embedding", section 3.2. Positions are counted from 0.
"""

import numpy as np

from .language import say
from .validate import entry, matrix, numbers, shape_of, whole, wrong

BASE = 10_000.0


def sinusoidal_positions(n: int, d_model: int, base: float = BASE) -> np.ndarray:
    """(n, d_model) numbers between −1 and 1, one row a position, to be added to X.

    Columns 2i and 2i + 1 of position pos are sin and cos of pos / base^(2i/d_model): from fast to slow.
    """
    n, d_model = whole("n", n, 1), whole("d_model", d_model, 1)
    angle = angles(np.arange(n), d_model, base)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, -1)[:, :d_model]


def rotary(X, positions=None, base: float = BASE) -> np.ndarray:
    """Each row of X (..., n, d) turned by its position, in the plane of every pair of columns 2i, 2i + 1.

    The angle is pos · base^(−2i/d). positions: (n,) numbers; 0 … n − 1 where none are given. Used on queries and keys,
    never on values: the scores q_m · k_n then depend on where two words stand only through m − n (equation 16).
    Raises ValueError where d is odd. Some libraries pair column i with i + d/2 in place of i + 1, which is the same
    with the columns in another order.
    """
    X = matrix("X", X)
    n, d = X.shape[-2:]
    if d % 2:
        raise wrong("X", shape_of(X), say("error.needs_pairs"))
    at = np.arange(n) if positions is None else numbers("positions", positions)
    if at.shape != (n,) or not np.isfinite(at).all():
        raise wrong("positions", shape_of(at), say("error.needs_positions", n=n))
    angle = angles(at, d, base)
    x, y = X[..., 0::2], X[..., 1::2]
    turned = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    return np.stack(turned, axis=-1).reshape(X.shape)


def angles(positions: np.ndarray, d: int, base: float = BASE) -> np.ndarray:
    """(n, ⌈d/2⌉): position · base^(−2i/d) for each pair i of columns. Raises ValueError for a base of 0 or less."""
    base = entry("base", base)
    if base <= 0:
        raise wrong("base", f"{base:g}", say("error.needs_positive"))
    return np.multiply.outer(positions, base ** (-np.arange(0, d, 2) / d))
