"""The matrix of sinusoidal positions, and how alike any two places are."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.ticker import FixedFormatter, FixedLocator

from .. import style
from ..digits import fixed, short
from ..language import say
from .axes import prepare
from .picture import Picture

# −1 … 0 … 1 as in the matrices of the page: orange, white, blue
_SHADES = LinearSegmentedColormap.from_list("signed", ["#f59646", "#ffffff", "#5aa5eb"])
_TOP, _BOTTOM, _HIGH = 0.80, 0.14, 0.66
_TABLE = 6, 6  # rows and columns of the table in words


class PositionMap(Picture):
    """Left: PE (n, d_model), a row for each place. Right: PE PEᵀ · 2/d_model. ``experiment`` is a PositionTable."""

    size = (8.4, 4.4)

    def build(self):
        left = self.figure.add_axes((0.08, _BOTTOM, 0.40, _HIGH))
        right = self.figure.add_axes((0.565, _BOTTOM, 0.345, _HIGH))
        self.maps = [_map(left, say("figure.positions.column")), _map(right, say("figure.positions.other"))]
        self.heading = self.figure.suptitle("", x=0.5, y=0.975, va="top", fontsize=style.TITLE)
        for ax in (left, right):
            ax.set_ylabel(say("figure.positions.place"))
        left.set_title("PE", fontsize=style.LABEL, pad=6)
        right.set_title(say("figure.positions.alike"), fontsize=style.LABEL, pad=6)
        bar = self.figure.colorbar(ScalarMappable(Normalize(-1, 1), _SHADES),
                                   cax=self.figure.add_axes((0.925, _BOTTOM, 0.018, _HIGH)))
        bar.outline.set_edgecolor(style.LINES)
        bar.set_ticks([-1, 0, 1])
        self.moving = []

    def update(self):
        table = self.experiment
        for image, name in zip(self.maps, ("PE", "alike"), strict=True):
            values = table[name]
            rows, columns = values.shape
            image.set_data(values)
            image.set_extent((0, columns, rows, 0))
            _ticks(image.axes.xaxis, columns)
            _ticks(image.axes.yaxis, rows)
        self.heading.set_text(say("figure.positions.title", n=table.n, d=table.d_model))
        return True

    def summary(self):
        return say("figure.positions.summary")

    def table(self):
        rows, columns = np.minimum(_TABLE, self.experiment["PE"].shape)
        cells = [[fixed(x) for x in row] for row in self.experiment["PE"][:rows, :columns]]
        caption = say("figure.positions.table", rows=rows, columns=columns)
        return caption, [str(i) for i in range(rows)], [str(i) for i in range(columns)], cells

    def alt(self):
        return f"{self.heading.get_text()}{say('figure.gap')}{self.summary()}"


def _map(ax, label):
    prepare(ax)
    ax.grid(False)
    ax.set_xlabel(label)
    return ax.imshow([[0.0]], cmap=_SHADES, norm=Normalize(-1, 1), interpolation="nearest", aspect="auto")


def _ticks(axis, n):
    """A tick in the middle of every so many cells, six at most."""
    cells = range(0, n, max(1, -(-n // 6)))
    axis.set_major_locator(FixedLocator([i + 0.5 for i in cells]))
    axis.set_major_formatter(FixedFormatter([short(i).removesuffix(".0") for i in cells]))
    axis.axes.set(**{f"{axis.axis_name}lim": (0, n) if axis.axis_name == "x" else (n, 0)})
