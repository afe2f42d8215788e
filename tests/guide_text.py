"""The teacher's guides as data: plans, courses, predictions, moves, answers, as the tables and code blocks say them."""

import re
from dataclasses import dataclass
from pathlib import Path

from files import ROOT

HEADS = {
    "en": {"plan": "section|minutes|what happens", "course": "lesson|sections|minutes",
           "predictions": "prediction|turns out|who thought otherwise",
           "moves": "section|move|set to|watch|becomes|it shows"},
    "zh": {"plan": "节|分钟|做什么", "course": "课|节|分钟", "predictions": "预测|实际结果|选了别的，说明什么",
           "moves": "节|动哪里|改成|看哪里|变成|说明什么"},
}
SECTIONS = {"en": {"start": "start", "end": "end"}, "zh": {"开头": "start", "结尾": "end"}}
ALL = {"en": "all", "zh": "全部"}
_ANSWER = re.compile(r"\*\*(\d\d\.[a-z])\*\*(?:(?!\*\*\d\d\.[a-z]\*\*).)*?```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Move:
    """A row of a table of moves, as it is written. Where its move is empty, it is the move of the row above."""

    section: str
    moved: str
    to: str
    watch: str
    becomes: str


@dataclass(frozen=True)
class Lesson:
    """number: "03". plan: section → minutes. predictions: key → what turns out. answers: key → code. text: all."""

    number: str
    plan: dict[str, int]
    predictions: dict[str, str]
    moves: tuple[Move, ...]
    answers: dict[str, str]
    text: str


def path(language: str) -> Path:
    return ROOT / "docs" / f"teacher-guide.{language}.md"


def lessons(language: str) -> list[Lesson]:
    """The parts ``## 03 · …`` of a guide, in their order."""
    parts = re.split(r"^## (\d\d) · .*$", path(language).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_lesson(number, text, language) for number, text in zip(parts[::2], parts[1::2], strict=True)]


def courses(language: str) -> list[tuple[int, list[list[tuple[str, str, int]]]]]:
    """(minutes of a class, rows (lesson, sections, minutes) of each class) for every ``### …`` that has such tables."""
    found = []
    for part in re.split(r"^### ", path(language).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        classes = [[(lesson, sections, int(minutes)) for lesson, sections, minutes in rows]
                   for kind, rows in tables(part, language) if kind == "course"]
        if classes:
            found.append((int(re.search(r"\d+", part.splitlines()[0])[0]), classes))
    return found


def planned(sections: str, plan: dict[str, int], language: str) -> int:
    """What ``sections``, "1, 2" or "all", take by the plan of a lesson."""
    named = list(plan) if sections == ALL[language] else re.split("[,、] *", sections)
    return sum(plan[SECTIONS[language].get(section, section)] for section in named)


def tables(text: str, language: str) -> list[tuple[str, list[list[str]]]]:
    """(kind, rows) of every table whose head is one of HEADS."""
    kinds = {head: kind for kind, head in HEADS[language].items()}
    found = []
    for block in re.findall(r"(?:^\|.*\|[ ]*\n)+", text + "\n", re.MULTILINE):
        head, _line, *rows = ([cell.strip() for cell in line.strip()[1:-1].split("|")] for line in block.splitlines())
        if kind := kinds.get("|".join(head)):
            found.append((kind, rows))
    return found


def _lesson(number, text, language):
    rows = {kind: [] for kind in HEADS[language]}
    for kind, more in tables(text, language):
        rows[kind] += more
    moves = []
    for *what, watch, becomes, _shows in rows["moves"]:
        section, moved, to = what if what[1] else (moves[-1].section, moves[-1].moved, moves[-1].to)
        moves.append(Move(section, moved.replace("`", ""), to, watch.replace("`", ""), becomes))
    plan = {SECTIONS[language].get(section, section): int(minutes) for section, minutes, _ in rows["plan"]}
    predictions = {key: truth for key, truth, _ in rows["predictions"]}
    return Lesson(number, plan, predictions, tuple(moves), dict(_ANSWER.findall(text)), text)
