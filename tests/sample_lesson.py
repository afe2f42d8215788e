"""A lesson that exists only for the tests of predictions and checks: each kind of question once, or more."""

import sys
from functools import partial

import numpy as np

from attention_lib import Experiment, causal_mask, lessons
from attention_lib.exercises import ChoiceExercise, Exercise, FunctionExercise
from attention_lib.language import say
from attention_lib.predictions import Choice, Number, Weights


def both(text):
    return {"zh": f"中{text}", "en": f"en {text}"}


def install(monkeypatch):
    """Put this lesson among the others, as lesson 99."""
    monkeypatch.setitem(sys.modules, "attention_lib.lessons.l99", sys.modules[__name__])
    monkeypatch.setattr(lessons, "numbers", lambda: ("03", "99"))


def uneven(**options):
    """All sizes different: 4 words, d_model 3, d_k 5, d_v 2."""
    random = np.random.default_rng(7)
    shapes = {"X": (4, 3), "W_Q": (3, 5), "W_K": (3, 5), "W_V": (3, 2)}
    return Experiment(**{name: random.integers(-20, 21, shape) / 10 for name, shape in shapes.items()}, **options)


def sentence(mistake, **values):
    """The sentence of a mistake, with its numbers."""
    return say(f"mistake.{mistake}", **values)


def shares(x, axis=1):
    """A softmax as a learner writes it, not the library's."""
    powers = np.exp(x)
    return powers / powers.sum(axis=axis, keepdims=True)


PREDICTIONS = {
    "99.1": Choice(
        question=both("which `word`"), options={"zh": ("我", "爱", "你"), "en": ("I", "love", "you")},
        truth=lambda e: e["scores"][1].argmax(), because=both("scores {scores}"),
        values=lambda e: {"scores": e["scores"][1]},
    ),
    "99.2": Number(question=both("first score"), truth=lambda e: e["scores"][0, 0], because=both("it is {x:.1f}"),
                   values=lambda e: {"x": 0.26}, unit=both("points")),
    "99.3": Weights(question=both("row of you"), truth=lambda e: e["weights"][2], because=both("<b>so</b>")),
    "99.4": Weights(question=both("two"), truth=lambda e: [0.25, 0.75], because=both("x"), labels=lambda e: ("a", "b")),
}

_text = {"hint": both("a `hint`"), "solution": "answer = e[\"weights\"]\n"}
_step = partial(Exercise, **_text)

EXERCISES = {f"99.{name}": _step(answer=name) for name in ("Q", "K", "V", "scores", "scaled", "weights", "output")}
EXERCISES |= {
    "99.number": _step(answer=lambda e: e["weights"][0, 2], decimals=3),
    "99.typed": _step(answer="weights", decimals=3),
    "99.row": _step(answer=lambda e: e["output"][-1]),
    "99.causal": _step(answer="weights", settings=lambda e: {"mask": causal_mask(len(e.words))}),
    "99.unscaled": _step(answer="weights", settings={"scale": False}),
    "99.own": _step(answer=lambda e: e["scores"][0].sum(), explanation=both("because {total}"),
                    values=lambda e: {"total": e["scores"][0].sum()},
                    mistakes=((both("<i>added the column</i>"), lambda e: e["scores"][:, 0].sum()),
                              ("forgot_scale", lambda e: -1.0), ("n_for_d_k", lambda e: -2.0))),
    "99.attend": FunctionExercise(
        arguments=("Q", "K", "V"), answer="output", name="attend", hint=both("h"), explanation=both("well done"),
        solution="def attend(Q, K, V):\n    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V",
        cases=((((1.0, 0.0, 2.0), (0.2, 1.0, 0.0)), ((0.1, 1.0, 0.3), (1.0, 0.2, 0.0)),
                ((0.1, 0.1, 1.0), (1.0, 1.0, 0.0))),
               (((0.3, 0.7),), ((0.1, 1.0), (1.0, 0.2), (0.5, 0.5), (1.0, 2.0), (0.3, -1.0)),
                ((1.0, 0.0), (2.0, 0.5), (3.0, 0.0), (4.0, 1.0), (5.0, 0.0)))),
    ),
    "99.masked": FunctionExercise(
        arguments=("scaled", "mask"), answer="weights", name="masked", hint=both("h"),
        solution="def masked(scaled, mask):\n    return softmax(np.where(mask, scaled, -np.inf))",
        cases=((((1.0, 2.0, 3.0), (0.0, 1.0, 0.5)), ((True, False, True), (True, True, True))),),
    ),
    "99.projected": FunctionExercise(
        arguments=("X", "W_Q", "W_K", "W_V"), answer="output", name="all_of_it", hint=both("h"),
        solution="def all_of_it(X, W_Q, W_K, W_V):\n    Q, K, V = X @ W_Q, X @ W_K, X @ W_V\n"
                 "    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V",
        cases=((((1.0, 0.5, 0.0), (0.5, 0.5, 1.0)), ((0.5, 0.2), (0.1, 0.6), (1.0, 0.3)),
                ((0.4, 0.3), (0.2, 0.7), (0.6, 0.1)), ((0.8, 0.1), (0.3, 0.9), (0.2, 0.2))),),
    ),
    "99.softmax": FunctionExercise(
        arguments=("scaled",), answer="weights", name="my_softmax", hint=both("h"),
        solution="def my_softmax(x):\n    p = np.exp(x - x.max(axis=-1, keepdims=True))\n"
                 "    return p / p.sum(axis=-1, keepdims=True)",
        cases=((((1000.0, 1001.0, 1002.0), (1.0, 2.0, 3.0)),), (((1, 2), (3, 1), (0, 0)),)),
    ),
    "99.mean": FunctionExercise(
        reference=lambda x: np.mean(x), name="mean", hint=both("h"),
        solution="def mean(x):\n    return x.sum() / x.size",
        cases=(((1.0, 2.0, 6.0),), ((5.0,),)), mistakes=((both("took the sum"), lambda x: x.sum()),),
    ),
    "99.letter": ChoiceExercise(answer="B", hint=both("h"), solution='answer = "b"',
                                mistakes=((both("A is the trap"), "A"),), also=lambda e: ("two",)),
    "99.index": ChoiceExercise(answer=lambda e: int(e["scores"][1].argmax()), hint=both("h"), solution="answer = 2"),
    "99.list": ChoiceExercise(answer=lambda e: [0, 2], hint=both("h"), solution="answer = [2, 0]"),
    "99.ordered": ChoiceExercise(answer=["q", "k", "v"], ordered=True, hint=both("h"),
                                 solution='answer = ["q", "k", "v"]'),
    "99.flags": ChoiceExercise(answer=[True, False, True], hint=both("h"), solution="answer = [True, False, True]"),
    "99.true": ChoiceExercise(answer=True, hint=both("h"), solution="answer = True"),
}
