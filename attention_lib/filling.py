"""Texts of the lessons with the numbers of an experiment filled in."""

from string import Formatter

import numpy as np

from .digits import short
from .language import pick


class _Short(Formatter):
    """Numbers with at most three decimals, where the text asks for no other form."""

    def format_field(self, value, spec):
        return super().format_field(value, spec) if spec else _plain(value)


def fill(both: dict[str, str], values: dict | None = None) -> str:
    """The text in the chosen language, its {placeholders} filled with ``values``; as it stands without any."""
    return pick(both) if values is None else _Short().vformat(pick(both), (), values)


def _plain(value):
    if isinstance(value, np.ndarray | list | tuple):
        return f"[{', '.join(map(_plain, value))}]" if np.ndim(value) else _plain(np.asarray(value).item())
    if isinstance(value, float | np.floating):
        return short(float(value), 3)
    return str(value)
