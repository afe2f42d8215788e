"""One student's page: the matrices that are given, and a blank for every number of every step."""

from .. import style
from ..digits import fixed
from ..language import say
from .class_list import Student
from .paper import Paper
from .problems import DECIMALS, Problem

CONTENT = 180.0  # width of what is printed, mm
_CELL, _BETWEEN = 15.8, 0.8  # width of a blank with the room around it, and that room
_LABEL = 13.0  # width of the words before the rows of a matrix
_GAP = 5.0  # between a row of blanks and the blank for its sum
_RIGHT = 96.0  # where the right one of two matrices begins
_TALLEST = 11.5  # of a blank with the room around it
_HEAD, _BELOW = 16.0, 5.5  # of a step: heading, help and labels above its blanks, room below
_TOP, _BOTTOM = 79.0, 14.0  # where the steps begin, and what stays free below them
_COLOURS = {"Q": style.QUERY, "K": style.KEY, "V": style.VALUE}
_FORMULAS = {"scores": "$scores = Q K^T$", "scaled": "$scaled = scores / √{d_k}$", "exp": "$e^{scaled}$",
             "output": "$output = weights · V$"}
_SHAPES = {"scores": "(3×2)(2×3) → (3×3)", "scaled": "(3×3)", "exp": "(3×3)", "weights": "(3×3)",
           "output": "(3×3)(3×2) → (3×2)"}


def draw_sheet(paper: Paper, student: Student, given: Problem, seed: int) -> None:
    """A page of ``paper`` for this student."""
    paper.new_page()
    left = (paper.width - CONTENT) / 2
    tall = min(_TALLEST, (paper.height - _BOTTOM - _TOP - 4 * (_HEAD + _BELOW) + _BELOW) / 12)
    _heading(paper, left, student)
    _given(paper, left, 52.0, given)
    draw = _Steps(paper, say("sheet.words").split(), tall)
    y = _TOP
    draw.step(left, y, "1", "", "(3×2)(2×2) → (3×2)", CONTENT)
    for i, name in enumerate("QKV"):
        draw.matrix(left + i * 62, y, name, 2, above=f"${name} = X W_{name}$")
    for parts in ((("2", "scores", None), ("3", "scaled", None)), (("4a", "exp", "sums"), ("4b", "weights", "checks"))):
        y += _HEAD + 3 * tall + _BELOW
        for x, (number, name, sums) in zip((left, left + _RIGHT), parts, strict=True):
            draw.step(x, y, number, _FORMULAS.get(name) or say(f"sheet.{name}"), _SHAPES[name])
            draw.matrix(x, y, name, 3, sums=sums)
    y += _HEAD + 3 * tall + _BELOW
    draw.step(left, y, "5", _FORMULAS["output"], _SHAPES["output"])
    draw.matrix(left, y, "output", 2)
    draw.step(left + _RIGHT, y, "6")
    draw.questions(left + _RIGHT, y)
    foot = say("sheet.foot", seed=seed, number=student.sheet)
    paper.words(paper.width / 2, paper.height - 7, foot, 7, align="center", colour=style.QUIET)


def _heading(paper, left, student):
    right = left + CONTENT
    paper.words(left, 19, say("sheet.title"), 18, strong=True)
    paper.words(right, 19, say("sheet.number", number=student.sheet), 13, align="right", strong=True)
    x = left
    for key, room in (("name", 84), ("class", 40), ("date", 40)):
        width = paper.words(x, 29, say(f"sheet.{key}"), 10)
        paper.line(x + width + 2, 30.2, x + room, 30.2)
        if key == "name":
            free = room - width - 6
            if student.number:
                free -= 2 + paper.words(x + room, 29, student.number, 9, align="right", colour=style.QUIET, room=26,
                                        literal=True)
            if student.name:
                paper.words(x + width + 4, 29, student.name, 12, room=free, literal=True)
        x += room + 8
    for i, line in enumerate(say("sheet.how").split("\n")):
        paper.words(left, 37 + 4.6 * i, line, 8.5, room=CONTENT)


def _given(paper, left, y, given):
    """X and the three W with their numbers."""
    cell, tall = 12.0, 6.4
    words = say("sheet.words").split()
    paper.words(left, y + 1.5, say("sheet.given"), 10.5, strong=True)
    x = left + 20
    for name, gap in (("X", 0), ("W_Q", 18), ("W_K", 14), ("W_V", 14)):
        x += gap
        matrix = getattr(given, name)
        if name == "X":
            for row, word in enumerate(words):
                paper.words(x + _LABEL - 2, y + 4 + tall * (row + 0.68), word, 9, align="right", colour=style.QUIET)
            x += _LABEL
        shape = f"({matrix.shape[0]}×{matrix.shape[1]})"
        wide = cell * matrix.shape[1]
        paper.words(x + wide / 2, y + 1.5, f"${name}$  {shape}", 9.5, align="center")
        paper.brackets(x, y + 4, wide, tall * len(matrix))
        for row, numbers in enumerate(matrix):
            for column, number in enumerate(numbers):
                text = written(number, DECIMALS[name])
                paper.words(x + cell * (column + 0.5), y + 4 + tall * (row + 0.68), text, 11, align="center")
        x += wide


def written(number: float, decimals: int) -> str:
    """As it is printed, with a real minus sign."""
    return fixed(number, decimals).replace("-", "−")


class _Steps:
    """Draws steps: a heading, a line of help and a matrix of blanks, at the upper left corner x, y of the step."""

    def __init__(self, paper, words, tall):
        self.paper, self.words, self.tall = paper, words, tall

    def step(self, x, y, number, formula="", shape="", width=CONTENT - _RIGHT):
        told = self.paper.words(x, y + 4, say(f"sheet.step{number}"), 10.5, strong=True)
        if formula:
            told += 3 + self.paper.words(x + told + 3, y + 4, formula, 10.5)
        if shape:
            self.paper.words(x + told + 3, y + 4, shape, 8, colour=style.QUIET)
        self.paper.words(x, y + 8.8, say(f"sheet.help{number}"), 8, colour=style.QUIET, room=width)

    def matrix(self, x, y, name, columns, sums=None, above=""):
        paper, top = self.paper, y + _HEAD
        if above:
            paper.words(x + _LABEL + _CELL * columns / 2, top - 2, above, 10.5, align="center", colour=_COLOURS[name])
        if columns == 3:
            for column, word in enumerate(self.words):
                paper.words(x + _LABEL + _CELL * (column + 0.5), top - 2, word, 8.5, align="center", colour=style.QUIET)
            paper.words(x + _LABEL - 2.5, top - 2, say("sheet.corner"), 6.5, align="right", colour=style.QUIET,
                        room=_LABEL - 2.5)
        if sums:
            paper.words(x + _LABEL + _CELL * (columns + 0.5) + _GAP, top - 2, say(f"sheet.{sums}"), 8.5, align="center",
                        colour=style.QUIET)
        for row, word in enumerate(self.words):
            paper.words(x + _LABEL - 2.5, self._middle(top, row), word, 9.5, align="right", colour=style.QUIET)
            for column in range(columns):
                self._blank(x + _LABEL + _CELL * column, top, row, f"{name}[{row},{column}]")
            if sums:
                self._blank(x + _LABEL + _CELL * columns + _GAP, top, row, f"{sums}[{row}]")
        paper.brackets(x + _LABEL - 0.8, top - 0.4, _CELL * columns + 1.6, self.tall * 3 + 0.8)

    def questions(self, x, y):
        asked = [self.paper.words(x, self._middle(y + _HEAD, row), say("sheet.most", word=word), 10)
                 for row, word in enumerate(self.words)]
        for row in range(len(asked)):
            self._blank(x + max(asked) + 4, y + _HEAD, row, f"most[{row}]")

    def _blank(self, x, top, row, name):
        half = _BETWEEN / 2
        self.paper.blank(x + half, top + self.tall * row + half, _CELL - _BETWEEN, self.tall - _BETWEEN, name)

    def _middle(self, top, row):
        return top + self.tall * (row + 0.5) + 1.1
