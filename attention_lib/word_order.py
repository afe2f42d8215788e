"""The same words in any order, with and without a word about where each of them stands."""

import numpy as np

from .experiment import Experiment
from .formulas import softmax
from .language import say
from .live import Input, Live, frozen, numbered
from .maths import attention, times
from .positions import rotary, sinusoidal_positions
from .validate import glimpse, keep_mask, one_of, shape_of, wrong

POSITIONS = ("none", "sinusoidal", "rotary")


class WordOrder(Live):
    """Self-attention over the words of an experiment, put into another order.

    Inputs X (n, d_model), a row for each word as it was written, W_Q, W_K, W_V. Then, by name: placed, X in the new
    order, with positions added where they are sinusoidal; Q and K, turned where positions are rotary; V, scores,
    scaled, weights, output; change, what each word gets now minus what it gets in the order it was written in.

    order: the words by their number in the sentence as it was written, from 0. positions: one of POSITIONS.
    mask: None or (n, n) booleans about places, not words. ``words`` are in the new order, ``written`` as written.
    """

    X, W_Q, W_K, W_V = Input(), Input(), Input(), Input()
    order, positions, mask = Input(), Input(), Input()
    inputs = ("X", "W_Q", "W_K", "W_V")
    derived = ("placed", "Q", "K", "V", "scores", "scaled", "weights", "output", "change")
    _never_inputs = derived

    def __init__(self, experiment: Experiment):
        super().__init__()
        if "X" not in experiment.inputs:
            raise wrong("Experiment", ", ".join(experiment.inputs), "X, W_Q, W_K, W_V")
        self.written, self.features = experiment.words, experiment.features
        self._begin({name: experiment[name] for name in self.inputs}
                    | {"order": tuple(range(len(self.written))), "positions": "none", "mask": experiment.mask})

    @property
    def words(self):
        return tuple(self.written[i] for i in self.order)

    key_words = words

    def labels(self, name):
        columns = self[name].shape[1]
        if name in ("scores", "scaled", "weights"):
            return self.words, self.words
        x = self.features or numbered("x", self["X"].shape[1])
        if name in ("X", "placed", "change"):
            return self.words if name == "placed" else self.written, numbered("v", columns) if name == "change" else x
        if name in self.inputs:
            return x, numbered(name[-1].lower(), columns)
        return self.words, numbered("v" if name == "output" else name.lower(), columns)

    def formula(self, name):
        if name == "placed":
            return say(f"formula.placed.{self.positions if self.positions == 'sinusoidal' else 'none'}")
        if name in ("Q", "K", "V"):
            plain = f"placed W_{name}"
            return say("formula.turned", formula=plain) if self.positions == "rotary" and name != "V" else plain
        if name == "weights":
            return softmax("scaled", hides=self.hidden(name) is not None)
        return super().formula(name)

    def hidden(self, name):
        hides = self.mask is not None and name in ("scaled", "weights") and not self.mask.all()
        return ~self.mask if hides else None

    def move(self, place: int, to: int) -> None:
        """Take the word at one place and put it at another; those between move up. Places are counted from 0."""
        order = list(self.order)
        if not (0 <= place < len(order) and 0 <= to < len(order)):
            raise wrong("order", f"{place} → {to}", say("error.needs_whole", least=0, most=len(order) - 1))
        order.insert(to, order.pop(place))
        self.order = order

    def turned(self, name: str) -> np.ndarray:
        """Q or K as it is before the rotation."""
        return self["placed"] @ self[f"W_{name}"]

    def _settings(self, given):
        n = len(self.written)
        if "order" in given:
            order = given["order"]
            whole_numbers = np.iterable(order) and all(isinstance(i, int | np.integer) for i in order)
            if not whole_numbers or sorted(order) != list(range(n)):
                raise wrong("order", glimpse(order), say("error.needs_order", last=n - 1))
            given["order"] = tuple(int(i) for i in order)
        if "positions" in given and given["positions"] not in POSITIONS:
            raise one_of("positions", given["positions"], POSITIONS)
        if given.get("mask") is not None:
            given["mask"] = frozen(keep_mask(given["mask"], (n, n)).copy())
        return given

    def _compute(self, *, order, **state):
        steps = _attend(order=order, **state)
        written = _attend(order=tuple(range(len(order))), **state)
        back = np.empty_like(steps["output"])
        back[list(order)] = steps["output"]
        steps["change"] = back - written["output"]
        return {name: frozen(array.copy()) for name, array in steps.items()}


def _attend(X, W_Q, W_K, W_V, order, positions, mask):
    if positions == "rotary" and W_K.shape[1] % 2:
        raise wrong("W_K", shape_of(W_K), say("error.needs_pairs"))
    placed = X[list(order)]
    if positions == "sinusoidal":
        placed = placed + sinusoidal_positions(*X.shape)
    Q, K, V = times("Q", placed, W_Q), times("K", placed, W_K), times("V", placed, W_V)
    if positions == "rotary":
        Q, K = rotary(Q), rotary(K)
    steps = attention(Q, K, V, mask=mask)
    return {"placed": placed} | {name: steps[name] for name in WordOrder.derived[1:-1]}
