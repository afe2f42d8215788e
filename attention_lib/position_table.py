"""The matrix of sinusoidal positions as something that can be looked at while it changes."""

import numpy as np
from traitlets import Any, HasTraits, Int

from .positions import sinusoidal_positions
from .validate import one_of, whole

MOST = 64


class PositionTable(HasTraits):
    """n places (2 … 64) and d_model columns (2 … 64, even); ``steps`` holds what follows from them.

    PE (n, d_model): :func:`sinusoidal_positions`. alike (n, n): PE PEᵀ divided by d_model/2, so that each place has 1
    with itself. As sin a sin b + cos a cos b = cos(a − b), it depends on the distance of two places alone.
    """

    n = Int(read_only=True)
    d_model = Int(read_only=True)
    steps = Any(read_only=True)
    words = key_words = ()

    def __init__(self, n: int = 16, d_model: int = 16):
        super().__init__()
        self.set(n=n, d_model=d_model)

    def set(self, **changes) -> None:
        """Change n, d_model or both; an odd d_model is refused with ValueError, as is what is out of range."""
        for name in changes:
            if name not in ("n", "d_model"):
                raise one_of("positions", name, ("n", "d_model"))
        sizes = {"n": self.n, "d_model": self.d_model} | changes
        n, half = whole("n", sizes["n"], 2, MOST), whole("d_model", sizes["d_model"], 2, MOST) / 2
        whole("d_model / 2", int(half) if half == int(half) else half, 1, MOST // 2)
        P = sinusoidal_positions(n, int(2 * half))
        self.set_trait("n", n)
        self.set_trait("d_model", P.shape[1])
        self.set_trait("steps", {"PE": P, "alike": P @ P.T / half})

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.steps:
            raise one_of("positions", name, self.steps)
        return self.steps[name]
