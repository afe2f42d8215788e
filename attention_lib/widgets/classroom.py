"""The classroom: looking for someone among students, in four steps that are the four steps of attention."""

from html import escape

import numpy as np
from traitlets import Dict, TraitType

from .. import formulas
from ..digits import equals, exact, fixed, short
from ..experiment import Experiment
from ..faults import pairs_kept
from ..language import say
from ..validate import one_of, whole
from .base import front_end, remember, table_html, table_text
from .panel import Panel

STEPPER = (1, 2, 3, 4, "all")
_PAIRS = ("scores", "scaled", "weights")  # rows are queries, columns are keys: a cell is a seeker and a student
_WORDS = ("step", "seeker", "mind", "hears", "looking", "itself", "score", "weight", "sum", "legend", "click",
          "between")


class _Seeker(TraitType):
    def validate(self, picture, value):
        return whole("seeker", value, 0, len(picture.experiment.words) - 1)


class _Step(TraitType):
    def validate(self, _picture, value):
        named = {str(step): step for step in STEPPER}
        if str(value) not in named:
            raise one_of("step", value, STEPPER)
        return named[str(value)]


class Classroom(Panel):
    """One seeker and all students of an experiment, live. One message to the page for each change.

    seeker: row of Q, counted from 0. step: 1 query, 2 keys, 3 scores, 4 weights and values, or "all";
    the page shows what belongs to the steps so far.
    """

    _esm = front_end("classroom.js", "classroom.css")
    seeker = _Seeker(0)
    step = _Step("all").tag(sync=True)
    frame = Dict().tag(sync=True)  # what stays: the words of the interface and the names
    scene = Dict().tag(sync=True)  # what moves: every number, as text

    def __init__(self, experiment: Experiment, seeker: int = 0, step=STEPPER[-1]):
        self.experiment = experiment
        super().__init__(seeker=seeker, step=step, frame=_frame(experiment), scene=draw(experiment, seeker))
        self.observe(self._refresh, "seeker")
        self.follow(experiment, self._refresh, ["steps", "focus"])
        self.on_msg(self._on_page)
        remember(self)

    def ask(self, student: int | None) -> None:
        """Light the arithmetic behind the weight of ``student`` for this seeker, or of nobody with None."""
        if student is not None:
            student = whole("student", student, 0, len(self.experiment.key_words) - 1)
        self.experiment.focus = None if student is None else ("weights", self.seeker, student)

    def _on_page(self, _widget, content, _buffers):
        with self.hold_sync(), self.guard():
            if "seeker" in content:
                self.seeker = content["seeker"]
            elif "student" in content:
                self.ask(content["student"])

    def _refresh(self, _change=None):
        with self.hold_sync(), self.guard():
            self.scene = draw(self.experiment, self.seeker)

    def static_html(self) -> str:
        faults = f"<p>{escape(self.scene['note'])}</p>" if self.scene["note"] else ""
        return faults + "".join(self._static(table_html))

    def static_text(self) -> str:
        return "\n\n".join(filter(None, (self.scene["note"], *self._static(table_text))))

    def _static(self, table):
        e, scene = self.experiment, self.scene
        heads = [f"{say(f'classroom.{text}')} {symbol}" for text, symbol in
                 (("label", "K"), ("score", "scores"), ("weight", "weights"), ("says", "V"))]
        cells = [[one["key"], one["score"], one["weight"] + (f" ({one['mark']})" if one["mark"] else ""), one["value"]]
                 for one in scene["students"]]
        asks = say("classroom.asks", name=scene["name"], query=scene["query"])
        yield table(asks, e.key_words, heads, cells)
        blend = " + ".join(f"{term['weight']} × {term['value']}" for term in scene["students"])
        caption = f"{say('classroom.hears')} output = {blend} {scene['equals']} {scene['output']}"
        yield table(caption, [scene["name"]], e.labels("output")[1], [_texts(e, "output", e.steps.output[self.seeker])])


def _frame(e):
    return {
        "words": {key: say(f"classroom.{key}") for key in _WORDS},
        "steps": [{"value": step, "text": say(f"classroom.step.{step}")} for step in STEPPER],
        "seekers": list(e.words),
        "students": list(e.key_words),
        "same": e.words == e.key_words,
    }


def draw(e: Experiment, seeker: int) -> dict:
    """Everything the picture says about one seeker, as text; shares also as numbers from 0 to 1, for the drawing.

    Numbers look as in the matrices: inputs as they were given, results with three decimals. Only an input that has
    more decimals is rounded to three here: a speech bubble is small.
    Raises ValueError for a seeker that is not there.
    """
    seeker = whole("seeker", seeker, 0, len(e.words) - 1)
    steps, seen = e.steps, pairs_kept(e.fault, e.mask, e.steps.weights.shape)[seeker]
    query, output = _vector(e, "Q", steps.Q[seeker]), _vector(e, "output", steps.output[seeker])
    students = [_student(e, seeker, j, seen[j]) for j in range(len(e.key_words))]
    total = float(steps.weights[seeker].sum())
    focus = e.focus[2] if e.focus and e.focus[0] in _PAIRS and e.focus[1] == seeker else None
    example = int(np.argmax(steps.weights[seeker])) if focus is None else focus
    equal = _equals(*steps.weights[seeker], *steps.V.flat, *steps.output[seeker])
    return {
        "seeker": seeker, "name": e.words[seeker], "query": query, "output": output, "equals": equal,
        "students": students, "focus": focus,
        "total": fixed(total), "wrong": abs(total - 1) > 1e-9,
        "board": _board(e, seeker, students, example, query, output),
        "note": say(f"fault.{e.fault}") if e.fault else "",
        "summary": _summary(e.words[seeker], students, query, output),
    }


def _student(e, seeker, j, seen):
    steps = e.steps
    weight = steps.weights[seeker, j]
    text = fixed(weight)
    one = {
        "name": e.key_words[j],
        "key": _vector(e, "K", steps.K[j]),
        "score": fixed(steps.scores[seeker, j]),
        "weight": text,
        "percent": f"{fixed(float(text) * 100, 1)} %",  # of the text, so that the two never disagree
        "value": _vector(e, "V", steps.V[j]),
        "share": round(float(weight), 4),
        "mark": "" if seen else say("classroom.hidden"),
        "itself": e.words == e.key_words and seeker == j,
    }
    # What is read out, one part more with each step.
    one["told"] = [
        " ".join(filter(None, (one["name"], one["mark"]))),
        f"{say('classroom.label')} {one['key']}",
        f"{say('classroom.score')} {one['score']}",
        f"{say('classroom.weight')} {one['weight']}",
        f"{say('classroom.says')} {one['value']}",
    ]
    return one


def _board(e, seeker, students, example, query, output):
    """For each step what stands on the blackboard: a sentence, formulas, and one line of real numbers."""
    steps, one = e.steps, students[example]
    q, k, name = steps.Q[seeker], steps.K[example], one["name"]
    products = " + ".join(f"{_operand(a)}×{_operand(b)}" for a, b in
                          zip(_texts(e, "Q", q), _texts(e, "K", k), strict=True))
    lines = {
        1: f"{_features(e, seeker)} → q = {query}" if "X" in e.inputs else f"q = {query}",
        2: f"k({name}) = {one['key']}",
        3: f"q · k({name}) = {products} {_equals(*q, *k, steps.scores[seeker, example])} {one['score']}",
        4: say("classroom.of", name=name, text=_from_score_to_weight(e, seeker, example, one)),
        "all": f"q = {query} → {output}",
    }
    written = {
        1: [_made(e, "Q")],
        2: [_made(e, "K")],
        3: ["scores = Q Kᵀ"],
        4: [f"weights = {formulas.weights(e, 'scores')}", _made(e, "V"), "output = weights V"],
        "all": [f"output = {formulas.output(e, formulas.weights(e, 'Q Kᵀ'))}"],
    }
    return [{"title": say(f"classroom.board.{step}"), "formulas": written[step], "line": lines[step]}
            for step in STEPPER]


def _from_score_to_weight(e, seeker, j, one):
    """0.260 ÷ √2 ≈ 0.184 → softmax → 0.336, as it was really done."""
    scale, chain = formulas.scale_of(e), one["score"]
    if scale is not False:
        score, scaled = e.steps.scores[seeker, j], e.steps.scaled[seeker, j]
        how = f"÷ √{e.steps.K.shape[1]}" if scale is True else f"× {_operand(short(scale))}"
        chain += f" {how} {_equals(score, scaled)} {fixed(scaled)}"
    if not one["mark"]:
        return f"{chain} → softmax → {one['weight']}"
    if e.fault == "mask after softmax":
        return f"{chain} → softmax → × 0 = {one['weight']}"
    return f"{chain} → {say('classroom.masked')} → {one['weight']}"


def _features(e, seeker):
    row = e["X"][seeker]
    if e.features is None:
        return f"x = {_vector(e, 'X', row)}"
    return say("classroom.comma").join(f"{name} {x}" for name, x in zip(e.features, _texts(e, "X", row), strict=True))


def _made(e, name):
    if "X" in e.inputs:
        return f"{name} = {e.formula(name)}"
    return "V = K" if e.fault == "V is K" and name == "V" else say("classroom.given", name=name)


def _summary(name, students, query, output):
    """The picture in words: what is known after each step."""
    def list_of(part):
        return say("classroom.comma").join(f"{one['name']} {one[part]}" for one in students)

    parts = [
        say("classroom.summary.1", name=name, query=query),
        say("classroom.summary.2", keys=list_of("key")),
        say("classroom.summary.3", scores=list_of("score")),
        say("classroom.summary.4", weights=list_of("weight"), output=output),
    ]
    return [say("classroom.join").join(parts[: i + 1]) for i in range(len(parts))]


def _vector(e, name, row):
    return f"[{', '.join(_texts(e, name, row))}]"


def _texts(e, name, row):
    return [short(x) if name in e.inputs and exact(x, 3) else fixed(x) for x in row]


def _operand(text):
    return f"({text})" if text.startswith("-") else text


def _equals(*values):
    return equals(*values, decimals=3)


def classroom(experiment: Experiment, seeker: int = 0, step=STEPPER[-1]) -> Classroom:
    """The classroom: a seeker (row ``seeker`` of Q) looks over all students (rows of K) and hears them (rows of V).

    seeker: 0 … n_q − 1. step: 1, 2, 3, 4 or "all", how far the story is told at first.
    Click a student, or press Enter on one, to light the arithmetic of that weight in the matrices.
    Raises ValueError for a seeker or a step that is not there.
    """
    return Classroom(experiment, seeker, step)
