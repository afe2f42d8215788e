"""Predict, then reveal: what a guess is, when the truth is on the page, and what the record keeps."""

import json

import numpy as np
import pytest
import sample_lesson
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import Experiment, predict, predictions_summary
from attention_lib.filling import fill
from attention_lib.language import say
from attention_lib.predictions import RECORD, Number, Outcome, shares

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def sample(language, monkeypatch):
    """Every test, in each language, with the sample lesson among the others and nothing guessed yet."""
    sample_lesson.install(monkeypatch)
    RECORD.firsts = {}
    yield
    RECORD.firsts = {}


def page(widget):
    """All that the page holds."""
    return json.dumps({name: value for name, value in widget.get_state().items() if not name.startswith("_")},
                      ensure_ascii=False)


def send(widget, **content):
    """As a message from the page."""
    widget._handle_custom_msg(content, [])


# ---------------------------------------------------------------- before and after

@pytest.mark.parametrize(("key", "truth"), [("99.1", '"true": 2'), ("99.2", "0.26"), ("99.3", "0.308")])
def test_the_truth_is_not_on_the_page_before_a_guess(key, truth):
    widget = predict(key)
    assert widget.outcome == {}
    assert truth not in page(widget).replace('"truth"', "")
    assert "because" not in page(widget)
    assert "scores [" not in page(widget)
    send(widget, guess={"99.1": 0, "99.2": "1", "99.3": None}[key])
    assert truth in page(widget)
    assert widget.outcome["because"]
    send(widget, again=True)
    assert widget.outcome == {}
    assert truth not in page(widget).replace('"truth"', "")


def test_the_truth_is_not_even_computed_before_a_guess(monkeypatch):
    asked = []
    question = sample_lesson.PREDICTIONS["99.2"]
    secret = Number(question=question.question, because=question.because, values=question.values,
                    truth=lambda e: asked.append(e) or 1.0)
    monkeypatch.setitem(sample_lesson.PREDICTIONS, "99.2", secret)
    widget = predict("99.2")
    widget.static_html(), widget.static_text(), page(widget)
    assert asked == []
    widget.commit("1")
    assert len(asked) == 1


def test_one_guess_then_again(language):
    widget = predict("99.1")
    assert widget.commit(0) == Outcome(0, 2, False)
    with pytest.raises(ValueError, match={"zh": "再试一次", "en": "Try again"}[language]):
        widget.commit(2)
    widget.again()
    assert widget.commit(2) == Outcome(2, 2, True)
    assert RECORD.firsts == {"99.1": Outcome(0, 2, False)}
    assert widget.outcome["right"]
    assert widget.outcome["first"] == say("predict.first", guess={"zh": "A. 我", "en": "A. I"}[language])


def test_the_record_keeps_the_first_of_several_widgets():
    predict("99.1").commit(1)
    again = predict("99.1")
    assert again.outcome == {}
    again.commit(2)
    assert RECORD.firsts["99.1"].guess == 1


def test_the_truth_follows_the_experiment_given():
    e = Experiment.from_example("我爱你")
    widget = predict("99.1", e)
    e.set(W_K=[[9.0, 0.0], [-9.0, 0.0]])  # now 我 has the largest key
    assert np.argmax(e["X"][1] @ e["W_Q"] @ (e["X"] @ e["W_K"]).T) == 0
    assert widget.commit(0).right
    assert predict("99.1").commit(2).right


# ---------------------------------------------------------------- choice

def test_a_choice_on_the_page(language):
    widget = predict("99.1")
    assert widget.frame["kind"] == "choice"
    assert [letter for letter, _ in widget.frame["options"]] == ["A", "B", "C"]
    assert widget.frame["question"][1] == ["word", True]  # what stood between backticks
    widget.commit(1)
    assert widget.outcome["chosen"] == 1
    assert widget.outcome["true"] == 2
    assert widget.outcome["verdict"] == say("predict.wrong")
    assert widget.outcome["because"] == [[{"zh": "中", "en": "en "}[language] + "scores [0.24, 0.29, 0.34]", False]]


@pytest.mark.parametrize("guess", [None, -1, 3, "1", 1.0, True, [1]])
def test_no_option_chosen_is_said_and_recorded_nowhere(guess):
    widget = predict("99.1")
    send(widget, guess=guess)
    assert widget.message == say("predict.choose_first")
    assert widget.outcome == {}
    assert RECORD.firsts == {}
    send(widget, guess=0)
    assert widget.message == ""
    assert widget.outcome


# ---------------------------------------------------------------- number

@pytest.mark.parametrize(("typed", "right", "how"), [
    ("0.26", True, None), ("０．２６", True, None), (" 0.265 ", True, ("large", "0.005")),
    ("0.255", True, ("small", "0.005")),
    ("0.2651", False, ("large", "0.0051")), ("0.3", False, ("large", "0.04")), ("−0.26", False, ("small", "0.52")),
    ("1e300", False, ("large", None)),
])
def test_a_number(typed, right, how):
    widget = predict("99.2")
    send(widget, guess=typed)
    assert widget.message == ""
    assert widget.outcome["right"] is right
    if how is None:
        assert widget.outcome["how"] == ""
    elif how[1]:
        assert widget.outcome["how"] == say(f"predict.too_{how[0]}", off=how[1])


def test_a_number_has_its_unit_and_its_explanation(language):
    widget = predict("99.2")
    unit, lead = {"zh": ("中points", "中"), "en": ("en points", "en ")}[language]
    assert widget.frame["unit"] == unit
    widget.commit("0.5")
    assert widget.outcome["guess"] == f"0.5 {unit}"
    assert widget.outcome["truth"] == f"0.26 {unit}"
    assert widget.outcome["because"] == [[f"{lead}it is 0.3", False]]


@pytest.mark.parametrize("typed", ["", "  ", "abc", "1,000", "nan", "inf", "1_0", "<b>", None, [1], "0.2.6"])
def test_what_is_no_number_is_said(typed):
    widget = predict("99.2")
    send(widget, guess=typed)
    blank = isinstance(typed, str) and not typed.strip()
    assert widget.message == (say("predict.type_first") if blank else say("predict.not_a_number", text=typed))
    assert widget.outcome == {}


def test_how_numbers_read():
    whole = Number(question={}, because={}, truth=lambda e: 4.0)
    assert whole.told(4.0) == "4"
    assert whole.told(0.25) == "0.25"
    assert whole.told(1 / 3) == "0.333"
    assert whole.told(0.1838477631) == "0.184"
    assert whole.told(-0.0) == "0"


# ---------------------------------------------------------------- weights

def test_weights_start_equal_and_follow_the_sliders(language):
    widget = predict("99.3")
    assert widget.frame["sliderNames"][2] == {"zh": "你，分到的份额", "en": "share of 你 you"}[language]
    assert widget.frame["labels"] == list({"zh": ("我", "爱", "你"), "en": ("我 I", "爱 love", "你 you")}[language])
    assert widget.shares == ["0.34", "0.33", "0.33"]
    widget.levels = [100, 50, 50]
    assert widget.shares == ["0.50", "0.25", "0.25"]
    widget.levels = [0, 0, 80]
    assert widget.shares == ["0.00", "0.00", "1.00"]
    widget.levels = [0, 0, 0]
    assert widget.shares == ["0.34", "0.33", "0.33"]


def test_weights_are_compared_entry_by_entry():
    widget = predict("99.3")
    widget.levels = [100, 50, 50]
    outcome = widget.commit()
    truth = np.exp(np.array([0.22, 0.33, 0.44]) / np.sqrt(2))
    truth /= truth.sum()
    np.testing.assert_allclose(outcome.truth, truth, rtol=0, atol=1e-12)
    assert outcome.off == pytest.approx(np.abs(truth - [0.5, 0.25, 0.25]).sum() / 2, abs=1e-12)
    assert not outcome.right
    rows = [["0.50", "0.308", "+0.192"], ["0.25", "0.333", "-0.083"], ["0.25", "0.360", "-0.110"]]
    assert widget.outcome["rows"] == rows
    assert widget.outcome["guess"] == "[0.50, 0.25, 0.25]"
    assert widget.outcome["truth"] == "[0.308, 0.333, 0.360]"
    assert widget.outcome["how"] == say("predict.misplaced", off="0.19")


def test_weights_near_enough_are_right():
    widget = predict("99.3")
    assert widget.commit().right  # equal shares are off by 0.03


def test_own_labels():
    widget = predict("99.4")
    assert widget.names == ("a", "b")
    widget.levels = [25, 75]
    assert widget.commit().off == 0
    assert widget.outcome["how"] == ""
    assert widget.outcome["rows"] == [["0.25", "0.250", "0.000"], ["0.75", "0.750", "0.000"]]


@pytest.mark.parametrize("levels", [[1, 2], [1, 2, 3, 4], [-1, 2, 3], [float("nan"), 1, 1], []])
def test_levels_that_are_none_are_said(levels):
    widget = predict("99.3")
    widget.levels = levels
    send(widget, guess=None)
    assert widget.message
    assert widget.outcome == {}
    assert RECORD.firsts == {}


@given(st.lists(st.integers(0, 100), min_size=1, max_size=12))
def test_shares_always_sum_to_one_as_shown(levels):
    result = shares(levels)
    assert sum(round(100 * x) for x in result) == 100
    assert all(x == round(x, 2) for x in result)
    total = sum(levels)
    exact = [x / total if total else 1 / len(levels) for x in levels]
    assert all(abs(a - b) < 0.01 + 1e-9 for a, b in zip(result, exact, strict=True))
    assert all(share == 0 for share, level in zip(result, levels, strict=True) if total and level == 0)


# ---------------------------------------------------------------- static twins

@pytest.mark.parametrize("key", ["99.1", "99.2", "99.3"])
def test_the_static_twin_has_the_question_and_never_the_truth(key):
    widget = predict(key)
    before = widget.static_html(), widget.static_text()
    widget.commit({"99.1": 0, "99.2": "7", "99.3": None}[key])
    assert (widget.static_html(), widget.static_text()) == before
    data, _ = widget._repr_mimebundle_()
    assert data["text/html"] == before[0]
    assert data["text/plain"] == before[1]
    assert "application/vnd.jupyter.widget-view+json" in data
    for text in before:
        assert say("predict.title") in text
        for secret in ("0.26", "0.308", "scores [", "<b>so"):
            assert secret not in text


def test_the_twins_in_full(language):
    assert predict("99.1").static_text() == {
        "zh": "先预测：中which `word`\n  A. 我\n  B. 爱\n  C. 你",
        "en": "Predict first: en which `word`\n  A. I\n  B. love\n  C. you",
    }[language]
    blank = {"zh": "  ____ 中points", "en": "  ____ en points"}[language]
    assert predict("99.2").static_text().splitlines()[1] == blank
    assert predict("99.3").static_text().splitlines()[1] == {"zh": "  我: ____", "en": "  我 I: ____"}[language]
    assert "<code>word</code>" in predict("99.1").static_html()
    assert predict("99.1").static_html().count("<li>") == 3


# ---------------------------------------------------------------- the summary

def test_a_summary_of_nothing_says_so():
    widget = predictions_summary()
    assert widget.static_text() == say("summary.none")
    assert widget.static_html() == f"<p>{say('summary.none')}</p>"
    assert widget.lines == []


def test_the_summary_grows_with_each_first_guess(language):
    widget = predictions_summary()
    predict("99.2").commit("0.3")
    first = predict("99.1")
    first.commit(2)
    first.again()
    first.commit(0)
    assert [line[0] for line in widget.lines] == ["99.1", "99.2"]
    assert [line[-1] for line in widget.lines] == [True, False]
    assert widget.total == say("summary.total", right=1, made=2)
    you, unit = {"zh": ("C. 你", "中points"), "en": ("C. you", "en points")}[language]
    assert widget.static_text() == "\n".join([
        f"99.1  {you} | {you} | {say('summary.right')}",
        f"99.2  0.3 {unit} | 0.26 {unit} | {say('summary.wrong')} · {say('predict.too_large', off='0.04')}",
        say("summary.total", right=1, made=2),
    ])
    assert widget.static_html().count("<tr>") == widget.static_html().count("</tr>") == 3
    assert "<code>word</code>" in widget.static_html()


def test_a_closed_summary_hears_no_more():
    widget = predictions_summary()
    widget.close()
    predict("99.2").commit("0.3")
    assert widget.lines == []


# ---------------------------------------------------------------- the rest

def test_what_is_not_there_is_refused_in_words():
    with pytest.raises(ValueError, match=r"99\.9.*99\.1"):
        predict("99.9")
    with pytest.raises(ValueError, match="Experiment"):
        predict("99.1", {"X": 1})


def test_a_failing_truth_is_said_under_the_question(monkeypatch):
    question = sample_lesson.PREDICTIONS["99.2"]
    broken = Number(question=question.question, because=question.because, truth=lambda e: 1 / 0)
    monkeypatch.setitem(sample_lesson.PREDICTIONS, "99.2", broken)
    widget = predict("99.2")
    send(widget, guess="1")
    assert widget.message == say("widget.failed", error="ZeroDivisionError: division by zero")
    assert RECORD.firsts == {}


def test_one_message_to_the_page_for_a_guess(monkeypatch):
    widget, sent = predict("99.1"), []
    monkeypatch.setattr(widget, "send_state", lambda key=None: sent.append(set(key)))
    send(widget, guess=0)
    assert sent == [{"outcome"}]


@pytest.mark.parametrize(("values", "text"), [
    ({"x": 0.26}, "0.26"), ({"x": 1 / 3}, "0.333"), ({"x": 3}, "3"), ({"x": "word"}, "word"),
    ({"x": np.float64(2)}, "2.0"),
    ({"x": np.array([0.09, 0.245])}, "[0.09, 0.245]"), ({"x": [0.09003, 0.2447]}, "[0.090, 0.245]"),
    ({"x": np.array([[1.0, 0.5], [1 / 3, 0]])}, "[[1.0, 0.5], [0.333, 0.000]]"), ({"x": ("我", "爱")}, "[我, 爱]"),
    ({"x": np.int64(4)}, "4"), ({"x": np.array(0.5)}, "0.5"), ({"x": -0.0}, "0.0"),
])
def test_numbers_filled_into_a_text(values, text):
    assert fill({"zh": "a {x} b", "en": "a {x} b"}, values) == f"a {text} b"
    assert fill({"zh": "{x}", "en": "{x}"}) == "{x}"
