"""Exercises: check an answer, ask for a hint, see the solution.

An exercise is one cell: the stub, then the check::

    answer = ...
    check("03.a", answer, e)

Its content stands in ``attention_lib/lessons/l03.py``, in ``EXERCISES``. Its ``solution`` is code that takes the
place of the stub and leaves, under the exercise's ``name``, an answer that the check calls right; it may use ``np``,
the public names of attention_lib, ``e``, ``n``, ``d_k`` and each matrix of e by name. It is the same in both languages.
"""

from .exercises import ChoiceExercise, Exercise, FunctionExercise
from .experiment import Experiment
from .filling import fill
from .judge_choice import judge_choice
from .judge_function import judge_function
from .judge_numbers import judge_numbers
from .language import say
from .lessons import content
from .mistakes import Sheet
from .validate import wrong
from .verdict import NOT_YET, RIGHT, WRONG, Folded, Verdict

_JUDGES = {Exercise: judge_numbers, FunctionExercise: judge_function, ChoiceExercise: judge_choice}


def check(key: str, answer, e: Experiment | None = None) -> Verdict:
    """Is this answer right, and if not, which mistake is it?

    key: of the exercise, such as "03.a". answer: a number, an array, a function, or a letter or list, as it asks for;
    ``...``, None and a function that returns nothing are "not yet". e: the experiment the answer is about, with its
    sliders as they stand; without it, the exercise's own example as it begins.
    Raises ValueError for an unknown key or an e that is no Experiment, never for an answer.
    """
    exercise = content("EXERCISES", key)
    e = _experiment(exercise, e)
    unfit = _unfit(exercise, e)
    if unfit:
        return Verdict(NOT_YET, (say("check.does_not_fit", error=unfit),), (_solution(exercise),))
    state, lines = _JUDGES[type(exercise)](exercise, answer, e)
    if state != WRONG:
        lines = [say(f"check.{state}_line")]
    if state == RIGHT and exercise.explanation:
        lines.append(_filled(exercise, exercise.explanation, e))
    if e.fault:
        lines.append(say("check.fault_on"))
    return Verdict(state, tuple(lines), (_hint(exercise, e), _solution(exercise)))


def hint(key: str, e: Experiment | None = None) -> Folded:
    """The hint of an exercise, folded. Raises ValueError for an unknown key."""
    exercise = content("EXERCISES", key)
    return _hint(exercise, _experiment(exercise, e))


def solution(key: str) -> Folded:
    """The solution of an exercise, folded: code in place of the stub. Raises ValueError for an unknown key."""
    return _solution(content("EXERCISES", key))


def _experiment(exercise, e):
    if e is None:
        return Experiment.from_example(exercise.example)
    if not isinstance(e, Experiment):
        raise wrong("e", type(e).__name__, "Experiment")
    return e


def _unfit(exercise, e) -> str:
    """Why the exercise cannot be asked about this experiment: it has fewer words, say. Empty where it can."""
    sheet = Sheet.of(e)
    try:
        for asks in (exercise.answer, exercise.values):
            if callable(asks):
                asks(sheet)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _hint(exercise, e):
    return Folded(say("check.hint"), _filled(exercise, exercise.hint, e))


def _solution(exercise):
    return Folded(say("check.solution"), exercise.solution.strip(), code=True)


def _filled(exercise, text, e):
    return fill(text, exercise.values(Sheet.of(e)) if exercise.values else None)
