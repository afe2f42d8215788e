"""The verdict on an answer that is a number or an array."""

import numpy as np

from .answers import as_numbers, same, unfinished, where_it_differs
from .diagnosis import diagnose, reader
from .experiment import Experiment
from .language import say
from .mistakes import Sheet
from .verdict import NOT_YET, RIGHT, WRONG


def judge_numbers(exercise, answer, e) -> tuple[str, list[str]]:
    """RIGHT, WRONG or NOT_YET for an Exercise, and what is to be said."""
    if unfinished(answer):
        return NOT_YET, []
    try:
        given = as_numbers(answer)
    except ValueError as error:
        return WRONG, [str(error)]
    tolerance = exercise.tolerance if exercise.decimals is None else 0.5 * 10.0**-exercise.decimals * (1 + 1e-6)
    sheet, right = _right(exercise, e)
    if right.ndim == 0 and given.size == 1:
        given = given.reshape(())
    if same(given, right, tolerance):
        return RIGHT, []
    told = diagnose([given], [right], [sheet], exercise.answer, exercise.mistakes, tolerance)
    if told:
        return WRONG, told
    if same(given, _right(exercise, Experiment.from_example(exercise.example))[1], tolerance):
        return WRONG, [say("check.before_the_sliders")]
    return WRONG, where_it_differs(given, right, tolerance)


def with_settings(exercise, sheet: Sheet) -> Sheet:
    """The sheet with the mask and the scale that the exercise is about."""
    settings = exercise.settings(sheet) if callable(exercise.settings) else exercise.settings
    return sheet.but(**settings or {})


def _right(exercise, e):
    sheet = with_settings(exercise, Sheet.of(e))
    return sheet, np.asarray(reader(exercise.answer)(sheet), dtype=np.float64)
