"""Predictions: what is asked, what turns out, and the record of this session's guesses.

Texts are ``{"zh": …, "en": …}``. The truth is always computed from an experiment, never typed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Text = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class _Prediction:
    """question, because: texts; the {placeholders} of because are filled by ``values(e)``.

    example: of EXAMPLES, used where no experiment is given.
    """

    question: Text
    because: Text
    values: Callable[[Any], dict] | None = None
    example: str = "我爱你"


@dataclass(frozen=True, kw_only=True)
class Choice(_Prediction):
    """One of some options. truth: callable(e) giving the index of the right one, counted from 0."""

    options: dict[str, tuple[str, ...]]
    truth: Callable[[Any], int]


@dataclass(frozen=True, kw_only=True)
class Number(_Prediction):
    """A number. tolerance: how far off a guess may be and count as right; unit: a word after it; decimals: as shown."""

    truth: Callable[[Any], float]
    tolerance: float = 0.005
    unit: str | Text = ""
    decimals: int = 3


@dataclass(frozen=True, kw_only=True)
class Weights(_Prediction):
    """A row of shares that sum to 1. truth: callable(e) giving it; labels: callable(e), the names of the shares.

    tolerance: the share that may lie in the wrong place, ½ Σ|guess − truth|, between 0 and 1.
    """

    truth: Callable[[Any], Any]
    tolerance: float = 0.05
    labels: Callable[[Any], tuple[str, ...]] | None = None
    decimals: int = 3
