"""Bad input is refused here, in words: which matrix, what it got, what it needs."""

import numpy as np

from .language import say


def wrong(name: str, got: str, needs: str) -> ValueError:
    """The one form of every complaint about an input."""
    return ValueError(say("error.wrong", name=name, got=got, needs=needs))


def glimpse(value) -> str:
    """``value`` as Python writes it, on one short line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a repr may fail too: an int of 5,000 digits does
        text = type(value).__name__
    return text if len(text) <= 40 else text[:39] + "…"


def shape_of(array) -> str:
    """How the complaint about a shape begins."""
    return say("error.shape", shape=array.shape) if array.ndim else say("error.single", value=array)


def one_of(name: str, value, allowed) -> ValueError:
    """The complaint about a name that is not one of ``allowed``."""
    return wrong(name, glimpse(value), say("error.needs_one_of", names=", ".join(map(repr, allowed))))


def numbers(name: str, value) -> np.ndarray:
    """``value`` as a new float64 array; ValueError for text, ragged, empty, complex, hidden entries or None."""
    raw = _array(name, value, say("error.needs_rows_alike"))
    if raw.dtype.kind not in "biuf":
        raise wrong(name, f"{_kind(raw)} {glimpse(value)}", say("error.needs_numbers"))
    if raw.size == 0:
        raise wrong(name, say("error.empty", shape=raw.shape), say("error.needs_entry"))
    with np.errstate(all="ignore"):  # a long double beyond float64 becomes inf, which is refused as such
        return np.array(raw, dtype=np.float64)


def matrix(name: str, value) -> np.ndarray:
    """A finite float64 copy of at least two dimensions, rows and columns."""
    array = numbers(name, value)
    if array.ndim < 2:
        raise wrong(name, shape_of(array), say("error.needs_rows_columns"))
    _all(name, array, np.isfinite(array))
    return array


def large_matrix(name: str, value) -> np.ndarray:
    """As :func:`matrix`, but what is float32 or float64 already is not copied: long sequences are large."""
    if type(value) is np.ndarray and value.dtype in (np.float32, np.float64) and value.ndim > 1 and value.size:
        _all(name, value, np.isfinite(value))
        return value
    return matrix(name, value)


def scores_like(name: str, value) -> np.ndarray:
    """A float64 copy of at least one dimension that may hold −inf, the mark of what is hidden."""
    array = numbers(name, value)
    if array.ndim == 0:
        raise wrong(name, shape_of(array), say("error.needs_row"))
    _all(name, array, np.isfinite(array) | np.isneginf(array))
    return array


def entry(name: str, value) -> float:
    """``value`` as one finite number."""
    array = numbers(name, value)
    if array.ndim:
        raise wrong(name, shape_of(array), say("error.needs_one"))
    _all(name, array, np.isfinite(array))
    return float(array)


def keep_mask(mask, shape: tuple[int, ...]) -> np.ndarray:
    """``mask`` as booleans of ``shape``; True = may be looked at. A 0.0 / 1.0 mask is refused."""
    keep = _array("mask", mask, say("error.needs_mask_shape", shape=shape))
    if keep.dtype.kind in "iu" and np.isin(keep, (0, 1)).all():
        keep = keep.astype(bool)
    if keep.dtype != bool or keep.size == 0:
        raise wrong("mask", f"{_kind(keep)} {glimpse(mask)}", say("error.needs_booleans"))
    try:
        return np.broadcast_to(keep, shape)
    except ValueError:
        raise wrong("mask", shape_of(keep), say("error.needs_mask_shape", shape=shape)) from None


def scale_factor(scale, d_k: int) -> float:
    """What the scores are multiplied by: True → 1/√d_k, False → 1, a number → itself."""
    if isinstance(scale, bool | np.bool_):
        return float(1 / np.sqrt(d_k)) if scale else 1.0
    if isinstance(scale, int | float | np.integer | np.floating) and -_LARGEST <= scale <= _LARGEST:
        return float(scale)
    raise wrong("scale", glimpse(scale), say("error.needs_scale"))


def whole(name: str, value, least: int, most: int | None = None) -> int:
    """``value`` as an int between ``least`` and ``most``; ValueError otherwise."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if is_whole and least <= value and (most is None or value <= most):
        return int(value)
    needs = "error.needs_at_least" if most is None else "error.needs_whole"
    raise wrong(name, glimpse(value), say(needs, least=least, most=most))


def not_too_large(name: str, *arrays: np.ndarray) -> None:
    """Refuse what float64 could not hold, in place of a silent inf or NaN."""
    if not all(np.isfinite(a).all() for a in arrays):
        raise wrong(name, say("error.too_large"), say("error.needs_smaller"))


_LARGEST = float(np.finfo(np.float64).max)
_KINDS = {"b": "booleans", "i": "integers", "u": "integers", "f": "floats", "c": "complex", "U": "text", "S": "text"}


def _array(name, value, needs):
    try:
        raw = None if _hides(value) else np.asarray(value)
    except Exception:  # rows of different lengths, or an object whose own conversion fails in its own way
        got = say("error.ragged") if isinstance(value, list | tuple) else f"{say('error.kind_other')} {glimpse(value)}"
        raise wrong(name, got, needs) from None
    if raw is None:
        raise wrong(name, say("error.hidden"), say("error.needs_all_entries"))
    return raw


def _hides(value):
    """Entries hidden in a numpy.ma array, here or in a list of them: numpy would show what is under the mask."""
    return any(map(_hides, value)) if isinstance(value, list | tuple) else np.ma.is_masked(value)


def _all(name, array, allowed):
    if not allowed.all():
        at = tuple(int(i) for i in np.argwhere(~allowed)[0])
        what = say("error.nan") if np.isnan(array[at]) else say("error.infinite")
        if array.ndim == 2:
            what = say("error.at_row_column", what=what, row=at[0] + 1, column=at[1] + 1)
        elif array.ndim:
            what = say("error.at", what=what, at=list(at))
        raise wrong(name, what, say("error.needs_finite"))


def _kind(array):
    return say(f"error.kind_{_KINDS.get(array.dtype.kind, 'other')}")
