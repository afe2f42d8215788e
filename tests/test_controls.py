"""Switches: what they set, what they say, that they follow. The values are those of the lesson's facts, section 4."""

import numpy as np
import pytest

from attention_lib import FAULTS, Experiment, causal_mask, controls, temperature
from attention_lib.language import LANGUAGES, choose, say

NO_SCALING = [[0.3366721665, 0.3333222225, 0.3300056110], [0.3168124095, 0.3330557291, 0.3501318614],
              [0.2974106123, 0.3319929444, 0.3705964434]]
NO_SCALING_OUTPUT = [[0.5516666389, 0.4973333778], [0.5416701370, 0.5133277808], [0.5317035422, 0.5292743324]]
CAUSAL = [[1, 0, 0], [0.4911620858, 0.5088379142, 0], [0.3077677972, 0.3326621264, 0.3595700764]]
CAUSAL_OUTPUT = [[0.8, 0.1], [0.6727905215, 0.3035351657], [0.5370494302, 0.5207209116]]
WRONG_AXIS = [[0.3380583320, 0.3239509353, 0.3100601589], [0.3333111122, 0.3332444622, 0.3327784714],
              [0.3286305558, 0.3428046024, 0.3571613697]]
GIVEN = [[0.3356931140, 0.3333277778, 0.3309791081], [0.3216200976, 0.3331944878, 0.3451854145],
         [0.3077677972, 0.3326621264, 0.3595700764]]


def offered(panel, group):
    return [option["key"] for frame in panel.frames if frame["name"] == group for option in frame["options"]]


def close(got, want):
    return np.allclose(got, want, rtol=0, atol=6e-11)  # the facts have ten digits


def test_scaling(e):
    panel = controls(e, "scaling")
    assert panel.chosen["scaling"]["key"] == "root"
    panel.choose("scaling", "none")
    assert e.scale is False
    assert close(e["weights"], NO_SCALING)
    assert close(e["output"], NO_SCALING_OUTPUT)
    panel.choose("scaling", "d_k")
    assert e.scale == 0.5
    assert np.allclose(e["scaled"], e["scores"] / 2, rtol=0, atol=1e-15)
    panel.choose("scaling", "root")
    assert e.scale is True
    assert close(e["weights"], GIVEN)


def test_mask(e):
    panel = controls(e)
    panel.choose("mask", "causal")
    assert np.array_equal(e.mask, [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert close(e["weights"], CAUSAL)
    assert close(e["output"], CAUSAL_OUTPUT)
    assert "3 of 9 pairs" in panel.chosen["mask"]["told"][0]
    panel.choose("mask", "none")
    assert e.mask is None


def test_faults(e):
    panel = controls(e, "fault")
    assert offered(panel, "fault") == ["none", *FAULTS]
    panel.choose("fault", "wrong axis")
    assert close(e["weights"], WRONG_AXIS)
    assert panel.chosen["fault"] == {
        "key": "wrong axis",
        "told": [say("fault.wrong axis")],
        "broken": "No longer true: each row of the weights sums to 1. The rows sum to 0.972, 0.999, 1.029.",
    }
    panel.choose("fault", "no scaling")
    assert close(e["weights"], NO_SCALING)
    assert "1.414 times" in panel.chosen["fault"]["broken"]
    panel.choose("fault", "mask after softmax")
    assert close(e["weights"], np.tril(GIVEN))
    assert "0.336, 0.655, 1.000" in panel.chosen["fault"]["broken"]
    panel.choose("fault", "V is K")
    off = abs(np.array(GIVEN) @ (e["K"] - [[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]])).max()
    assert f"off by up to {off:.3f}" in panel.chosen["fault"]["broken"]
    panel.choose("fault", "W_K is W_Q")
    assert close(e["scores"], [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]])
    assert "scores[我 I, 你 you] = scores[你 you, 我 I] = 0.170" in panel.chosen["fault"]["broken"]
    panel.choose("fault", "none")
    assert e.fault is None
    assert panel.chosen["fault"] == {"key": "none", "told": [say("fault.none")], "broken": ""}


@pytest.mark.parametrize(("fault", "change"), [
    ("wrong axis", {"W_Q": np.zeros((2, 2))}),
    ("no scaling", {"scale": False}),
    ("mask after softmax", {"mask": np.ones((3, 3), dtype=bool)}),
    ("V is K", {"W_V": [[0.4, 0.3], [0.2, 0.7]]}),
    ("W_K is W_Q", {"W_K": [[0.5, 0.2], [0.1, 0.6]]}),
])
def test_a_rule_that_still_holds_by_chance_is_not_called_broken(e, fault, change):
    panel = controls(e, "fault")
    e.set(**change)
    e.fault = fault
    assert panel.chosen["fault"]["broken"] == ""
    assert "happens to hold" in panel.chosen["fault"]["told"][1]


def test_no_scaling_is_told_for_every_scale(e):
    panel = controls(e, "fault")
    for scale, told in ((0.5, "2.0 times"), (-1, "other numbers"), (1.0, "happens to hold"), (0, "other numbers")):
        e.set(scale=scale, fault="no scaling")
        assert told in str(panel.chosen["fault"]), scale


def test_it_follows_changes_made_elsewhere(e):
    panel = controls(e)
    e.set(scale=False, mask=causal_mask(3), fault="V is K")
    assert {group: state["key"] for group, state in panel.chosen.items()} == {
        "scaling": "none", "mask": "causal", "fault": "V is K",
    }
    e.set(scale=0.3, mask=[[1, 1, 0], [1, 1, 1], [1, 1, 1]], fault=None)
    assert [state["key"] for state in panel.chosen.values()] == ["", "", "none"]
    assert panel.chosen["scaling"]["told"][0] == "scaled = scores × 0.3, a factor of your own"
    assert "mask of your own hides 1 of 9" in panel.chosen["mask"]["told"][0]
    e.reset()
    assert {group: state["key"] for group, state in panel.chosen.items()} == {
        "scaling": "root", "mask": "none", "fault": "none",
    }


def test_a_factor_that_was_rounded_is_about_equal(e):
    panel = controls(e, "scaling")
    assert panel.chosen["scaling"]["told"][0] == "scaled = scores ÷ √2 ≈ scores × 0.7071"
    e.scale = 1 / 3
    assert panel.chosen["scaling"]["told"][0] == "scaled ≈ scores × 0.3333, a factor of your own"
    e.scale = 0.5
    assert panel.chosen["scaling"]["told"][0] == "scaled = scores ÷ 2 = scores × 0.5"
    assert temperature(e).shown["told"] == "scaled = scores ÷ (T √2) = scores × 0.5"


def test_the_fault_says_that_it_overrules_the_scaling(e):
    panel = controls(e, "scaling")
    e.fault = "no scaling"
    assert say("controls.scaling.off") in panel.chosen["scaling"]["told"]


def test_only_what_fits_is_offered():
    direct = controls(Experiment.from_example("three tokens"))
    assert offered(direct, "fault") == ["none", "wrong axis", "no scaling", "mask after softmax", "V is K"]
    odd = controls(Experiment(Q=np.ones((2, 3)), K=np.ones((4, 3)), V=np.ones((4, 2))))
    assert offered(odd, "mask") == ["none"]
    assert offered(odd, "fault") == ["none", "wrong axis", "no scaling"]
    for panel in (direct, odd):
        for group in ("scaling", "mask", "fault"):
            for key in offered(panel, group):
                panel.choose(group, key)
                assert panel.chosen[group]["key"] == key


def test_d_k_of_one_tells_the_three_scalings_apart():
    e = Experiment(Q=[[1.0]], K=[[1.0]], V=[[1.0]])
    panel = controls(e)
    for key in ("none", "d_k", "root"):
        panel.choose("scaling", key)
        assert panel.chosen["scaling"]["key"] == key


def test_one_message_for_a_move_that_changes_nothing_here(e):
    panel = controls(e)
    sent = []
    panel._send = lambda message, buffers=None: sent.append(message)
    panel.comm = panel.comm or object()
    e.set_entry("W_V", 0, 0, 0.9)
    assert sent == []
    e.scale = False
    assert [message["method"] for message in sent] == ["update"]


def test_the_page_chooses_and_errors_are_said(e):
    panel = controls(e)
    panel._on_page(panel, {"choose": ["fault", "wrong axis"]}, [])
    assert (e.fault, panel.message) == ("wrong axis", "")
    panel._on_page(panel, {"choose": ["fault", "nonsense"]}, [])
    assert "nonsense" in panel.message
    panel._on_page(panel, {"choose": 5}, [])
    assert panel.message
    panel._on_page(panel, {"choose": ["fault", "none"]}, [])
    assert (e.fault, panel.message) == (None, "")


def test_a_choice_that_is_too_large_is_refused_in_words_and_the_next_works():
    e = Experiment(Q=[[1e200, 1e200]], K=[[1e107, 1e107]], V=[[1.0, 1.0]], scale=0)
    panel = controls(e)
    panel._on_page(panel, {"choose": ["scaling", "none"]}, [])
    assert panel.chosen["scaling"]["key"] == "none"
    assert panel.message == ""


def test_unknown_names_are_refused(e):
    with pytest.raises(ValueError, match=r"'speed'.*'scaling', 'mask', 'fault'"):
        controls(e, "speed")
    with pytest.raises(ValueError, match=r"'wild'.*'none', 'causal'"):
        controls(e).choose("mask", "wild")
    with pytest.raises(ValueError, match="'speed'"):
        controls(e).choose("speed", "none")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twin_says_what_the_page_says(language):
    choose(language)
    e = Experiment.from_example("我爱你")
    panel = controls(e)
    e.set(scale=False, fault="wrong axis")
    sums = [f"{total:.3f}" for total in (np.exp(e["scores"]) / np.exp(e["scores"]).sum(axis=0)).sum(axis=1)]
    text, html = panel.static_text(), panel.static_html()
    for part in (say("controls.scaling.none"), say("controls.mask.none"), say("controls.fault.wrong axis"),
                 say("fault.wrong axis"), *sums):
        assert part in text
        assert part in html
    data, _ = panel._repr_mimebundle_()
    assert data["text/plain"] == text
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there(language):
    choose(language)
    for e in (Experiment.from_example("我爱你"), Experiment.from_example("three tokens")):
        panel = controls(e)
        for frame in panel.frames:
            for option in frame["options"]:
                panel.choose(frame["name"], option["key"])
                assert all(panel.chosen[frame["name"]]["told"])
                assert "{" not in str(panel.static_text())
