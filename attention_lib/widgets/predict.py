"""Predict, then reveal: the learner commits to a guess, then sees the truth beside it."""

from html import escape

from traitlets import Dict, List, Unicode

from ..digits import fixed
from ..experiment import Experiment
from ..filling import fill
from ..language import pick, say
from ..lessons import content
from ..predictions import LETTERS, RECORD, Choice, Number, Outcome, Weights, shares
from ..validate import wrong
from ..verdict import marked, parts
from .base import front_end, remember
from .panel import Panel

_MIDDLE, _HIGHEST = 50, 100
_KINDS = {Choice: "choice", Number: "number", Weights: "weights"}
_WORDS = ("title", "commit", "again", "yours", "truth", "difference", "number", "sum")


class Prediction(Panel):
    """One question. Before a guess is committed the page does not hold the truth: it is computed only then."""

    _esm = front_end("predict.js", "predict.css")
    saving = ""
    frame = Dict().tag(sync=True)
    levels = List().tag(sync=True)  # of a row of weights: how high each slider stands, 0 to 100
    shares = List(Unicode()).tag(sync=True)  # the same as shares that sum to 1
    outcome = Dict().tag(sync=True)  # empty until committed

    def __init__(self, key: str, experiment: Experiment | None = None):
        self.key, self.asked = key, content("PREDICTIONS", key)
        self.experiment = Experiment.from_example(self.asked.example) if experiment is None else experiment
        if not isinstance(self.experiment, Experiment):
            raise wrong("predict", type(experiment).__name__, "Experiment")
        kind = _KINDS[type(self.asked)]
        self.names = self.asked.names(self.experiment) if kind == "weights" else ()
        options = pick(self.asked.options) if kind == "choice" else ()
        super().__init__(
            frame={
                "kind": kind, "key": key, "question": parts(pick(self.asked.question)),
                "options": [[letter, parts(option)] for letter, option in zip(LETTERS, options, strict=False)],
                "unit": self.asked.says_unit() if kind == "number" else "",
                "labels": list(self.names), "highest": _HIGHEST,
                "sliderNames": [say("predict.share", name=name) for name in self.names],
                "words": {word: say(f"predict.{word}") for word in _WORDS},
            },
            levels=[_MIDDLE] * len(self.names),
        )
        self._share_out()
        self.observe(self._share_out, "levels")
        self.on_msg(self._on_page)
        remember(self)

    def commit(self, guess=None) -> Outcome:
        """Take a guess (an index, a number, or the sliders as they stand) and show the truth beside it.

        The first guess of the session is the one that is recorded. Raises ValueError, in words, for no proper guess.
        """
        if self.outcome:
            raise ValueError(say("predict.done"))
        outcome = self.asked.outcome(list(self.levels) if self.frame["kind"] == "weights" else guess, self.experiment)
        first = RECORD.add(self.key, outcome)
        self.outcome = self._told(outcome, first)
        return outcome

    def again(self) -> None:
        """Take the truth away and ask once more; the record keeps the first guess."""
        self.outcome = {}

    def _told(self, outcome, first):
        asked = self.asked
        values = asked.values(self.experiment) if asked.values else None
        told = {
            "right": outcome.right, "verdict": say("predict.right" if outcome.right else "predict.wrong"),
            "guess": asked.told(outcome.guess), "truth": asked.told(outcome.truth), "how": asked.how(outcome),
            "because": parts(fill(asked.because, values)),
            "first": "" if first is outcome else say("predict.first", guess=asked.told(first.guess)),
        }
        if isinstance(asked, Choice):
            told["chosen"], told["true"] = outcome.guess, outcome.truth
        if isinstance(asked, Weights):
            pairs = list(zip(outcome.guess, outcome.truth, strict=True))
            told["rows"] = [[fixed(guess, 2), fixed(truth, asked.decimals), _signed(guess - truth, asked.decimals)]
                            for guess, truth in pairs]
            told["bars"] = [[round(guess, 3), round(truth, 3)] for guess, truth in pairs]
        return told

    def _share_out(self, _change=None):
        with self.guard():
            if self.names:
                self.shares = [fixed(share, 2) for share in shares(self.levels)]

    def _on_page(self, _widget, content, _buffers):
        with self.guard(), self.hold_sync():
            if content.get("again"):
                self.again()
            else:
                self.commit(content.get("guess"))

    def static_html(self) -> str:
        kind = self.frame["kind"]
        listed = pick(self.asked.options) if kind == "choice" else self.names
        items = "".join(f"<li>{marked(item)}</li>" for item in listed)
        blank = f"<p>____ {escape(self.frame['unit'])}</p>" if kind == "number" else ""
        letters = 'style="list-style-type: upper-alpha"'
        answers = f"<ol {letters}>{items}</ol>" if kind == "choice" else f"<ul>{items}</ul>" if items else blank
        return f"<p><b>{escape(say('predict.title'))}</b>{marked(pick(self.asked.question))}</p>{answers}"

    def static_text(self) -> str:
        kind = self.frame["kind"]
        if kind == "choice":
            answers = [f"  {self.asked.told(i)}" for i in range(len(self.frame["options"]))]
        else:
            answers = [f"  {name}: ____" for name in self.names] or [f"  ____ {self.frame['unit']}".rstrip()]
        return "\n".join([f"{say('predict.title')}{pick(self.asked.question)}", *answers])


def _signed(x: float, decimals: int) -> str:
    text = fixed(x, decimals)
    return text if text.startswith("-") or float(text) == 0 else f"+{text}"


def predict(key: str, e: Experiment | None = None) -> Prediction:
    """Ask for a prediction, then reveal what turns out.

    key: of a prediction of a lesson, such as "03.1". e: the experiment it is about, as it stands when the guess is
    committed; without it, the prediction's own example as it begins. Raises ValueError for an unknown key.
    """
    return Prediction(key, e)
