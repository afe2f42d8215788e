"""Predictions: what is asked, what turns out, and the record of this session's guesses.

Texts are ``{"zh": …, "en": …}``. The truth is always computed from an experiment, never typed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from traitlets import Dict, HasTraits

from .digits import exact, fixed, parse, short
from .language import pick, say

Text = dict[str, str]
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Outcome:
    """A guess beside the truth. off: how far apart, None where that has no size."""

    guess: Any
    truth: Any
    right: bool
    off: float | None = None


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

    def outcome(self, guess, e) -> Outcome:
        """guess: the index of an option; ValueError where none is chosen."""
        if type(guess) is not int or not 0 <= guess < len(pick(self.options)):
            raise ValueError(say("predict.choose_first"))
        truth = int(self.truth(e))
        return Outcome(guess, truth, guess == truth)

    def told(self, index: int) -> str:
        """An option as it reads on the page."""
        return f"{LETTERS[index]}. {pick(self.options)[index]}"

    def how(self, outcome: Outcome) -> str:
        return ""


@dataclass(frozen=True, kw_only=True)
class Number(_Prediction):
    """A number. tolerance: how far off a guess may be and count as right; unit: a word after it; decimals: as shown."""

    truth: Callable[[Any], float]
    tolerance: float = 0.005
    unit: str | Text = ""
    decimals: int = 3

    def outcome(self, guess, e) -> Outcome:
        """guess: a number, as typed; ValueError in words for what is none."""
        try:
            number = parse(guess)
        except ValueError:
            said = say("predict.not_a_number", text=guess) if str(guess).strip() else say("predict.type_first")
            raise ValueError(said) from None
        truth = float(self.truth(e))
        return Outcome(number, truth, abs(number - truth) <= self.tolerance * (1 + 1e-9), number - truth)

    def told(self, number: float) -> str:
        """A number with its unit; a guess of more decimals than are shown keeps them."""
        return f"{self._shown(number)} {self.says_unit()}".strip()

    def says_unit(self) -> str:
        return self.unit if isinstance(self.unit, str) else pick(self.unit)

    def how(self, outcome: Outcome) -> str:
        """How far off, in words."""
        if outcome.right and abs(outcome.off) < 0.5 * 10.0**-self.decimals:
            return ""
        key = "predict.too_large" if outcome.off > 0 else "predict.too_small"
        return say(key, off=self._shown(abs(outcome.off)))

    def _shown(self, number):
        if exact(number, 6):
            return short(number, max(self.decimals, 6)).removesuffix(".0")
        return fixed(number, self.decimals)


@dataclass(frozen=True, kw_only=True)
class Weights(_Prediction):
    """A row of shares that sum to 1. truth: callable(e) giving it; labels: callable(e), the names of the shares.

    tolerance: the share that may lie in the wrong place, ½ Σ|guess − truth|, between 0 and 1.
    """

    truth: Callable[[Any], Any]
    tolerance: float = 0.05
    labels: Callable[[Any], tuple[str, ...]] | None = None
    decimals: int = 3

    def names(self, e) -> tuple[str, ...]:
        return tuple(self.labels(e) if self.labels else e.key_words)

    def outcome(self, guess, e) -> Outcome:
        """guess: how high each slider stands, 0 to 100."""
        guess, truth = shares(guess), np.asarray(self.truth(e), dtype=np.float64)
        if len(guess) != len(truth):
            raise ValueError(say("predict.needs_shares", n=len(truth)))
        off = float(np.abs(guess - truth).sum() / 2)
        return Outcome(tuple(map(float, guess)), tuple(map(float, truth)), off <= self.tolerance * (1 + 1e-9), off)

    def told(self, row: Sequence[float]) -> str:
        """A row of shares; a guess has the two decimals it was made with."""
        decimals = 2 if all(x == round(x, 2) for x in row) else self.decimals
        return f"[{', '.join(fixed(x, decimals) for x in row)}]"

    def how(self, outcome: Outcome) -> str:
        """How much of the attention was put in the wrong place."""
        return "" if outcome.off < 0.005 else say("predict.misplaced", off=fixed(outcome.off, 2))


def shares(levels: Sequence[float]) -> np.ndarray:
    """One unit shared out as the sliders stand: hundredths, that sum to exactly 1 as they are shown.

    levels: (n,) numbers of 0 or more; all of 0 are equal shares. The largest remainders are rounded up.
    """
    levels = np.asarray(levels, dtype=np.float64)
    if levels.ndim != 1 or levels.size == 0 or not np.isfinite(levels).all() or (levels < 0).any():
        raise ValueError(say("predict.needs_shares", n=levels.size))
    if levels.sum() == 0:
        levels = np.ones_like(levels)
    exact = 100 * levels / levels.sum()
    whole = np.floor(exact + 1e-9)
    left = round(100 - whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:left]] += 1
    return whole / 100


class Record(HasTraits):
    """The first guess at each prediction, by key, in the order they were made; observers hear of each new one."""

    firsts = Dict()

    def add(self, key: str, outcome: Outcome) -> Outcome:
        """Keep the outcome if it is the first for this key; returns the first."""
        if key not in self.firsts:
            self.firsts = self.firsts | {key: outcome}
        return self.firsts[key]


# One a kernel: a session is a kernel's life.
RECORD = Record()
