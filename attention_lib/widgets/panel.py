"""What the panels of buttons and numbers share: the line for errors and the button that saves."""

import anywidget
from traitlets import Unicode, default

from ..language import say
from .base import Following, Guarded, StaticTwin
from .saving import Savable


class Panel(Savable, Guarded, Following, StaticTwin, anywidget.AnyWidget):
    """An anywidget with a ``message`` for what went wrong, and what to say when the kernel is ``gone``."""

    message = Unicode().tag(sync=True)
    gone = Unicode().tag(sync=True)

    @default("gone")
    def _words_of_the_gone_kernel(self):
        return say("matrix.gone")
