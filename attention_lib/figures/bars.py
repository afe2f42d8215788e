"""Softmax of one row in three moves: the scaled scores, exp of each, the share of each in their sum."""

import numpy as np
from matplotlib.patches import Rectangle

from .. import style
from ..digits import fixed
from ..language import say
from ..validate import whole
from .axes import prepare
from .geometry import reach
from .picture import Picture
from .stamps import stamp

_SHIFT_ABOVE = 20  # as the arithmetic of a cell does, exp is taken after the maximum where it would be unwieldy
_STEPS = ("scaled", "exp", "share")
_COLOURS = (style.QUERY, style.WORDS[4], style.OUTPUT)
_TOP, _BOTTOM, _GAP = 0.74, 0.12, 0.03  # parts of the figure


class Bars(Picture):
    """Three panels side by side, a bar for each key; :attr:`row` is the query, counted from 0."""

    size = (7.8, 4.4)

    def build(self, row: int = 0):
        self.row = whole("row", row, 0, len(self.experiment.words) - 1)
        keys = [f"K:{word}" for word in style.readable(self.experiment.key_words)]
        small = min(style.LABEL, 200 / len(keys))
        left = (max(map(style.ems, keys)) * small + 12) / (72 * self.size[0])
        wide = (0.985 - left - 2 * _GAP) / 3
        self.heading = self.figure.suptitle("", x=0.5, y=0.975, va="top", fontsize=style.TITLE)
        axes = [self.figure.add_axes((left + i * (wide + _GAP), _BOTTOM, wide, _TOP - _BOTTOM)) for i in range(3)]
        self.panels = [BarsAxes(ax, len(keys), colour) for ax, colour in zip(axes, _COLOURS, strict=True)]
        axes[0].set_yticks(range(len(keys)), keys, fontsize=small)
        self.sums = [stamp(self.figure, ax.get_position().x0 + wide / 2, 0.045, style.LABEL, ha="center", va="center",
                           transform=self.figure.transFigure) for ax in axes[1:]]
        self.moving = [artist for panel in self.panels for artist in panel.moving] + self.sums

    def update(self):
        values, ends = self.values(), (0, 1)
        finite = [np.nan_to_num(v) for v in values]
        texts = [[_number(v) for v in row] for row in values]
        before = self._headings()
        self.heading.set_text(self._title(style.readable(self.experiment.words)[self.row]))
        for panel, step in zip(self.panels, self._titles(), strict=True):
            panel.ax.title.set_text(step)
        framed = [panel.update(row, text, *(ends if step == "share" else reach(row, 0.1)))
                  for panel, row, text, step in zip(self.panels, finite, texts, _STEPS, strict=True)]
        for total, row in zip(self.sums, finite[1:], strict=True):
            total.set_text(f"{say('figure.bars.sum')} {_number(row.sum())}")
        return any(framed) or before != self._headings()

    def values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scaled scores, their exp and the weights of the row; NaN for the score of a key that is masked."""
        e = self.experiment
        scaled = np.where(self._keep(), e["scaled"][self.row], np.nan)
        return scaled, np.nan_to_num(np.exp(scaled - self._shift())), e["weights"][self.row]

    def summary(self):
        e = self.experiment
        told = [f"{word} {_number(share)}" for word, share in zip(e.key_words, e["weights"][self.row], strict=True)]
        title = self._title(e.words[self.row])
        return f"{title}{say('figure.colon')}{say('figure.join').join(told)}{say('figure.stop')}"

    def table(self):
        cells = [[_number(value) for value in values] for values in zip(*self.values(), strict=True)]
        return self._title(self.experiment.words[self.row]), self.experiment.key_words, self._titles(), cells

    def _title(self, word):
        return say("figure.bars.title", word=word)

    def _headings(self):
        return [self.heading.get_text()] + [panel.ax.get_title() for panel in self.panels]

    def _titles(self):
        exp = "figure.bars.exp_shifted" if self._shift() else "figure.bars.exp"
        share = "figure.bars.share_down" if self.experiment.fault == "wrong axis" else "figure.bars.share"
        return say("figure.bars.scaled"), say(exp, most=_number(self._shift())), say(share)

    def _keep(self):
        e = self.experiment
        if e.mask is None or e.fault == "mask after softmax":
            return np.ones(e["scaled"].shape[1], dtype=bool)
        return e.mask[self.row]

    def _shift(self):
        scaled = self.experiment["scaled"][self.row][self._keep()]
        return scaled.max() if len(scaled) and np.abs(scaled).max() > _SHIFT_ABOVE else 0.0


class BarsAxes:
    """Bars to the right of 0, or left of it, on one given Axes; the number of each stands at its end."""

    def __init__(self, ax, n: int, colour):
        self.ax = ax
        prepare(ax, both=False)
        ax.grid(False)
        ax.set_title("", fontsize=style.LABEL, pad=8, linespacing=1.35)
        ax.tick_params(labelbottom=False, labelleft=True)
        ax.spines[:].set_visible(False)
        ax.set(ylim=(n - 0.5, -0.5), yticks=[])
        ax.axvline(0, color=style.QUIET, linewidth=1.2)
        self.bars = [ax.add_patch(Rectangle((0, i - 0.32), 0, 0.64, facecolor=colour, linewidth=0)) for i in range(n)]
        size = min(style.TICK, 210 / n)
        self.numbers = [stamp(ax, 0, i, size, ha="left", va="center", halo=2) for i in range(n)]
        self.moving = [*self.bars, *self.numbers]

    def update(self, values, texts, low: float, high: float) -> bool:
        """Bars for ``values`` on an axis from ``low`` to ``high``; True where the axis is new."""
        room = 0.42 * (high - low)  # for the number at the end of the longest bar
        ends = (low - 0.02 * (high - low), high + room)
        framed = not np.allclose(self.ax.get_xlim(), ends, rtol=1e-12, atol=0)
        if framed:
            self.ax.set_xlim(ends)
        for bar, number, value, text in zip(self.bars, self.numbers, values, texts, strict=True):
            bar.set_width(value)
            number.set_text(text)
            number.set_x(max(value, 0) + 0.03 * (high - low))
        return framed


def _number(x):
    if np.isnan(x):
        return say("figure.bars.masked")
    return fixed(x, 3) if abs(x) < 1e4 else f"{x:.2e}"

