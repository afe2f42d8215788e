"""One whole block that can be changed: every matrix an input, every part with a switch."""

from dataclasses import fields, replace

import numpy as np
from traitlets import Any

from .block import BlockWeights, Parts, transformer_block
from .examples import FEED_FORWARD, MULTI_HEAD
from .experiment import Experiment
from .formulas import softmax
from .language import pick, say
from .live import Input, Live, frozen, labels_or_numbers, numbered, small
from .multi_head import MultiHead
from .positions import sinusoidal_positions
from .validate import glimpse, keep_mask, one_of, whole, wrong

SWITCHES = tuple(field.name for field in fields(Parts))
POSITIONS = ("none", "sinusoidal")
STAGES = ("attended", "added_1", "normed_1", "hidden", "fed", "added_2", "normed_2", "output")
_NORMS = {"gain_1": 1.0, "shift_1": 0.0, "gain_2": 1.0, "shift_2": 0.0}


class WholeBlock(Live):
    """A block with inputs as traits, see :class:`Live` and :func:`transformer_block`; its activation is ReLU.

    X (n, d_model), W_Q, W_K (d_model, h d_k), W_V (d_model, h d_v), W_O (h d_v, d_model), W_1 (d_model, d_ff),
    W_2 (d_ff, d_model), small as in Experiment; b_1 (1, d_ff), b_2, gain_1, shift_1, gain_2 and shift_2 (1, d_model).
    Queries, keys, values and W_O have no bias here. Steps by name: placed, X with positions added where they are;
    weights_1, weights_2, … of each head; merged; and STAGES, see :class:`BlockSteps`.

    heads: how many, fixed. mask: None or (n, n) booleans, True = may be looked at. positions: one of POSITIONS.
    SWITCHES, each a boolean: the parts, and norm_first.
    """

    X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2 = (Input() for _ in range(9))
    gain_1, shift_1, gain_2, shift_2 = (Input() for _ in range(4))
    mask, positions = Input(), Input()
    norm_1, attention, residual_1, norm_2, feed_forward, residual_2, norm_first = (Input() for _ in range(7))
    features = Any(read_only=True)
    inputs = ("X", "W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", *_NORMS)

    def __init__(self, X, W_Q, W_K, W_V, W_O, W_1, W_2, heads: int = 2, *, b_1=None, b_2=None, words=None,
                 features=None, mask=None):
        super().__init__()
        self.heads = whole("heads", heads, 1)
        self._weights_of = {f"weights_{h + 1}": h for h in range(self.heads)}
        self.derived = self._never_inputs = ("placed", *self._weights_of, "merged", *STAGES)
        given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O, "W_1": W_1, "W_2": W_2}
        state = {name: small(name, value) for name, value in given.items()}
        n, d_model = state["X"].shape
        rows = {"b_1": (b_1, 0.0, state["W_1"].shape[1]), "b_2": (b_2, 0.0, d_model)}
        rows |= {name: (None, value, d_model) for name, value in _NORMS.items()}
        for name, (row, value, columns) in rows.items():
            state[name] = small(name, np.full((1, columns), value) if row is None else np.atleast_2d(row))
        self.set_trait("words", labels_or_numbers("words", words, n, "w"))
        self.set_trait("key_words", self.words)
        if features is not None:
            self.set_trait("features", labels_or_numbers("features", features, d_model, "x"))
        switches = vars(Parts()) | {"mask": mask, "positions": "none"}
        self._begin({name: state[name] for name in self.inputs} | self._settings(switches))

    @classmethod
    def from_example(cls) -> "WholeBlock":
        """The three words and two heads of :meth:`MultiHead.from_example`, and a feed-forward part with d_ff = 6."""
        return cls(**MULTI_HEAD.inputs, **FEED_FORWARD, words=pick(MULTI_HEAD.words),
                   features=pick(MULTI_HEAD.features))

    @classmethod
    def around(cls, attention: MultiHead | Experiment, W_1=None, W_2=None, *, b_1=None, b_2=None) -> "WholeBlock":
        """A block around an attention as it stands: its words, its matrices as moved, its mask.

        W_1 (d_model, d_ff) and W_2 (d_ff, d_model); where neither is given, those of :meth:`from_example`, which need
        d_model = 4. An Experiment has one head, and W_O is 1 on its diagonal. Raises ValueError for what does not fit.
        """
        if not isinstance(attention, MultiHead) and not (isinstance(attention, Experiment) and "X" in attention.inputs):
            raise wrong("around", glimpse(attention), say("error.needs_projected"))
        several = isinstance(attention, MultiHead)
        given = {name: attention[name] for name in ("X", "W_Q", "W_K", "W_V")}
        given["W_O"] = attention["W_O"] if several else np.eye(given["W_V"].shape[1], given["X"].shape[1])
        if W_1 is None and W_2 is None:
            given |= FEED_FORWARD
        else:
            given |= {"W_1": W_1, "W_2": W_2, "b_1": b_1, "b_2": b_2}
        return cls(**given, heads=attention.heads if several else 1, words=attention.words,
                   features=attention.features, mask=attention.mask)

    @property
    def parts(self) -> Parts:
        return Parts(**{name: self._state[name] for name in SWITCHES})

    @property
    def weights(self) -> BlockWeights:
        """What the block would have learned, for :func:`transformer_block`."""
        return _weights(self._state)

    def stacked(self, blocks: int, **switches) -> list[np.ndarray]:
        """What goes in, and what leaves each of ``blocks`` blocks, one after the other, (n, d_model) each.

        All have the same weights. switches: parts set otherwise than they stand here. Raises ValueError for a number
        below 0, for a switch there is not, and where numbers grow too large.
        """
        for name in switches:
            if name not in SWITCHES:
                raise one_of("stacked", name, SWITCHES)
        parts, found = replace(self.parts, **switches), [self["placed"]]
        for _ in range(whole("blocks", blocks, 0)):
            found.append(transformer_block(found[-1], self.weights, self.heads, self.mask, parts=parts).output)
        return found

    def head_of(self, name: str) -> int | None:
        """The number of the head a matrix of weights belongs to, from 1; None for every other matrix."""
        return self._weights_of[name] + 1 if name in self._weights_of else None

    def kind(self, name):
        return "weights" if self.head_of(name) else name

    def title(self, name):
        if head := self.head_of(name):
            return say("heads.of", name=say("name.weights"), head=head)
        return say(f"block.name.{name}") if name in ("placed", "output") else say(f"name.{name}")

    def formula(self, name):
        if name in self.inputs:
            return ""
        if head := self.head_of(name):
            return softmax(f"scaled_{head}", hides=self.hidden(name) is not None)
        first, second, middle, read = map(self.source, ("norm_1", "norm_2", "middle", "read"))
        return {
            "placed": "X + PE" if self.positions == "sinusoidal" else "X",
            "merged": f"[{', '.join(f'weights_{h + 1} V_{h + 1}' for h in range(self.heads))}]",
            "attended": "merged W_O" if self.attention else "0",
            "added_1": f"{self.entrance} + attended" if self.residual_1 else "attended",
            "normed_1": f"norm({first})" if self.norm_1 else first,
            "hidden": f"ReLU({read} W_1 + b_1)",
            "fed": "hidden W_2 + b_2" if self.feed_forward else "0",
            "added_2": f"{middle} + fed" if self.residual_2 else "fed",
            "normed_2": f"norm({second})" if self.norm_2 else second,
            "output": self.source("output"),
        }[name]

    @property
    def entrance(self) -> str:
        """The matrix that goes in: X, or placed where positions are added."""
        return "X" if self.positions == "none" else "placed"

    def source(self, role: str) -> str:
        """The matrix that attention hears ("heard"), that leaves the first half ("middle"), that the feed-forward part
        reads ("read"), that a norm is of ("norm_1", "norm_2"), or that is the "output", as the norms stand."""
        pre = {"heard": "normed_1", "norm_1": self.entrance, "middle": "added_1", "read": "normed_2",
               "norm_2": "added_1", "output": "added_2"}
        post = {"heard": self.entrance, "norm_1": "added_1", "middle": "normed_1", "read": "normed_1",
                "norm_2": "added_2", "output": "normed_2"}
        return (pre if self.norm_first else post)[role]

    def labels(self, name):
        columns = self[name].shape[1]
        x = self.features or numbered("x", self["X"].shape[1])
        if self.head_of(name):
            return self.words, self.words
        letter = {"W_Q": "q", "W_K": "k", "W_V": "v", "W_1": "h", "b_1": "h", "merged": "o", "hidden": "h"}.get(name)
        along = numbered(letter, columns) if letter else x
        if name not in self.inputs or name == "X":
            return self.words, along
        if name in ("W_O", "W_2"):
            return numbered("o" if name == "W_O" else "h", len(self[name])), along
        return (x if name.startswith("W") else (name,)), along

    def hidden(self, name):
        hides = self.head_of(name) and self.mask is not None and not self.mask.all()
        return ~self.mask if hides else None

    def _settings(self, given):
        n = len(self.words)
        for name in SWITCHES:
            if name in given and not isinstance(given[name], bool | np.bool_):
                raise one_of(name, given[name], (True, False))
        if "positions" in given and given["positions"] not in POSITIONS:
            raise one_of("positions", given["positions"], POSITIONS)
        if given.get("mask") is not None:
            given["mask"] = frozen(keep_mask(given["mask"], (n, n)).copy())
        return {name: bool(value) if name in SWITCHES else value for name, value in given.items()}

    def _compute(self, *, mask, positions, **state):
        placed = state["X"]
        if positions == "sinusoidal":
            placed = placed + sinusoidal_positions(*placed.shape)
        parts = Parts(**{name: state[name] for name in SWITCHES})
        s = transformer_block(placed, _weights(state), self.heads, mask, parts=parts)
        attend = s.heads.heads
        found = {"placed": placed, "merged": s.heads.merged} | {name: getattr(s, name) for name in STAGES}
        found |= {name: attend.weights[h] for name, h in self._weights_of.items()}
        found |= {"scaled": attend.scaled, "V": attend.V}
        return {name: frozen(array.copy()) for name, array in found.items()}


def _weights(state):
    rows = {name: state[name][0] for name in ("b_1", "b_2", *_NORMS)}
    return BlockWeights(**{name: state[name] for name in WholeBlock.inputs if name not in rows and name != "X"}, **rows)
