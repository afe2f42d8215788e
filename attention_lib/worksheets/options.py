"""What was typed after ``lesson.py worksheets``. Standard library only: a slip is told before anything is installed."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from .. import language
from ..language import LANGUAGES, say
from ..machine import user_language
from ..typed import PAPERS, Refused

MOST_STUDENTS = 999
_MOST_SEED = 2**32 - 1
_OPTIONS = ("--language", "--paper", "--students", "--class-list", "--seed", "--out")
_MISSING = object()


@dataclass(frozen=True)
class Options:
    """students or class_list is None; paths are absolute."""

    language: str
    paper: str
    students: int | None
    class_list: Path | None
    seed: int
    out: Path

    def arguments(self) -> list[str]:
        """What to type for these options, in any folder."""
        who = ["--students", str(self.students)] if self.class_list is None else ["--class-list", str(self.class_list)]
        return ["--language", self.language, "--paper", self.paper, *who, "--seed", str(self.seed),
                "--out", str(self.out)]


def wants_help(arguments: list[str]) -> bool:
    """Whether help was asked for; then also choose the language it is to be given in."""
    asked = not {"-h", "--help"}.isdisjoint(arguments) or arguments[:1] == ["help"]
    if asked:
        typed, _ = _parser().parse_known_args(arguments)
        language.choose(typed.language if typed.language in LANGUAGES else user_language())
    return asked


def read(arguments: list[str]) -> Options:
    """The options, and the language chosen. Raises Refused in words for what is unknown, missing or out of range."""
    typed, unknown = _parser().parse_known_args(arguments)
    language.choose(typed.language if typed.language in LANGUAGES else user_language())
    if unknown:
        raise Refused(say("worksheets.unknown", words=" ".join(unknown)))
    for option, value in vars(typed).items():
        if value is _MISSING:
            raise Refused(say("worksheets.nothing_after", option="--" + option.replace("_", "-")))
    if (typed.students is None) == (typed.class_list is None):
        raise Refused(say("worksheets.who"))
    return Options(
        language=_one_of("--language", typed.language or language.chosen(), LANGUAGES),
        paper=_one_of("--paper", typed.paper.lower(), PAPERS),
        students=None if typed.students is None else _whole("--students", typed.students, 1, MOST_STUDENTS),
        class_list=None if typed.class_list is None else Path(typed.class_list).expanduser().absolute(),
        seed=_whole("--seed", typed.seed, 0, _MOST_SEED),
        out=Path(typed.out).expanduser().absolute(),
    )


def _parser():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in _OPTIONS:
        parser.add_argument(option, nargs="?", const=_MISSING)
    parser.set_defaults(paper="a4", seed="1", out="worksheets")
    return parser


def _one_of(option, value, allowed):
    if value not in allowed:
        raise Refused(say("worksheets.one_of", option=option, value=value, allowed=", ".join(allowed)))
    return value


def _whole(option, text, least, most):
    try:
        value = int(text)
    except ValueError:
        value = None
    if value is None or not least <= value <= most:
        raise Refused(say("worksheets.whole", option=option, value=text, least=least, most=most))
    return value
