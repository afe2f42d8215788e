"""Memory and time of attention against n, both axes logarithmic: a slope is an exponent."""

import numpy as np
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from .. import style
from ..digits import fixed, short
from ..growing import FITTED
from ..language import say
from .axes import prepare
from .picture import Picture

_WAYS = {"plain": (style.QUERY, "o"), "blockwise": (style.KEY, "s")}
_UNITS = {"memory": 2**-20, "time": 1000.0}  # bytes → MiB, seconds → ms
_EMPTY = {"memory": (0.05, 100), "time": (0.1, 1000)}  # ends of an axis with nothing on it yet


class GrowthPicture(Picture):
    """Two panels, memory and time; points as measured, dashed lines as fitted, the exponents beside their names."""

    size = (7.8, 4.2)
    follows = ("found", "largest")

    def build(self):
        self.panels = {}
        self.figure.suptitle(say("figure.growth.title"), x=0.5, y=0.985, va="top", fontsize=style.LABEL)
        for i, what in enumerate(_UNITS):
            ax = self.figure.add_axes((0.085 + 0.49 * i, 0.15, 0.405, 0.66))
            prepare(ax)
            ax.set(xscale="log", yscale="log")
            ax.set_title(say(f"figure.growth.{what}"), fontsize=style.TICK, loc="left", pad=6)
            ax.set_xlabel(say("figure.growth.n"), fontsize=style.TICK)
            self.panels[what] = _Panel(ax, what, self.experiment)

    def update(self):
        for panel in self.panels.values():
            panel.update()
        return True  # the axes are new each time

    def summary(self):
        return say("figure.growth.summary")

    def alt(self):
        _caption, rows, columns, cells = self.table()
        told = (f"{row} {column} {cell}" for row, line in zip(rows, cells, strict=True)
                for column, cell in zip(columns, line, strict=True))
        return f"{self.summary()} {say('list.comma').join(told)}"

    def table(self):
        found = self.experiment
        cells = [[_exponent(found.exponent(way, what)) for way in found.ways] for what in _UNITS]
        rows = [say(f"growth.exponent.{what}") for what in _UNITS]
        return say("growth.exponent", points=FITTED), rows, [say(f"growth.way.{way}") for way in found.ways], cells

    def notice(self):
        return ""


class _Panel:
    def __init__(self, ax, what, measurements):
        self.ax, self.what, self.measurements = ax, what, measurements
        self.points = {way: ax.plot([], [], marker, color=colour, markersize=8)[0]
                       for way, (colour, marker) in _WAYS.items()}
        self.lines = {way: ax.plot([], [], "--", color=colour, linewidth=1.6)[0] for way, (colour, _) in _WAYS.items()}
        self.counted = ax.plot([], [], ":", color=style.QUIET, linewidth=1.6)[0]
        self.waiting = ax.text(0.5, 0.5, "", transform=ax.transAxes, ha="center", va="center", color=style.QUIET,
                               fontsize=style.TICK)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_minor_locator(NullLocator())

    def update(self):
        found, unit = self.measurements, _UNITS[self.what]
        sizes = np.array(found.sizes, float)
        shown, handles = [], []
        for way in found.ways:
            n, cost = found.costs(way, self.what)
            cost = np.array(cost) * unit
            self.points[way].set_data(n, cost)
            shown += list(cost)
            p = found.exponent(way, self.what)
            if p is None:
                self.lines[way].set_data([], [])
                continue
            centre = np.exp(np.mean(np.log(n[-FITTED:]))), np.exp(np.mean(np.log(cost[-FITTED:])))
            ends = np.array([n[0], n[-1]], float)
            self.lines[way].set_data(ends, centre[1] * (ends / centre[0]) ** p)
            label = say("figure.growth.fit", way=say(f"growth.way.{way}"), exponent=_exponent(p))
            handles.append((self.points[way], label))
        if self.what == "memory":
            table = 4 * sizes**2 * unit
            self.counted.set_data(sizes, table)
            shown += list(table)
            handles.append((self.counted, say("figure.growth.counted")))
        self.waiting.set_text("" if found.found or self.what == "memory" else say("figure.growth.waiting"))
        low, high = (min(shown), max(shown)) if shown else _EMPTY[self.what]
        self._frame(self.ax.xaxis, sizes[0] / 1.25, sizes[-1] * 1.25, sizes[:: 2 if len(sizes) > 5 else 1])
        powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        self._frame(self.ax.yaxis, low / 2, high * (6 if handles else 2), powers)
        if self.ax.get_legend():
            self.ax.get_legend().remove()
        if handles:
            with style.drawing():
                self.ax.legend(*zip(*handles, strict=True), loc="upper left", fontsize=0.8 * style.TICK,
                               borderaxespad=0.1, handletextpad=0.4)

    def _frame(self, axis, low, high, ticks):
        ticks = [tick for tick in ticks if low <= tick <= high]
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FixedFormatter([short(tick).removesuffix(".0") for tick in ticks]))
        self.ax.set(**{f"{axis.axis_name}lim": (low, high)})


def _exponent(p):
    return "—" if p is None else fixed(p, 2)
