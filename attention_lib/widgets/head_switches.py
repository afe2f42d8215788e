"""A switch for each head: what the others make of it without that one."""

from html import escape

from traitlets import Dict, List, Unicode

from ..language import say
from ..multi_head import MultiHead
from ..validate import whole
from .base import front_end, remember
from .panel import Panel


class HeadSwitches(Panel):
    """Switches bound to ``keep`` of an experiment with several heads, and a line that says what is done."""

    _esm = front_end("head_switches.js", "head_switches.css")
    saving = ""
    frame = Dict().tag(sync=True)
    on = List().tag(sync=True)
    told = Unicode().tag(sync=True)

    def __init__(self, experiment: MultiHead):
        self.experiment = experiment
        numbers = range(1, experiment.heads + 1)
        super().__init__(frame={
            "legend": say("heads.legend"),
            "labels": [say("heads.head", head=h) for h in numbers],
            "names": [say("heads.switch", head=h) for h in numbers],
        })
        self._refresh()
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def toggle(self, head: int) -> None:
        """Switch a head off or on again; ``head`` is counted from 0."""
        keep = list(self.experiment.keep)
        head = whole("head", head, 0, len(keep) - 1)
        keep[head] = not keep[head]
        self.experiment.keep = keep

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            self.toggle(content["toggle"])

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            keep = self.experiment.keep
            self.on = list(keep)
            off = [str(h + 1) for h, on in enumerate(keep) if not on]
            key = "all" if not off else "none" if len(off) == len(keep) else "off"
            self.told = say(f"heads.told.{key}", list=say("list.comma").join(off))

    def static_html(self) -> str:
        return f"<div>{escape(self._head())}</div><div>{escape(self.told)}</div>"

    def static_text(self) -> str:
        return f"{self._head()}\n{self.told}"

    def _head(self):
        marks = (f"{'✓' if on else '✕'} {label}" for label, on in zip(self.frame["labels"], self.on, strict=True))
        return f"{self.frame['legend']}{say('list.colon')}{'  '.join(marks)}"


def head_switches(experiment: MultiHead) -> HeadSwitches:
    """A switch for each head. Off: its columns of merged are 0 before W_O, as in Michel, Levy and Neubig 2019."""
    return HeadSwitches(experiment)
