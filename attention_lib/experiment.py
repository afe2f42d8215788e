"""One experiment: inputs that can be changed, and the steps that follow from them."""

import numpy as np
from traitlets import Any, Instance

from . import formulas
from .examples import EXAMPLES
from .faults import FAULTS, broken_attention, pairs_kept
from .language import pick, say
from .live import MOST_WIDTH, MOST_WORDS, Input, Live, frozen, labels_or_numbers, numbered, small
from .maths import STEPS, Steps, attention, self_attention
from .sentence import split_words
from .validate import glimpse, keep_mask, one_of, scale_factor, whole, wrong

PROJECTED = ("X", "W_Q", "W_K", "W_V")
DIRECT = ("Q", "K", "V")


class Experiment(Live):
    """Inputs as traits; ``steps`` is derived from them once for each change, see :class:`Live`.

    Either X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), or Q, K and V themselves.
    n is at most 12, every width at most 8; entries are rounded to 12 decimals.

    mask: None or (n_q, n_k) booleans, True = may be looked at. scale: as in :func:`attention`.
    fault: None, or one of FAULTS to break the computation on purpose.
    """

    X, W_Q, W_K, W_V = Input(), Input(), Input(), Input()
    Q, K, V = Input(), Input(), Input()
    mask, scale, fault = Input(), Input(), Input()
    steps = Instance(Steps, read_only=True)
    features = Any(read_only=True)
    derived = STEPS
    _never_inputs = PROJECTED + DIRECT

    def __init__(self, X=None, W_Q=None, W_K=None, W_V=None, *, Q=None, K=None, V=None,
                 words=None, features=None, mask=None, scale=True, fault=None):
        super().__init__()
        given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V}
        given = {name: value for name, value in given.items() if value is not None}
        self.inputs = tuple(given)
        if self.inputs not in (PROJECTED, DIRECT):
            raise wrong("Experiment", ", ".join(given) or say("error.nothing"), say("error.needs_inputs"))
        state = {name: small(name, value) for name, value in given.items()}
        n_q, n_k = (len(state["X"]),) * 2 if "X" in state else (len(state["Q"]), len(state["K"]))
        self.set_trait("words", labels_or_numbers("words", words, n_q, "w"))
        self.set_trait("key_words", self.words if n_q == n_k else numbered("k", n_k))
        if features is not None:
            if "X" not in state:
                raise wrong("features", glimpse(features), say("error.needs_x"))
            self.set_trait("features", labels_or_numbers("features", features, state["X"].shape[1], "x"))
        self._begin(state | self._settings({"mask": mask, "scale": scale, "fault": fault}))

    @classmethod
    def from_example(cls, name: str) -> "Experiment":
        """The experiment of EXAMPLES by that name, with the words of the chosen language."""
        if name not in tuple(EXAMPLES):
            raise one_of("from_example", name, EXAMPLES)
        example = EXAMPLES[name]
        features = example.features and pick(example.features)
        return cls(**example.inputs, words=pick(example.words), features=features)

    @classmethod
    def from_sentence(cls, text: str, width: int = 2, seed: int = 0) -> "Experiment":
        """Your own words: each gets a random vector, the projections are random too, all from ``seed``.

        text: words by spaces; Chinese without spaces is split into characters; 1 to 12 words.
        width: 1 to 8 columns. Entries have one decimal and lie in −1…1. The same word has the same vector,
        in every sentence of that width and seed: 我爱你 and 你爱我 have the same rows in another order.
        """
        if not isinstance(text, str):
            raise wrong("text", glimpse(text), say("error.needs_text"))
        words = split_words(text)
        if not 1 <= len(words) <= MOST_WORDS:
            raise wrong("words", say("error.words", n=len(words)), say("error.needs_words", most=MOST_WORDS))
        width, seed = whole("width", width, 1, MOST_WIDTH), whole("seed", seed, 0)
        X = np.vstack([_random((1, width), seed, *word.casefold().encode()) for word in words])
        return cls(X, *_random((3, width, width), seed), words=words)

    def labels(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Row and column labels of a matrix: words, features, or q₁ q₂ …"""
        columns = self[name].shape[1]
        if name in ("scores", "scaled", "weights"):
            return self.words, self.key_words
        row_words = self.key_words if name in ("K", "V") else self.words
        if name in ("X", "W_Q", "W_K", "W_V"):
            x = self.features or numbered("x", self["X"].shape[1])
            return (self.words, x) if name == "X" else (x, numbered(name[-1].lower(), columns))
        return row_words, numbered("v" if name == "output" else name.lower(), columns)

    def formula(self, name):
        """How a matrix is computed, as it is in force; empty for an input."""
        if name == "scaled":
            return formulas.scaled("scores", formulas.scale_of(self), self["K"].shape[1])
        if name == "weights":
            return formulas.weights(self)
        if name == "output":
            return formulas.output(self, "weights")
        broken = {("K", "W_K is W_Q"): "X W_Q", ("V", "V is K"): "K"} if "X" in self.inputs else {}
        return broken.get((name, self.fault)) or super().formula(name)

    def hidden(self, name: str) -> np.ndarray | None:
        """Pairs that the mask hides, in scaled, where it is about to, and in weights; None where it hides none."""
        if name not in ("scaled", "weights"):
            return None
        kept = pairs_kept(self.fault, self.mask, self[name].shape)
        return None if kept.all() else ~kept

    def _settings(self, given):
        if given.get("mask") is not None:
            given["mask"] = frozen(keep_mask(given["mask"], (len(self.words), len(self.key_words))).copy())
        if "scale" in given:
            number = scale_factor(given["scale"], 1)
            given["scale"] = bool(given["scale"]) if isinstance(given["scale"], bool | np.bool_) else number
        fault, faults = given.get("fault"), [f for f in FAULTS if f != "W_K is W_Q" or "X" in self.inputs]
        if fault is not None and not (isinstance(fault, str) and fault in faults):
            raise one_of("fault", fault, [None, *faults])
        return given

    def _compute(self, **state):
        return compute(**state)


def compute(mask=None, scale=True, fault=None, **inputs) -> Steps:
    """inputs (X, W_Q, W_K, W_V or Q, K, V) ──► steps: the one pure function behind every view."""
    if fault == "W_K is W_Q":
        inputs["W_K"] = inputs["W_Q"]
    steps = (self_attention if "X" in inputs else attention)(**inputs, mask=mask, scale=scale)
    return broken_attention(fault, steps.Q, steps.K, steps.V, mask, scale) if fault else steps


def _random(shape, *seed):
    return np.random.default_rng(seed).integers(-10, 11, shape) / 10
