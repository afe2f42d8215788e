"""Numbers as text, and text as numbers: the only place that decides how a number looks."""

import math
import re

import numpy as np

from .language import say
from .validate import glimpse, wrong

# What an input method or a copied page gives in place of ASCII, "-" and ".".
_FULL_WIDTH = {ord(mark): ord(mark) - 0xFEE0 for mark in map(chr, range(0xFF01, 0xFF5F))}
_LOOKALIKES = _FULL_WIDTH | str.maketrans({"。": "."} | dict.fromkeys("−–—‐‑‒﹣", "-"))
_NUMBER = re.compile(r"([+-]?)\s*((\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.IGNORECASE)
HIDDEN = "⊘"  # beside a number that a mask hides, where there is no hatching
_LONG = 1e9  # from here on with an exponent: nobody reads 300 digits


def fixed(x: float, decimals: int = 3) -> str:
    """``x`` with a fixed number of decimals, and never ``-0.00``; 1.234e+09 from a thousand million on."""
    text = f"{x:.{decimals}{'e' if abs(x) >= _LONG else 'f'}}"
    return text.removeprefix("-") if float(text) == 0 else text


def short(x: float, decimals: int = 10) -> str:
    """The shortest honest form of ``x``: ``0.3``, ``1.0``, ``-2.25``; at least one decimal."""
    if abs(x) >= _LONG:
        return np.format_float_scientific(x, decimals, trim="0")
    return np.format_float_positional(clean(x, decimals), trim="0")


def exact(x: float, decimals: int) -> bool:
    """Whether ``decimals`` decimals say all of ``x``, but for the dust of binary addition."""
    return abs(round(float(x), decimals) - float(x)) < 1e-12


def equals(*values: float, decimals: int) -> str:
    """``=``, or ``≈`` where one of the numbers that follow cannot be written with so many decimals."""
    return "=" if all(exact(x, decimals) for x in values) else "≈"


def marked(texts: list[list[str]], hidden) -> list[list[str]]:
    """Rows of numbers as text, with HIDDEN beside those that are ``hidden``: booleans of the same shape, or None."""
    if hidden is None:
        return texts
    return [[f"{text} {HIDDEN}" if hides else text for text, hides in zip(*pair, strict=True)]
            for pair in zip(texts, hidden, strict=True)]


def clean(x: float, decimals: int = 12) -> float:
    """``x`` without the dust of binary addition: 0.30000000000000004 → 0.3, −0.0 → 0.0."""
    return round(float(x), decimals) + 0.0


def parse(text: str) -> float:
    """The number a person typed: ``-0.5``, ``−０．５``, ``。5`` and ``1e-3`` are understood.

    Raises ValueError for anything that is not one finite number: ``1,5``, ``1 5``, ``1_000``, ``½``, ``nan``.
    """
    typed = _NUMBER.fullmatch(str(text).translate(_LOOKALIKES).strip())
    value = float(typed[1] + typed[2]) if typed else math.nan
    if not math.isfinite(value):
        raise wrong(say("error.typed"), glimpse(text), say("error.needs_typed"))
    return value + 0.0  # −0 is 0
