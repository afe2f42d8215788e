"""Numbers that are drawn quickly.

matplotlib lays a text out anew each time it is drawn, 1 to 2 ms for ``0.33``; a heat map of nine cells spends most of
its time there. Here every sign is drawn once by matplotlib and its pixels are kept; a number is put together from them.
"""

import re
from functools import lru_cache

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from .. import style

_PIECES = re.compile(r"[0-9.,()+\-×÷=:Σ ]|[^0-9.,()+\-×÷=:Σ ]+")  # signs of numbers one by one, words whole
_EDGE = 2  # pixels that a sign may reach beyond its own width


class Stamp(Text):
    """A Text of one line whose pixels are kept. Drawn to a file, or turned, it is an ordinary Text.

    halo: points of paper around the letters, so that they can be read upon lines; 0 for none.
    """

    def __init__(self, *args, halo: float = 0, **kwargs):
        super().__init__(*args, **kwargs)
        self.halo = halo
        if halo:
            self.set_path_effects([withStroke(linewidth=2 * halo, foreground=style.PAPER)])

    def draw(self, renderer):
        text = self.get_text()
        quick = isinstance(renderer, RendererAgg) and not self.get_rotation() and "$" not in text and "\n" not in text
        if not quick or self.get_figure(root=True).canvas.is_saving():
            super().draw(renderer)
        elif text and self.get_visible():
            self._stamp(renderer, text)
        self.stale = False

    def _stamp(self, renderer, text):
        font = (tuple(self.get_fontfamily()), self.get_fontsize(), renderer.dpi)
        mask, depth = _mask(text, font)
        height, width = mask.shape
        above, below = np.maximum(_line(font), (height - depth, depth))  # a box grows with what sticks out of the line
        lift = {"baseline": 0, "bottom": below, "center": (below - above) / 2, "top": -above}
        back = {"left": 0, "center": width / 2 - _EDGE, "right": width - 2 * _EDGE}
        x, y = self.get_transform().transform(self.get_unitless_position())
        x -= back[self.get_horizontalalignment()]
        y += lift[self.get_verticalalignment()]
        gc = renderer.new_gc()
        self._set_gc_clip(gc)
        grow = round(self.halo * renderer.dpi / 72)
        if grow:
            _blend(renderer, gc, x - grow, y - depth - grow, _grown(text, font, grow), style.PAPER)
        _blend(renderer, gc, x, y - depth, mask, self.get_color())
        gc.restore()


def _blend(renderer, gc, x, y, mask, colour):
    image = np.empty((*mask.shape, 4), np.uint8)
    image[..., :3] = np.round(np.multiply(to_rgb(colour), 255))
    image[..., 3] = mask
    renderer.draw_image(gc, round(x) - _EDGE, round(y), image[::-1])


@lru_cache(maxsize=512)
def _grown(text, font, by):
    """The mask of ``text`` with ``by`` more pixels all around."""
    grown = np.pad(_mask(text, font)[0], by)
    for axis in (0, 1):
        grown = np.max([np.roll(grown, shift, axis) for shift in range(-by, by + 1)], axis=0)
    return grown


def stamp(parent, x: float, y: float, size: float, **look) -> Stamp:
    """A Stamp without text yet at (x, y) of an Axes, or of a Figure in parts of it; ``size`` in points."""
    return parent.add_artist(Stamp(x, y, "", fontsize=size, clip_on=False, **look))


@lru_cache(maxsize=512)
def _mask(text, font):
    """Opacity of each pixel from top to bottom, and how many rows lie below the baseline."""
    pieces = [_piece(p, font) for p in _PIECES.findall(text)]
    top, depth = max(up for _, up, _, _ in pieces), max(down for _, _, down, _ in pieces)
    mask = np.zeros((top + depth, sum(width for *_, width in pieces) + 2 * _EDGE), np.uint8)
    x = 0
    for pixels, up, down, width in pieces:
        part = mask[top - up:top + down, x:x + width + 2 * _EDGE]
        np.maximum(part, pixels, out=part)
        x += width
    return mask, depth


@lru_cache(maxsize=256)
def _piece(text, font):
    """The pixels of ``text``, rows above and below its baseline, and how far the next piece lies to the right."""
    family, size, _ = font
    figure, renderer, base = _sheet(text, font)
    artist = figure.text(_EDGE / figure.bbox.width, base / figure.bbox.height, text,
                         va="baseline", fontfamily=list(family), fontsize=size, color="black", parse_math=False)
    artist.draw(renderer)
    width = round(artist.get_window_extent(renderer).width)
    pixels = np.asarray(renderer.buffer_rgba())[:, :width + 2 * _EDGE, 3]
    inked = np.flatnonzero(pixels.any(axis=1))
    baseline = len(pixels) - base
    first, last = (min(inked[0], baseline), max(inked[-1] + 1, baseline)) if len(inked) else (baseline, baseline)
    return pixels[first:last].copy(), baseline - first, last - baseline, width


@lru_cache(maxsize=32)
def _line(font):
    """How many pixels a line of text takes above and below its baseline."""
    family, size, _ = font
    figure, renderer, _ = _sheet("0", font)
    box = figure.text(0, 0, "0", va="baseline", fontfamily=list(family), fontsize=size).get_window_extent(renderer)
    return box.y1, -box.y0


def _sheet(text, font):
    """An empty sheet large enough for ``text``, and the row from below on which its baseline lies."""
    _, size, dpi = font
    em = int(np.ceil(size * dpi / 72))
    width, height = em * (len(text) + 2), em * 3
    return Figure(figsize=(width / dpi, height / dpi), dpi=dpi), RendererAgg(width, height, dpi), em
