"""A field for a sentence of one's own."""

from collections.abc import Callable
from html import escape

from traitlets import Dict

from ..language import say
from .base import front_end, remember
from .panel import Panel


class SentenceField(Panel):
    """A line to type into; what is typed goes to ``take``, and what that refuses is said under the line."""

    _esm = front_end("sentence.js", "sentence.css")
    saving = ""
    frame = Dict().tag(sync=True)

    def __init__(self, take: Callable[[str], None]):
        self.take = take
        super().__init__(frame={part: say(f"sentence.{part}") for part in ("legend", "hint", "take", "told")})
        self.on_msg(self._on_page)
        remember(self)

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            self.take(content["sentence"])

    def static_html(self) -> str:
        return f"<div>{escape(self.static_text())}</div>"

    def static_text(self) -> str:
        return f"{self.frame['legend']}{say('list.colon')}{self.frame['hint']}"
