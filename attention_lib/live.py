"""Inputs that can be changed, and steps that follow from them: what every experiment has in common."""

from functools import partial

import numpy as np
from traitlets import Any, HasTraits, TraitType, Tuple

from .digits import clean
from .language import say
from .validate import entry, glimpse, matrix, one_of, shape_of, whole, wrong

MOST_WORDS, MOST_WIDTH = 12, 8
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Input(TraitType):
    """An input; assigning to it goes through :meth:`Live.set`, as every change does."""

    def get(self, obj, cls=None):
        return obj._state.get(self.name, getattr(obj.steps, self.name, None))

    def set(self, obj, value):
        obj.set(**{self.name: value})


class Cell(TraitType):
    """A cell (matrix, row, column)."""

    def validate(self, obj, value):
        if not isinstance(value, tuple | list) or len(value) != 3:
            raise wrong(self.name, glimpse(value), say("error.needs_focus"))
        return (value[0], *obj.cell(*value))


class Live(HasTraits):
    """``steps`` is derived from the inputs once for each change.

    Arrays are read-only; assign a whole new one, or use :meth:`set` for several at once: observers of ``steps`` then
    hear of it once, when every input is new. A change that is refused (ValueError) changes nothing.

    inputs: names of the matrices that can be changed. focus: None, or the cell (matrix, row, column) whose arithmetic
    is shown, counted from 0. Subclasses give :meth:`_compute`, :meth:`_settings` and :meth:`labels`.
    """

    steps = Any(read_only=True)
    words = Tuple(read_only=True)
    key_words = Tuple(read_only=True)
    focus = Cell(None, allow_none=True)
    inputs: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()  # names of steps
    _never_inputs: tuple[str, ...] = ()  # refused with the word that they are computed here

    def _begin(self, state: dict) -> None:
        """The state that :meth:`reset` goes back to."""
        self._state = {}
        self._commit(state)
        self._first = dict(self._state)

    def _compute(self, **state):
        """The steps, by name: a pure function of inputs and settings."""
        raise NotImplementedError

    def _settings(self, given: dict) -> dict:
        """What is set besides matrices, checked; ValueError where it does not fit."""
        return given

    def __repr__(self):
        shapes = (f"{name} {'×'.join(map(str, self._state[name].shape))}" for name in self.inputs)
        return f"{type(self).__name__}({', '.join(shapes)})"

    def __getitem__(self, name: str) -> np.ndarray:
        """Any input or step by name, read-only."""
        if name in self.inputs:
            return self._state[name]
        if name in self.derived:
            return self.steps[name]
        raise one_of(type(self).__name__, name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """All matrices in the order of the computation."""
        return self.inputs + tuple(name for name in self.derived if name not in self.inputs)

    def set(self, **changes) -> None:
        """Change several inputs at once: checked together, computed once, told once."""
        self._refuse_unknown(changes)
        new = self._settings({name: changes.pop(name) for name in tuple(changes) if name not in self.inputs})
        for name, value in changes.items():
            new[name] = small(name, value)
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
        """Row and column labels of a matrix."""
        raise NotImplementedError

    def kind(self, name: str) -> str:
        """Which matrix of attention this is one of: the weights of every head are "weights"."""
        return name

    def title(self, name: str) -> str:
        """What a matrix is called, in words."""
        return say(f"name.{self.kind(name)}")

    def formula(self, name: str) -> str:
        """How a matrix is computed; empty for an input."""
        return "" if name in self.inputs else say(f"formula.{self.kind(name)}")

    def hidden(self, name: str) -> np.ndarray | None:
        """Booleans, True where a mask hides the pair; None where nothing of the matrix is hidden."""
        return None

    def _refuse_unknown(self, names):
        for name in names:
            if name in self._never_inputs and name not in self.inputs:
                raise wrong(name, say("error.derived"), say("error.needs_input_of", names=", ".join(self.inputs)))
            if name not in tuple(self._state):
                raise one_of(type(self).__name__, name, self._state)

    def _commit(self, new):
        steps = self._compute(**new)
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


def small(name: str, value) -> np.ndarray:
    """``value`` as a matrix that fits on a page, read-only, its entries without the dust of binary addition."""
    array = matrix(name, value)
    if array.ndim != 2:
        raise wrong(name, shape_of(array), say("error.needs_rows_columns"))
    rows = MOST_WIDTH if name.startswith("W") else MOST_WORDS
    if array.shape[0] > rows or array.shape[1] > MOST_WIDTH:
        raise wrong(name, shape_of(array), say("error.needs_small", rows=rows, columns=MOST_WIDTH))
    return frozen(np.vectorize(clean, otypes=[np.float64])(array))


def numbered(letter: str, n: int, first: int = 1) -> tuple[str, ...]:
    """q₁ q₂ …"""
    return tuple(letter + str(i + first).translate(_SUBSCRIPTS) for i in range(n))


def labels_or_numbers(name: str, given, n: int, letter: str) -> tuple[str, ...]:
    """``given`` as n labels, or numbers where none are given."""
    if given is None:
        return numbered(letter, n)
    if not np.iterable(given):
        raise wrong(name, glimpse(given), say("error.needs_labels", n=n))
    labels = tuple(map(str, given))
    if len(labels) != n:
        raise wrong(name, say("error.words", n=len(labels)), say("error.needs_labels", n=n))
    return labels


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _same(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a is b or (type(a) is type(b) and not isinstance(a, np.ndarray) and a == b)
