"""The formulas beside the matrices are true: each is read as it stands, computed, and compared with the matrix."""

import itertools
import math

import numpy as np
import pytest

from attention_lib import Experiment, MultiHead, causal_mask
from attention_lib.faults import FAULTS
from attention_lib.figures.heatmap_told import formula as tight
from attention_lib.language import LANGUAGES, choose
from attention_lib.widgets.classroom import classroom

SCALES = (True, False, 0.25, -1.0, 0.0, 1 / (0.9 * math.sqrt(2)), 1 / (10 * math.sqrt(2)))
HIDDEN = {"en": "hidden → −∞", "zh": "遮住的 → −∞"}
# What is printed, and how Python writes it; longer ones first.
PYTHON = (("hidden → −∞", "hides=True"), ("遮住的 → −∞", "hides=True"), ("Q Kᵀ", "Q @ K.T"), ("QKᵀ", "Q @ K.T"),
          ("d_k", "2"), ("dₖ", "2"), (" √", " * √"), ("/ * √", "/ √"), ("√2", "2 ** 0.5"), ("×", "*"),
          ("axis=0", "down=True"), (") V", ") @ V"), (")V", ") @ V"), (") K", ") @ K"), (")K", ") @ K"),
          ("weights V", "weights @ V"), ("weights K", "weights @ K"), ("X W_", "X @ W_"))


def read(formula, e, mask):
    """The matrix that a printed formula stands for."""
    for printed, python in PYTHON:
        formula = formula.replace(printed, python)
    names = {name: e[name] for name in (*e.inputs, "Q", "scores", "scaled", "weights")}
    # the keys and values as they were before anything was broken
    names |= {"K": e["K"], "V": e["X"] @ e["W_V"] if "X" in e.inputs else e["V"]}
    kept = np.ones((3, 3), dtype=bool) if mask is None else np.array(mask, dtype=bool)

    def softmax(x, hides=False, down=False):
        powers = np.exp(x) * (kept if hides else 1)
        return powers / powers.sum(axis=0 if down else 1, keepdims=True)

    return eval(formula, {"__builtins__": {}}, names | {"softmax": softmax, "mask": kept})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_they_are_true_with_every_scale_mask_and_fault(language, fault):
    choose(language)
    for mask, scale in itertools.product((None, causal_mask(3), np.ones((3, 3), dtype=bool)), SCALES):
        e = Experiment.from_example("我爱你")
        e.set(mask=mask, scale=scale, fault=fault)
        used = causal_mask(3) if mask is None and fault == "mask after softmax" else mask
        for name in ("Q", "K", "V", "scores", "scaled", "weights", "output"):
            printed = e.formula(name)
            assert np.allclose(read(printed, e, used), e[name], rtol=1e-9, atol=1e-9), (name, printed, scale)
        hides = mask is not None and not np.all(mask) and fault != "mask after softmax"
        for whole in (tight(e), classroom(e).scene["board"][4]["formulas"][0].removeprefix("output = ")):
            assert np.allclose(read(whole, e, used), e["output"], rtol=1e-9, atol=1e-9), (whole, scale)
            assert (HIDDEN[language] in whole) == hides


def test_as_they_are_printed(e):
    assert [e.formula(name) for name in ("Q", "scores", "scaled", "weights", "output")] == [
        "X W_Q", "Q Kᵀ", "scores / √d_k", "softmax(scaled)", "weights V"]
    for scale, printed in zip(SCALES[1:], ("scores", "scores × 0.25", "scores × (-1.0)", "scores × 0.0",
                                           "scores / (0.9 √d_k)", "scores / (10.0 √d_k)"), strict=True):
        e.scale = scale
        assert e.formula("scaled") == printed
    e.scale = 1e13  # T is so small that 12 decimals of it are 0
    assert e.formula("scaled") == "scores × 1.0e+13"
    e.set(scale=True, fault="no scaling")
    assert e.formula("scaled") == "scores"
    e.set(fault="wrong axis", mask=causal_mask(3))
    assert e.formula("weights") == "softmax(scaled, hidden → −∞, axis=0)"
    e.fault = "mask after softmax"
    assert e.formula("weights") == "softmax(scaled) × mask"
    assert tight(e) == "(softmax(QKᵀ/√dₖ) × mask)V"
    e.fault = "V is K"
    assert (e.formula("V"), e.formula("output")) == ("K", "weights K")


def test_heads_say_their_scale_and_mask():
    m = MultiHead.from_example()
    assert [m.formula(name) for name in ("scaled_2", "weights_2")] == ["scores_2 / √d_k", "softmax(scaled_2)"]
    m.set(scale=False, mask=causal_mask(3))
    assert [m.formula(name) for name in ("scaled_2", "weights_2")] == ["scores_2", "softmax(scaled_2, hidden → −∞)"]
