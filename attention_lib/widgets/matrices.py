"""Live matrices: what changed is marked, and any cell tells its arithmetic."""

import numpy as np
from traitlets import Dict, List, Unicode

from ..arithmetic import explain
from ..digits import HIDDEN, fixed, marked, short
from ..language import say
from ..live import Live
from .base import front_end, remember, table_html, table_text
from .panel import Panel
from .saving import stem

_SHARES = ("weights",)  # shown on a scale from 0 to 1, with the sum of each row
_PAIRS = ("scores", "scaled", "weights")  # rows are queries, columns are keys


class Matrices(Panel):
    """Some matrices of one experiment in one panel, live. One message to the page for each change."""

    _esm = front_end("matrices.js", "matrices.css")
    frames = List(Dict()).tag(sync=True)  # what seldom moves: name, titles, labels
    cells = Dict().tag(sync=True)  # what moves: name -> {text, shade, limits, sums, wrong, hidden}
    focus = List(allow_none=True, default_value=None).tag(sync=True)
    lit = List(default_value=[]).tag(sync=True)
    arithmetic = List(Unicode()).tag(sync=True)
    words = Dict().tag(sync=True)

    def __init__(self, experiment: Live, *names: str, decimals: int = 3):
        self.experiment, self.names, self.decimals = experiment, names, decimals
        super().__init__(
            frames=[self._frame(name) for name in names],
            cells={name: self._cells(name) for name in names},
            words={key: say(f"matrix.{key}") for key in ("cell", "old", "close", "arithmetic", "hidden")},
        )
        self.follow(experiment, self._refresh, ["steps", "focus"])
        self.on_msg(self._on_click)
        self._refresh()
        remember(self)

    def file_stem(self):
        return stem(*self.names) if len(self.names) < 4 else stem("matrices")

    def _on_click(self, _widget, content, _buffers):
        with self.guard():
            self.look_at(content.get("focus"))

    def look_at(self, cell) -> None:
        """Show the arithmetic of ``(matrix, row, column)``, or of nothing with None."""
        if cell is not None:
            name, row, column = cell
            explain(self.experiment, name, row, column)  # refuses a cell that is not there
            cell = (name, row, column)
        self.experiment.focus = cell

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            self.frames = [self._frame(name) for name in self.names]  # sent only where one of them is new
            self.cells = {name: self._cells(name) for name in self.names}
            focus = self.experiment.focus
            told = explain(self.experiment, *focus) if focus else None
            self.focus = list(focus) if focus and focus[0] in self.names else None
            self.arithmetic = list(told.lines) if self.focus else []
            self.lit = [list(source) for source in told.sources if source[0] in self.names] if told else []

    def _frame(self, name):
        rows, columns = self.experiment.labels(name)
        return {
            "name": name,
            "title": self.experiment.title(name),
            "formula": self.experiment.formula(name),
            "shape": str(self.experiment[name].shape),
            "axes": say("matrix.axes") if self.experiment.kind(name) in _PAIRS else "",
            "rows": list(rows),
            "columns": list(columns),
        }

    def _cells(self, name):
        values, hidden = self.experiment[name], self.experiment.hidden(name)
        shares = self.experiment.kind(name) in _SHARES
        limit = 1.0 if shares else round_limit(np.abs(values).max())
        shown = {
            "text": [[self._text(name, x) for x in row] for row in values],
            "shade": [[round(float(x) / limit, 3) for x in row] for row in values],
            "limits": ["0" if shares else f"-{limit:g}", f"{limit:g}"],
        }
        if shares:
            sums = values.sum(axis=1)
            shown["sums"] = [fixed(s, self.decimals) for s in sums]
            shown["wrong"] = [bool(abs(s - 1) > 1e-9) for s in sums]
        if hidden is not None:
            shown["hidden"] = hidden.tolist()
        return shown

    def _text(self, name, x):
        return short(x) if name in self.experiment.inputs else fixed(x, self.decimals)

    def static_html(self) -> str:
        return "".join(self._static(table_html))

    def static_text(self) -> str:
        return "\n\n".join(self._static(table_text))

    def _static(self, table):
        for frame in self.frames:
            cells = self.cells[frame["name"]]
            texts, hidden = cells["text"], cells.get("hidden")
            caption = [frame[part] for part in ("name", "title", "formula", "shape", "axes")]
            if hidden:
                caption.append(f"{HIDDEN} {say('matrix.hidden')}")
                texts = marked(texts, hidden)
            yield table(" ".join(filter(None, caption)), frame["rows"], frame["columns"], texts, cells.get("sums"))


def round_limit(largest):
    """The end of the colour scale: the next of 1, 2, 5, 10, 20, … so that it does not shimmer while dragging."""
    limit = 1.0
    for step in (2, 2.5, 2) * 110:
        if largest <= limit:
            break
        limit *= step
    return limit


def show(experiment: Live, *names: str, decimals: int = 3) -> Matrices:
    """Live matrices of an experiment, all steps where none is named.

    names: any of ``experiment.names`` (X, W_Q, …, Q, K, V, scores, scaled, weights, output).
    Click a cell, or press Enter on it, to see its arithmetic. Raises ValueError for an unknown name.
    """
    names = names or tuple(name for name in experiment.names if name not in experiment.inputs)
    for name in names:
        experiment[name]  # an unknown name is refused here, in words
    return Matrices(experiment, *names, decimals=decimals)
