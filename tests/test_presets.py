"""Presets: exact values of the lesson, one recompute, and the same state whatever was there before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import Experiment, causal_mask, presets
from attention_lib.language import LANGUAGES, choose, say
from attention_lib.packing import same
from attention_lib.starting_points import NAMES, starting_point
from attention_lib.state import beginning, present

X = np.array([[1, 0], [0.5, 0.5], [0, 1]])
V = np.array([[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]])


@pytest.fixture
def tokens():
    return Experiment.from_example("three tokens")


def close(got, want, atol=1e-12):
    return np.allclose(got, want, rtol=0, atol=atol)


def test_which_are_offered(e, tokens):
    assert tuple(presets(e).points) == NAMES
    assert tuple(presets(tokens).points) == ("as given", "look-up", "equal weights", "causal")
    odd = Experiment(Q=np.ones((2, 3)), K=np.ones((4, 3)), V=np.ones((4, 2)))
    assert tuple(presets(odd).points) == ("as given", "look-up", "equal weights")
    wide = Experiment(np.ones((3, 2)), np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 4)))
    assert tuple(presets(wide).points) == ("as given", "W_Q = W_K", "equal weights", "causal")


def test_same_projections_make_the_scores_symmetric(e):
    presets(e).choose("W_Q = W_K")
    assert close(e["scores"], [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]])
    assert close(e["W_Q"], [[0.5, 0.2], [0.1, 0.6]])


def test_identity_projections_hand_on_x(e):
    presets(e).choose("identity")
    for name in ("Q", "K", "V"):
        assert close(e[name], X)
    assert close(e["scores"], [[1, 0.5, 0], [0.5, 0.5, 0.5], [0, 0.5, 1]])


def test_look_up_takes_one_row_of_v(e, tokens):
    presets(e).choose("look-up")
    assert close(e["weights"], [[0, 0, 1], [0, 0, 1], [1, 0, 0]], 1e-3)  # 我 and 爱 look up 你, 你 looks up 我
    assert close(e["output"], V[[2, 2, 0]], 1e-3)
    assert close(e["X"], X)
    assert close(e["V"], V)
    presets(tokens).choose("look-up")
    assert close(tokens["weights"], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], 1e-3)
    assert close(tokens["output"], tokens["V"][[1, 2, 0]], 1e-3)


def test_equal_weights_average(e, tokens):
    for experiment in (e, tokens):
        presets(experiment).choose("equal weights")
        assert close(experiment["weights"], np.full((3, 3), 1 / 3))
        assert close(experiment["output"], [experiment["V"].mean(axis=0)] * 3)


def test_causal(e, tokens):
    presets(e).choose("causal")
    want = [[1, 0, 0], [0.4911620858, 0.5088379142, 0], [0.3077677972, 0.3326621264, 0.3595700764]]
    assert close(e["weights"], want, 6e-11)
    presets(tokens).choose("causal")
    assert np.array_equal(tokens.mask, causal_mask(3))
    assert close(tokens["weights"][2], [0.2767039367, 0.4636528315, 0.2596432319], 6e-11)


@pytest.mark.parametrize("name", NAMES)
def test_one_recompute_and_one_word_of_it(e, name):
    panel = presets(e)
    e.set(X=np.full((3, 2), 0.3), W_Q=np.ones((2, 2)), W_K=np.ones((2, 2)), W_V=np.ones((2, 2)),
          mask=np.eye(3, dtype=bool), scale=0.1, fault="wrong axis")
    heard = []
    e.observe(heard.append, "steps")
    panel.choose(name)
    assert len(heard) == 1
    assert panel.active == name


@pytest.mark.parametrize("before", NAMES)
@pytest.mark.parametrize("name", NAMES)
def test_a_preset_gives_the_same_state_whatever_was_before(e, before, name):
    panel = presets(e)
    panel.choose(name)
    want = present(e)
    panel.choose(before)
    e.set(scale=0.7, fault="wrong axis")
    e.set_entry("X", 0, 0, -1.3)
    panel.choose(name)
    assert all(same(present(e)[key], want[key]) for key in want)


def test_reset_brings_everything_back_with_one_recompute(e):
    panel = presets(e)
    panel.choose("look-up")
    e.set(mask=causal_mask(3), fault="V is K")
    e.focus = ("weights", 0, 1)
    heard = []
    e.observe(heard.append, "steps")
    panel.reset()
    assert len(heard) == 1
    assert e.focus is None
    assert panel.active == "as given"
    assert all(same(present(e)[key], beginning(e)[key]) for key in present(e))


def test_the_preset_in_force_is_known_and_others_are_not(e):
    panel = presets(e)
    assert panel.active == "as given"
    e.mask = causal_mask(3)
    assert panel.active == "causal"
    e.set_entry("X", 0, 0, 0.9)
    assert panel.active == ""
    e.set_entry("X", 0, 0, 1.0)
    e.mask = None
    assert panel.active == "as given"


def test_one_message_a_press(e):
    panel = presets(e)
    sent = []
    panel._send = lambda message, buffers=None: sent.append(message)
    panel.comm = panel.comm or object()
    panel.choose("identity")
    assert [message["method"] for message in sent] == ["update"]


def test_the_page_presses_and_errors_are_said(e):
    panel = presets(e)
    panel._on_page(panel, {"preset": "equal weights"}, [])
    assert (panel.active, panel.message) == ("equal weights", "")
    panel._on_page(panel, {"preset": "nonsense"}, [])
    assert "nonsense" in panel.message
    panel._on_page(panel, {}, [])
    assert panel.message
    panel._on_page(panel, {"reset": True}, [])
    assert (panel.active, panel.message) == ("as given", "")


@given(st.integers(0, 2**32), st.booleans(), st.data())
def test_presets_do_what_they_say_for_any_experiment(seed, projected, data):
    random = np.random.default_rng(seed)
    n_q, n_k, d, d_k, d_v = (data.draw(st.integers(1, most)) for most in (12, 12, 8, 8, 8))

    def matrix(*shape):
        return random.integers(-10, 11, shape) / 10

    if projected:
        n_k = n_q
        e = Experiment(matrix(n_q, d), matrix(d, d_k), matrix(d, d_k), matrix(d, d_v))
    else:
        e = Experiment(Q=matrix(n_q, d_k), K=matrix(n_k, d_k), V=matrix(n_k, d_v))
    points = {name: starting_point(e, name) for name in NAMES}
    for name, point in points.items():
        if point is None:
            continue
        e.set(**point)
        assert all(same(present(e)[key], point[key]) for key in point), name
        weights = e["weights"]
        if name == "look-up":
            assert weights.max(axis=1).min() > 0.99
            assert np.allclose(e["output"], e["V"][weights.argmax(axis=1)], rtol=0, atol=0.1)
        if name == "equal weights":
            assert np.allclose(weights, 1 / n_k, rtol=0, atol=1e-15)
        if name == "identity":
            assert np.allclose(e["scores"], e["X"] @ e["X"].T, rtol=0, atol=1e-12)
        if name == "W_Q = W_K":
            assert np.allclose(e["scores"], e["scores"].T, rtol=0, atol=1e-12)
        if name == "causal":
            assert (np.triu(weights, 1) == 0).all()
    assert points["as given"] is not None
    assert points["equal weights"] is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_twin(language):
    choose(language)
    for name in ("我爱你", "three tokens"):
        panel = presets(Experiment.from_example(name))
        text, html = panel.static_text(), panel.static_html()
        for button in (*panel.frame["presets"], panel.frame["reset"]):
            assert button["label"] in text
            assert button["told"] in text
        assert say("preset.reset") in html
        assert html.count("<li>") == len(panel.points) + 1
        assert "{" not in text
