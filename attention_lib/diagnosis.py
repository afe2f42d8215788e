"""Which known mistake gives the numbers that a learner gave."""

import numpy as np

from .answers import same
from .exercises import Mistakes
from .language import pick, say
from .mistakes import ANOTHER_STEP, KNOWN, NAMES, Missing, Sheet

_EXACT = 1e-6  # float32 is near enough
_ROUNDING = ("rounded_early", "rounded_every_step")  # told only where nothing simpler gives the same numbers
_TYPED = range(2, 7)  # decimals of a number that a person typed; with more it was computed, with fewer all look alike


def diagnose(results, rights, sheets, step, own: Mistakes, tolerance: float) -> list[str]:
    """What was done, in at most two sentences, or nothing where no known mistake gives these numbers.

    results, rights, sheets: the answer, the right one, and the steps it is about; one each for every case.
    A result is an array, or None where the learner's function failed. step: name, callable(sheet), or None.
    own: mistakes of the exercise itself, (text or known name, callable(sheet)).
    """
    made = [(text, {}, _attempts(wrong, sheets)) for text, wrong in own]
    known = [(m.name, m.values, _attempts(lambda s, m=m: m.answer(s, reader(step)), sheets)) for m in _known_for(step)]

    def named(slack):
        for mistakes in (made, known):
            told = {}  # name -> the sentences of its variants
            for text, facts, values in mistakes:
                if values and _fits(results, rights, values, slack, tolerance):
                    sheet = _first_that_differs(sheets, values, rights, tolerance)
                    said = _sentence(text, sheet, facts) if isinstance(text, str) else pick(text)
                    told.setdefault(str(text), []).append(said)
            if told:
                return _simplest(told)
        return []

    sentences = named(_EXACT)
    if sentences:
        return [say("check.several"), *_listed(sentences[:2])] if len(sentences) > 1 else sentences
    half_a_unit = _half_a_unit(results)
    sentences = named(half_a_unit) if half_a_unit else []
    # Typed numbers have few digits: that they fit is all that can be said, and nothing where much would fit.
    return [say("check.fits"), *_listed(sentences)] if 1 <= len(sentences) <= 2 else []


def reader(step):
    """How the answer is read from a sheet: a step by its name, or by a callable."""
    return step if callable(step) else (lambda sheet: sheet[step])


def _known_for(step):
    if step is None:
        return ()
    return KNOWN + tuple(m for m in ANOTHER_STEP if isinstance(step, str) and m.instead != step)


def _fits(results, rights, values, slack, tolerance) -> bool:
    """Whether the mistake gives the learner's results, and shows: some answer that is there is wrong."""
    return all(same(result, value, slack) or (result is None and value is None)
               for result, value in zip(results, values, strict=True)
               ) and any(result is not None and not same(value, right, tolerance)
                         for result, value, right in zip(results, values, rights, strict=True))


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


def _simplest(told) -> list[str]:
    """One sentence for each mistake; those that are far-fetched are left out where another one fits."""
    plain = {name: sentences[0] for name, sentences in told.items() if name not in _ROUNDING}
    if len(plain) > 1:
        plain.pop("another_step", None)
    rounded = [sentence for name in _ROUNDING for sentence in told.get(name, ())]
    if plain or not rounded:
        return list(plain.values())
    return rounded if len(rounded) == 1 else [say("mistake.rounded_somewhere")]


def _listed(sentences):
    return [f"· {sentence}" for sentence in sentences]


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
