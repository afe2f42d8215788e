"""Texts of the lessons with the numbers of an experiment filled in."""

from string import Formatter

import numpy as np

from .digits import exact, fixed, short
from .language import pick


class _Short(Formatter):
    """Numbers with three decimals, fewer where they are exact, unless the text asks for another form."""

    def format_field(self, value, spec):
        return super().format_field(value, spec) if spec else _plain(value)


def fill(both: dict[str, str], values: dict | None = None) -> str:
    """The text in the chosen language, its {placeholders} filled with ``values``; as it stands without any."""
    return pick(both) if values is None else _Short().vformat(pick(both), (), values)


def _plain(value):
    if isinstance(value, np.ndarray | list | tuple):
        return f"[{', '.join(_row(value))}]" if np.ndim(value) else _plain(np.asarray(value).item())
    return _row([value])[0]


def _row(values):
    """All of a row in one form, so that 0.09 does not stand beside 0.245."""
    form = short if all(exact(x, 3) for x in values if _decimal(x)) else fixed
    return [form(float(x), 3) if _decimal(x) else _plain(x) if np.ndim(x) else str(x) for x in values]


def _decimal(x):
    return isinstance(x, float | np.floating)
