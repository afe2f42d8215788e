"""A figure that is kept open: what stays is drawn once, what moves is drawn again and again."""

import io
import re
from contextlib import contextmanager

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .. import style
from ..language import say
from ..png import encode_png
from ..validate import one_of
from .told import DPI, Told

KINDS = ("png", "svg")


class Picture(Told):
    """Base of the pictures of one experiment; subclasses draw on axes of ``self.figure``.

    They give :meth:`build` and :meth:`update`, and what is told.
    """

    def __init__(self, experiment, **options):
        super().__init__(experiment)
        self.moving = []
        self._background = None
        with style.drawing():
            self.figure = Figure(figsize=self.size, dpi=DPI)
            FigureCanvasAgg(self.figure)
            self.build(**options)
        self.update()
        for artist in self.moving:
            artist.set_animated(True)

    def build(self) -> None:
        """Make all artists, and put those that move into ``self.moving`` in the order they are drawn."""
        raise NotImplementedError

    def update(self) -> bool:
        """Bring the artists up to date with the experiment; True where something changed that does not move."""
        raise NotImplementedError

    def notice(self) -> str:
        """Which words no shipped font can draw, so that labels like w2 stand for them; empty where there are none."""
        e = self.experiment
        missing = style.undrawable(dict.fromkeys(e.words + e.key_words))
        return say("figure.no_glyph", words=say("figure.and").join(missing)) if missing else ""

    def png(self) -> bytes:
        """The picture as it is now; only what moves is drawn where nothing else changed."""
        background, self._background = self._background, None  # an error on the way leaves nothing half drawn
        canvas = self.figure.canvas
        if self.update() or background is None:
            canvas.draw()
            background = canvas.copy_from_bbox(self.figure.bbox)
        else:
            canvas.restore_region(background)
        for artist in self.moving:
            self.figure.draw_artist(artist)
        self._background = background
        return encode_png(np.asarray(canvas.buffer_rgba()))

    def save(self, path, dpi: int = 150, kind: str = "png") -> None:
        """Write the picture to a PNG file, sharper than in the page, or to an SVG file, whose letters are outlines.

        What stands for it where it cannot be seen is written into the file. ValueError for another kind.
        """
        if kind not in KINDS:
            raise one_of("kind", kind, KINDS)
        with style.drawing():
            if self.update():
                self._background = None
            about = {"Title": _plain(self.summary()), "Description": _plain(self.alt())}
            undated = {"Date": None} if kind == "svg" else {}
            with self._still():
                self.figure.savefig(path, dpi=dpi, format=kind, metadata=about | undated)

    @contextmanager
    def _still(self):
        """A Figure leaves out what is animated, also from a file."""
        for artist in self.moving:
            artist.set_animated(False)
        try:
            yield
        finally:
            for artist in self.moving:
                artist.set_animated(True)

    def file(self, kind: str) -> bytes:
        """The picture as the bytes of a file for print: an SVG, or a PNG with 300 dots an inch."""
        into = io.BytesIO()
        self.save(into, 300, kind)
        return into.getvalue()


def _plain(text):
    """Without the few characters that no XML file may hold: a word is whatever was typed."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
