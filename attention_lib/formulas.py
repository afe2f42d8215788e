"""The formulas of an experiment as they are in force: with its scale, its mask and its fault."""

import math

from .digits import clean, short
from .language import say
from .validate import scale_factor

_ROUND = 3  # decimals of a temperature that somebody chose; 1.4142 is what a scale came to


def scale_of(e):
    """What the scores of an Experiment are really scaled with: True, False or a number."""
    return False if e.fault == "no scaling" else e.scale


def temperature(scale, d_k: int) -> float:
    """T in scaled = scores / (T √d_k); NaN where the scale is 0 or less."""
    if scale is True:
        return 1.0
    factor = scale_factor(scale, d_k)
    return clean(1 / (factor * math.sqrt(d_k))) if factor > 0 else math.nan


def scaled(scores: str, scale, d_k: int) -> str:
    """``scores / √d_k``, or what stands in its place."""
    if isinstance(scale, bool):
        return f"{scores} / √d_k" if scale else scores
    T = temperature(scale, d_k)
    if T > 0 and clean(T, _ROUND) == T:
        return f"{scores} / ({short(T)} √d_k)"
    return f"{scores} × {short(scale) if scale >= 0 else f'({short(scale)})'}"


def softmax(scaled: str, *, hides: bool, down: bool = False) -> str:
    """``softmax(scaled)``, with what the mask hides and the axis, where it is not that of the rows."""
    return f"softmax({', '.join([scaled, *[say('formula.hides')] * hides, *['axis=0'] * down])})"


def weights(e, scores: str | None = None) -> str:
    """The weights of an Experiment, from ``scaled``, or from what the scores are called."""
    from_scaled = scaled(scores, scale_of(e), e["K"].shape[1]) if scores else "scaled"
    if e.fault == "mask after softmax":
        return f"{softmax(from_scaled, hides=False)} × mask"
    return softmax(from_scaled, hides=e.hidden("weights") is not None, down=e.fault == "wrong axis")


def output(e, weights: str, between: str = " ") -> str:
    """The output of an Experiment from ``weights``, which may be a formula."""
    shares = f"({weights})" if weights.endswith("× mask") else weights
    return f"{shares}{between}{'K' if e.fault == 'V is K' else 'V'}"
