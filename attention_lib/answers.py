"""What a learner gave as an answer: is it there, is it numbers, and where does it differ from what is right."""

import numpy as np

from .digits import short
from .language import say

_RELATIVE = 1e-9  # what float64 arithmetic in another order may differ by


def unfinished(answer) -> bool:
    """Whether the answer, or any part of it, is still ``...`` or None."""
    if isinstance(answer, np.ndarray) and answer.dtype == object:
        answer = answer.tolist()
    if isinstance(answer, list | tuple | set):
        return any(map(unfinished, answer))
    return answer is None or answer is ...


def as_numbers(answer, booleans: bool = False) -> np.ndarray:
    """The answer as float64, NaN and infinity included; ValueError says in words what it is in place of numbers.

    booleans: True and False are asked for (whole numbers 1 and 0 do as well), and become 1 and 0.
    """
    if callable(answer):
        raise ValueError(say("check.is_function"))
    try:
        raw = np.asarray(answer)
        array = raw.astype(np.float64) if raw.dtype.kind in ("bi" if booleans else "iufO") else None
    except Exception:  # an object that is no array may refuse in any way
        raise ValueError(say("check.not_numbers", kind=type(answer).__name__)) from None
    if raw.dtype.kind in "UST":
        raise ValueError(say("check.is_text"))
    if booleans and raw.dtype.kind not in "bi":
        raise ValueError(say("check.needs_bool"))
    if raw.dtype.kind == "b" and not booleans:
        raise ValueError(say("check.is_booleans"))
    if array is None:
        raise ValueError(say("check.not_numbers", kind=type(answer).__name__))
    if array.size == 0:
        raise ValueError(say("check.is_empty", shape=array.shape))
    return array


def same(a, b, tolerance: float) -> bool:
    """Two arrays of one shape whose entries are all within ``tolerance``; NaN is like NaN."""
    return (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape
            and np.allclose(a, b, rtol=_RELATIVE, atol=tolerance, equal_nan=True))


def where_it_differs(given: np.ndarray, right: np.ndarray, tolerance: float) -> list[str]:
    """What can be said of a wrong answer without saying the right one."""
    if given.shape != right.shape:
        if given.size == right.size and same(given.ravel(), right.ravel(), tolerance):
            return [say("check.shape_only", got=_shape(given), needs=_shape(right))]
        return [say("check.shape", got=_shape(given), needs=_shape(right))]
    for key, bad in (("check.has_nan", np.isnan(given)), ("check.has_infinite", np.isinf(given))):
        if bad.any():
            return [say(key, at=_at(np.argwhere(bad)[0]), count=int(bad.sum()), total=given.size)]
    if given.ndim == 0:
        return [say("check.too_large" if given > right else "check.too_small", value=short(float(given), 6))]
    wrong = ~np.isclose(given, right, rtol=_RELATIVE, atol=tolerance)
    first = tuple(np.argwhere(wrong)[0])
    value = short(float(given[first]), 6)
    return [say("check.entries_off", wrong=int(wrong.sum()), total=wrong.size, at=_at(first), value=value)]


def _shape(array):
    return say("check.one_number") if array.ndim == 0 else str(array.shape)


def _at(index):
    """Where an entry stands, as people count: from 1."""
    if len(index) == 0:
        return say("check.here")
    if len(index) == 2:
        return say("check.at", row=index[0] + 1, column=index[1] + 1)
    return say("check.position", position=", ".join(str(i + 1) for i in index))
