"""Words in another order: what they get without positions and with them, and the panels around it."""

import re
from itertools import permutations

import ipywidgets
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import (
    Experiment,
    WordOrder,
    attention,
    causal_mask,
    order_lab,
    position_map,
    rotary,
    self_attention,
    show,
    sinusoidal_positions,
)
from attention_lib.arithmetic import explain
from attention_lib.language import say

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("language")]

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def o():
    return WordOrder(Experiment.from_example("我爱你"))


def ask(panel, **content):
    panel._on_page(panel, content, None)


# What follows


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_without_positions_outputs_move_with_their_words(o, order):
    written = self_attention(o.X, o.W_Q, o.W_K, o.W_V).output
    o.order = order
    assert_allclose(o["output"], written[list(order)], **EXACT)
    assert_allclose(o["change"], np.zeros((3, 2)), **EXACT)
    assert o.words == tuple(o.written[i] for i in order)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_sinusoidal_positions_are_added(o, order):
    o.set(order=order, positions="sinusoidal")
    P = sinusoidal_positions(3, 2)
    want = self_attention(o.X[list(order)] + P, o.W_Q, o.W_K, o.W_V)
    for name in ("Q", "K", "V", "scores", "weights", "output"):
        assert_allclose(o[name], want[name], **EXACT)
    written = self_attention(o.X + P, o.W_Q, o.W_K, o.W_V).output
    back = np.array([o["output"][order.index(word)] for word in range(3)])
    assert_allclose(o["change"], back - written, **EXACT)
    assert (abs(o["change"]).max() > 0.01) == (order != (0, 1, 2))


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_rotary_positions_turn_queries_and_keys(o, order):
    o.set(order=order, positions="rotary")
    X = o.X[list(order)]
    want = attention(rotary(X @ o.W_Q), rotary(X @ o.W_K), X @ o.W_V)
    for name in ("Q", "K", "V", "scores", "weights", "output"):
        assert_allclose(o[name], want[name], **EXACT)
    assert_array_equal(o["placed"], X)
    assert (abs(o["change"]).max() > 0.001) == (order != (0, 1, 2))


def test_a_causal_mask_gives_order_away():
    e = Experiment.from_example("我爱你")
    e.mask = causal_mask(3)
    o = WordOrder(e)
    o.order = (2, 1, 0)
    assert abs(o["change"]).max() > 0.1
    assert_array_equal(o.hidden("weights"), ~causal_mask(3))


def test_words_are_moved_one_by_one(o):
    o.move(0, 2)
    assert o.order == (1, 2, 0)
    o.move(2, 1)
    assert o.order == (1, 0, 2)
    with pytest.raises(ValueError, match="order"):
        o.move(0, 3)
    o.reset()
    assert o.order == (0, 1, 2)


@pytest.mark.parametrize("change", [
    {"order": (0, 1)}, {"order": (0, 1, 1)}, {"order": "012"}, {"order": (0, 1, 3)}, {"order": 3},
    {"order": (0.0, 1, 2)},
    {"positions": "learned"}, {"positions": None}, {"output": np.eye(3)}, {"mask": [[True]] * 2},
])
def test_what_does_not_fit_changes_nothing(o, change):
    before, words = o.steps, o.words
    with pytest.raises(ValueError, match=next(iter(change))):
        o.set(**change)
    assert o.steps is before
    assert o.words == words


def test_an_odd_number_of_columns_cannot_be_turned():
    o = WordOrder(Experiment.from_sentence("dog bites man", width=3))
    with pytest.raises(ValueError, match="W_K"):
        o.set(order=(2, 1, 0), positions="rotary")
    assert (o.positions, o.order) == ("none", (0, 1, 2))


def test_queries_and_keys_alone_have_no_words_to_move():
    with pytest.raises(ValueError, match="Experiment"):
        WordOrder(Experiment.from_example("three tokens"))


def bite():
    o = WordOrder(Experiment.from_sentence("dog bites man", width=4, seed=1))
    o.mask = causal_mask(3)
    return o


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary"])
@pytest.mark.parametrize("make", [lambda: WordOrder(Experiment.from_example("我爱你")), bite])
def test_the_arithmetic_of_every_cell_ends_with_its_number(make, positions):
    o = make()
    o.set(order=(2, 0, 1), positions=positions)
    for name in o.names:
        for cell in np.ndindex(o[name].shape):
            told = explain(o, name, *cell)
            ends = [re.search(r"[=≈] \(?(-?\d+(?:\.\d+)?)\)?$", line) for line in told.lines]
            last = [end for end in ends if end][-1]
            assert float(last[1]) == pytest.approx(o[name][cell], abs=0.51e-4), (name, cell, told.lines)
            assert all(source[0] in o.names for source in told.sources)


def test_sine_and_rotation_written_out(o):
    o.positions = "sinusoidal"
    _wo, ai, _ = o.words
    assert explain(o, "placed", 1, 0).lines == (
        f"placed[{ai}, x₁] = X[2, 1] + sin(1)", "≈ 0.5 + 0.8415", "≈ 1.3415")
    o.positions = "rotary"
    assert explain(o, "Q", 1, 0).lines == (
        say("explain.before_turning", name="Q", x="0.3", y="0.4"), say("explain.angle", place=1, angle="1.0"),
        f"Q[{ai}, q₁] = 0.3×cos(1.0) - 0.4×sin(1.0)", "≈ 0.1621 - 0.3366", "≈ -0.1745")
    wide = bite()
    wide.positions = "sinusoidal"
    assert "sin(2 ÷ 10000^(2/4))" in explain(wide, "placed", 2, 2).lines[0]


# Panels


def test_the_laboratory(o):
    lab = order_lab()
    o = lab.experiment
    _, cards, positions, group = lab.children
    numbers = group.children[0]
    assert cards.told == say("order.as_written")
    ask(cards, order="reversed")
    assert o.order == (2, 1, 0)
    assert cards.told == say("order.same", off="0.000")
    assert cards.differs == "no"
    assert numbers.frames[1]["rows"] == list(o.written)[::-1]
    assert numbers.frames[3]["rows"] == list(o.written)
    ask(positions, choose=["positions", "sinusoidal"])
    assert positions.chosen["positions"]["key"] == "sinusoidal"
    off = abs(o["change"]).max(axis=1)
    assert cards.told == say("order.differs", word=o.written[off.argmax()], off=f"{off.max():.3f}")
    ask(cards, step=[o.order[0], 1])
    assert [card["word"] for card in cards.cards] == [o.written[i] for i in (1, 2, 0)]
    ask(cards, order="sideways")
    assert "sideways" in cards.message
    ask(positions, choose=["positions", "learned"])
    assert "learned" in positions.message
    ask(cards, order="written")
    assert cards.differs == ""
    assert o.words[0] in lab.static_text()
    lab.close()


def test_a_typed_sentence_keeps_the_kind_of_positions_and_leaves_nothing_behind():
    lab = order_lab(None, "weights", "change")
    ask(lab.children[2], choose=["positions", "rotary"])
    before = len(ipywidgets.widgets.widget._instances)
    ask(lab.children[0], sentence="dog bites man")
    assert lab.experiment.written == ("dog", "bites", "man")
    assert lab.experiment.positions == "rotary"
    ask(lab.children[0], sentence="…")
    assert lab.children[0].message
    assert len(ipywidgets.widgets.widget._instances) == before
    lab.close()


def test_dog_bites_man_and_man_bites_dog_have_the_same_vectors():
    dog, man = (Experiment.from_sentence(text) for text in ("dog bites man", "man bites dog"))
    assert_array_equal(dog.X, man.X[::-1])
    assert_allclose(dog["output"], man["output"][::-1], **EXACT)
    o = WordOrder(dog)
    o.set(order=(2, 1, 0), positions="rotary")
    assert o.words == man.words
    assert abs(o["change"]).max() > 1e-3


def test_labels_follow_the_order_in_every_panel(o):
    panel = show(o, "Q", "X")
    o.order = (1, 2, 0)
    assert panel.frames[0]["rows"] == [o.written[i] for i in (1, 2, 0)]
    assert panel.frames[1]["rows"] == list(o.written)


def test_the_picture_of_positions_follows_its_sliders():
    figure = position_map(8, 6)
    knobs, picture = figure.children[0], figure.picture
    assert_array_equal(picture.maps[0].get_array(), sinusoidal_positions(8, 6))
    before = figure.image.value
    ask(knobs, turn=["n", 12])
    assert picture.maps[0].get_array().shape == (12, 6)
    ask(knobs, turn=["d_model", 4])
    P = sinusoidal_positions(12, 4)
    assert_allclose(picture.maps[1].get_array(), P @ P.T / 2, **EXACT)
    assert knobs.values == {"n": 12, "d_model": 4}
    assert figure.image.value != before
    ask(knobs, turn=["d_model", 5])
    assert knobs.message
    assert knobs.values["d_model"] == 4
    assert picture.table()[3][1][:2] == [f"{np.sin(1):.3f}", f"{np.cos(1):.3f}"]
    figure.close()


@pytest.mark.parametrize(("n", "d_model"), [(2, 2), (64, 64), (13, 64)])
def test_nothing_of_the_picture_is_cut(n, d_model):
    picture = position_map(n, d_model).picture
    whole = picture.figure.bbox
    for ax in picture.figure.axes:
        box = ax.get_tightbbox()
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= whole.x1
        assert box.y1 <= whole.y1
