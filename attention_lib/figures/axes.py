"""What axes in the plane have in common: round ends, few ticks, labels that keep clear of each other."""

import numpy as np
from matplotlib.ticker import FixedFormatter, FixedLocator

from .. import style
from ..digits import short
from .geometry import place, round_up
from .stamps import stamp

_MOST_TICKS = 6  # a step is at least a quarter of the axis
_MANY = 7  # from so many labels on they are smaller


def prepare(ax, both: bool = True) -> None:
    """Give ``ax`` its look while our settings are in force, also to the ticks that only come later."""
    ax.grid(True, linewidth=0.8, axis="both" if both else "x")
    ax.tick_params(length=0, labelsize=style.TICK)
    for axis in (ax.xaxis, ax.yaxis) if both else (ax.xaxis,):
        axis.get_major_ticks(_MOST_TICKS)  # made now; later ones would ask the learner's settings


def frame(axis, low: float, high: float, margin: float = 0.0) -> bool:
    """Let ``axis`` reach from ``low`` to ``high`` and a little further, with round ticks; True where that is new."""
    extra = margin * (high - low)
    ends = (low - extra, high + extra)
    if np.allclose(axis.get_view_interval(), ends, rtol=1e-12, atol=0):
        return False
    step = round_up((high - low) / 4)
    ticks = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FixedFormatter([short(tick) for tick in ticks]))
    axis.axes.set(**{f"{axis.axis_name}lim": ends})
    axis.axes.apply_aspect()  # labels are placed before the axes are drawn
    return True


class Labels:
    """Words beside points of ``ax``, each in a colour of its own; those for which there is no room are left out."""

    def __init__(self, ax, n: int, colours, size: float = style.TICK):
        self.ax, self.size = ax, size if n < _MANY else 0.8 * size
        self.stamps = [stamp(ax, 0, 0, self.size, ha="center", va="center", halo=2, color=colours[i % len(colours)])
                       for i in range(n)]

    def move(self, points, texts, away, obstacles=()) -> None:
        """Put ``texts`` beside ``points`` (n, 2), where there is room; ``away``, ``obstacles``: see :func:`place`."""
        to_pixels, em = self.ax.transData, self.size * self.ax.figure.dpi / 72
        sizes = [((style.ems(text) + 0.4) * em, 1.2 * em) for text in texts]
        pixels = to_pixels.transform(np.asarray(points, float))
        free = to_pixels.transform(obstacles) if len(obstacles) else ()
        centres = place(pixels, sizes, away, 0.35 * em, self.ax.bbox.extents, free)
        for label, text, centre in zip(self.stamps, texts, to_pixels.inverted().transform(centres), strict=True):
            label.set_text(text)
            label.set_visible(bool(np.isfinite(centre).all()))
            label.set_position(np.nan_to_num(centre))
