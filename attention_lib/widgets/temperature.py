"""Temperature: what dividing the scores by more or less does to the weights."""

import math
from html import escape

import numpy as np
from traitlets import Dict

from ..digits import clean, equals, fixed, parse, short
from ..experiment import Experiment
from ..formulas import scale_of
from ..formulas import temperature as in_force
from ..language import say
from ..validate import scale_factor, whole
from .base import front_end, remember, table_html, table_text
from .panel import Panel

LEAST, MOST = 0.05, 10.0
# Round numbers, close together where T is small: each step of the slider is one of them, and 1 is among them.
STEPS = tuple(clean(t) for t in np.concatenate([
    np.arange(5, 10) / 100, np.arange(10, 20, 2) / 100, np.arange(20, 50, 5) / 100, np.arange(5, 10) / 10,
    np.arange(10, 20, 2) / 10, np.arange(20, 50, 5) / 10, np.arange(5, 11),
]))


class Temperature(Panel):
    """A slider for T, and the weights of one row as bars."""

    _esm = front_end("temperature.js", "temperature.css")
    frame = Dict().tag(sync=True)
    shown = Dict().tag(sync=True)  # T, step: place in STEPS of the nearest, told, and a bar {text, share} for each key

    def __init__(self, experiment: Experiment, row: int = 0):
        self.experiment, self.row = experiment, whole("row", row, 0, len(experiment.words) - 1)
        super().__init__(
            frame={
                "legend": say("temperature.legend"), "slider": say("temperature.slider"),
                "field": say("temperature.field"), "cold": say("temperature.cold", T=short(LEAST)),
                "hot": say("temperature.hot", T=short(MOST)), "last": len(STEPS) - 1,
                "caption": say("temperature.caption", word=experiment.words[self.row]),
                "labels": list(experiment.key_words),
            },
            shown=self._shown(),
        )
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    @property
    def T(self) -> float:
        """The temperature in force: scaled = scores / (T √d_k). NaN where the scale of the experiment is 0 or less."""
        return in_force(scale_of(self.experiment), self.experiment["K"].shape[1])

    @T.setter
    def T(self, value: float):
        d_k = self.experiment["K"].shape[1]
        self.experiment.scale = True if value == 1 else 1 / (value * math.sqrt(d_k))

    def type(self, text: str) -> None:
        """What a person typed: taken, clamped with a word about it, or refused in words."""
        number = parse(text)
        self.T = nearest = min(max(number, LEAST), MOST)
        if nearest != number:
            raise ValueError(say("temperature.outside", value=short(number), low=short(LEAST), high=short(MOST),
                                 nearest=short(nearest)))

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if "step" in content:
                self.T = STEPS[whole("step", content["step"], 0, len(STEPS) - 1)]
            else:
                self.type(content["typed"])

    def _refresh(self, _change=None):
        with self.guard():
            self.shown = self._shown()

    def _nearest(self, T):
        if math.isnan(T):
            return self.shown.get("step", 0)
        return int(np.argmin(abs(np.log(STEPS) - math.log(min(max(T, LEAST), MOST)))))

    def _shown(self):
        e, T = self.experiment, self.T
        factor = scale_factor(scale_of(e), e["K"].shape[1])
        told = say("temperature.told", d_k=e["K"].shape[1], equals=equals(factor, decimals=4), factor=short(factor, 4))
        if e.fault == "no scaling":
            told = say("temperature.off")
        return {
            "T": "—" if math.isnan(T) else short(T, 4), "step": self._nearest(T), "told": told,
            "bars": [{"text": fixed(w), "share": round(float(w), 4)} for w in e["weights"][self.row]],
        }

    def static_html(self) -> str:
        return f"<div>{escape(self._head())}</div>{table_html(*self._table())}"

    def static_text(self) -> str:
        return f"{self._head()}\n{table_text(*self._table())}"

    def _head(self):
        return f"{self.frame['legend']} = {self.shown['T']}{say('list.colon')}{self.shown['told']}"

    def _table(self):
        cells = [[bar["text"]] for bar in self.shown["bars"]]
        return self.frame["caption"], self.frame["labels"], [say("name.weights")], cells


def temperature(experiment: Experiment, row: int = 0) -> Temperature:
    """A slider for the temperature T, from 0.05 to 10: scaled = scores / (T √d_k). T = 1 is the usual scaling.

    row: the query whose weights are drawn as bars, counted from 0. Raises ValueError where there is no such row.
    T → 0 picks the largest score, T → ∞ gives equal shares (Hinton, Vinyals and Dean 2015, section 2).
    """
    return Temperature(experiment, row)
