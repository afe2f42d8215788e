"""The verdict on an answer that is a function: tried on every case, and what goes wrong is told with its case."""

import inspect
import traceback
from textwrap import shorten

import numpy as np

from .answers import as_numbers, same, unfinished, where_it_differs
from .diagnosis import diagnose
from .digits import short
from .judge_numbers import with_settings
from .language import say
from .maths import causal_mask
from .mistakes import Missing, Sheet
from .verdict import NOT_YET, RIGHT, WRONG


def judge_function(exercise, answer, e) -> tuple[str, list[str]]:
    """RIGHT, WRONG or NOT_YET for a FunctionExercise, and what is to be said."""
    if unfinished(answer):
        return NOT_YET, []
    if not callable(answer):
        return WRONG, [say("check.needs_function", name=exercise.name)]
    names, cases = _cases(exercise, e)
    if not _takes(answer, names):
        return WRONG, [say("check.needs_parameters", count=len(names), names=", ".join(names))]
    sheets = [with_settings(exercise, Sheet(dict(zip(names, fresh(case), strict=True)))) for case in cases]
    rights = [_right(exercise, case, sheet) for case, sheet in zip(cases, sheets, strict=True)]
    booleans = all(right.dtype == bool for right in rights)
    rights = [right.astype(np.float64) for right in rights]
    results, complaints = [], {}
    for number, case in enumerate(cases):
        try:
            results.append(_call(answer, names, case, booleans))
        except NotImplementedError:
            return NOT_YET, []
        except _Nothing:
            if not results:
                return NOT_YET, []
            results.append(None)
            complaints[number] = say("check.returned_nothing")
        except _Changed as changed:
            results.append(changed.result)
            complaints[number] = say("check.changes_input", name=changed.name)
        except Exception as error:
            results.append(None)
            complaints[number] = _raised(answer, error)
    wrong = [i for i, pair in enumerate(zip(results, rights, strict=True)) if not same(*pair, exercise.tolerance)]
    if not wrong and not complaints:
        return RIGHT, []
    own = tuple((text, lambda s, f=f: f(*fresh(cases[sheets.index(s)]))) for text, f in exercise.mistakes)
    told = diagnose(results, rights, sheets, exercise.answer, own, exercise.tolerance) if wrong else []
    number = min(complaints, default=wrong[0] if wrong else 0)
    if number in complaints:
        told = [complaints[number], *told]
    told = told or where_it_differs(results[number], rights[number], exercise.tolerance)
    return WRONG, [*told, say("check.case", number=number + 1, total=len(cases), case=_glimpse(names, cases[number]))]


def fresh(case) -> list:
    """The arguments of a case, arrays newly made, so that nothing a learner's function does to them stays."""
    return [np.array(value) if isinstance(value, list | tuple | np.ndarray) else value for value in case]


class _Nothing(Exception):
    """The function returned nothing."""


class _Changed(Exception):
    """The function changed the array that it was given as ``name``."""

    def __init__(self, name, result):
        self.name, self.result = name, result


class _NoNumbers(Exception):
    """The function returned something that is not numbers."""


def _call(function, names, case, booleans):
    given = fresh(case)
    with np.errstate(all="ignore"):  # a warning would stand beside the verdict that says it in words
        result = function(*given)
    if unfinished(result):
        raise _Nothing
    try:
        result = as_numbers(result, booleans)
    except ValueError as error:
        raise _NoNumbers(str(error)) from None
    for name, now, before in zip(names, given, fresh(case), strict=True):
        if isinstance(now, np.ndarray) and not np.array_equal(now, before, equal_nan=before.dtype.kind == "f"):
            raise _Changed(name, result)
    return result


def _cases(exercise, e):
    """Names of the parameters and the cases, the learner's own matrices first where they fit."""
    if not exercise.arguments:
        return tuple(inspect.signature(exercise.reference).parameters)[: len(exercise.cases[0])], exercise.cases
    own = Sheet.of(e)
    if own["mask"] is None and len(e.words) == len(e.key_words):
        own = own.but(mask=causal_mask(len(e.words)))  # a function with a mask is tried with one
    try:
        return exercise.arguments, (tuple(own[name] for name in exercise.arguments), *exercise.cases)
    except Missing:
        return exercise.arguments, exercise.cases


def _right(exercise, case, sheet):
    right = exercise.reference(*fresh(case)) if exercise.reference else sheet[exercise.answer]
    return np.asarray(right)


def _takes(function, names) -> bool:
    try:
        inspect.signature(function).bind(*names)
    except TypeError:
        return False
    except ValueError:  # some functions written in C do not tell
        return True
    return True


def _raised(function, error):
    if isinstance(error, _NoNumbers):
        return str(error)
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    own = [frame.line for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file and frame.line]
    what = shorten(f"{type(error).__name__}: {error}", 300, placeholder=" …")
    return say("check.raised_at", error=what, line=own[-1]) if own else say("check.raised", error=what)


def _glimpse(names, case):
    return ", ".join(f"{name} = {_value(value)}" for name, value in zip(names, fresh(case), strict=True))


def _value(value):
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size > 12:
        return say("check.of_shape", shape=value.shape)
    return np.array2string(value, separator=", ", formatter={"float_kind": lambda x: short(x, 4)}).replace("\n", "")
