"""Pictures of an experiment that follow it."""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import cached_property
from html import escape

import ipywidgets
from traitlets import Unicode

from .. import figures
from ..experiment import Experiment
from ..figures.heatmap_told import HeatmapTold
from ..figures.told import DPI, Told
from ..language import say
from ..multi_head import MultiHead
from ..png import blank
from ..position_table import MOST, PositionTable
from .base import Following, Guarded, StaticTwin, front_end, remember, table_html, table_text
from .knobs import Knobs
from .panel import Panel
from .quiet import when_quiet
from .saving import stem

_AFTER_NUMBERS = 0.003  # seconds that the numbers of the same move get to leave the kernel first
_REST, _LONGEST_REST = 3, 0.06  # times its length, seconds: rest after a redraw, for numbers come first while dragging


class _Image(ipywidgets.Image):
    # The page shows a tooltip, the accessible name of this picture, only of widgets with an empty description.
    description = Unicode().tag(sync=True)


class _Foot(Panel):
    """What stands under a figure: what went wrong, and the button that saves it."""

    _esm = front_end("foot.js")

    def __init__(self, figure: "LiveFigure"):
        self.figure = figure
        super().__init__()

    def guard(self):
        return self.figure.guard()

    def drawn(self, kind):
        return self.figure.drawn(kind)

    def file_stem(self):
        return stem(type(self.figure.picture).__name__).lower()


class LiveFigure(Guarded, Following, StaticTwin, ipywidgets.VBox):
    """One picture, kept open, as one PNG in one Image; redrawn when the experiment, or the row of its bars, changes.

    Where an event loop runs, as in a notebook's kernel, the redraw waits until the move that caused it is dealt with:
    the numbers are never held up, and of moves that come faster than redraws only the newest is drawn. The first
    drawing waits until the cells that were asked for have run. Without a loop it is drawn at once.

    told: what the picture says. draw: makes the picture, when it is first drawn; without it, ``told`` is the picture.
    ``message``: what went wrong, shown under the picture; the next move works.
    """

    message = Unicode()
    beside = "1 1 24em"  # layout.flex for a row that wraps: a little smaller rather than on a line of its own

    def __init__(self, told: Told, *above: ipywidgets.Widget, draw: "Callable[[], figures.Picture] | None" = None):
        self.told, self.experiment = told, told.experiment
        self._draw = draw
        self._waiting = None  # the loop that will redraw, if any
        self._rested = 0.0
        self._drawing = threading.Lock()  # a kernel may handle sliders in another thread than cells
        width, height = (round(DPI * inches) for inches in told.size)
        self.image = _Image(format="png", value=blank(width, height), tooltip=told.alt(), width=str(width),
                            height=str(height), layout={"max_width": "100%", "height": "auto"})
        self.foot = _Foot(self)
        super().__init__([*above, self.image, self.foot], layout={"align_items": "flex-start", "overflow": "hidden",
                                                                    "max_width": f"{width}px"})
        self.add_class("al-figure")  # saving.js and the large type look for it
        self.observe(self._show_message, "message")
        self._waiting = when_quiet(self.redraw)
        self.follow(self.experiment, self.schedule, told.follows)
        remember(self)

    @cached_property
    def picture(self) -> "figures.Picture":
        """What is drawn; made, and matplotlib loaded, when first asked for."""
        return self._draw() if self._draw else self.told

    def schedule(self, _change=None) -> None:
        """Redraw soon; now, where there is no event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.redraw()
            return
        if self._waiting is None or self._waiting.is_closed():
            self._waiting = loop
            loop.call_later(max(_AFTER_NUMBERS, self._rested - time.monotonic()), self.redraw)

    def redraw(self) -> None:
        """Bring picture, alternative text and message up to date."""
        self._waiting = None
        if self.comm is None:  # closed meanwhile
            return
        with self._drawing:
            start = time.monotonic()
            with self.guard(), self.image.hold_sync():
                self.image.value = self.picture.png()
                self.image.tooltip = self.told.alt()
                self.message = self.picture.notice()
            end = time.monotonic()
            self._rested = end + min(_REST * (end - start), _LONGEST_REST)

    def drawn(self, kind: str) -> bytes:
        """The picture as it is now, as an "svg" or "png" file; ValueError for another kind."""
        with self._drawing:
            file = self.picture.file(kind)
        self.message = self.picture.notice()
        return file

    def close(self) -> None:
        """Stop following the experiment, and close all it is made of."""
        for child in self.children:
            child.close()
            _close_looks(child)
        super().close()
        _close_looks(self)

    def static_html(self) -> str:
        return f"<p>{escape(self.told.summary())}</p>{table_html(*self._table())}"

    def static_text(self) -> str:
        return f"{self.told.summary()}\n{table_text(*self._table())}"

    def _table(self):
        caption, rows, columns, cells = self.told.table()
        return _one_line(caption), rows, [_one_line(column) for column in columns], cells

    def _show_message(self, _change):
        self.foot.message = self.message


def _close_looks(widget):
    for part in ("layout", "style"):  # widgets of their own, which stay behind otherwise
        if widget.has_trait(part):
            getattr(widget, part).close()


def _one_line(text):
    return " ".join(text.split())


def heatmap(experiment: Experiment) -> LiveFigure:
    """The attention weights as a live heat map: rows are queries, columns are keys, colours always from 0 to 1."""
    return LiveFigure(HeatmapTold(experiment), draw=lambda: figures.Heatmap(experiment))


def arrows(experiment: Experiment) -> LiveFigure:
    """The rows of X, Q, K and V as live arrows in the plane; a matrix that has not 2 columns says so in words."""
    return LiveFigure(figures.Arrows(experiment))


def triangle(experiment: Experiment) -> LiveFigure:
    """The rows of V and, inside their triangle or convex hull, the outputs, live; words where V has not 2 columns."""
    return LiveFigure(figures.Triangle(experiment))


def bars(experiment: Experiment, row: int = 0) -> LiveFigure:
    """Softmax of one row as live bars: scaled score, exp, share. A menu above chooses the query.

    row: the query to begin with, counted from 0. Raises ValueError for a row that is not there.
    """
    picture = figures.Bars(experiment, row=row)
    menu = ipywidgets.Dropdown(options=[(word, i) for i, word in enumerate(experiment.words)], value=picture.row,
                               description=say("figure.bars.query"), layout={"width": "16em"},
                               style={"description_width": "initial"})
    figure = LiveFigure(picture, menu)

    def choose(change):
        picture.row = change.new
        figure.schedule()

    menu.observe(choose, "value")
    return figure


def head_maps(experiment: MultiHead) -> LiveFigure:
    """A live heat map of the weights of each head, and one of their mean, labelled as what no head uses."""
    return LiveFigure(figures.HeadMaps(experiment))


def position_map(n: int = 16, d_model: int = 16) -> LiveFigure:
    """The sinusoidal positions as a picture, with sliders for n places and d_model columns, and how alike places are.

    n: 2 … 64. d_model: 2 … 64, even. Raises ValueError for others.
    """
    table = PositionTable(n, d_model)
    knobs = [{"key": key, "label": say(f"figure.positions.{key}"), "min": 2, "max": MOST, "step": step}
             for key, step in (("n", 1), ("d_model", 2))]
    above = Knobs(lambda key, value: table.set(**{key: value}), {"n": n, "d_model": d_model}, knobs)
    return LiveFigure(figures.PositionMap(table), above)
