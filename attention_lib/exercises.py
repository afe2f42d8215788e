"""What an exercise is made of. Content only: the lessons fill it in, :mod:`attention_lib.checks` works with it.

Texts are ``{"zh": …, "en": …}``. ``solution`` is code that takes the place of the stub, the same in both languages:
it leaves the answer, or defines the function, under ``name``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Text = dict[str, str]
# (what was done and why it is wrong: a text, or the name of a known mistake; what then comes out)
Mistakes = tuple[tuple[Text | str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class _Task:
    """hint, explanation: texts, whose {placeholders} are filled by ``values(e)``; explanation is shown when right.

    name: of the variable or function that stub and solution assign. example: of EXAMPLES, used where no e is given.
    """

    hint: Text
    solution: str
    name: str = "answer"
    explanation: Text | None = None
    values: Callable[[Any], dict] | None = None
    mistakes: Mistakes = ()
    example: str = "我爱你"


@dataclass(frozen=True, kw_only=True)
class Exercise(_Task):
    """The answer is a number or an array.

    answer: the name of a step, or a callable(e) giving the number or array; where it reads the steps of e,
    the known mistakes are found for it too.
    tolerance: absolute. decimals: in its place, how many decimals must be right, for numbers that are typed.
    settings: "mask" and / or "scale" the exercise is about, in place of those of e; a dict or callable(e) giving one.
    mistakes: own ones, (text, callable(e) giving the wrong number or array).
    """

    answer: str | Callable[[Any], Any]
    tolerance: float = 1e-6
    decimals: int | None = None
    settings: dict | Callable[[Any], dict] | None = None


@dataclass(frozen=True, kw_only=True)
class FunctionExercise(_Task):
    """The answer is a function, tried on several cases.

    arguments: what its parameters are, in order, out of X W_Q W_K W_V Q K V mask d_k scores scaled weights;
    answer: the step it returns. Or reference: the right function itself, where it returns no step; one that returns
    True and False asks for the same of the learner's.
    cases: tuples of arguments, besides the matrices of the learner's own experiment.
    settings: "mask" and / or "scale" the function is to use by itself, a dict or callable(case as an experiment).
    mistakes: own ones, (text, callable(*case) giving the wrong result).
    """

    arguments: tuple[str, ...] = ()
    answer: str | None = None
    reference: Callable | None = None
    cases: tuple[tuple, ...] = ()
    tolerance: float = 1e-6
    settings: dict | Callable[[Any], dict] | None = None


@dataclass(frozen=True, kw_only=True)
class ChoiceExercise(_Task):
    """The answer is a letter, a word, a whole number, True or False, or a list of them.

    answer: that value, or callable(e) giving it. also: callable(e) giving other answers that are right.
    ordered: whether the order of a list counts; it always does for a list of True and False.
    mistakes: own ones, (text, value or callable(e) giving it).
    """

    answer: Any
    also: Callable[[Any], tuple] | None = None
    ordered: bool = False
