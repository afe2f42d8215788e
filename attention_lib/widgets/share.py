"""A state to share: the code of the experiment, live, and a field for a code from somebody else."""

from html import escape

from traitlets import Dict, Unicode

from ..experiment import Experiment
from ..language import say
from ..state import code_writer, experiment_code, from_code, present
from .base import front_end, remember
from .panel import Panel


class Share(Panel):
    """The state code of an experiment with a button to copy it, and a field that sets the experiment from a code."""

    _esm = front_end("share.js", "share.css")
    saving = ""
    frame = Dict().tag(sync=True)
    code = Unicode().tag(sync=True)
    told = Unicode().tag(sync=True)

    def __init__(self, experiment: Experiment):
        self.experiment = experiment
        self._write = code_writer(experiment)
        words = ("code", "copy", "copied", "select", "paste", "hint", "open")
        super().__init__(frame={word: say(f"share.{word}") for word in words}, code=self._write())
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def use(self, code: str) -> None:
        """Set the experiment to the state of a code, with one recompute.

        Raises ValueError in words where the code is wrong, or is of matrices with other shapes.
        """
        e, other = self.experiment, from_code(code)
        line = f'e = from_code("{experiment_code(other)}")'
        if [other[name].shape for name in other.inputs] != [e[name].shape for name in e.inputs]:
            raise ValueError(say("share.shapes", mine=_shapes(e), theirs=_shapes(other), line=line))
        e.set(**present(other))
        alike = (e.words, e.features) == (other.words, other.features)
        words = say("list.comma").join(other.words)
        self.told = say("share.done") if alike else say("share.words", words=words, line=line)

    def _on_page(self, _widget, content, _buffers):
        self.told = ""
        with self.guard():
            self.use(content["open"])

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            self.code, self.told = self._write(), ""

    def static_html(self) -> str:
        return f"<div>{escape(self.frame['code'])}{say('list.colon')}<code>{self.code}</code></div>"

    def static_text(self) -> str:
        return f"{self.frame['code']}{say('list.colon')}{self.code}"


def _shapes(e):
    return say("list.comma").join(f"{name} {'×'.join(map(str, e[name].shape))}" for name in e.inputs)


def share(experiment: Experiment) -> Share:
    """The code of an experiment, which ``from_code("…")`` makes the same experiment of, and a field to paste one."""
    return Share(experiment)
