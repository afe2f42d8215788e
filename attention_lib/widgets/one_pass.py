"""Softmax in one pass, on the page: a block of keys at a time, and the running numbers after each."""

import numpy as np

from ..digits import fixed
from ..experiment import Experiment
from ..language import say
from ..live import numbered
from ..maths import attention
from ..online import one_pass
from ..validate import whole
from .boxes import Box, Boxes, menu, numbers_table, slider

_SAME = 1e-12


class OnePass(Boxes):
    """Query, block size and step on knobs; what is read, m, l and o after each block, and the result."""

    def __init__(self, experiment: Experiment, row: int, size: int):
        self.experiment = experiment
        n = len(experiment.key_words)
        super().__init__(
            menu("row", say("one_pass.query"), experiment.words, whole("row", row, 0, len(experiment.words) - 1)),
            slider("size", say("one_pass.size"), whole("size", size, 1, n), 1, n),
            slider("step", say("one_pass.step"), 0, 0, n, told=self._of_all),
        )
        self.follow(experiment, self.refresh, "steps")

    def settle(self):
        size, step = self._knobs["size"], self._knobs["step"]
        step.high = -(-size.high // size.value)
        step.value = min(step.value, step.high)

    def in_print(self):
        return {"step": self._knobs["step"].high}

    def describe(self):
        e, i, size, step = self.experiment, self["row"], self["size"], self["step"]
        right = attention(e["Q"], e["K"], e["V"], mask=e.mask, scale=e.scale)  # whatever fault is on
        scores = right.scaled[i : i + 1] if e.mask is None else np.where(e.mask, right.scaled, -np.inf)[i : i + 1]
        states = one_pass(scores, right.V, size)
        blocks = [range(j, min(j + size, len(e.key_words))) for j in range(0, len(e.key_words), size)]
        done = step == len(blocks)
        boxes = [
            self._keys(scores[0], right.V, blocks, step),
            self._running(states, blocks, step),
            self._arithmetic(scores[0], right.V, states, blocks, step),
            self._result(states[-1].output[0], right.output[i]) if done else
            Box("result", say("one_pass.result"), "o / l", words=[say("one_pass.wait")], mark="off"),
        ]
        told = say("one_pass.told", blocks=len(blocks), size=size, words=len(e.key_words))
        return told, boxes

    def _keys(self, scores, V, blocks, step):
        e = self.experiment
        where = {j: "now" if b == step - 1 else "kept" if b < step else "later"
                 for b, block in enumerate(blocks) for j in block}
        values = np.column_stack([scores, V])
        marks = [[where[j]] * values.shape[1] for j in range(len(V))]
        table = numbers_table(e.key_words, [say("one_pass.score"), *e.labels("V")[1]], values, decimals=4, marks=marks)
        table.shade = None
        return Box("keys", say("one_pass.keys"), tables=[table])

    def _running(self, states, blocks, step):
        words = [say("list.comma").join(self.experiment.key_words[j] for j in block) for block in blocks]
        labels = [say("one_pass.start"), *(say("one_pass.after", words=read) for read in words)]
        shown = states[: step + 1]
        values = [[s.m[0, 0], s.l[0, 0], *s.o[0]] for s in shown]
        marks = [["now" if k == step else ""] * len(values[0]) for k in range(len(shown))]
        columns = ["m", "l", *numbered("o", len(values[0]) - 2)]
        table = numbers_table(labels[: step + 1], columns, values, decimals=4, marks=marks)
        table.shade = None
        return Box("running", say("one_pass.running"), tables=[table])

    def _arithmetic(self, scores, V, states, blocks, step):
        if step == 0:
            return Box("arithmetic", say("one_pass.arithmetic"), words=[say("one_pass.begin")])
        old, new, block = states[step - 1], states[step], blocks[step - 1]
        m = new.m[0, 0]
        factor = float(old.factor(new.m)[0, 0])
        powers = {j: float(np.exp(scores[j] - (m if np.isfinite(m) else 0.0))) for j in block}
        lines = [f"m = max({_number(old.m[0, 0])}, {', '.join(_number(scores[j]) for j in block)}) = {_number(m)}",
                 f"exp({_number(old.m[0, 0])} − {_operand(m)}) = {_number(factor)}"]
        lines += [f"exp({_number(scores[j])} − {_operand(m)}) = {_number(powers[j])}" for j in block]
        lines.append(f"l = {_number(factor)}×{_number(old.l[0, 0])} + "
                     f"{' + '.join(map(_number, powers.values()))} = {_number(new.l[0, 0])}")
        for c, name in enumerate(numbered("o", V.shape[1])):
            terms = " + ".join(f"{_number(powers[j])}×{_operand(V[j, c])}" for j in block)
            lines.append(f"{name} = {_number(factor)}×{_operand(old.o[0, c])} + {terms} = {_number(new.o[0, c])}")
        return Box("arithmetic", say("one_pass.arithmetic"), lines=lines)

    def _result(self, output, right):
        e, same = self.experiment, bool(np.abs(output - right).max() < _SAME)
        table = numbers_table([e.words[self["row"]]], e.labels("output")[1], [output], limit=_limit(output),
                              decimals=4, marks=None if same else [["wrong"] * len(output)])
        said = say("one_pass.same" if same else "one_pass.differs")
        return Box("result", say("one_pass.result"), "o / l", [table], words=[said], mark="now")

    def _of_all(self, step):
        return say("one_pass.of", step=step, all=self._knobs["step"].high)


def _limit(values):
    return max(1.0, float(np.abs(values).max()))


def _number(x):
    return fixed(x, 4) if np.isfinite(x) else "−∞"


def _operand(x):
    return f"({_number(x)})" if x < 0 else _number(x)


def one_pass_softmax(experiment: Experiment, row: int | None = None, size: int = 1) -> OnePass:
    """Softmax of one query in one pass over the keys, a block at a time: what is carried, and the result.

    row: the query to begin with, counted from 0; the last where none is given. size: keys in a block, 1 to n.
    Milakov and Gimelshein 2018, algorithm 3; the output carried along: see :mod:`attention_lib.online`.
    Raises ValueError for a row or a size there is not.
    """
    return OnePass(experiment, len(experiment.words) - 1 if row is None else row, size)
