"""Known mistakes: each one a rule put in the place of a right rule, so that the wrong steps can be worked out.

The steps and their formulas: Vaswani et al. 2017, section 3.2.1. Every rule is a pure function of the steps before it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np

from . import block_mistakes, head_mistakes, position_mistakes
from .experiment import STEPS
from .masks import mask_after_softmax
from .maths import softmax
from .validate import scale_factor


class Missing(LookupError):
    """A step that does not follow from what is given."""


class Sheet:
    """The steps, worked out when asked for, from any of them that are given. It reads like an Experiment.

    given: X, W_Q, …, Q, K, V, scores, scaled, weights, output, d_k, mask, scale by name.
    rules: formulas in the place of the right ones. source: the Experiment that words and labels are taken from.
    """

    def __init__(self, given: dict, rules: dict | None = None, source=None):
        self._given, self._rules, self._source, self._known = given, rules or {}, source, {}

    @classmethod
    def of(cls, e, **settings) -> "Sheet":
        """What an Experiment is given, without a fault on purpose; ``settings`` replace its mask and scale."""
        scale = bool(e.scale) if isinstance(e.scale, np.bool_) else e.scale
        given = {name: e[name] for name in e.inputs} | {"mask": e.mask, "scale": scale}
        return cls(given | settings, source=e)

    def but(self, rules: dict | None = None, **given) -> "Sheet":
        """The same with other rules, or with other things given."""
        return Sheet(self._given | given, self._rules | (rules or {}), self._source)

    def __getitem__(self, name: str):
        if name not in self._known:
            rule = self._rules.get(name)
            self._known[name] = rule(self) if rule else self.right(name)
        return self._known[name]

    def right(self, name: str):
        """The step by its right rule, from steps that may be wrong."""
        if name in self._given:
            return self._given[name]
        if name not in RULES:
            raise Missing(name)
        return RULES[name](self)

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "steps":
            return self
        if name in RULES or name in self._given:
            return self[name]
        return getattr(self._source, name)


RULES = {
    "Q": lambda s: s["X"] @ s["W_Q"],
    "K": lambda s: s["X"] @ s["W_K"],
    "V": lambda s: s["X"] @ s["W_V"],
    "scores": lambda s: s["Q"] @ s["K"].T,
    "scaled": lambda s: s["scores"] * scale_factor(s["scale"], s["d_k"] if s["scale"] is True else 0),
    "hidden": lambda s: s["scaled"] if s["mask"] is None else np.where(s["mask"], s["scaled"], -np.inf),
    "weights": lambda s: softmax(s["hidden"]),
    "output": lambda s: s["weights"] @ s["V"],
    "mask": lambda s: None,
    "scale": lambda s: True,
    "d_k": lambda s: s["K"].shape[1],
    "d_model": lambda s: s["X"].shape[1],
    "n": lambda s: s["scores"].shape[-1],
}


@dataclass(frozen=True)
class Mistake:
    """rules: in the place of the right ones. after: then done to the answer. instead: the step given in its place.

    values: fill the {placeholders} of its text.
    """

    name: str
    rules: dict[str, Callable] = field(default_factory=dict)
    after: Callable | None = None
    instead: str | None = None
    values: dict = field(default_factory=dict)

    def steps(self, sheet: Sheet) -> Sheet:
        """The wrong steps that follow from the same inputs."""
        return sheet.but(self.rules)

    def answer(self, sheet: Sheet, read: Callable[[Sheet], np.ndarray]) -> np.ndarray:
        """The wrong answer; LookupError or ValueError where the mistake cannot be made."""
        value = np.asarray((lambda s: s[self.instead])(sheet) if self.instead else read(self.steps(sheet)))
        return self.after(value) if self.after else value


def _divided_by(length: Callable[[Sheet], float]) -> dict:
    """Scores divided by something else, where it should have been √d_k."""
    return {"scaled": lambda s: s["scores"] / length(s) if s["scale"] is True else s.right("scaled")}


def _exp(x):
    with np.errstate(all="ignore"):
        return np.exp(x)


def _shared_out(powers, total):
    with np.errstate(all="ignore"):
        return powers / total


def _softmax_by_hand(less=None, total=None) -> dict:
    """exp, sum, divide, with a maximum taken away first or not, and sums that may be the wrong ones."""

    def weights(s):
        x = s["hidden"]
        powers = _exp(x - less(x) if less else x)
        return _shared_out(powers, total(powers)) if total else powers

    return {"weights": weights}


def _rows(of: Callable) -> Callable:
    return lambda x: of(x, axis=-1, keepdims=True)


def _rows_lying(of: Callable) -> Callable:
    """One number for each row, laid along a row: it is the columns that it meets."""
    return lambda x: of(x, axis=-1)


def _columns(x):
    return np.sum(x, axis=0)


def _no_exp(s):
    return _shared_out(s["scaled"], s["scaled"].sum(axis=-1, keepdims=True))


def _whole_matrix(s):
    return softmax(np.ravel(s["hidden"])).reshape(s["hidden"].shape)


def _other_mask_by_hand(s):
    """A row of only −inf gives NaN in plain numpy."""
    return s.right("weights") if s["mask"] is None else _softmax_by_hand(total=_rows(np.sum))["weights"](s)


def _masked_after(s):
    return softmax(s["scaled"]) if s["mask"] is None else mask_after_softmax(s["scaled"], s["mask"])


def _masked_with_zero(s):
    return s["scaled"] if s["mask"] is None else s["scaled"] * s["mask"]


def _other_mask(s):
    return None if s.right("mask") is None else ~np.asarray(s.right("mask"), dtype=bool)


def _transposed(*names: str) -> dict:
    return {name[-1]: lambda s, name=name: s["X"] @ s[name].T for name in names}


def _rounded(name: str, decimals: int) -> dict:
    return {name: lambda s: np.round(s.right(name), decimals)}


def _known():
    """From the simplest to the most roundabout: where two give the same numbers, the first names are told."""
    yield Mistake("forgot_scale", _divided_by(lambda s: 1.0))
    yield Mistake("divided_by_d_k", _divided_by(lambda s: s["d_k"]))
    yield Mistake("n_for_d_k", _divided_by(lambda s: np.sqrt(s["n"])))
    yield Mistake("d_model_for_d_k", _divided_by(lambda s: np.sqrt(s["d_model"])))
    yield Mistake("scaled_anyway", {"scale": lambda s: True})
    yield Mistake("columns", {"weights": lambda s: softmax(s["hidden"], axis=0)})
    yield Mistake("whole_matrix", {"weights": _whole_matrix})
    yield Mistake("columns", _softmax_by_hand(_rows(np.max), _columns))
    for less in (None, _rows(np.max), _rows_lying(np.max)):
        yield Mistake("sums_not_kept", _softmax_by_hand(less, _rows_lying(np.sum)))
    yield Mistake("sums_not_kept", _softmax_by_hand(_rows_lying(np.max), _rows(np.sum)))
    yield Mistake("not_shared_out", _softmax_by_hand())
    yield Mistake("not_shared_out", _softmax_by_hand(_rows(np.max)))
    yield Mistake("no_exp", {"weights": _no_exp})
    yield Mistake("overflow", _softmax_by_hand(total=_rows(np.sum)))
    yield Mistake("mask_after_softmax", {"weights": _masked_after})
    yield Mistake("mask_forgotten", {"mask": lambda s: None})
    yield Mistake("mask_reversed", {"mask": _other_mask})
    yield Mistake("mask_reversed", {"mask": _other_mask, "weights": _other_mask_by_hand})
    yield Mistake("masked_with_zero", {"hidden": _masked_with_zero})
    for names in chain.from_iterable(combinations(("W_Q", "W_K", "W_V"), k) for k in (1, 2, 3)):
        yield Mistake("transposed_W", _transposed(*names), values={"name": ", ".join(names)})
    yield Mistake("K_for_V", {"output": lambda s: s["weights"] @ s["K"]})
    yield Mistake("K_for_V", {"V": lambda s: s["X"] @ s["W_K"]})
    yield Mistake("exchanged", {"Q": lambda s: s["X"] @ s["W_K"], "K": lambda s: s["X"] @ s["W_Q"]})
    yield Mistake("exchanged", {"scores": lambda s: s["K"] @ s["Q"].T})
    yield Mistake("transposed", after=np.transpose)
    for decimals in range(5, 0, -1):
        yield Mistake("rounded", after=lambda x, k=decimals: np.round(x, k), values={"decimals": decimals})
    for decimals in range(5, 0, -1):
        for name in ("scores", "scaled", "weights", "Q", "K", "V"):
            yield Mistake("rounded_early", _rounded(name, decimals), values={"name": name, "decimals": decimals})
        root = _divided_by(lambda s, k=decimals: np.round(np.sqrt(s["d_k"]), k))
        yield Mistake("rounded_early", root, values={"name": "√d_k", "decimals": decimals})
        inverse = {"scaled": lambda s, k=decimals: s["scores"] * np.round(1 / np.sqrt(s["d_k"]), k)}
        yield Mistake("rounded_early", inverse, values={"name": "1/√d_k", "decimals": decimals})
        every = {name: _rounded(name, decimals)[name] for name in STEPS}
        yield Mistake("rounded_every_step", every, values={"decimals": decimals})


KNOWN = tuple(_known())
# Only where the answer is a step: the learner went too far, or not far enough.
ANOTHER_STEP = tuple(Mistake("another_step", instead=name, values={"name": name}) for name in STEPS)
NAMES = tuple(dict.fromkeys(
    [*(mistake.name for mistake in KNOWN + ANOTHER_STEP), *block_mistakes.NAMES, *head_mistakes.NAMES,
     *position_mistakes.NAMES]))
