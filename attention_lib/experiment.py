"""One experiment: inputs that can be changed, and the steps that follow from them."""

import numpy as np
from traitlets import Any, HasTraits, Instance, TraitType, Tuple

from .digits import clean
from .examples import EXAMPLES
from .faults import FAULTS, broken_attention
from .language import pick, say
from .maths import Steps, attention, times
from .sentence import split_words
from .validate import keep_mask, matrix, scale_factor, whole, wrong

PROJECTED = ("X", "W_Q", "W_K", "W_V")
DIRECT = ("Q", "K", "V")
STEPS = ("Q", "K", "V", "scores", "scaled", "weights", "output")
MOST_WORDS, MOST_WIDTH = 12, 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class _Input(TraitType):
    """An input; assigning to it goes through :meth:`Experiment.set`, as every change does."""

    def set(self, obj, value):
        obj.set(**{self.name: value})


class Experiment(HasTraits):
    """Inputs as traits; ``steps`` is derived from them once for each change.

    Either X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), or Q, K and V themselves.
    n is at most 12, every width at most 8. Arrays are read-only; assign a whole new one, or use
    :meth:`set` for several at once: observers of ``steps`` then hear of it once.
    A change that is refused (ValueError) changes nothing.

    mask: None or (n_q, n_k) booleans, True = may be looked at. scale: as in :func:`attention`.
    fault: None, or one of FAULTS to break the computation on purpose.
    focus: None, or the cell (matrix, row, column) whose arithmetic is shown.
    """

    X, W_Q, W_K, W_V = _Input(), _Input(), _Input(), _Input()
    Q, K, V = _Input(), _Input(), _Input()
    mask, scale, fault = _Input(), _Input(), _Input()
    steps = Instance(Steps)
    words = Tuple(read_only=True)
    key_words = Tuple(read_only=True)
    features = Any(read_only=True)
    focus = Any(None, allow_none=True)

    def __init__(self, X=None, W_Q=None, W_K=None, W_V=None, *, Q=None, K=None, V=None,
                 words=None, features=None, mask=None, scale=True, fault=None):
        super().__init__()
        given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V}
        given = {name: value for name, value in given.items() if value is not None}
        self.inputs = tuple(given)
        if self.inputs not in (PROJECTED, DIRECT):
            raise wrong("Experiment", ", ".join(given) or say("error.kind_other"), say("error.needs_inputs"))
        self._state = {}
        state = {name: _small(name, value) for name, value in given.items()}
        n_q, n_k = (len(state["X"]),) * 2 if "X" in state else (len(state["Q"]), len(state["K"]))
        self.set_trait("words", _labels(words, n_q, "w"))
        self.set_trait("key_words", self.words if n_q == n_k else _labels(None, n_k, "k"))
        self.set_trait("features", None if features is None else _labels(features, state["X"].shape[1], "x"))
        self._commit(state | self._settings({"mask": mask, "scale": scale, "fault": fault}, n_q, n_k))
        self._first = dict(self._state)

    @classmethod
    def from_example(cls, name: str) -> "Experiment":
        """The experiment of EXAMPLES by that name, with the words of the chosen language."""
        if name not in EXAMPLES:
            raise wrong("from_example", repr(name), ", ".join(map(repr, EXAMPLES)))
        example = EXAMPLES[name]
        features = example.features and pick(example.features)
        return cls(**example.inputs, words=pick(example.words), features=features)

    @classmethod
    def from_sentence(cls, text: str, width: int = 2, seed: int = 0) -> "Experiment":
        """Your own words: each gets a random vector, the projections are random too, all from ``seed``.

        text: words by spaces; Chinese without spaces is split into characters; 1 to 12 words.
        width: 1 to 8 columns. Entries are rounded to one decimal and lie in −1…1.
        """
        words = split_words(text)
        if not 1 <= len(words) <= MOST_WORDS:
            raise wrong("from_sentence", say("error.words", n=len(words)), say("error.needs_words", most=MOST_WORDS))
        width = whole("width", width, 1, MOST_WIDTH)
        random = np.random.default_rng(whole("seed", seed, 0))
        shapes = {"X": (len(words), width), "W_Q": (width, width), "W_K": (width, width), "W_V": (width, width)}
        return cls(**{name: random.integers(-10, 11, shape) / 10 for name, shape in shapes.items()}, words=words)

    def __getitem__(self, name: str) -> np.ndarray:
        """Any input or step by name, read-only."""
        if name in self.inputs:
            return self._state[name]
        if name in STEPS:
            return self.steps[name]
        raise wrong("Experiment", repr(name), ", ".join(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """All matrices in the order of the computation."""
        return self.inputs + tuple(name for name in STEPS if name not in self.inputs)

    def set(self, **changes) -> None:
        """Change several inputs at once: checked together, computed once, told once."""
        for name in changes:
            if name in PROJECTED + DIRECT and name not in self.inputs:
                raise wrong(name, say("error.derived"), say("error.needs_input_of", names=", ".join(self.inputs)))
            if name not in self._state:
                raise wrong("Experiment", repr(name), ", ".join(self._state))
        settings = {name: changes.pop(name) for name in ("mask", "scale", "fault") if name in changes}
        new = self._settings(settings, len(self.words), len(self.key_words))
        for name, value in changes.items():
            new[name] = _small(name, value)
            if new[name].shape != self._state[name].shape:
                raise wrong(name, say("error.shape", shape=new[name].shape),
                            say("error.needs_same_shape", shape=self._state[name].shape))
        self._commit(self._state | new)

    def set_entry(self, name: str, row: int, column: int, value: float) -> None:
        """Change one entry of one input."""
        changed = self[name].copy()
        changed[row, column] = value
        self.set(**{name: changed})

    def reset(self, *names: str) -> None:
        """Back to how it began: the inputs named, or everything; computed once, told once."""
        self.set(**{name: self._first[name] for name in names or self._first})

    def labels(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Row and column labels of a matrix: words, features, or q₁ q₂ …"""
        rows, columns = self[name].shape
        if name in ("scores", "scaled", "weights"):
            return self.words, self.key_words
        row_words = self.key_words if name in ("K", "V") else self.words
        if name in ("X", "W_Q", "W_K", "W_V"):
            x = self.features or _labels(None, self._state["X"].shape[1], "x")
            return (self.words, x) if name == "X" else (x, _labels(None, columns, name[-1].lower()))
        return row_words, _labels(None, columns, {"output": "v"}.get(name, name.lower()))

    def _settings(self, given, n_q, n_k):
        if given.get("mask") is not None:
            given["mask"] = _frozen(keep_mask(given["mask"], (n_q, n_k)).copy())
        if "scale" in given:
            scale_factor(given["scale"], 1)
        fault = given.get("fault")
        if fault is not None and (fault not in FAULTS or (fault == "W_K is W_Q" and "X" not in self.inputs)):
            raise wrong("fault", repr(fault), ", ".join(map(repr, (None, *FAULTS))))
        return given

    def _commit(self, new):
        steps = compute(**new)
        old, self._state = self._state, new
        changed = [name for name in new if name not in old or not _same(old[name], new[name])]
        for name in changed:
            self._trait_values[name] = new[name]
        if changed:
            self.steps = steps
        for name in changed:
            self._notify_trait(name, old.get(name), new[name])


def compute(mask=None, scale=True, fault=None, **inputs) -> Steps:
    """inputs (X, W_Q, W_K, W_V or Q, K, V) ──► steps: the one pure function behind every view."""
    if "X" in inputs:
        X, W_Q, W_K, W_V = (inputs[name] for name in PROJECTED)
        if fault == "W_K is W_Q":
            W_K = W_Q
        for name, W in {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}.items():
            if len(W) != X.shape[1]:
                raise wrong(name, say("error.shape", shape=W.shape),
                            say("error.needs_rows_as_columns", other="X", shape=X.shape))
        inputs = {"Q": times("Q", X, W_Q), "K": times("K", X, W_K), "V": times("V", X, W_V)}
    if fault:
        return broken_attention(fault, **inputs, mask=mask, scale=scale)
    return attention(**inputs, mask=mask, scale=scale)


def _small(name, value):
    array = matrix(name, value)
    if array.ndim != 2:
        raise wrong(name, say("error.shape", shape=array.shape), say("error.needs_rows_columns"))
    rows = MOST_WIDTH if name.startswith("W") else MOST_WORDS
    if array.shape[0] > rows or array.shape[1] > MOST_WIDTH:
        raise wrong(name, say("error.shape", shape=array.shape), say("error.needs_small", rows=rows, columns=MOST_WIDTH))
    return _frozen(np.vectorize(clean, otypes=[np.float64])(array))


def _labels(given, n, letter):
    if given is None:
        return tuple(letter + str(i + 1).translate(_SUBSCRIPTS) for i in range(n))
    labels = tuple(map(str, given))
    if len(labels) != n:
        raise wrong("words", say("error.words", n=len(labels)), say("error.needs_n_words", n=n))
    return labels


def _frozen(array):
    array.flags.writeable = False
    return array


def _same(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a is b or (type(a) is type(b) and not isinstance(a, np.ndarray) and a == b)
