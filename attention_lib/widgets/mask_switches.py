"""The mask as a grid of switches: each pair of a query and a key allowed or forbidden by hand."""

from html import escape

import numpy as np
from traitlets import Dict, Int, List, Unicode

from ..experiment import Experiment
from ..language import say
from ..masks import padding_mask
from ..maths import causal_mask
from ..validate import one_of, whole
from .base import front_end, remember, table_html, table_text
from .panel import Panel

_MARKS = {True: "✓", False: "✕"}


class MaskSwitches(Panel):
    """A switch for each pair, bound to ``mask`` of an experiment, and buttons for the usual masks."""

    _esm = front_end("mask_switches.js", "mask_switches.css")
    frame = Dict().tag(sync=True)
    allowed = List().tag(sync=True)  # rows of True / False
    active = Unicode().tag(sync=True)  # the usual mask that is in force, "" for one's own
    length = Int().tag(sync=True)  # how many positions are words, for padding
    told = List(Unicode()).tag(sync=True)
    blind = Unicode().tag(sync=True)  # which queries have nothing left to look at; "" for none

    def __init__(self, experiment: Experiment):
        self.experiment = experiment
        rows, columns = experiment.labels("weights")
        super().__init__(length=max(1, len(columns) - 1), frame={
            "legend": say("mask.legend"), "axes": say("matrix.axes"), "marks": say("mask.marks"),
            "rows": list(rows), "columns": list(columns),
            "names": [[say("mask.pair", query=query, key=key) for key in columns] for query in rows],
            "rowNames": [say("mask.row", query=query) for query in rows],
            "columnNames": [say("mask.column", key=key) for key in columns],
            "usual": [{"key": key, "label": say(f"mask.{key}")} for key in self._usual(1)],
            "length": say("mask.length") if len(columns) > 1 else "", "most": len(columns),
            "lengths": [say("mask.length_of", length=k, n=len(columns)) for k in range(len(columns) + 1)],
        })
        self._refresh()
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def toggle(self, row: int | None, column: int | None) -> None:
        """Turn one pair over, counted from 0. None stands for a whole row or column: allowed, or hidden if it was."""
        keep = self._keep()
        place = (slice(None) if row is None else whole("row", row, 0, len(keep) - 1),
                 slice(None) if column is None else whole("column", column, 0, keep.shape[1] - 1))
        keep[place] = not keep[place].all()
        self._set(keep)

    def choose(self, name: str) -> None:
        """One of the usual masks: "all", "causal", "padding" or "both" of them, as far as they fit the shape."""
        usual = self._usual(self.length)
        if name not in tuple(usual):
            raise one_of("mask", name, usual)
        self._set(usual[name])

    def set_length(self, length: int) -> None:
        """How many positions are words, the rest is padding; with the causal mask where that is in force, too."""
        n_k = self.frame["most"]
        causal = self.active in ("causal", "both")
        self.length = whole("length", length, 1, n_k)
        usual = self._usual(self.length)
        self._set(usual["both" if causal else "padding"] if n_k > 1 else usual["all"])

    def _usual(self, length):
        n_q, n_k = self.experiment["weights"].shape
        padding = np.tile(padding_mask(length, n_k)[0], (n_q, 1))
        usual = {"all": np.ones((n_q, n_k), dtype=bool)}
        if n_q == n_k:
            usual["causal"] = causal_mask(n_q)
        if n_k > 1:
            usual["padding"] = padding
            if n_q == n_k:
                usual["both"] = causal_mask(n_q) & padding
        return usual

    def _keep(self):
        e = self.experiment
        return np.ones(e["weights"].shape, dtype=bool) if e.mask is None else e.mask.copy()

    def _set(self, keep):
        self.experiment.mask = None if keep.all() else keep

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if "toggle" in content:
                self.toggle(*content["toggle"])
            elif "usual" in content:
                self.choose(content["usual"])
            else:
                self.set_length(content["length"])

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            keep = self._keep()
            name, length = self._recognised(keep)
            self.active, self.length, self.allowed = name, length, keep.tolist()
            hidden, pairs = int((~keep).sum()), keep.size
            told = say(f"mask.told.{name or 'own'}", length=length, n=keep.shape[1])
            self.told = [told] + [say("mask.count", hidden=hidden, pairs=pairs)] * bool(hidden)
            blind = [word for word, row in zip(self.frame["rows"], keep, strict=True) if not row.any()]
            self.blind = say("mask.blind", words=say("list.comma").join(blind)) if blind else ""

    def _recognised(self, keep):
        """Which of the usual masks this is, and with how many words; as few as now where that changes nothing."""
        for length in (self.length, *range(1, keep.shape[1])):
            for name, mask in self._usual(length).items():
                if np.array_equal(mask, keep):
                    return name, length
        return "", self.length

    def static_html(self) -> str:
        return table_html(*self._table()) + "".join(f"<div>{escape(line)}</div>" for line in self._lines())

    def static_text(self) -> str:
        return "\n".join([table_text(*self._table()), *self._lines()])

    def _lines(self):
        return [line for line in (*self.told, self.blind) if line]

    def _table(self):
        frame = self.frame
        caption = f"{frame['legend']} {frame['axes']} {frame['marks']}"
        return caption, frame["rows"], frame["columns"], [[_MARKS[kept] for kept in row] for row in self.allowed]


def mask_switches(experiment: Experiment) -> MaskSwitches:
    """The mask of an experiment as a grid of switches, True = may be looked at.

    Click a switch, or walk with the arrow keys and press Space; a word beside the grid turns its whole row or column.
    Buttons set the usual masks: all pairs, causal, padding (a slider says how many positions are words), or both.
    """
    return MaskSwitches(experiment)
