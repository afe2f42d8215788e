"""Word by word, on the page: what is kept of the words before, what is computed anew, and what each way costs."""

import numpy as np

from ..cache import KeyValueCache, all_anew
from ..experiment import Experiment
from ..language import say
from ..maths import causal_mask, self_attention
from ..validate import wrong
from .boxes import Box, Boxes, Table, numbers_table, slider
from .matrices import round_limit

_SAME = 1e-12


class Decoding(Boxes):
    """A knob for the number of words so far; the cache, the newest word's attention, and multiplications a word."""

    def __init__(self, experiment: Experiment):
        if "X" not in experiment.inputs:
            raise wrong("decoding", ", ".join(experiment.inputs), say("error.needs_projected"))
        self.experiment = experiment
        n = len(experiment.words)
        super().__init__(slider("word", say("decoding.word"), 1, 1, n, told=self._of_all))
        self.follow(experiment, self.refresh, "steps")

    def in_print(self):
        return {"word": self._knobs["word"].high}

    def describe(self):
        e, t = self.experiment, self["word"]
        weights = e["W_Q"], e["W_K"], e["W_V"]
        cache, costs = KeyValueCache(*weights, scale=e.scale), []
        for i in range(t):
            steps = cache.step(e["X"][i])
            costs.append((cache.multiplications, all_anew(e["X"][: i + 1], *weights, scale=e.scale)[1]))
        whole = self_attention(e["X"], *weights, mask=causal_mask(len(e.words)), scale=e.scale)
        same = bool(np.abs(steps.output - whole.output[t - 1]).max() < _SAME)
        boxes = [
            self._new(steps.Q, e["X"][t - 1]),
            *(self._kept(name, getattr(steps, name)) for name in "KV"),
            self._attention(steps, same, t),
            _multiplications(e.words[:t], costs),
        ]
        return say("decoding.told", word=e.words[t - 1], rows=t - 1), boxes

    def _new(self, q, x):
        e, word = self.experiment, [self.experiment.words[self["word"] - 1]]
        tables = [_table(word, e.labels("X")[1], [x], "X"), _table(word, e.labels("Q")[1], q, "Q = X W_Q")]
        return Box("new", say("decoding.new"), tables=tables)

    def _kept(self, name, values):
        e, t = self.experiment, len(values)
        marks = [["kept" if i < t - 1 else "now"] * values.shape[1] for i in range(t)]
        table = _table(e.words[:t], e.labels(name)[1], values, marks=marks)
        return Box(name, say("decoding.cache", name=name), tables=[table])

    def _attention(self, steps, same, t):
        e, word = self.experiment, [self.experiment.words[t - 1]]
        tables = [numbers_table(word, e.words[:t], steps.weights, caption=say("name.weights")),
                  _table(word, e.labels("output")[1], steps.output, say("name.output"),
                         marks=None if same else [["wrong"] * steps.output.shape[1]])]
        return Box("attention", say("decoding.attention"), tables=tables,
                   words=[say("decoding.same" if same else "decoding.differs", row=t)])

    def _of_all(self, word):
        return say("decoding.of", word=self.experiment.words[word - 1], number=word, all=len(self.experiment.words))


def _table(rows, columns, values, caption="", marks=None):
    return numbers_table(rows, columns, values, round_limit(np.abs(values).max()), marks=marks, caption=caption)


def _multiplications(words, costs):
    rows = [*words, say("decoding.sum")]
    numbers = [*costs, tuple(map(sum, zip(*costs, strict=True)))]
    text = [[str(kept), str(anew), f"{anew / kept:.2f}"] for kept, anew in numbers]
    marks = [["now" if i == len(costs) - 1 else ""] * 3 for i in range(len(numbers))]
    columns = [say(f"decoding.{name}") for name in ("with", "without", "ratio")]
    return Box("cost", say("decoding.cost"), tables=[Table(rows, columns, text, marks=marks)])


def decoding(experiment: Experiment) -> Decoding:
    """Causal attention word by word with a key–value cache: what is kept, what is new, and multiplications a word.

    experiment: with X, W_Q, W_K, W_V; its mask and its fault are not looked at, its matrices and scale are.
    Raises ValueError for one that is given Q, K and V. Sources: see :mod:`attention_lib.cache`.
    """
    return Decoding(experiment)
