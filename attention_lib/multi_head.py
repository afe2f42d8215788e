"""An experiment with several heads: inputs that can be changed, heads that can be switched off."""

import numpy as np
from traitlets import Any

from .examples import MULTI_HEAD
from .formulas import scaled, softmax
from .heads import keep_heads, merge_heads, multi_head_attention
from .language import pick, say
from .live import Input, Live, frozen, labels_or_numbers, numbered, small
from .validate import keep_mask, scale_factor, whole

OF_A_HEAD = ("Q", "K", "V", "scores", "scaled", "weights", "output")  # "weights_2" are those of head 2


class MultiHead(Live):
    """Multi-head attention with inputs as traits, see :class:`Live` and :func:`multi_head_attention`.

    X (n, d_model), W_Q and W_K (d_model, h d_k), W_V (d_model, h d_v), W_O (h d_v, d_out), small as in Experiment.
    Matrices by name: these; Q, K, V with the columns of all heads; for head 1, 2, … Q_1, …, weights_1, output_1;
    mean (the weights averaged over the heads, which no head uses); merged and output.

    heads: how many, fixed. mask: None or (n, n) booleans, True = may be looked at. scale: as in :func:`attention`.
    keep: one boolean for each head; False switches it off: its columns of merged are 0.
    """

    X, W_Q, W_K, W_V, W_O = Input(), Input(), Input(), Input(), Input()
    mask, scale, keep = Input(), Input(), Input()
    features = Any(read_only=True)
    inputs = ("X", "W_Q", "W_K", "W_V", "W_O")

    def __init__(self, X, W_Q, W_K, W_V, W_O, heads: int = 2, *, words=None, features=None, mask=None, scale=True,
                 keep=None):
        super().__init__()
        self.heads = whole("heads", heads, 1)
        numbers = range(1, self.heads + 1)
        parts = [f"{name}_{h}" for h in numbers for name in OF_A_HEAD]
        self.derived = ("Q", "K", "V", *parts, "mean", "merged", "output")
        self._never_inputs = self.derived
        given = zip(self.inputs, (X, W_Q, W_K, W_V, W_O), strict=True)
        state = {name: small(name, value) for name, value in given}
        self.set_trait("words", labels_or_numbers("words", words, len(state["X"]), "w"))
        self.set_trait("key_words", self.words)
        if features is not None:
            self.set_trait("features", labels_or_numbers("features", features, state["X"].shape[1], "x"))
        self._begin(state | self._settings({"mask": mask, "scale": scale, "keep": keep}))

    @classmethod
    def from_example(cls) -> "MultiHead":
        """Three words, four features, two heads: one looks at its like, the other at who does what."""
        return cls(**MULTI_HEAD.inputs, words=pick(MULTI_HEAD.words), features=pick(MULTI_HEAD.features))

    def head_of(self, name: str) -> int | None:
        """The number of the head a matrix belongs to, from 1; None for the matrices of all heads."""
        return int(name.rpartition("_")[2]) if name in self.derived and "_" in name else None

    def columns_of(self, name: str) -> slice:
        """Which columns of ``Q``, ``K``, ``V`` or ``merged`` a matrix of one head is."""
        width, first = self[name].shape[1], self.head_of(name) - 1
        return slice(first * width, (first + 1) * width)

    def kind(self, name):
        return "weights" if name == "mean" else name.rpartition("_")[0] if self.head_of(name) else name

    def title(self, name):
        if head := self.head_of(name):
            key = "heads.of_off" if self.kind(name) == "output" and not self.keep[head - 1] else "heads.of"
            return say(key, name=say(f"name.{self.kind(name)}"), head=head)
        return say(f"name.{name}", heads=self.heads)

    def formula(self, name):
        if name in self.inputs:
            return ""
        if name in ("mean", "merged"):
            if name == "mean":
                return f"({' + '.join(f'weights_{h + 1}' for h in range(self.heads))}) / {self.heads}"
            return f"[{', '.join('0 × ' * (not on) + f'output_{h + 1}' for h, on in enumerate(self.keep))}]"
        if not self.head_of(name):
            return "merged W_O" if name == "output" else say(f"formula.{name}")
        head = self.head_of(name)
        d_k = self[f"K_{head}"].shape[1]
        return {
            "Q": f"Q, {self._told_columns(name)}", "K": f"K, {self._told_columns(name)}",
            "V": f"V, {self._told_columns(name)}", "scores": f"Q_{head} K_{head}ᵀ",
            "scaled": scaled(f"scores_{head}", self.scale, d_k),
            "weights": softmax(f"scaled_{head}", hides=self.hidden(name) is not None),
            "output": f"weights_{head} V_{head}",
        }[self.kind(name)]

    def labels(self, name):
        kind, columns = self.kind(name), self[name].shape[1]
        if kind in ("scores", "scaled", "weights"):
            return self.words, self.words
        if name in self.inputs:
            x = self.features or numbered("x", self["X"].shape[1])
            rows = {"X": self.words, "W_O": numbered("o", len(self["W_O"]))}.get(name, x)
            return rows, x if name == "X" else numbered({"W_O": "y"}.get(name, name[-1].lower()), columns)
        letter = {"merged": "o", "output": "o" if self.head_of(name) else "y"}.get(kind, kind.lower())
        first = self.columns_of(name).start if self.head_of(name) else 0
        return self.words, numbered(letter, columns, first + 1)

    def hidden(self, name):
        if self.mask is None or self.kind(name) not in ("scaled", "weights") or self.mask.all():
            return None
        return ~self.mask

    def _told_columns(self, name):
        at = self.columns_of(name)
        return say("heads.columns", first=at.start + 1, last=at.stop)

    def _settings(self, given):
        n = len(self.words)
        if given.get("mask") is not None:
            given["mask"] = frozen(keep_mask(given["mask"], (n, n)).copy())
        if "scale" in given:
            number = scale_factor(given["scale"], 1)
            given["scale"] = bool(given["scale"]) if isinstance(given["scale"], bool | np.bool_) else number
        if "keep" in given:
            given["keep"] = tuple(keep_heads(given["keep"], self.heads).tolist())
        return given

    def _compute(self, **state):
        found = multi_head_attention(**state, heads=self.heads)
        steps = {name: merge_heads(found.heads[name]) for name in ("Q", "K", "V")}
        for name in OF_A_HEAD:
            steps |= {f"{name}_{h + 1}": part for h, part in enumerate(found.heads[name])}
        mean = found.heads.weights.mean(axis=0)
        steps |= {"mean": mean, "merged": found.merged, "output": found.output}
        return {name: _read_only(steps[name]) for name in self.derived}


def _read_only(array):
    view = array.view()
    view.flags.writeable = False
    return view


