"""Temperature: T and the scale are one thing, and the weights follow."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from attention_lib import Experiment, temperature
from attention_lib.language import LANGUAGES, choose
from attention_lib.widgets.temperature import LEAST, MOST, STEPS


@given(st.sampled_from(STEPS) | st.floats(LEAST, MOST))
def test_scores_are_divided_by_t_and_the_root(T):
    e = Experiment.from_example("我爱你")
    panel = temperature(e)
    panel.T = T
    want = softmax(e["scores"] / (T * math.sqrt(2)), axis=1)
    assert np.allclose(e["weights"], want, rtol=0, atol=1e-12)
    assert math.isclose(panel.T, T, rel_tol=1e-9)


def test_the_steps_of_the_slider():
    assert (STEPS[0], STEPS[-1], len(set(STEPS))) == (0.05, 10.0, len(STEPS))
    assert list(STEPS) == sorted(STEPS)
    assert 1.0 in STEPS
    assert all(high / low < 1.26 for low, high in pairwise(STEPS))


def test_the_slider_sets_the_scale_and_one_gives_true_back(e):
    panel = temperature(e, row=2)
    heard = []
    e.observe(heard.append, "steps")
    panel._on_page(panel, {"step": STEPS.index(0.1)}, [])
    assert e.scale == pytest.approx(10 / math.sqrt(2), rel=1e-15)
    assert panel.shown["T"] == "0.1"
    weights = softmax(e["scores"][2] * 10 / math.sqrt(2))
    assert [bar["text"] for bar in panel.shown["bars"]] == [f"{w:.3f}" for w in weights]
    panel._on_page(panel, {"step": STEPS.index(1)}, [])
    assert e.scale is True
    assert len(heard) == 2


def test_cold_picks_the_largest_and_hot_shares_equally():
    e = Experiment.from_example("three tokens")
    panel = temperature(e)
    panel.T = LEAST
    assert e["weights"][0].argmax() == 1
    assert e["weights"][0].max() > 0.99999
    panel.T = MOST
    assert np.ptp(e["weights"]) < 0.03


def test_it_follows_the_scale_set_elsewhere(e):
    panel = temperature(e)
    e.scale = False
    assert panel.shown["T"] == "0.7071"  # no scaling is T = 1/√d_k
    assert STEPS[panel.shown["step"]] == 0.7
    e.scale = 0.5
    assert panel.shown["T"] == "1.4142"
    e.scale = 1e-9
    assert panel.shown["step"] == len(STEPS) - 1
    e.scale = True
    assert (panel.shown["T"], STEPS[panel.shown["step"]]) == ("1.0", 1.0)


@pytest.mark.parametrize("scale", [0, -1])
def test_a_scale_that_is_no_temperature_shows_none(e, scale):
    panel = temperature(e)
    e.scale = scale
    assert panel.shown["T"] == "—"
    assert math.isnan(panel.T)
    panel._on_page(panel, {"step": STEPS.index(2)}, [])
    assert panel.shown["T"] == "2.0"


def test_the_fault_says_why_nothing_moves(e):
    panel = temperature(e)
    e.fault = "no scaling"
    assert "forget √d_k" in panel.shown["told"]
    assert panel.shown["T"] == "0.7071"


def test_typed_numbers(e):
    panel = temperature(e)
    panel._on_page(panel, {"typed": "０．３３"}, [])
    assert panel.message == ""
    assert math.isclose(panel.T, 0.33, rel_tol=1e-12)
    assert (panel.shown["T"], STEPS[panel.shown["step"]]) == ("0.33", 0.35)
    panel._on_page(panel, {"typed": "99"}, [])
    assert panel.message == "99.0 is outside 0.05 … 10.0; T is set to 10.0."
    assert panel.shown["T"] == "10.0"
    panel._on_page(panel, {"typed": "warm"}, [])
    assert "warm" in panel.message
    assert panel.shown["T"] == "10.0"
    panel._on_page(panel, {"typed": "1"}, [])
    assert (panel.message, e.scale) == ("", True)


def test_a_position_that_is_none_is_refused_in_words(e):
    panel = temperature(e)
    panel._on_page(panel, {"step": 400}, [])
    assert "400" in panel.message
    assert e.scale is True
    panel._on_page(panel, {"step": 0}, [])
    assert (panel.message, panel.shown["T"]) == ("", "0.05")


def test_a_row_that_is_not_there_is_refused(e):
    with pytest.raises(ValueError, match="row"):
        temperature(e, row=3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twin(language):
    choose(language)
    panel = temperature(Experiment.from_example("我爱你"))
    text, html = panel.static_text(), panel.static_html()
    for part in ("T = 1.0", "0.336", "0.333", "0.331", "0.7071"):
        assert part in text
        assert part in html
