"""Why √d_k: random queries and keys of any length, and what three ways of scaling make of their scores."""

import math
from html import escape

from traitlets import Dict

from ..digits import fixed, parse, short
from ..language import say
from ..scaling import DIVISORS, KEYS, LONGEST, QUERIES, random_scores
from ..validate import whole
from .base import front_end, remember, table_html, table_text
from .panel import Panel

POWERS = tuple(2**k for k in range(LONGEST.bit_length()))  # 1, 2, 4, … 1024: the steps of the slider
IN_PRINT = (1, 2, 4, 16, 64, 256, 1024)
_SATURATED, _FLAT = 0.8, 1.25 / KEYS  # of the mean largest weight: when a row of the table says so


class ScalingLab(Panel):
    """A slider for d_k, and a table of spread, largest weight and gradient with no scaling, ÷ √d_k and ÷ d_k."""

    _esm = front_end("scaling_lab.js", "scaling_lab.css")
    frame = Dict().tag(sync=True)
    shown = Dict().tag(sync=True)

    def __init__(self, seed: int = 0, d_k: int = 64):
        self.scores = random_scores(seed)
        self._d_k = whole("d_k", d_k, 1, LONGEST)
        super().__init__(
            frame={
                "slider": say("lab.slider"), "field": say("lab.field"), "ticks": list(map(str, POWERS)),
                "caption": say("lab.caption"), "rows": [say(f"controls.scaling.{name}") for name in DIVISORS],
                "heads": [say(f"lab.{head}") for head in ("scaling", "deviation", "largest", "gradient", "weights")],
                "note": say("lab.note", queries=QUERIES, keys=KEYS, pairs=QUERIES * KEYS),
            },
            shown=self._shown(),
        )
        self.on_msg(self._on_page)
        remember(self)

    @property
    def d_k(self) -> int:
        """The length of a query and of a key, 1 to 1024; ValueError in words for another."""
        return self._d_k

    @d_k.setter
    def d_k(self, value: int):
        self._d_k = whole("d_k", value, 1, LONGEST)
        self.shown = self._shown()

    def type(self, text: str) -> None:
        """What a person typed: taken, or refused in words."""
        number = parse(text)
        self.d_k = int(number) if number == int(number) else number

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if "step" in content:
                self.d_k = POWERS[whole("step", content["step"], 0, len(POWERS) - 1)]
            else:
                self.type(content["typed"])

    def _shown(self):
        return {
            "d_k": str(self._d_k), "step": round(math.log2(self._d_k)),  # place in POWERS of the number nearest to d_k
            "rows": [_row(spread) for spread in self.scores.measure(self._d_k).values()],
        }

    def static_html(self) -> str:
        return "".join(table_html(*table) for table in self._tables()) + f"<div>{escape(self.frame['note'])}</div>"

    def static_text(self) -> str:
        return "\n\n".join([*(table_text(*table) for table in self._tables()), self.frame["note"]])

    def _tables(self):
        """The numbers of the page, and those of other lengths for readers who cannot move the slider."""
        labels, heads = self.frame["rows"], self.frame["heads"]
        columns = [heads[1], say("lab.theory"), *heads[2:4]]
        yield f"{self.frame['caption']}{say('list.colon')}d_k = {self._d_k}", labels, columns, [
            [row["deviation"]["text"], row["deviation"]["theory"], row["largest"]["text"], row["gradient"]["text"]]
            for row in self.shown["rows"]
        ]
        printed = {f"d_k = {d_k}": self.scores.measure(d_k) for d_k in IN_PRINT}
        for kind in ("deviation", "largest", "gradient"):
            cells = [[fixed(getattr(spread, kind)) for spread in spreads.values()] for spreads in printed.values()]
            yield say(f"lab.{kind}"), printed, labels, cells


def _row(spread):
    verdict = "saturated" if spread.largest > _SATURATED else "flat" if spread.largest < _FLAT else "shared"
    theory, largest, gradient = short(spread.theory, 4), round(spread.largest, 4), round(4 * spread.gradient, 4)
    return {
        "verdict": say(f"lab.verdict.{verdict}"),
        "deviation": {"text": fixed(spread.deviation), "theory": theory, "note": say("lab.beside", theory=theory),
                      **_around_one(spread.deviation)},
        "largest": {"text": fixed(spread.largest), "note": "", "from": 0, "to": largest, "at": 1 / KEYS},
        "gradient": {"text": fixed(spread.gradient), "note": "", "from": 0, "to": gradient, "at": 1},
        "weights": [round(float(w), 4) for w in spread.weights],
        "named": say("lab.weights_named", weights=say("list.comma").join(fixed(w, 2) for w in spread.weights)),
    }


def _around_one(deviation):
    """A bar on a logarithmic scale from 1/64 to 64 that starts in the middle, at 1."""
    end = min(max(0.5 + math.log2(deviation) / 12, 0), 1)
    return {"from": round(min(0.5, end), 4), "to": round(max(0.5, end), 4), "at": 0.5}


def scaling_lab(seed: int = 0, d_k: int = 64) -> ScalingLab:
    """Random queries and keys of length d_k, entries with mean 0 and variance 1, and three ways of scaling.

    For no scaling, ÷ √d_k and ÷ d_k: the standard deviation of the scores beside the theory, the mean largest of
    8 weights, and the mean gradient w(1 − w) of that weight (see :meth:`attention_lib.scaling.RandomScores.measure`).
    d_k: the length shown first, 1 to 1024. The same seed gives the same numbers everywhere.
    """
    return ScalingLab(seed, d_k)
