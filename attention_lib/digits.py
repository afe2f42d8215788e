"""Numbers as text, and text as numbers: the only place that decides how a number looks."""

import math
import unicodedata

# What an input method or a copied page gives instead of "-", "." and ",".
_LOOKALIKES = str.maketrans({"−": "-", "–": "-", "—": "-", "﹣": "-", "。": ".", "．": ".", "·": "."})
_NOT_A_NUMBER = "_,，"  # float() takes 1_000; a reader would not


def fixed(x: float, decimals: int = 3) -> str:
    """``x`` with a fixed number of decimals, and never ``-0.00``."""
    text = f"{x:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def short(x: float, decimals: int = 10) -> str:
    """The shortest honest form of ``x``: ``0.3``, ``1.0``, ``-2.25``; at least one decimal."""
    text = fixed(x, decimals).rstrip("0")
    return text + "0" if text.endswith(".") else text


def clean(x: float, decimals: int = 10) -> float:
    """``x`` without the dust of binary addition: 0.30000000000000004 → 0.3, −0.0 → 0.0."""
    return round(float(x), decimals) + 0.0


def parse(text: str) -> float:
    """The number a person typed, full-width digits and the sign ``−`` understood.

    Raises ValueError for anything that is not one finite number.
    """
    plain = unicodedata.normalize("NFKC", str(text).translate(_LOOKALIKES)).strip()
    if any(mark in plain for mark in _NOT_A_NUMBER):
        raise ValueError(text)
    value = float(plain.replace(" ", ""))
    if not math.isfinite(value):
        raise ValueError(text)
    return value
