"""Two pictures side by side: how far apart they are where they differ most."""

import itertools

import numpy as np


def furthest_apart(one, other, side: int = 8) -> float:
    """The largest difference of mean colour, 0 … 255, between squares of two images that may be off by a dot."""
    a, b = (np.asarray(image.convert("RGB")).astype(float) for image in (one, other))
    a = a[1:-1, 1:-1]
    shifted = [b[y:y + a.shape[0], x:x + a.shape[1]] for y, x in itertools.product(range(3), repeat=2)]
    return np.min([abs(means(a, side) - means(c, side)).max(axis=2) for c in shifted], axis=0).max()


def means(pixels: np.ndarray, side: int) -> np.ndarray:
    """(height, width, 3) to the means of squares of ``side`` dots; what is left over at the ends does not count."""
    high, wide = (length // side for length in pixels.shape[:2])
    return pixels[:high * side, :wide * side].reshape(high, side, wide, side, 3).mean(axis=(1, 3))
