"""Projector mode: the whole page in large type, its code folded; and the button for it."""

from html import escape

from traitlets import Bool, Dict

from ..language import say
from ..validate import one_of
from .base import front_end, remember
from .panel import Panel


class Projector(Panel):
    """A button that switches the page. ``wanted``: what a call asks of the page, taken back once the page has done it,
    for from then on the page is what its buttons made of it.
    """

    _esm = front_end("projector.js", "projector.css")
    words = Dict().tag(sync=True)
    wanted = Bool(None, allow_none=True).tag(sync=True)

    def __init__(self, wanted: bool | None):
        super().__init__(words={word: say(f"projector.{word}") for word in ("button", "note", "off", "code")},
                         wanted=wanted)
        remember(self)

    def static_html(self) -> str:
        return f"<div>{escape(self.static_text())}</div>"

    def static_text(self) -> str:
        return f"{self.words['button']}{say('list.colon')}{self.words['note']}"


def projector(on: bool = True) -> Projector:
    """Large type, big cells and folded code in the whole page; ``projector(False)`` brings the usual page back.

    It holds for every lesson in this browser, after a reload too, until it is switched off; a button for that stays in
    the corner. Raises ValueError for anything but True or False.
    """
    if not isinstance(on, bool):
        raise one_of("on", on, (True, False))
    return Projector(on)


def projector_button() -> Projector:
    """The button alone: the page stays as it is until somebody presses it."""
    return Projector(None)
