"""The verdict on an answer that is a letter, a word, a whole number, True or False, or a list of them."""

import unicodedata

import numpy as np

from .answers import unfinished
from .language import pick, say
from .mistakes import Sheet
from .verdict import NOT_YET, RIGHT, WRONG

_NEEDS = {str: "check.needs_text", bool: "check.needs_bool", int: "check.needs_whole"}


def judge_choice(exercise, answer, e) -> tuple[str, list[str]]:
    """RIGHT, WRONG or NOT_YET for a ChoiceExercise, and what is to be said."""
    if unfinished(answer):
        return NOT_YET, []
    sheet = Sheet.of(e)
    right = _value(exercise.answer, sheet)
    needed, given = _items(right), _items(answer)
    ordered = exercise.ordered or any(isinstance(item, bool) for item in needed)
    others = exercise.also(sheet) if exercise.also else ()
    if any(_alike(given, _items(other), ordered) for other in (right, *others)):
        return RIGHT, []
    for text, wrong in exercise.mistakes:
        if _alike(given, _items(_value(wrong, sheet)), ordered):
            return WRONG, [pick(text)]
    kinds = {type(item) for item in needed}
    if kinds and not {type(item) for item in given} <= kinds:
        return WRONG, [say(_NEEDS[type(needed[0])])]
    if kinds == {int} and given and _alike([item - 1 for item in given], needed, ordered):
        return WRONG, [say("mistake.counted_from_one")]
    if not isinstance(right, list | tuple | set | frozenset | np.ndarray):
        return WRONG, [say("check.not_this", value=", ".join(map(str, given)))]
    if not ordered:
        hits = len(set(given) & set(needed))
        counts = {"right": hits, "extra": len(given) - hits, "missing": len(set(needed)) - hits}
        return WRONG, [say("check.of_the_list", **counts)]
    if len(given) != len(needed):
        return WRONG, [say("check.needs_items", got=len(given), needs=len(needed))]
    hits = sum(a == b for a, b in zip(given, needed, strict=True))
    return WRONG, [say("check.some_right", right=hits, total=len(needed))]


def _value(answer, sheet):
    return answer(sheet) if callable(answer) else answer


def _alike(a: list, b: list, ordered: bool) -> bool:
    a, b = ([(type(item).__name__, item) for item in items] for items in (a, b))  # True is not 1 here
    return a == b if ordered else len(a) == len(b) and set(a) == set(b)


def _items(answer) -> list:
    """The answer as a list of plain values; a single one is a list of one."""
    if isinstance(answer, np.ndarray | np.generic):
        answer = answer.tolist()
    if isinstance(answer, list | tuple | set | frozenset):
        return [item for part in answer for item in _items(part)]
    if isinstance(answer, str):
        return [unicodedata.normalize("NFKC", answer).strip().casefold()]
    if isinstance(answer, bool | int):
        return [answer]
    return [int(answer)] if isinstance(answer, float) and answer.is_integer() else [repr(answer).join("<>").encode()]
