"""What the panels of buttons and numbers share: the line for errors, and a style sheet."""

from pathlib import Path

import anywidget
from traitlets import Unicode

from .base import Following, Guarded, StaticTwin

HERE = Path(__file__).parent


class Panel(Guarded, Following, StaticTwin, anywidget.AnyWidget):
    """An anywidget with a ``message`` for what went wrong."""

    message = Unicode().tag(sync=True)


def styles(name: str) -> str:
    """The style sheet of one panel, after the one all panels share."""
    return "\n".join((HERE / sheet).read_text(encoding="utf-8") for sheet in ("panel.css", name))
