"""What the panels of buttons and numbers share: the line for errors, and a style sheet."""

import anywidget
from traitlets import Unicode, default

from ..language import say
from .base import HERE, Following, Guarded, StaticTwin


class Panel(Guarded, Following, StaticTwin, anywidget.AnyWidget):
    """An anywidget with a ``message`` for what went wrong, and what to say when the kernel is ``gone``."""

    message = Unicode().tag(sync=True)
    gone = Unicode().tag(sync=True)

    @default("gone")
    def _words_of_the_gone_kernel(self):
        return say("matrix.gone")


def styles(name: str) -> str:
    """The style sheet of one panel, after the one all panels share."""
    return "\n".join((HERE / sheet).read_text(encoding="utf-8") for sheet in ("panel.css", name))
