"""Panels with knobs and boxes: one pass and decoding, knob by knob, as the page turns them."""

import re

import by_hand
import numpy as np
import pytest

from attention_lib import Experiment, decoding, one_pass_softmax
from attention_lib.language import LANGUAGES, choose


def box(panel, name):
    return next(b for b in panel.boxes if b["name"] == name)


def cells(panel, name, table=0):
    return box(panel, name)["tables"][table]["text"]


def ask(panel, **values):
    """What the page sends when knobs are turned."""
    for turned in values.items():
        panel._handle_custom_msg({"turn": list(turned)}, [])


def test_a_block_at_a_time(e):
    panel = one_pass_softmax(e)
    assert cells(panel, "running") == [["−∞", "0.0000", "0.0000", "0.0000"]]
    assert box(panel, "result")["mark"] == "off"
    ask(panel, step=1)
    ask(panel, step=2)
    assert cells(panel, "running")[1:] == [["0.1556", "1.0000", "0.8000", "0.1000"],
                                           ["0.2333", "1.9252", "1.2901", "0.5925"]]
    assert box(panel, "arithmetic")["lines"] == [
        "m = max(0.1556, 0.2333) = 0.2333",
        "exp(0.1556 − 0.2333) = 0.9252",
        "exp(0.2333 − 0.2333) = 1.0000",
        "l = 0.9252×1.0000 + 1.0000 = 1.9252",
        "o₁ = 0.9252×0.8000 + 1.0000×0.5500 = 1.2901",
        "o₂ = 0.9252×0.1000 + 1.0000×0.5000 = 0.5925",
    ]
    assert box(panel, "keys")["tables"][0]["marks"] == [["kept"] * 3, ["now"] * 3, ["later"] * 3]
    ask(panel, step=3)
    assert cells(panel, "running")[3] == ["0.3111", "2.7811", "1.4936", "1.4482"]
    assert cells(panel, "result") == [["0.5370", "0.5207"]]
    assert box(panel, "result")["words"][0].startswith("Equal to the output")


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_each_query_and_block_size_ends_at_the_output(e, row, size):
    panel = one_pass_softmax(e, row, size)
    panel.turn(step=-(-3 // size))
    want = by_hand.self_attention(e.X, e.W_Q, e.W_K, e.W_V)["output"][row]
    assert cells(panel, "result") == [[f"{x:.4f}" for x in want]]


def test_a_larger_block_needs_fewer_steps_and_the_step_goes_along(e):
    panel = one_pass_softmax(e)
    ask(panel, step=3)
    ask(panel, size=2)
    assert (panel["step"], panel.turned["step"]["high"], panel.turned["step"]["text"]) == (2, 2, "2 of 2")
    ask(panel, size=3)
    assert panel.turned["step"]["high"] == 1
    assert len(cells(panel, "running")) == 2


def test_the_panel_follows_sliders_and_mask(e):
    panel = one_pass_softmax(e, row=0)
    panel.turn(step=3)
    e.W_Q = [[2.0, -1.0], [0.3, 0.4]]
    want = by_hand.self_attention(e.X, e.W_Q, e.W_K, e.W_V)["output"][0]
    assert cells(panel, "result") == [[f"{x:.4f}" for x in want]]
    e.mask = [[False, False, True], [True, True, True], [False, False, False]]
    assert cells(panel, "result") == [["0.3000", "0.9000"]]
    assert cells(panel, "running")[1] == ["−∞", "0.0000", "0.0000", "0.0000"]
    panel.turn(row=2)
    assert cells(panel, "result") == [["0.0000", "0.0000"]]
    e.fault = "V is K"
    assert box(panel, "result")["words"][0].startswith("Equal")


def test_a_long_sentence_in_blocks_of_five():
    e = Experiment.from_sentence("a b c d e f g h i j k l", width=8, seed=3)
    panel = one_pass_softmax(e, row=4, size=5)
    panel.turn(step=3)
    assert [len(row) for row in cells(panel, "keys")] == [9] * 12
    assert cells(panel, "result") == [[f"{x:.4f}".replace("-0.0000", "0.0000") for x in e["output"][4]]]


def test_what_the_page_may_not_ask_is_refused_and_nothing_turns(e):
    panel = one_pass_softmax(e)
    for asked in ({"step": 4}, {"step": -1}, {"size": 0}, {"row": 3}, {"row": 1.5}, {"lever": 1}, {"step": True}):
        before = dict(panel.turned)
        ask(panel, **asked)
        assert panel.message, asked
        assert panel.turned == before
        panel.message = ""
    ask(panel, step=1)
    assert panel.message == ""
    with pytest.raises(ValueError, match="row"):
        one_pass_softmax(e, row=3)
    with pytest.raises(ValueError, match="size"):
        one_pass_softmax(e, size=4)


def test_the_same_place_can_be_asked_for_twice(e):
    panel = one_pass_softmax(e)
    ask(panel, step=2)
    panel.turn(step=0)
    ask(panel, step=2)
    assert panel["step"] == 2


def test_words_come_one_by_one_and_the_cache_grows(e):
    panel = decoding(e)
    counts = []
    for word in (1, 2, 3):
        ask(panel, word=word)
        assert len(cells(panel, "K")) == len(cells(panel, "V")) == word
        assert box(panel, "K")["tables"][0]["marks"] == [["kept"] * 2] * (word - 1) + [["now"] * 2]
        counts.append(cells(panel, "cost")[word - 1])
        assert box(panel, "attention")["words"][0].startswith(f"Equal to row {word}")
        assert box(panel, "new")["tables"][0]["rows"] == [e.words[word - 1]]
    assert counts == [["16", "16", "1.00"], ["20", "40", "2.00"], ["24", "72", "3.00"]]
    assert cells(panel, "cost")[3] == ["60", "128", "2.13"]
    want = by_hand.self_attention(e.X, e.W_Q, e.W_K, e.W_V, mask=np.tril(np.ones((3, 3), bool)))
    assert cells(panel, "attention") == [[f"{x:.3f}" for x in want["weights"][2]]]
    assert cells(panel, "attention", 1) == [[f"{x:.3f}" for x in want["output"][2]]]
    e.set(W_V=[[-1.0, 0.0], [0.5, 2.0]], scale=False)
    want = by_hand.self_attention(e.X, e.W_Q, e.W_K, e.W_V, mask=np.tril(np.ones((3, 3), bool)), scale=False)
    assert cells(panel, "attention", 1) == [[f"{x:.3f}" for x in want["output"][2]]]


def test_decoding_needs_words_not_queries():
    with pytest.raises(ValueError, match="X, W_Q, W_K and W_V"):
        decoding(Experiment.from_example("three tokens"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("make", [one_pass_softmax, decoding])
def test_the_twin_shows_the_end_and_the_page_stays(language, make, e):
    choose(language)
    panel = make(Experiment.from_example("我爱你"))
    text, html = panel.static_text(), panel.static_html()
    assert "3" in text.splitlines()[0 if make is decoding else 2]
    assert re.search(r"0\.5370?  0\.52(07|1)\n", text)
    assert html.count("<table>") == sum(len(b["tables"]) for b in panel.boxes) + (make is one_pass_softmax)
    assert panel["step" if make is one_pass_softmax else "word"] == (0 if make is one_pass_softmax else 1)
    assert all(word in text for word in panel.experiment.words)


def test_one_message_a_turn(e):
    panel = decoding(e)
    sent = []
    panel._send = lambda message, buffers=None: sent.append(message)
    panel.comm = panel.comm or object()
    panel.turn(word=2)
    assert len([message for message in sent if "boxes" in message.get("state", {})]) == 1


def test_closing_stops_following(e):
    panel = decoding(e)
    panel.close()
    before = panel.boxes
    e.W_V = [[0.0, 0.0], [0.0, 0.0]]
    assert panel.boxes == before
