"""What was typed after ``lesson.py handout``. Standard library only: a slip is told before anything is installed."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from .. import language
from ..language import LANGUAGES, say
from ..machine import user_language
from ..typed import PAPERS, Refused

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@dataclass(frozen=True)
class Options:
    """lessons: paths of notebooks; out: an absolute path of a folder."""

    language: str
    lessons: tuple[Path, ...]
    pdf: bool
    paper: str
    code: bool
    solutions: bool
    out: Path

    def arguments(self) -> list[str]:
        """What to type for these options, in any folder."""
        flags = {"--pdf": self.pdf, "--no-code": not self.code, "--solutions": self.solutions}
        return [*(path.stem for path in self.lessons), "--language", self.language, "--paper", self.paper,
                "--out", str(self.out), *(flag for flag, on in flags.items() if on)]


class _Parser(argparse.ArgumentParser):
    def error(self, message):  # argparse speaks English only
        raise ValueError(message)


def wants_help(arguments: list[str]) -> bool:
    """Whether help was asked for; then also choose the language it is to be given in."""
    asked = not {"-h", "--help", "help"}.isdisjoint(arguments)
    if asked:
        after = arguments[arguments.index("--language") + 1:][:1] if "--language" in arguments else []
        language.choose(after[0] if after and after[0] in LANGUAGES else user_language())
    return asked


def read(arguments: list[str]) -> Options:
    """The options, and the language chosen. Raises Refused in words for what is not known."""
    language.choose(user_language())
    parser = _Parser(prog="lesson.py handout", add_help=False, allow_abbrev=False)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--language", choices=LANGUAGES, default=language.chosen())
    parser.add_argument("--paper", choices=PAPERS, type=str.lower, default="a4")
    parser.add_argument("--out", type=Path)
    for flag in ("--pdf", "--no-code", "--solutions"):
        parser.add_argument(flag, action="store_true")
    try:
        typed = parser.parse_args(arguments)
    except ValueError:
        raise Refused(say("handout.not_known", words=" ".join(arguments))) from None
    language.choose(typed.language)
    out = typed.out or Path("handouts") / typed.language
    return Options(typed.language, _lessons(typed.lessons, typed.language), typed.pdf, typed.paper, not typed.no_code,
                   typed.solutions, out.expanduser().absolute())


def _lessons(names, chosen):
    there = sorted((NOTEBOOKS / chosen).glob("*.ipynb"))
    found = []
    for name in names:
        named = [path for path in there if name in (path.stem, path.name) or path.stem.split("_")[0] == name.zfill(2)]
        if not named:
            raise Refused(say("handout.no_lesson", name=name, names=", ".join(path.stem for path in there)))
        found += [path for path in named if path not in found]
    return tuple(found or there)
