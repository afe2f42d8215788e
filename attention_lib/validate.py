"""Bad input is refused here, in words: which matrix, what it got, what it needs."""

import numpy as np

from .language import say


def wrong(name: str, got: str, needs: str) -> ValueError:
    """The one form of every complaint about an input."""
    return ValueError(say("error.wrong", name=name, got=got, needs=needs))


def numbers(name: str, value) -> np.ndarray:
    """``value`` as a new float64 array; ValueError for text, ragged, empty, complex, masked or None."""
    try:
        raw = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        raise wrong(name, say("error.ragged"), say("error.needs_rows_alike")) from None
    if raw.dtype.kind not in "biuf":
        raise wrong(name, f"{_kind(raw)} {_glimpse(value)}", say("error.needs_numbers"))
    if raw.size == 0:
        raise wrong(name, say("error.empty", shape=raw.shape), say("error.needs_entry"))
    return np.array(raw, dtype=np.float64)


def matrix(name: str, value) -> np.ndarray:
    """A finite float64 copy of at least two dimensions, rows and columns."""
    array = numbers(name, value)
    if array.ndim < 2:
        raise wrong(name, say("error.shape", shape=array.shape), say("error.needs_rows_columns"))
    _all(name, array, np.isfinite(array))
    return array


def scores_like(name: str, value) -> np.ndarray:
    """A float64 copy of at least one dimension that may hold −inf, the mark of what is hidden."""
    array = numbers(name, value)
    if array.ndim == 0:
        raise wrong(name, say("error.single", value=array), say("error.needs_row"))
    _all(name, array, np.isfinite(array) | np.isneginf(array))
    return array


def keep_mask(mask, shape: tuple[int, ...]) -> np.ndarray:
    """``mask`` as booleans of ``shape``; True = may be looked at. A 0.0 / 1.0 mask is refused."""
    try:
        keep = np.asarray(mask)
    except (ValueError, TypeError):
        raise wrong("mask", say("error.ragged"), say("error.needs_mask_shape", shape=shape)) from None
    if keep.dtype.kind in "iu" and np.isin(keep, (0, 1)).all():
        keep = keep.astype(bool)
    if keep.dtype != bool or keep.size == 0:
        raise wrong("mask", f"{_kind(keep)} {_glimpse(mask)}", say("error.needs_booleans"))
    try:
        return np.broadcast_to(keep, shape)
    except ValueError:
        raise wrong("mask", say("error.shape", shape=keep.shape), say("error.needs_mask_shape", shape=shape)) from None


def scale_factor(scale, d_k: int) -> float:
    """What the scores are multiplied by: True → 1/√d_k, False → 1, a number → itself."""
    if isinstance(scale, bool | np.bool_):
        return float(1 / np.sqrt(d_k)) if scale else 1.0
    if isinstance(scale, int | float | np.integer | np.floating) and abs(scale) <= np.finfo(np.float64).max:
        return float(scale)
    raise wrong("scale", _glimpse(scale), say("error.needs_scale"))


def whole(name: str, value, least: int, most: int | None = None) -> int:
    """``value`` as an int between ``least`` and ``most``; ValueError otherwise."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least and (most is None or value <= most):
        return int(value)
    needs = say("error.needs_at_least", least=least) if most is None else say("error.needs_whole", least=least, most=most)
    raise wrong(name, _glimpse(value), needs)


def not_too_large(name: str, *arrays: np.ndarray) -> None:
    """Refuse what float64 could not hold, in place of a silent inf or NaN."""
    if not all(np.isfinite(a).all() for a in arrays):
        raise wrong(name, say("error.too_large"), say("error.needs_smaller"))


def _all(name, array, allowed):
    if not allowed.all():
        at = tuple(int(i) for i in np.argwhere(~allowed)[0])
        got = say("error.nan") if np.isnan(array[at]) else say("error.infinite")
        raise wrong(name, say("error.at", what=got, at=at), say("error.needs_finite"))


def _kind(array):
    kind = {"U": "text", "S": "text", "T": "text", "c": "complex", "b": "booleans", "f": "floats"}.get(array.dtype.kind, "other")
    return say(f"error.kind_{kind}")


def _glimpse(value):
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:39] + "…"
