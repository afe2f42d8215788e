"""How every figure looks: colours, letters, and the Chinese font that is shipped with the package.

Import this before matplotlib: its notes about a home directory that cannot be written, or about the list of fonts it
makes on its first start, are no business of a learner.
"""

import logging
from contextlib import contextmanager
from functools import cache
from pathlib import Path


@contextmanager
def _without_notes(*loggers: str):
    """Drop what these loggers say meanwhile."""
    def drop(_record):
        return False

    for name in loggers:
        logging.getLogger(name).addFilter(drop)
    try:
        yield
    finally:
        for name in loggers:
            logging.getLogger(name).removeFilter(drop)


with _without_notes("matplotlib", "matplotlib.font_manager"):
    from matplotlib import get_cachedir, style
    from matplotlib.colors import to_rgb
    from matplotlib.font_manager import fontManager, get_font

    get_cachedir()

FONT = Path(__file__).parent / "fonts" / "AttentionLessonSansSC-Regular.otf"
# Chinese first, for mathtext takes the first only; DejaVu Sans, which matplotlib ships, has what it lacks: ᵀ ₖ ₁.
FAMILY = ("Attention Lesson Sans SC", "DejaVu Sans")

PAPER, INK = "#ffffff", "#1a1a1a"
QUIET = "#595959"  # words of second rank, contrast 7.0 on paper
LINES = "#c8c8c8"  # axes and grids, never text
HATCH = "#a0a0a0"  # over a pair that a mask hides; numbers upon it have a contrast of 6.6
SHADES = "YlOrRd"  # 0 … 1, light to dark, the same to every kind of colour vision
# After Okabe and Ito 2008, "Color Universal Design", darkened until text in them has a contrast of 4.5 on paper.
QUERY, KEY, VALUE, OUTPUT = "#0072b2", "#b84a00", "#007a5e", "#a03a78"
WORDS = (QUERY, KEY, VALUE, OUTPUT, "#7a5c00", "#3d3d3d")

TITLE, LABEL, TICK, NUMBER = 15, 14, 13, 19  # points; a picture is about 6.5 inches wide
LONGEST_WORD = 10  # letters of a label; two count for a Chinese character

_OURS = {
    "font.family": list(FAMILY),
    "font.size": TICK,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": LINES,
    "axes.labelcolor": INK,
    "axes.labelsize": LABEL,
    "axes.titlesize": TITLE,
    "axes.titlecolor": INK,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": LINES,
    "ytick.color": LINES,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": TICK,
    "ytick.labelsize": TICK,
    "grid.color": LINES,
    "legend.frameon": False,
    "legend.fontsize": TICK,
    "svg.fonttype": "path",  # Chinese is read on a machine without a font for it, too
    "svg.hashsalt": "attention",  # the same picture is the same file
}


@cache
def register_font() -> None:
    """Make the shipped font known to matplotlib, once."""
    fontManager.addfont(FONT)


@contextmanager
def drawing():
    """Make and save figures inside this: our look over matplotlib's own defaults, the learner's settings untouched.

    Artists keep the look they were made with, so a kept figure is redrawn without it.
    """
    register_font()
    with style.context(["default", _OURS]):
        yield


@cache
def drawable() -> frozenset[int]:
    """The code points that FAMILY can draw."""
    register_font()
    return frozenset().union(*(get_font(fontManager.findfont(name)).get_charmap() for name in FAMILY))


def undrawable(words) -> tuple[str, ...]:
    """Those of ``words`` with a character that no shipped font has."""
    return tuple(word for word in words if not all(ord(mark) in drawable() for mark in word if not mark.isspace()))


def readable(words, letter: str = "w") -> tuple[str, ...]:
    """``words`` as labels: no boxes (w2 stands for the second word where its characters are missing), none too long,
    and a ``$`` is a dollar, never the start of a formula."""
    missing = undrawable(words)
    return tuple(f"{letter}{i + 1}" if word in missing else _shortened(" ".join(word.split())).replace("$", r"\$")
                 for i, word in enumerate(words))


def ems(text: str) -> float:
    """About how wide ``text`` is, in units of its font size."""
    return sum(1.0 if ord(mark) > 0x2E7F else 0.57 for mark in text)


def fitting(labels, room: float, largest: float = TICK) -> float:
    """The font size in points at which the longest of ``labels`` fits into ``room`` points; at most ``largest``."""
    return min(largest, room / max(map(ems, labels), default=1.0))


def contrast(colour, other=PAPER) -> float:
    """The contrast ratio of two colours, 1 … 21, as WCAG 2.2 defines it."""
    lighter, darker = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable_on(colour) -> str:
    """Black or white, whichever is read more easily on ``colour``: one of them always has a contrast of 4.5."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def _luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _shortened(word):
    if sum(2 if ord(mark) > 0x2E7F else 1 for mark in word) <= LONGEST_WORD:
        return word
    kept = ""
    for mark in word:
        if sum(2 if ord(m) > 0x2E7F else 1 for m in kept + mark) >= LONGEST_WORD:
            break
        kept += mark
    return kept + "…"
