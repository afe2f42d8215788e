"""Pages to print, in millimetres from the upper left corner: words, formulas, blanks and lines, as one PDF file.

Everything put on a page is also noted as a :class:`Mark`, so that tests can measure what stands where.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from fpdf import FPDF
from fpdf.enums import TextMode

from .. import style
from .letters import shipped

SIZES = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}  # width, height, upright
POINT = 25.4 / 72  # mm
_UP, _DOWN = 0.78, 0.22  # of the size: how far letters reach above and below their line
_SMALL, _RAISED, _LOWERED = 0.7, 0.36, -0.16  # size and place of what stands above or below, in sizes
_BAR, _BAR_AT = 0.05, 0.945  # the bar of a root: thickness and height, in sizes, as its sign in this font asks for
_BOLD = 0.035  # thickness that makes letters strong, in sizes
_FORMULA = re.compile(r"√\{([^}]*)\}|([_^])(?:\{([^}]*)\}|(.))|([A-Za-z]+)|([^A-Za-z_^√]+|√)")


@dataclass(frozen=True)
class Mark:
    """What stands on a page: kind "words", "blank" or "line", its rectangle in millimetres, its words or name."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    what: str = ""


@dataclass(frozen=True)
class _Run:
    """Letters of one font; size and raise in sizes of the words around; root: with a bar above."""

    font: str
    text: str
    size: float = 1.0
    up: float = 0.0
    root: bool = False


class Paper:
    """One PDF file, to be used in ``with``: its fonts are open files. ``pages`` has the marks of each page."""

    def __init__(self, width: float, height: float, title: str, language: str):
        self.width, self.height = width, height
        self.pages: list[list[Mark]] = []
        self._pdf = FPDF(unit="pt", format=(width / POINT, height / POINT))  # in pt, its lines and strokes agree
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margin(0)
        self._pdf.set_title(title)
        self._pdf.set_lang(language)
        self._pdf.set_creation_date(datetime(2000, 1, 1, tzinfo=UTC))  # the same sheets are the same file
        self._pdf.set_fill_color(255)
        self._extra = {}
        for name, path in shipped().items():
            self._pdf.add_font(name, fname=path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        for font in self._pdf.fonts.values():
            font.ttfont.close()

    def borrow(self, found: dict) -> None:
        """Draw these characters with fonts of this machine: {character: (path, face)}."""
        names = {}
        for mark, (path, face) in found.items():
            name = names.setdefault((path, face), f"borrowed{len(names)}")
            if name not in self._pdf.fonts:
                self._pdf.add_font(name, fname=path, collection_font_number=face)
            self._extra[mark] = name

    def new_page(self) -> None:
        self._pdf.add_page()
        self.pages.append([])

    def words(self, x: float, y: float, text: str, size: float = 9, *, align: str = "left", colour: str = style.INK,
              strong: bool = False, room: float | None = None, literal: bool = False) -> float:
        """One line of words on the line at ``y``; returns its width.

        align: what of it is at ``x``, "left", "center" or "right". room: made smaller until it fits into this width.
        What is between two ``$`` is set as a formula, unless ``literal``: K^T, d_k, e^{...}, √{...}.
        """
        runs = list(self._runs(text, literal))
        width = sum(self._width(run, size) for run in runs)
        if room is not None and width > room:
            size, width = size * room / width, room
        left = x - {"left": 0, "center": width / 2, "right": width}[align]
        tall = size * POINT
        self.pages[-1].append(Mark("words", left, y - _UP * tall, width, (_UP + _DOWN) * tall, text))
        self._pdf.set_text_color(colour)
        at = left
        for run in runs:
            wide = self._width(run, size)
            self._put(at, y - run.up * tall, run, size, colour, strong)
            if run.root:
                self._stroke(_BAR * tall, colour)
                self._pdf.line(*_points(at, y - _BAR_AT * tall, at + wide, y - _BAR_AT * tall))
            at += wide
        return width

    def blank(self, x: float, y: float, width: float, height: float, name: str) -> None:
        """A box to write into, its upper left corner at x, y."""
        self._stroke(0.2, style.QUIET)
        self._pdf.rect(*_points(x, y, width, height), round_corners=True, corner_radius=0.8 / POINT)
        self.pages[-1].append(Mark("blank", x, y, width, height, name))

    def line(self, x1: float, y1: float, x2: float, y2: float, width: float = 0.25, colour: str = style.INK) -> None:
        self._stroke(width, colour)
        self._pdf.line(*_points(x1, y1, x2, y2))
        self.pages[-1].append(Mark("line", min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1)))

    def brackets(self, x: float, y: float, width: float, height: float) -> None:
        """The brackets of a matrix around this rectangle."""
        self._stroke(0.35, style.INK)
        for side, inner in ((x, x + 1.2), (x + width, x + width - 1.2)):
            corners = (inner, y), (side, y), (side, y + height), (inner, y + height)
            self._pdf.polyline([_points(*corner) for corner in corners])
        self.pages[-1].append(Mark("brackets", x, y, width, height))

    def finished(self) -> bytes:
        """The PDF file, its fonts embedded with only the letters that are used."""
        return bytes(self._pdf.output())

    def _stroke(self, width, colour):
        self._pdf.set_line_width(width / POINT)
        self._pdf.set_draw_color(colour)

    def _put(self, x, y, run, size, colour, strong):
        own = size * run.size
        self._pdf.set_font(run.font, size=own)
        if strong:
            self._stroke(_BOLD * own * POINT, colour)
            self._pdf.text_mode = TextMode.FILL_STROKE
        self._pdf.text(*_points(x, y), run.text)
        self._pdf.text_mode = TextMode.FILL

    def _width(self, run, size):
        self._pdf.set_font(run.font, size=size * run.size)
        return self._pdf.get_string_width(run.text) * POINT

    def _runs(self, text, literal=False):
        if literal:
            yield from self._plain(text)
            return
        for i, part in enumerate(text.split("$")):
            yield from self._formula(part) if i % 2 else self._plain(part)

    def _plain(self, text):
        """Runs of the first font that has each character."""
        font, run = "main", ""
        for mark in text:
            its = self._extra.get(mark) or ("main" if ord(mark) in self._pdf.fonts["main"].cmap else "more")
            if its != font and run:
                yield _Run(font, run)
                run = ""
            font, run = its, run + mark
        if run:
            yield _Run(font, run)

    def _formula(self, text, size=1.0, up=0.0):
        """Single letters slanted, words of several letters and all else upright."""
        for rooted, where, group, single, letters, rest in _FORMULA.findall(text):
            if rooted:
                yield _Run("upright", "√", size, up)
                yield from (_Run(run.font, run.text, run.size, run.up, root=True)
                            for run in self._formula(rooted, size, up))
            elif (where, single) == ("^", "T"):
                yield _Run("upright", "T", size * _SMALL, up + _RAISED * size)
            elif where:
                shift = _RAISED if where == "^" else _LOWERED
                yield from self._formula(group or single, size * _SMALL, up + shift * size)
            else:
                yield _Run("slanted" if len(letters) == 1 else "upright", letters or rest, size, up)


def _points(*lengths):
    return [length / POINT for length in lengths]
