"""One experiment: inputs that can be changed, and the steps that follow from them."""

from functools import partial

import numpy as np
from traitlets import Any, HasTraits, Instance, TraitType, Tuple

from .digits import clean
from .examples import EXAMPLES
from .faults import FAULTS, broken_attention
from .language import pick, say
from .maths import STEPS, Steps, attention, self_attention
from .sentence import split_words
from .validate import entry, glimpse, keep_mask, matrix, one_of, scale_factor, shape_of, whole, wrong

PROJECTED = ("X", "W_Q", "W_K", "W_V")
DIRECT = ("Q", "K", "V")
MOST_WORDS, MOST_WIDTH = 12, 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class _Input(TraitType):
    """An input; assigning to it goes through :meth:`Experiment.set`, as every change does."""

    def get(self, obj, cls=None):
        return obj._state.get(self.name, getattr(obj.steps, self.name, None))

    def set(self, obj, value):
        obj.set(**{self.name: value})


class _Cell(TraitType):
    """A cell (matrix, row, column) of the experiment."""

    def validate(self, obj, value):
        if not isinstance(value, tuple | list) or len(value) != 3:
            raise wrong(self.name, glimpse(value), say("error.needs_focus"))
        return (value[0], *obj.cell(*value))


class Experiment(HasTraits):
    """Inputs as traits; ``steps`` is derived from them once for each change.

    Either X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), or Q, K and V themselves.
    n is at most 12, every width at most 8; entries are rounded to 12 decimals. Arrays are read-only; assign a
    whole new one, or use :meth:`set` for several at once: observers of ``steps`` then hear of it once, when every
    input is new. A change that is refused (ValueError) changes nothing.

    mask: None or (n_q, n_k) booleans, True = may be looked at. scale: as in :func:`attention`.
    fault: None, or one of FAULTS to break the computation on purpose.
    focus: None, or the cell (matrix, row, column) whose arithmetic is shown, counted from 0.
    """

    X, W_Q, W_K, W_V = _Input(), _Input(), _Input(), _Input()
    Q, K, V = _Input(), _Input(), _Input()
    mask, scale, fault = _Input(), _Input(), _Input()
    steps = Instance(Steps, read_only=True)
    words = Tuple(read_only=True)
    key_words = Tuple(read_only=True)
    features = Any(read_only=True)
    focus = _Cell(None, allow_none=True)

    def __init__(self, X=None, W_Q=None, W_K=None, W_V=None, *, Q=None, K=None, V=None,
                 words=None, features=None, mask=None, scale=True, fault=None):
        super().__init__()
        given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V}
        given = {name: value for name, value in given.items() if value is not None}
        self.inputs = tuple(given)
        if self.inputs not in (PROJECTED, DIRECT):
            raise wrong("Experiment", ", ".join(given) or say("error.nothing"), say("error.needs_inputs"))
        self._state = {}
        state = {name: _small(name, value) for name, value in given.items()}
        n_q, n_k = (len(state["X"]),) * 2 if "X" in state else (len(state["Q"]), len(state["K"]))
        self.set_trait("words", _labels("words", words, n_q, "w"))
        self.set_trait("key_words", self.words if n_q == n_k else _numbered("k", n_k))
        if features is not None:
            if "X" not in state:
                raise wrong("features", glimpse(features), say("error.needs_x"))
            self.set_trait("features", _labels("features", features, state["X"].shape[1], "x"))
        self._commit(state | self._settings({"mask": mask, "scale": scale, "fault": fault}, n_q, n_k))
        self._first = dict(self._state)

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

    def __repr__(self):
        shapes = (f"{name} {'×'.join(map(str, self._state[name].shape))}" for name in self.inputs)
        return f"Experiment({', '.join(shapes)})"

    def __getitem__(self, name: str) -> np.ndarray:
        """Any input or step by name, read-only."""
        if name in self.inputs:
            return self._state[name]
        if name in STEPS:
            return self.steps[name]
        raise one_of("Experiment", name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """All matrices in the order of the computation."""
        return self.inputs + tuple(name for name in STEPS if name not in self.inputs)

    def set(self, **changes) -> None:
        """Change several inputs at once: checked together, computed once, told once."""
        self._refuse_unknown(changes)
        settings = {name: changes.pop(name) for name in ("mask", "scale", "fault") if name in changes}
        new = self._settings(settings, len(self.words), len(self.key_words))
        for name, value in changes.items():
            new[name] = _small(name, value)
            if new[name].shape != self._state[name].shape:
                raise wrong(name, shape_of(new[name]), say("error.needs_same_shape", shape=self._state[name].shape))
        self._commit(self._state | new)

    def set_entry(self, name: str, row: int, column: int, value: float) -> None:
        """Change one entry of one input, row and column counted from 0."""
        changed = self[name].copy()
        changed[self.cell(name, row, column)] = entry(name, value)
        self.set(**{name: changed})

    def reset(self, *names: str) -> None:
        """Back to how it began: the inputs named, or everything; computed once, told once."""
        self._refuse_unknown(names)
        self.set(**{name: self._first[name] for name in names or self._first})

    def cell(self, name: str, row: int, column: int) -> tuple[int, int]:
        """row and column of a matrix, counted from 0; ValueError where there is no such cell."""
        rows, columns = self[name].shape
        return whole("row", row, 0, rows - 1), whole("column", column, 0, columns - 1)

    def labels(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Row and column labels of a matrix: words, features, or q₁ q₂ …"""
        columns = self[name].shape[1]
        if name in ("scores", "scaled", "weights"):
            return self.words, self.key_words
        row_words = self.key_words if name in ("K", "V") else self.words
        if name in ("X", "W_Q", "W_K", "W_V"):
            x = self.features or _numbered("x", self["X"].shape[1])
            return (self.words, x) if name == "X" else (x, _numbered(name[-1].lower(), columns))
        return row_words, _numbered("v" if name == "output" else name.lower(), columns)

    def _refuse_unknown(self, names):
        for name in names:
            if name in PROJECTED + DIRECT and name not in self.inputs:
                raise wrong(name, say("error.derived"), say("error.needs_input_of", names=", ".join(self.inputs)))
            if name not in tuple(self._state):
                raise one_of("Experiment", name, self._state)

    def _settings(self, given, n_q, n_k):
        if given.get("mask") is not None:
            given["mask"] = _frozen(keep_mask(given["mask"], (n_q, n_k)).copy())
        if "scale" in given:
            number = scale_factor(given["scale"], 1)
            given["scale"] = bool(given["scale"]) if isinstance(given["scale"], bool | np.bool_) else number
        fault, faults = given.get("fault"), [f for f in FAULTS if f != "W_K is W_Q" or "X" in self.inputs]
        if fault is not None and not (isinstance(fault, str) and fault in faults):
            raise one_of("fault", fault, [None, *faults])
        return given

    def _commit(self, new):
        steps = compute(**new)
        old, self._state = self._state, new
        changed = [name for name in new if name not in old or not _same(old[name], new[name])]
        if changed:
            self._tell_all(
                lambda: self.set_trait("steps", steps),
                *(partial(self._notify_trait, name, old.get(name), new[name]) for name in changed),
            )

    @staticmethod
    def _tell_all(*news):
        failures = []
        for tell in news:
            try:
                tell()
            except Exception as failure:
                failures.append(failure)
        if failures:
            raise failures[0]


def compute(mask=None, scale=True, fault=None, **inputs) -> Steps:
    """inputs (X, W_Q, W_K, W_V or Q, K, V) ──► steps: the one pure function behind every view."""
    if fault == "W_K is W_Q":
        inputs["W_K"] = inputs["W_Q"]
    steps = (self_attention if "X" in inputs else attention)(**inputs, mask=mask, scale=scale)
    return broken_attention(fault, steps.Q, steps.K, steps.V, mask, scale) if fault else steps


def _small(name, value):
    array = matrix(name, value)
    if array.ndim != 2:
        raise wrong(name, shape_of(array), say("error.needs_rows_columns"))
    rows = MOST_WIDTH if name.startswith("W") else MOST_WORDS
    if array.shape[0] > rows or array.shape[1] > MOST_WIDTH:
        raise wrong(name, shape_of(array), say("error.needs_small", rows=rows, columns=MOST_WIDTH))
    return _frozen(np.vectorize(clean, otypes=[np.float64])(array))


def _numbered(letter, n):
    return tuple(letter + str(i + 1).translate(_SUBSCRIPTS) for i in range(n))


def _labels(name, given, n, letter):
    if given is None:
        return _numbered(letter, n)
    if not np.iterable(given):
        raise wrong(name, glimpse(given), say("error.needs_labels", n=n))
    labels = tuple(map(str, given))
    if len(labels) != n:
        raise wrong(name, say("error.words", n=len(labels)), say("error.needs_labels", n=n))
    return labels


def _random(shape, *seed):
    return np.random.default_rng(seed).integers(-10, 11, shape) / 10


def _frozen(array):
    array.flags.writeable = False
    return array


def _same(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a is b or (type(a) is type(b) and not isinstance(a, np.ndarray) and a == b)
