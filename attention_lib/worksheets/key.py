"""The answer key: every number of every sheet, one line a word."""

from .. import style
from ..language import say
from .class_list import Student
from .paper import Paper
from .problems import DECIMALS, Problem
from .sheet import written

_MARGIN, _LABEL, _MOST = 12.0, 13.0, 17.0
_TOP, _BOTTOM = 36.0, 11.0
_ROW, _STUDENT = 4.6, 20.3  # height of a line, and of a student with the room below
_WIDTHS = {  # of one number
    "Q": 7.5, "K": 7.5, "V": 7.5, "scores": 9.5, "scaled": 10.5, "exp": 9.0, "sums": 9.5, "weights": 9.0, "checks": 9.0,
    "output": 9.0,
}
_COLUMNS = dict.fromkeys(_WIDTHS, 3) | dict.fromkeys(("Q", "K", "V", "output"), 2) | {"sums": 1, "checks": 1}
_SIZE = 8.5


def students_a_page(paper: Paper) -> int:
    """How many students of the key there is room for on a page."""
    return int((paper.height - _TOP - _BOTTOM) // _STUDENT)


def draw_key(paper: Paper, sheets: list[tuple[Student, Problem]], seed: int, page: int, pages: int) -> None:
    """One page (of ``pages``) of the key, for no more than :func:`students_a_page` of them."""
    paper.new_page()
    right = paper.width - _MARGIN
    paper.words(_MARGIN, 16, say("key.title"), 14, strong=True)
    about = say("key.about", seed=seed, first=sheets[0][0].sheet, last=sheets[-1][0].sheet, page=page, pages=pages)
    paper.words(right, 16, about, 9, align="right")
    for i, line in enumerate(say("key.how").split("\n")):
        paper.words(_MARGIN, 22 + 4.2 * i, line, 8, colour=style.QUIET, room=right - _MARGIN)
    places = _places(right)
    for name, x in places.items():
        if name == "most":
            paper.words(right, _TOP - 3, say("key.most"), _SIZE, align="right", strong=True)
        else:
            middle = x + _WIDTHS[name] * _COLUMNS[name] / 2
            head = say(f"sheet.{name}") if name in ("sums", "checks") else "$e^{scaled}$" if name == "exp" else name
            size = 11 if name == "exp" else _SIZE
            paper.words(middle, _TOP - 3, head, size, align="center", strong=name != "exp")
    paper.line(_MARGIN, _TOP - 1, right, _TOP - 1)
    for i, (student, given) in enumerate(sheets):
        _student(paper, _TOP + i * _STUDENT, student, given, places, right)


def _places(right):
    """Where the columns of each matrix begin; the room that is left is shared out between them."""
    taken = _LABEL + _MOST + sum(_WIDTHS[name] * _COLUMNS[name] for name in _WIDTHS)
    gap = (right - _MARGIN - taken) / len(_WIDTHS)
    x, places = _MARGIN + _LABEL, {}
    for name, width in _WIDTHS.items():
        places[name] = x
        x += width * _COLUMNS[name] + gap
    return places | {"most": x}


def _student(paper, y, student, given, places, right):
    told = paper.words(_MARGIN, y + 3.6, say("sheet.number", number=student.sheet), 9.5, strong=True)
    if student.name:
        told += 4 + paper.words(_MARGIN + told + 4, y + 3.6, student.name, 9.5, room=80, literal=True)
    if student.number:
        paper.words(_MARGIN + told + 4, y + 3.6, student.number, 8.5, colour=style.QUIET, room=40, literal=True)
    words = say("sheet.words").split()
    for row, word in enumerate(words):
        line = y + 3.6 + _ROW * (row + 1)
        paper.words(_MARGIN + 2, line, word, _SIZE, colour=style.QUIET)
        for name in _WIDTHS:
            for column, number in enumerate(getattr(given, name)[row]):
                x = places[name] + _WIDTHS[name] * (column + 1) - 1
                paper.words(x, line, written(number, DECIMALS[name]), _SIZE, align="right")
        paper.words(right, line, f"{word} → {words[given.most[row]]}", _SIZE, align="right")
    bottom = y + _STUDENT - 1.3
    paper.line(_MARGIN, bottom, right, bottom, 0.15, style.LINES)
