"""The heat map of the attention weights."""

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from .. import style
from ..digits import fixed
from ..language import say
from .heatmap_told import HeatmapTold
from .picture import Picture
from .stamps import stamp

_TOP, _RIGHT = 0.83, 0.785  # ends of the cells, in parts of the figure
_BESIDE = 44  # points beside the labels, for the name of the axis
_HATCHED = {"fill": False, "edgecolor": style.HATCH, "linewidth": 0.8}


class Heatmap(HeatmapTold, Picture):
    """Weights (n_q, n_k): rows are queries from top to bottom, columns are keys, colours always from 0 to 1."""

    def build(self):
        e = self.experiment
        n_q, n_k = e["weights"].shape
        wide, high = np.multiply(self.size, 72)
        queries, keys = _labels("Q", e.words), _labels("K", e.key_words)
        small = min(style.TICK, 240 / max(n_q, n_k))
        left = (max(map(style.ems, queries)) * small + _BESIDE) / wide
        upright = max(map(style.ems, keys)) * small > (_RIGHT - left) * wide / n_k
        bottom = ((max(map(style.ems, keys)) if upright else 1.5) * small + _BESIDE) / high
        self.ax = self.figure.add_axes((left, bottom, _RIGHT - left, _TOP - bottom))
        self.map = HeatmapAxes(self.ax, e, self.title)
        self.ax.set_xticklabels(keys, fontsize=small, rotation=90 if upright else 0)
        self.ax.set_yticklabels(queries, fontsize=small)
        self.ax.title.set_x((0.5 - left) / (_RIGHT - left))  # centred on the whole picture
        bar = self.figure.colorbar(ScalarMappable(self.map.mesh.norm, self.map.mesh.cmap),
                                   cax=self.figure.add_axes((_RIGHT + 0.035, bottom, 0.035, _TOP - bottom)))
        bar.set_label(say("figure.heatmap.bar"), labelpad=8)
        bar.outline.set_edgecolor(style.LINES)
        bar.solids.set(rasterized=False, edgecolor="face")  # in an SVG boxes, and no gaps between them
        bar.set_ticks(np.linspace(0, 1, 6))
        here = Affine2D().scale(16 / wide, -12 / high).translate(_RIGHT - 0.06, 23 / high) + self.figure.transFigure
        self.legend = [
            *(self.figure.add_artist(PathPatch(path, transform=here, **_HATCHED))
              for path in (Path.unit_rectangle(), _hatching([(0, 0)], 3))),
            self.figure.text(_RIGHT - 0.06 + 20 / wide, 17 / high, say("matrix.hidden"), va="center", fontsize=11),
        ]
        self.moving = self.map.moving

    def update(self):
        hides = self.experiment.hidden("weights") is not None
        turned = hides != self.legend[0].get_visible()
        for artist in self.legend:
            artist.set_visible(hides)
        return self.map.update() or turned


class HeatmapAxes:
    """The heat map on one given Axes; ``moving`` are the artists that :meth:`update` changes.

    title: gives what stands above it.
    """

    def __init__(self, ax, experiment, title):
        self.ax, self.experiment, self.title = ax, experiment, title
        n_q, n_k = experiment["weights"].shape
        self.mesh = ax.pcolormesh(np.zeros((n_q, n_k)), cmap=style.SHADES, vmin=0, vmax=1, linewidth=2,
                                  edgecolors=style.PAPER)
        cell = ax.bbox.width * 72 / ax.figure.dpi / n_k
        self.lines = max(3, round(cell / 9))
        self.hatching = ax.add_patch(PathPatch(_hatching([], self.lines), **_HATCHED))
        size = style.fitting(["0.00"], 0.9 * cell, style.NUMBER)
        self.numbers = [[stamp(ax, k + 0.5, q + 0.5, size, ha="center", va="center") for k in range(n_k)]
                        for q in range(n_q)]
        ax.set_xticks(np.arange(n_k) + 0.5, _labels("K", experiment.key_words))
        ax.set_yticks(np.arange(n_q) + 0.5, _labels("Q", experiment.words))
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlim=(0, n_k), ylim=(n_q, 0), xlabel=say("figure.heatmap.key"), ylabel=say("figure.heatmap.query"))
        ax.set_title("", pad=14, linespacing=1.5, fontsize=style.LABEL)
        self.moving = [self.mesh, self.hatching, *(number for row in self.numbers for number in row)]
        self.update()

    def update(self) -> bool:
        weights = self.experiment["weights"]
        if not np.isfinite(weights).all():  # a cell without a number would be a hole and no message
            raise ValueError(say("figure.not_finite", name="weights"))
        self.mesh.set_array(weights)
        hidden = self.experiment.hidden("weights")
        self.hatching.set_path(_hatching([] if hidden is None else np.argwhere(hidden), self.lines))
        shades = colormaps[style.SHADES](weights)
        for row, line, colours in zip(self.numbers, weights, shades, strict=True):
            for number, weight, colour in zip(row, line, colours, strict=True):
                number.set_text(fixed(weight, 2))
                number.set_color(style.readable_on(colour))
        before, now = self.ax.get_title(), self.title()
        self.ax.title.set_text(now)  # set_title would ask the learner's settings for the size
        return before != now


def _hatching(cells, lines):
    """One path of slanting lines across cells (query, key) of width 1, as many as ``lines`` along each side.

    matplotlib's own hatching becomes a pattern in an SVG, which not every program draws.
    """
    near, far = 0.02, 0.98  # the edge of a cell is white
    ends = [((max(near, s - far), min(far, s - near)), (min(far, s - near), max(near, s - far)))
            for s in near + far + (far - near) * np.linspace(-1, 1, 2 * lines + 1)[1:-1]]
    corners = np.reshape(cells, (-1, 1, 2))[..., ::-1]  # (cells, 1, 2): key, query
    vertices = (np.reshape(ends, (-1, 2)) + corners).reshape(-1, 2)
    return Path(vertices, [Path.MOVETO, Path.LINETO] * (len(vertices) // 2) or None)


def _labels(letter, words):
    return [f"{letter}:{word}" for word in style.readable(words)]
