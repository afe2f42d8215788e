"""What no longer holds when the computation is broken on purpose, told with the numbers there are."""

from dataclasses import dataclass

import numpy as np

from .digits import fixed, short
from .experiment import Experiment, compute
from .language import say
from .state import present
from .validate import scale_factor


@dataclass(frozen=True)
class Rule:
    """text: the rule and the numbers; holds: False where the fault in force breaks it."""

    text: str
    holds: bool


def rule(e: Experiment) -> Rule | None:
    """The rule that the fault of ``e`` is about, and whether it still holds; None where nothing is at fault."""
    if e.fault is None:
        return None
    holds, now = {
        "wrong axis": _row_sums,
        "mask after softmax": _row_sums,
        "no scaling": _factor,
        "V is K": _values,
        "W_K is W_Q": _direction,
    }[e.fault](e)
    key = "rule.holds" if holds else "rule.broken"
    return Rule(say(key, rule=say(f"rule.{e.fault}"), now=now), holds)


def _row_sums(e):
    sums = e["weights"].sum(axis=1)
    return bool(np.all(abs(sums - 1) < 1e-9)), say("rule.sums", sums=say("list.comma").join(map(fixed, sums)))


def _factor(e):
    factor = scale_factor(e.scale, e["K"].shape[1])
    if np.allclose(e["scaled"], _right(e).scaled, rtol=0, atol=1e-12):
        return True, say("rule.same")
    return False, say("rule.times", factor=short(1 / factor, 3)) if factor > 0 else say("rule.differs")


def _values(e):
    off = abs(e["output"] - _right(e).output).max()
    return bool(off < 1e-12), say("rule.off", off=fixed(off))


def _direction(e):
    gaps = abs(_right(e).scores - _right(e).scores.T)
    a, b = np.unravel_index(gaps.argmax(), gaps.shape)
    if gaps[a, b] < 1e-12:
        return True, say("rule.symmetric_anyway")
    a, b = sorted((int(a), int(b)))
    return False, say("rule.both_ways", a=e.words[a], b=e.words[b], score=fixed(e["scores"][a, b]))


def _right(e):
    return compute(**present(e) | {"fault": None})
