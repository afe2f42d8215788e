"""What a learner, or a careless program, might hand over in place of a matrix."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np


class Like:
    """An object with ``__array__``, as those of pandas are."""

    def __init__(self, answer):
        self.answer = answer

    def __array__(self, dtype=None, copy=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Mute:
    def __repr__(self):
        raise RuntimeError("no words")


def nested(depth):
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


def endless():
    value = []
    value.append(value)
    return value


def hidden(*shape):
    array = np.ma.array(np.ones(shape))
    array[0] = np.ma.masked
    return array


# Never a matrix of numbers: always a ValueError.
RUBBISH = {
    "None": None, "text": "abc", "number as text": [["1", "2"], ["3", "4"]], "mixed": [[1, "a"], [2, 3]],
    "bytes": b"ab", "empty": [], "empty rows": [[], []], "no columns": np.ones((3, 0)), "no rows": np.ones((0, 2)),
    "one number": 5, "0-d": np.array(1.0), "a row": [1.0, 2.0], "ragged": [[1, 2], [3]], "deep ragged": [[[1]], [2]],
    "NaN": [[np.nan, 1], [1, 1]], "inf": [[np.inf, 1], [1, 1]], "-inf": [[-np.inf, 1], [1, 1]],
    "None inside": [[None, 1], [1, 1]], "complex": [[1j, 1], [1, 1]], "complex, real value": np.ones((2, 2), complex),
    "dict": {"a": 1}, "set": {1, 2}, "generator": (x for x in [[1, 2], [3, 4]]), "function": len, "class": float,
    "fractions": [[Fraction(1, 2)] * 2] * 2, "decimals": [[Decimal(1)] * 2] * 2, "huge int": [[10**400, 1], [1, 1]],
    "int of 5000 digits": 10**5000, "dates": [[date(2024, 1, 1)] * 2] * 2,
    "datetime64": np.zeros((2, 2), "datetime64[s]"),
    "timedelta64": np.zeros((2, 2), "timedelta64[s]"), "records": np.zeros((2, 2), [("a", float)]),
    "objects": np.array([[object()] * 2] * 2), "strings": np.array([["1", "2"]], dtype=np.dtypes.StringDType()),
    "hidden": hidden(2, 2), "hidden in a list": [hidden(2), hidden(2)], "masked": [[np.ma.masked, 1], [1, 1]],
    "long double": np.full((2, 2), np.finfo(np.longdouble).max) if np.longdouble != np.float64 else "no long double",
    "array of text": Like(np.array([["a"]])), "no array": Like("text"), "mute": Mute(), "mutes": [[Mute()]],
    **{f"raises {x.__name__}": Like(x()) for x in (ValueError, TypeError, RuntimeError, KeyError, OSError)},
    "raises inside": [Like(RuntimeError())] * 2,
    "too deep": nested(70), "far too deep": nested(3000), "endless": endless(),
    "Ellipsis": ..., "NotImplemented": NotImplemented, "range": range(3), "slice": slice(3),
}

# Each is the 2 × 2 matrix [[1, 0], [1, 1]] in another coat: always accepted, never changed.
_plain = np.array([[1, 0], [1, 1]])
COATS = {
    "lists": [[1, 0], [1, 1]], "tuples": ((1.0, 0.0), (1.0, 1.0)),
    "arrays in a list": [np.array([1, 0]), np.array([1, 1])],
    "bool": _plain.astype(bool), "float16": _plain.astype(np.float16), "long double": _plain.astype(np.longdouble),
    **{np.dtype(kind).name: _plain.astype(kind) for kind in (np.int8, np.uint8, np.uint64, np.int64, np.float32)},
    "Fortran order": np.asfortranarray(_plain), "strided": np.repeat(_plain, 2, axis=1)[:, ::2],
    "reversed": _plain[::-1, ::-1].copy()[::-1, ::-1],
    "big endian": _plain.astype(">f8"), "transposed": _plain.T.copy().T, "broadcast": np.broadcast_to(_plain, (2, 2)),
    "read-only": np.frombuffer(np.array([1.0, 0, 1, 1]).tobytes()).reshape(2, 2),
    "matrix": np.array(_plain).view(np.matrix),
    "nothing hidden": np.ma.array(_plain), "like an array": Like(_plain.astype(float)),
    "memoryview": memoryview(_plain),
    "negative zero": [[1, -0.0], [1, 1]], "range rows": [range(1, -1, -1), [1, 1]],
}
