"""Checks: what is right is called right, what is wrong is named, and nothing a learner hands in is an error."""

import decimal
from html.parser import HTMLParser

import numpy as np
import pytest
import sample_lesson
from sample_lesson import sentence, shares, uneven

from attention_lib import Experiment, causal_mask, check, hint, lessons, solution
from attention_lib.language import say
from attention_lib.verdict import NOT_YET, RIGHT, WRONG, Verdict, marked

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def sample(language, monkeypatch):
    """Every test, in each language, with the sample lesson among the others."""
    sample_lesson.install(monkeypatch)


def begins(verdict, name):
    """Whether the mistake is named; compared up to its first number."""
    start = say(f"mistake.{name}").split("{")[0]
    return any(start in line for line in verdict.lines)


# ---------------------------------------------------------------- right

def test_every_step_is_right_as_plain_numpy_gives_it():
    e = uneven()
    X, W_Q, W_K, W_V = (e[name] for name in e.inputs)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / 5**0.5
    weights = shares(scaled)
    steps = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights, "output": weights @ V}
    for name, value in steps.items():
        assert check(f"99.{name}", value, e).state == RIGHT
        assert check(f"99.{name}", value.tolist(), e).state == RIGHT
        assert check(f"99.{name}", value.astype(np.float32), e).state == RIGHT
        assert check(f"99.{name}", value + 0.001, e).state == WRONG
    assert check("99.row", (weights @ V)[-1], e).state == RIGHT
    assert check("99.number", weights[0, 2], e).state == RIGHT


def test_without_an_experiment_the_example_is_meant(e):
    weights = shares(np.array([[0.26, 0.25, 0.24], [0.24, 0.29, 0.34], [0.22, 0.33, 0.44]]) / np.sqrt(2))
    assert check("99.weights", weights).state == RIGHT
    e.set_entry("X", 0, 0, -1.5)
    assert check("99.weights", weights).state == RIGHT
    assert check("99.weights", weights, e).lines == (say("check.before_the_sliders"),)


def test_right_follows_sliders_mask_and_scale(e):
    e.set(W_Q=[[1.0, -0.3], [0.4, 0.2]], mask=causal_mask(3), scale=0.25)
    scaled = (e["X"] @ [[1.0, -0.3], [0.4, 0.2]]) @ e["K"].T * 0.25
    weights = np.zeros((3, 3))
    for row in range(3):
        powers = np.exp(scaled[row, :row + 1])
        weights[row, :row + 1] = powers / powers.sum()
    assert check("99.weights", weights, e).state == RIGHT
    assert check("99.weights", shares(scaled), e).state == WRONG
    assert check("99.output", weights @ e["V"], e).state == RIGHT


def test_settings_of_the_exercise_come_before_those_of_the_experiment(e):
    hidden = np.where(np.tril(np.ones((3, 3))) == 1, e["scaled"], -np.inf)
    assert check("99.causal", shares(hidden), e).state == RIGHT
    assert begins(check("99.causal", shares(e["scaled"]), e), "mask_forgotten")
    assert check("99.unscaled", shares(e["scores"]), e).state == RIGHT
    assert begins(check("99.unscaled", shares(e["scaled"]), e), "scaled_anyway")


@pytest.mark.parametrize("fault", ["wrong axis", "no scaling", "mask after softmax", "V is K", "W_K is W_Q"])
def test_a_fault_on_purpose_does_not_become_right(e, fault):
    right = e["output"].copy()
    e.fault = fault
    verdict = check("99.output", right, e)
    assert verdict.state == RIGHT
    assert verdict.lines[-1] == say("check.fault_on")
    assert check("99.output", e["output"], e).state == WRONG


def test_typed_numbers_need_the_decimals_asked_for():
    assert check("99.number", 0.331).state == RIGHT  # 0.3309791…
    assert check("99.number", 0.3314).state == RIGHT
    assert check("99.number", "0.331").lines == (say("check.is_text"),)
    assert check("99.number", 0.33).lines == (sentence("rounded", decimals=2),)
    assert check("99.number", [0.331]).state == RIGHT
    assert check("99.number", np.float64(0.331)).state == RIGHT
    assert check("99.number", decimal.Decimal("0.331")).state == RIGHT
    assert check("99.number", 0.9).lines == (say("check.too_large", value="0.9"),)
    assert check("99.number", -1).lines == (say("check.too_small", value="-1.0"),)
    assert check("99.typed", [[0.336, 0.333, 0.331], [0.322, 0.333, 0.345], [0.308, 0.333, 0.36]]).state == RIGHT
    assert check("99.typed", [[0.336, 0.333, 0.331], [0.322, 0.333, 0.345], [0.308, 0.333, 0.362]]).state == WRONG


def test_the_explanation_comes_when_it_is_right(language, e):
    lead = {"zh": "中because 0.75", "en": "en because 0.75"}[language]
    assert check("99.own", 0.75, e).lines == (say("check.right_line"), lead)
    assert not any("because" in line for line in check("99.own", 3, e).lines)


# ---------------------------------------------------------------- not yet

def stub(Q, K, V):
    ...


def stub_that_passes(Q, K, V):
    pass


def stub_that_raises(Q, K, V):
    raise NotImplementedError("write it")


def stub_that_returns_dots(Q, K, V):
    return ...


@pytest.mark.parametrize("key", sorted(sample_lesson.EXERCISES))
def test_an_unfinished_answer_is_not_yet(key):
    for answer in (None, ..., [...], [[0.1, ...], [None, 2]], np.array([1, ...], dtype=object), np.array(None)):
        verdict = check(key, answer)
        assert verdict.state == NOT_YET
        assert verdict.lines == (say("check.not_yet_line"),)


@pytest.mark.parametrize("function", [stub, stub_that_passes, stub_that_raises, stub_that_returns_dots])
def test_an_untouched_stub_is_not_yet(function):
    verdict = check("99.attend", function)
    assert verdict.state == NOT_YET
    assert repr(verdict) == f"{say('check.not_yet')}\n{say('check.not_yet_line')}"


# ---------------------------------------------------------------- own mistakes

def test_a_mistake_of_the_exercise_itself(language, e):
    own = {"zh": "中<i>added the column</i>", "en": "en <i>added the column</i>"}[language]
    verdict = check("99.own", 0.72, e)
    assert verdict.lines == (own,)
    assert "<i>" not in verdict._repr_html_()
    assert check("99.own", -1.0, e).lines == (sentence("forgot_scale", d_k=2),)
    assert check("99.own", -2.0, e).lines == (sentence("n_for_d_k", n=3, d_k=2),)
    took_the_sum = {"zh": "中took the sum", "en": "en took the sum"}[language]
    assert check("99.mean", lambda x: x.sum(), e).lines[0] == took_the_sum


# ---------------------------------------------------------------- wrong in other ways

def test_shapes_are_told(e):
    assert check("99.weights", [[0.1, 0.2]], e).lines == (say("check.shape", got="(1, 2)", needs="(3, 3)"),)
    assert check("99.weights", 3, e).lines == (say("check.shape", got=say("check.one_number"), needs="(3, 3)"),)
    assert check("99.own", [1, 2], e).lines == (say("check.shape", got="(2,)", needs=say("check.one_number")),)
    assert check("99.row", e["output"][-1:], e).lines == (say("check.shape_only", got="(1, 2)", needs="(2,)"),)


@pytest.mark.parametrize(("answer", "key"), [
    ("0.3", "check.is_text"), ([["a"]], "check.is_text"), (np.array(["1.0"]), "check.is_text"),
    (True, "check.is_booleans"), (len, "check.is_function"), (lambda x: x, "check.is_function"),
])
def test_what_is_no_number_is_told(answer, key):
    assert check("99.weights", answer).lines == (say(key),)


@pytest.mark.parametrize("answer", [
    [[1, 2], [3]], {"a": 1}, object(), 1j, np.datetime64("2024-01-01"), [[1, "a"], [2]],
])
def test_what_cannot_be_read_is_told(answer):
    assert check("99.weights", answer).lines == (say("check.not_numbers", kind=type(answer).__name__),)


def test_an_experiment_or_steps_are_no_answer(e):
    for answer in (e, e.steps):
        assert check("99.weights", answer, e).lines == (say("check.not_numbers", kind=type(answer).__name__),)


def test_empty_nan_and_infinite_are_told(e):
    assert check("99.weights", [], e).lines == (say("check.is_empty", shape=(0,)),)
    bad = e["weights"].copy()
    bad[1, 2] = np.nan
    at = say("check.at", row=2, column=3)
    assert check("99.weights", bad, e).lines == (say("check.has_nan", at=at, count=1, total=9),)
    bad[1, 2] = np.inf
    assert check("99.weights", bad, e).lines == (say("check.has_infinite", at=at, count=1, total=9),)


def test_the_first_entry_that_is_off_is_told_and_never_the_right_one(e):
    wrong = e["scores"].copy()
    wrong[1, 0] = wrong[2, 2] = 7
    verdict = check("99.scores", wrong, e)
    at = say("check.at", row=2, column=1)
    assert verdict.lines == (say("check.entries_off", wrong=2, total=9, at=at, value="7.0"),)
    assert "0.24" not in repr(verdict)
    row = e["output"][-1] + [0, 1]
    assert check("99.row", row, e).lines == (
        say("check.entries_off", wrong=1, total=2, at=say("check.position", position="2"), value=f"{row[1]:.6f}"),)


# ---------------------------------------------------------------- functions

def case_of(verdict):
    return verdict.lines[-1]


def test_a_right_function_is_right_on_the_learners_numbers_too(e):
    e.set(X=[[2.0, -1.0], [0.0, 0.0], [0.5, 1.0]])
    assert check("99.attend", lambda Q, K, V: shares(Q @ K.T / np.sqrt(Q.shape[1])) @ V, e).state == RIGHT


def test_the_case_of_an_error_is_shown():
    def attend(Q, K, V):
        if len(Q) == 2:
            raise KeyError("lost")
        return shares(Q @ K.T / np.sqrt(K.shape[1])) @ V

    verdict = check("99.attend", attend)
    assert verdict.lines[0] == say("check.raised_at", error="KeyError: 'lost'", line='raise KeyError("lost")')
    case = ("Q = [[1.0, 0.0, 2.0], [0.2, 1.0, 0.0]], K = [[0.1, 1.0, 0.3], [1.0, 0.2, 0.0]], "
            "V = [[0.1, 0.1, 1.0], [1.0, 1.0, 0.0]]")
    assert case_of(verdict) == say("check.case", number=2, total=3, case=case)


def test_a_function_that_only_fits_one_case_is_wrong():
    fixed_scale = check("99.attend", lambda Q, K, V: shares(Q @ K.T / np.sqrt(2)) @ V)
    assert fixed_scale.state == WRONG
    assert case_of(fixed_scale).startswith(say("check.case", number=2, total=3, case="Q"))


@pytest.mark.parametrize(("function", "key"), [
    (lambda Q, K, V: "abc", "check.is_text"), (lambda Q, K, V: len, "check.is_function"),
    (lambda Q, K, V: V > 0, "check.is_booleans"),
])
def test_a_function_that_returns_no_numbers(function, key):
    verdict = check("99.attend", function)
    assert verdict.lines[0] == say(key)
    assert case_of(verdict).startswith(say("check.case", number=1, total=3, case="Q"))


def test_a_function_that_returns_nothing_in_a_later_case():
    def attend(Q, K, V):
        return shares(Q @ K.T / np.sqrt(K.shape[1])) @ V if len(Q) == 3 else None

    assert check("99.attend", attend).lines[0] == say("check.returned_nothing")


def test_wrong_parameters_and_no_function():
    needs = say("check.needs_parameters", count=3, names="Q, K, V")
    assert check("99.attend", lambda Q: Q).lines == (needs,)
    assert check("99.attend", 3.0).lines == (say("check.needs_function", name="attend"),)
    assert check("99.attend", lambda *all_of_them: all_of_them[0] @ all_of_them[2]).state == WRONG
    assert check("99.mean", np.mean).state == RIGHT
    assert check("99.mean", sum).state == WRONG


def test_a_function_that_changes_its_input_is_told_and_changes_nothing(e):
    def attend(Q, K, V):
        result = shares(Q @ K.T / np.sqrt(K.shape[1])) @ V
        Q *= 0
        return result

    before = {name: e[name].copy() for name in e.names}
    verdict = check("99.attend", attend, e)
    assert verdict.state == WRONG
    assert verdict.lines[0] == say("check.changes_input", name="Q")
    assert all(np.array_equal(e[name], value) for name, value in before.items())
    assert check("99.attend", lambda Q, K, V: shares(Q @ K.T / np.sqrt(K.shape[1])) @ V, e).state == RIGHT


def test_whole_numbers_stay_whole_in_a_case():
    seen = []
    check("99.softmax", lambda x: seen.append(x.dtype.kind) or shares(x))
    assert seen == ["f", "f", "i"]


def test_warnings_of_a_learners_function_stay_out_of_the_page(recwarn):
    check("99.softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))
    assert len(recwarn) == 0


# ---------------------------------------------------------------- letters, words, lists

@pytest.mark.parametrize(("key", "answer"), [
    ("99.letter", "B"), ("99.letter", " b "), ("99.letter", "Ｂ"), ("99.letter", "TWO"), ("99.letter", ["B"]),
    ("99.index", 2), ("99.index", 2.0), ("99.index", np.int64(2)), ("99.index", [2]),
    ("99.list", [2, 0]), ("99.list", (0, 2)), ("99.list", {0, 2}), ("99.list", np.array([0, 2])),
    ("99.list", (np.int64(2), 0.0)),
    ("99.ordered", ["Q", "K", "V"]), ("99.flags", [True, False, True]), ("99.flags", np.array([True, False, True])),
    ("99.true", True), ("99.true", np.True_),
])
def test_a_choice_that_is_right(key, answer):
    assert check(key, answer).state == RIGHT


def test_choices_that_are_wrong(language):
    assert check("99.letter", "a").lines == ({"zh": "中A is the trap", "en": "en A is the trap"}[language],)
    assert check("99.letter", "C").lines == (say("check.not_this", value="c"),)
    assert check("99.letter", 2).lines == (say("check.needs_text"),)
    assert check("99.index", "2").lines == (say("check.needs_whole"),)
    assert check("99.index", 3).lines == (sentence("counted_from_one"),)
    assert check("99.index", 1.5).lines == (say("check.needs_whole"),)
    assert check("99.index", True).lines == (say("check.needs_whole"),)
    assert check("99.list", [1, 3]).lines == (sentence("counted_from_one"),)
    assert check("99.list", [0, 1]).lines == (say("check.of_the_list", right=1, extra=1, missing=1),)
    assert check("99.list", [0, 0, 2]).lines == (say("check.of_the_list", right=2, extra=1, missing=0),)
    assert check("99.list", []).lines == (say("check.of_the_list", right=0, extra=0, missing=2),)
    assert check("99.ordered", ["k", "q", "v"]).lines == (say("check.some_right", right=1, total=3),)
    assert check("99.ordered", ["q"]).lines == (say("check.needs_items", got=1, needs=3),)
    assert check("99.flags", [False, True, True]).lines == (say("check.some_right", right=1, total=3),)
    assert check("99.true", 1).lines == (say("check.needs_bool"),)
    assert check("99.true", "True").lines == (say("check.needs_bool"),)
    assert check("99.true", False).lines == (say("check.not_this", value="False"),)
    assert check("99.true", object()).lines == (say("check.needs_bool"),)


# ---------------------------------------------------------------- anything at all

class Odd:
    def __array__(self, *args, **kwargs):
        raise ZeroDivisionError


ODD = [0, -1, 1e400, float("nan"), "", "文字", b"x", [], (), {}, set(), [[]], [[1, 2], [3]], 1j, object(), len, int,
       np.array([]), np.zeros((2, 2, 2)), np.array("a"), np.datetime64("2024-01-01"), range(3), iter([1]), Odd(),
       Exception("x"), [float("inf")], 10**400, [True, 1], np.ma.masked, [{}], {1: 2}, print]


@pytest.mark.parametrize("key", sorted(sample_lesson.EXERCISES))
@pytest.mark.parametrize("answer", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.filterwarnings("default")
def test_no_answer_is_an_error(key, answer):
    verdict = check(key, answer)
    assert verdict.state in (WRONG, NOT_YET, RIGHT)
    assert verdict.lines
    assert repr(verdict)
    assert verdict._repr_html_()


def test_an_experiment_that_does_not_fit_is_told():
    one_word = Experiment(Q=[[1.0, 0.0]], K=[[0.5, 1.0]], V=[[1.0]])
    for answer in (0.5, ...):
        verdict = check("99.number", answer, one_word)
        assert verdict.state == NOT_YET
        assert verdict.lines[0].startswith(say("check.does_not_fit").split("{")[0] + "IndexError")
    assert check("99.weights", [[1.0]], one_word).state == RIGHT


def test_what_is_not_there_is_refused_in_words(e):
    with pytest.raises(ValueError, match=r"99\.nothing"):
        check("99.nothing", 1)
    for key in ("98.a", "", "os.path", "99", None, 3.1):
        for ask in (lambda key: check(key, 1), hint, solution):
            with pytest.raises(ValueError, match=r"99"):
                ask(key)
    with pytest.raises(ValueError, match="Experiment"):
        check("99.weights", 1, {"weights": 1})


# ---------------------------------------------------------------- how it is shown

class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.outside = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "details" not in self.open:
            self.outside += data


def test_hint_and_solution_are_folded_and_not_in_the_plain_text(language):
    verdict = check("99.weights", ...)
    page = Tags(verdict._repr_html_())
    assert page.open == []
    assert [attributes for tag, attributes in page.seen if tag == "details"] == [{}, {}]  # none of them open
    assert "hint" not in page.outside
    assert "weights" not in page.outside
    assert "hint" not in repr(verdict)
    assert "e[&quot;weights&quot;]" in verdict._repr_html_()


def test_sign_and_word_tell_the_verdict(e):
    for answer, sign, state in ((e["weights"], "✓", RIGHT), (e["scores"], "✗", WRONG), (..., "○", NOT_YET)):
        verdict = check("99.weights", answer, e)
        assert repr(verdict).startswith(sign)
        assert verdict._word == say(f"check.{state}")
        assert f"<b>{verdict._word}</b>" in verdict._repr_html_()


def test_hint_and_solution_can_be_asked_for(language):
    assert repr(hint("99.weights")) == {"zh": "提示 中a `hint`", "en": "Hint en a `hint`"}[language]
    assert "<code>hint</code>" in hint("99.weights")._repr_html_()
    assert hint("99.weights")._repr_html_().startswith("<details><summary>")
    assert repr(solution("99.weights")).endswith('\nanswer = e["weights"]')
    assert '<pre><code>answer = e[&quot;weights&quot;]</code></pre>' in solution("99.weights")._repr_html_()


def test_nothing_a_learner_gives_is_html():
    def attend(Q, K, V):
        raise ValueError("<script>alert(1)</script>")

    assert "<script>" not in check("99.attend", attend)._repr_html_()
    assert "<b>x" not in check("99.letter", "<b>x")._repr_html_()


def test_code_between_backticks():
    assert marked("a `b<c` d\ne") == "a <code>b&lt;c</code> d<br>e"
    assert marked("a ` b") == "a ` b"
    assert marked("`x`") == "<code>x</code>"
    assert Verdict(RIGHT, ("`a`",))._repr_html_().count("<code>") == 1


def test_lessons_are_found_by_their_number(monkeypatch):
    monkeypatch.undo()
    assert "03" in lessons.numbers()
    assert all(number.isdecimal() for number in lessons.numbers())
