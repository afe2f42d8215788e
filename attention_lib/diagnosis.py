"""Which known mistake gives the numbers that a learner gave."""

import numpy as np

from .answers import same
from .exercises import Mistakes
from .language import pick, say
from .mistakes import ANOTHER_STEP, KNOWN, NAMES, Missing, Sheet

_EXACT = 1e-9
_ROUNDING = ("rounded_early", "rounded_every_step")  # told only where nothing simpler gives the same numbers
_TYPED = range(2, 7)  # decimals of a number that a person typed; with more it was computed, with fewer all look alike


def diagnose(results, rights, sheets, step, own: Mistakes, tolerance: float) -> list[str]:
    """What was done, in at most two sentences, or nothing where no known mistake gives these numbers.

    results, rights, sheets: the answer, the right one, and the steps it is about; one each for every case.
    A result is an array, or None where the learner's function failed. step: name, callable(sheet), or None.
    own: mistakes of the exercise itself, (text or known name, callable(sheet)).
    """
    def matching(wrong, slack):
        values = _attempts(wrong, sheets)
        fits = values is not None and all(
            same(result, value, slack) or (result is None and value is None)
            for result, value in zip(results, values, strict=True))
        # The mistake must show: some answer that is there is wrong.
        shows = fits and any(result is not None and not same(value, right, tolerance)
                             for result, value, right in zip(results, values, rights, strict=True))
        return _first_that_differs(sheets, values, rights, tolerance) if shows else None

    for slack in (_EXACT, _half_a_unit(results)):
        if slack is None:
            continue
        told = {}
        for text, wrong in own:
            sheet = matching(wrong, slack)
            if sheet is not None:
                told.setdefault(str(text), _sentence(text, sheet, {}) if isinstance(text, str) else pick(text))
        if told:
            return _together(told)
        for mistake in _known_for(step):
            sheet = matching(lambda s, m=mistake: m.answer(s, reader(step)), slack)
            if sheet is not None:
                told.setdefault(mistake.name, _sentence(mistake.name, sheet, mistake.values))
        if told:
            return _together(_simplest(told))
    return []


def reader(step):
    """How the answer is read from a sheet: a step by its name, or by a callable."""
    return step if callable(step) else (lambda sheet: sheet[step])


def _known_for(step):
    if step is None:
        return ()
    return KNOWN + tuple(m for m in ANOTHER_STEP if isinstance(step, str) and m.instead != step)


def _attempts(wrong, sheets):
    """What the mistake gives in each case, None where it fails; or None for all if it cannot be made here."""
    values = []
    for sheet in sheets:
        try:
            with np.errstate(all="ignore"):
                values.append(np.asarray(wrong(sheet), dtype=np.float64))
        except Missing:
            return None
        except Exception:
            values.append(None)
    return values


def _first_that_differs(sheets, values, rights, tolerance):
    return next(sheet for sheet, value, right in zip(sheets, values, rights, strict=True)
                if value is not None and not same(value, right, tolerance))


def _half_a_unit(results):
    """Half a unit of the last decimal, where the numbers look typed."""
    if any(result is None for result in results):
        return None
    for decimals in _TYPED:
        if all(same(result, np.round(result, decimals), 1e-12) for result in results):
            return 0.5 * 10.0**-decimals * (1 + 1e-6)
    return None


def _simplest(told):
    plain = {name: text for name, text in told.items() if name not in _ROUNDING}
    if len(plain) > 1:
        plain.pop("another_step", None)
    return plain or dict(list(told.items())[:1])


def _together(told):
    sentences = list(told.values())[:2]
    return [say("check.two_mistakes"), *(f"· {one}" for one in sentences)] if len(sentences) > 1 else sentences


class _Facts(dict):
    """Numbers for a sentence; a letter stands for itself where its number is not known."""

    def __missing__(self, name):
        return name


def _sentence(name: str, sheet: Sheet, values: dict) -> str:
    if name not in NAMES:
        raise ValueError(f"{name!r} is no known mistake: {', '.join(NAMES)}")
    facts = _Facts(values)
    for letter in ("n", "d_k", "d_model"):
        try:
            facts[letter] = int(sheet[letter])
        except Exception:  # it does not follow from what is given; the letter will do
            continue
    return say(f"mistake.{name}").format_map(facts)
