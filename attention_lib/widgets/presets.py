"""Presets: buttons that set several inputs at once, with one recompute."""

from html import escape

from traitlets import Dict, Unicode

from ..experiment import Experiment
from ..language import say
from ..packing import same
from ..starting_points import NAMES, starting_point
from ..state import present
from ..validate import one_of
from .base import front_end, remember
from .panel import Panel


class Presets(Panel):
    """A button for each starting point that fits the experiment, and one that resets everything."""

    _esm = front_end("presets.js", "presets.css")
    saving = ""
    frame = Dict().tag(sync=True)
    active = Unicode().tag(sync=True)  # the preset whose inputs are those of the experiment; "" for none

    def __init__(self, experiment: Experiment):
        self.experiment = experiment
        points = {name: starting_point(experiment, name) for name in NAMES}
        self.points = {name: point for name, point in points.items() if point is not None}
        super().__init__(
            frame={
                "legend": say("preset.legend"), "changed": say("preset.changed"),
                "presets": [
                    {"name": name, "label": say(f"preset.{name}"), "told": self._told(name)} for name in self.points
                ],
                "reset": {"label": say("preset.reset"), "told": say("preset.reset.told")},
            },
            active=self._active(),
        )
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def choose(self, name: str) -> None:
        """Set all inputs of a preset at once; ValueError for one that is not offered."""
        if name not in tuple(self.points):
            raise one_of("presets", name, self.points)
        self.experiment.set(**self.points[name])

    def reset(self) -> None:
        """Everything back to how it began; arithmetic that was open is closed."""
        self.experiment.focus = None
        self.experiment.reset()

    def _told(self, name):
        direct = "X" not in self.experiment.inputs and name in ("look-up", "equal weights")
        return say(f"preset.{name}.{'told_direct' if direct else 'told'}")

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if content.get("reset"):
                self.reset()
            else:
                self.choose(content["preset"])

    def _refresh(self, _change=None):
        with self.guard():
            self.active = self._active()

    def _active(self):
        now = present(self.experiment)
        fits = (name for name, point in self.points.items() if all(same(now[key], point[key]) for key in now))
        return next(fits, "")

    def static_html(self) -> str:
        items = "".join(f"<li>{escape(line)}</li>" for line in self._lines())
        return f"<div>{escape(self.frame['legend'])}</div><ul>{items}</ul>"

    def static_text(self) -> str:
        return "\n".join([self.frame["legend"], *(f"  {line}" for line in self._lines())])

    def _lines(self):
        return [f"{b['label']}{say('list.colon')}{b['told']}" for b in (*self.frame["presets"], self.frame["reset"])]


def presets(experiment: Experiment) -> Presets:
    """Buttons for the starting points that fit the experiment's kind and shapes.

    As given, W_Q = W_K (scores become symmetric), identity projections, look-up (weights nearly one-hot), equal
    weights, causal mask; and Reset all. What a button does not speak of is as it was when the experiment began.
    """
    return Presets(experiment)
