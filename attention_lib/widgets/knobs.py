"""Sliders for whole numbers, each with its name and its value beside it."""

from collections.abc import Callable
from html import escape

from traitlets import Dict

from ..language import say
from .base import front_end, remember
from .panel import Panel


class Knobs(Panel):
    """``turn(key, value)`` is called for each move; what it refuses is said under the sliders."""

    _esm = front_end("knobs.js", "knobs.css")
    saving = ""
    frame = Dict().tag(sync=True)
    values = Dict().tag(sync=True)

    def __init__(self, turn: Callable[[str, int], None], values: dict[str, int], knobs: list[dict]):
        """knobs: {key, label, min, max, step} each; values: by key."""
        self.turn = turn
        super().__init__(frame={"knobs": knobs}, values=values)
        self.on_msg(self._on_page)
        remember(self)

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            key, value = content["turn"]
            self.turn(key, value)
            self.values = self.values | {key: value}

    def static_html(self) -> str:
        return f"<div>{escape(self.static_text())}</div>"

    def static_text(self) -> str:
        told = (f"{knob['label']} = {self.values[knob['key']]}" for knob in self.frame["knobs"])
        return say("list.comma").join(told)
