"""Rows of matrices as arrows in the plane: where the projections take the rows of X."""

import numpy as np
from matplotlib.collections import LineCollection

from .. import style
from ..digits import fixed
from ..language import say
from .axes import Labels, frame, prepare
from .geometry import along, reach
from .picture import Picture

_PLACES = (0.1, 0.5), (0.585, 0.5), (0.1, 0.05), (0.585, 0.05)
_WIDE, _HIGH = 0.385, 0.347


class Arrows(Picture):
    """X and what becomes of it: Q, K and V, one panel each, all on the same scale."""

    size = (6.4, 7.1)

    def build(self):
        projected = "X" in self.experiment.inputs
        names = ("X", "Q", "K", "V") if projected else ("Q", "K", "V")
        self.panels = [ArrowsAxes(self.figure.add_axes((*place, _WIDE, _HIGH)), self.experiment, name)
                       for name, place in zip(names, _PLACES, strict=False)]
        self.figure.suptitle(self._title(), x=0.52, y=0.985, va="top", fontsize=style.TITLE)
        if projected and self.panels[0].flat:
            self.figure.text(0.52, 0.938, say("figure.arrows.dashed"), ha="center", va="top", color=style.QUIET)
        if not projected:
            middle = np.add(_PLACES[3], (_WIDE / 2, _HIGH / 2))
            self.figure.text(*middle, say("figure.arrows.direct"), ha="center", va="center", color=style.QUIET,
                             linespacing=1.5)
        self.moving = [artist for panel in self.panels for artist in panel.moving]

    def update(self):
        flat = [panel.values for panel in self.panels if panel.flat]
        ends = reach(np.concatenate([values.ravel() for values in flat])) if flat else (0.0, 1.0)
        changed = [panel.update(*ends) for panel in self.panels]
        return any(changed)

    def summary(self):
        return say("figure.arrows.summary")

    def alt(self):
        told = [panel.name + say("figure.colon") + panel.told() for panel in self.panels]
        return self.summary() + say("figure.gap") + say("figure.join").join(told) + say("figure.stop")

    def table(self):
        e = self.experiment
        names = [panel.name for panel in self.panels]
        cells = [[_point(e[name][row]) if row < len(e[name]) else "" for name in names] for row in range(len(e.words))]
        return self._title(), e.words, names, cells

    def _title(self):
        return say("figure.arrows.title" if "X" in self.experiment.inputs else "figure.arrows.title_direct")


class ArrowsAxes:
    """The rows of one matrix as arrows from the origin of one given Axes, those of X behind them, dashed."""

    def __init__(self, ax, experiment, name):
        self.ax, self.experiment, self.name = ax, experiment, name
        ax.set_title("", fontsize=style.LABEL, pad=7)
        if not self.flat:
            ax.set_axis_off()
            columns = experiment[name].shape[1]
            ax.text(0.5, 0.5, say("figure.not_flat", name=name, n=columns), ha="center", va="center",
                    transform=ax.transAxes, fontsize=style.TICK, linespacing=1.5)
            self.moving = []
            return
        prepare(ax)
        ax.set_aspect("equal")
        ax.axhline(0, color=style.QUIET, linewidth=1.2, zorder=1.5)
        ax.axvline(0, color=style.QUIET, linewidth=1.2, zorder=1.5)
        n = len(self.values)
        colours = [style.WORDS[i % len(style.WORDS)] for i in range(n)]
        self.ghosts = LineCollection([], colors=colours, linestyles="dashed", linewidths=1.2, alpha=0.6)
        ax.add_collection(self.ghosts, autolim=False)
        self.quiver = ax.quiver(*np.zeros((4, n)), color=colours, angles="xy", scale_units="xy", scale=1, width=0.014,
                                headwidth=3.6, headlength=4.2, headaxislength=3.8, minlength=0, zorder=3)
        self.labels = Labels(ax, n, colours)
        self.words = style.readable(experiment.labels(name)[0])
        self._shown = None
        self.moving = [self.ghosts, self.quiver, *self.labels.stamps]

    @property
    def values(self):
        return self.experiment[self.name]

    @property
    def flat(self) -> bool:
        """Whether the rows have two numbers and so can be drawn."""
        return self.values.shape[1] == 2

    def update(self, low: float, high: float) -> bool:
        """Draw the present rows on axes from ``low`` to ``high``; True where more than arrows and labels changed."""
        before, title = self.ax.get_title(), self._title()
        self.ax.title.set_text(title)
        if not self.flat:
            return before != title
        framed = [frame(axis, low, high, 0.16) for axis in (self.ax.xaxis, self.ax.yaxis)]
        rows, behind = self.values, self._behind()
        if any(framed) or self._shown is None or not all(map(np.array_equal, (rows, behind), self._shown)):
            self._shown = rows, behind
            self.quiver.set_UVC(*rows.T)
            self.ghosts.set_segments([((0, 0), row) for row in behind])
            ends = np.vstack([rows, np.diag(self.ax.viewLim.min), np.diag(self.ax.viewLim.max)])
            self.labels.move(rows, self.words, rows, along(np.zeros_like(ends), ends, steps=20))
        return before != title or any(framed)

    def _behind(self):
        e = self.experiment
        if self.name == "X" or "X" not in e.inputs or e["X"].shape[1] != 2:
            return np.empty((0, 2))
        return e["X"]

    def told(self) -> str:
        words = self.experiment.labels(self.name)[0]
        return say("figure.and").join(f"{word} {_point(row)}" for word, row in zip(words, self.values, strict=True))

    def _title(self):
        name, e = self.name, self.experiment
        right = {"Q": "X W_Q", "K": "X W_Q" if e.fault == "W_K is W_Q" else "X W_K", "V": "X W_V"}
        if name == "V" and e.fault == "V is K":
            return f"{say('name.V')} V = K"
        if name in e.inputs:
            return f"{say(f'name.{name}')} {name}"
        return f"{say(f'name.{name}')} {name} = {right[name]}"


def _point(row):
    return f"({', '.join(fixed(x, 2) for x in row)})"
