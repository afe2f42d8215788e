"""Known mistakes: each is made here once more, in plain numpy, and the check names it, in both languages."""

import numpy as np
import pytest
import sample_lesson
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_lesson import sentence, shares, uneven

from attention_lib import Experiment, causal_mask, check
from attention_lib.language import LANGUAGES, chosen, say, texts
from attention_lib.mistakes import KNOWN, NAMES, Sheet
from attention_lib.verdict import RIGHT, WRONG

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def sample(language, monkeypatch):
    """Every test, in each language, with the sample lesson among the others."""
    sample_lesson.install(monkeypatch)


def begins(verdict, name):
    """Whether the mistake is named; compared up to its first number."""
    start = say(f"mistake.{name}").split("{")[0]
    return any(start in line for line in verdict.lines)


# X, W_Q, … are the learner's own matrices. Each function makes one mistake and goes on from there.

CAUSAL = np.tril(np.ones((9, 9))) == 1


def forgot_scale(X, W_Q, W_K, W_V):
    return shares(X @ W_Q @ (X @ W_K).T) @ (X @ W_V)


def divided_by_d_k(X, W_Q, W_K, W_V):
    K = X @ W_K
    return shares(X @ W_Q @ K.T / K.shape[1]) @ (X @ W_V)


def n_for_d_k(X, W_Q, W_K, W_V):
    return shares(X @ W_Q @ (X @ W_K).T / np.sqrt(len(X))) @ (X @ W_V)


def columns(X, W_Q, W_K, W_V):
    scores = X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1])
    return np.exp(scores) / np.exp(scores).sum(axis=0) @ (X @ W_V)


def whole_matrix(X, W_Q, W_K, W_V):
    powers = np.exp(X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
    return powers / powers.sum() @ (X @ W_V)


def sums_not_kept(X, W_Q, W_K, W_V):
    powers = np.exp(X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
    return powers / powers.sum(axis=1) @ (X @ W_V)


def not_shared_out(X, W_Q, W_K, W_V):
    return np.exp(X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1])) @ (X @ W_V)


def no_exp(X, W_Q, W_K, W_V):
    scores = X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1])
    return scores / scores.sum(axis=1, keepdims=True) @ (X @ W_V)


def K_for_V(X, W_Q, W_K, W_V):
    return shares(X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1])) @ (X @ W_K)


def exchanged(X, W_Q, W_K, W_V):
    return shares(X @ W_K @ (X @ W_Q).T / np.sqrt(W_K.shape[1])) @ (X @ W_V)


def right(X, W_Q, W_K, W_V):
    return shares(X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[1])) @ (X @ W_V)


ANY_SHAPE = [forgot_scale, divided_by_d_k, n_for_d_k, columns, whole_matrix, sums_not_kept, not_shared_out, no_exp,
             K_for_V, exchanged]


@pytest.mark.parametrize("made", ANY_SHAPE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [uneven, lambda: Experiment.from_example("我爱你")], ids=["uneven", "我爱你"])
def test_the_mistake_is_named(made, make):
    e = make()
    inputs = [e[name] for name in e.inputs]
    verdict = check("99.output", made(*inputs), e)
    assert verdict.state == WRONG
    assert begins(verdict, made.__name__)
    assert len(verdict.lines) == 1
    if made is not K_for_V or make is not uneven:  # there, d_k and d_v differ: no last row to take
        assert begins(check("99.row", made(*inputs)[-1], e), made.__name__)
    assert check("99.output", right(*inputs), e).state == RIGHT
    e.set_entry("X", 0, 0, 1.7)  # the learner's inputs, not those of the example
    moved = [e[name] for name in e.inputs]
    assert begins(check("99.output", made(*moved), e), made.__name__)
    assert check("99.output", right(*inputs), e).state == WRONG


@pytest.mark.parametrize("made", ANY_SHAPE, ids=lambda f: f.__name__)
def test_the_mistake_is_named_in_a_function(made):
    verdict = check("99.projected", made)
    assert verdict.state == WRONG
    assert begins(verdict, made.__name__)
    assert len(verdict.lines) == 2
    assert check("99.projected", right).state == RIGHT


def test_the_numbers_in_a_sentence_are_the_learners_own():
    e = uneven()
    X, W_Q, W_K = e["X"], e["W_Q"], e["W_K"]
    scores = X @ W_Q @ (X @ W_K).T
    assert check("99.scaled", scores, e).lines == (sentence("forgot_scale", d_k=5),)
    assert check("99.scaled", scores / 5, e).lines == (sentence("divided_by_d_k", d_k=5),)
    assert check("99.scaled", scores / 2, e).lines == (sentence("n_for_d_k", n=4, d_k=5),)
    assert check("99.scaled", scores / np.sqrt(3), e).lines == (sentence("d_model_for_d_k", d_model=3, d_k=5),)
    assert check("99.weights", shares(scores / np.sqrt(3)), e).lines == (sentence("d_model_for_d_k", d_model=3, d_k=5),)


@pytest.mark.parametrize("names", [("W_Q",), ("W_K",), ("W_V",), ("W_Q", "W_K"), ("W_Q", "W_K", "W_V")], ids=str)
def test_transposed_W(e, names):
    X = e["X"]
    W_Q, W_K, W_V = (e[name].T if name in names else e[name] for name in ("W_Q", "W_K", "W_V"))
    told = (sentence("transposed_W", name=", ".join(names)),)
    if "W_Q" in names:
        assert check("99.Q", X @ W_Q, e).lines == (sentence("transposed_W", name="W_Q"),)
    assert check("99.output", shares(X @ W_Q @ (X @ W_K).T / np.sqrt(2)) @ (X @ W_V), e).lines == told
    assert not begins(check("99.output", right(X, e["W_Q"], e["W_K"], e["W_V"]), e), "transposed_W")


def test_transposed_W_in_a_function(e):
    def all_of_it(X, W_Q, W_K, W_V):
        return shares(X @ W_Q.T @ (X @ W_K).T / np.sqrt(2)) @ (X @ W_V)

    verdict = check("99.projected", all_of_it, e)  # the second case is not square: numpy refuses it
    assert "ValueError: matmul" in verdict.lines[0]
    assert "W_Q.T" in verdict.lines[0]
    assert verdict.lines[1] == sentence("transposed_W", name="W_Q")


def test_a_symmetric_W_has_no_transposed_mistake(e):
    e.W_Q = [[0.5, 0.2], [0.2, 0.6]]
    assert check("99.Q", e["X"] @ e["W_Q"].T, e).state == RIGHT


@pytest.mark.parametrize("where", ["given", "asked for"])
def test_masked_after_softmax(e, where):
    key = "99.causal"
    if where == "given":
        key, e.mask = "99.weights", causal_mask(3)
    weights = shares(e["scaled"]) * CAUSAL[:3, :3]
    assert check(key, weights, e).lines == (sentence("mask_after_softmax"),)
    assert check(key, weights / weights.sum(axis=1, keepdims=True), e).state == RIGHT
    assert check(key, shares(e["scaled"] * CAUSAL[:3, :3]), e).lines == (sentence("masked_with_zero"),)
    assert check(key, shares(e["scaled"]), e).lines == (sentence("mask_forgotten"),)
    with np.errstate(invalid="ignore"):
        reversed_ = shares(np.where(CAUSAL[:3, :3], -np.inf, e["scaled"]))
    assert np.isnan(reversed_).any()
    assert check(key, reversed_, e).lines == (sentence("mask_reversed"),)
    assert check(key, np.nan_to_num(reversed_), e).lines == (sentence("mask_reversed"),)


def test_masks_in_a_function(e):
    made = {
        "mask_after_softmax": lambda scaled, mask: shares(scaled) * mask,
        "mask_forgotten": lambda scaled, mask: shares(scaled),
        "mask_reversed": lambda scaled, mask: shares(np.where(mask, -np.inf, scaled)),
        "masked_with_zero": lambda scaled, mask: shares(scaled * mask),
        "columns": lambda scaled, mask: shares(np.where(mask, scaled, -np.inf), axis=0),
    }
    for name, function in made.items():
        assert check("99.masked", function, e).lines[0] == sentence(name)
    assert check("99.masked", lambda scaled, mask: shares(np.where(mask, scaled, -np.inf)), e).state == RIGHT
    e.mask = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]  # the learner's own mask is the first case
    assert check("99.masked", lambda scaled, mask: shares(scaled) * mask, e).lines[0] == sentence("mask_after_softmax")


def test_q_and_k_exchanged_and_the_right_matrix_transposed_are_both_told(e):
    assert check("99.scores", e["K"] @ e["Q"].T, e).lines == (
        say("check.several"), f"· {sentence('exchanged')}", f"· {sentence('transposed')}")
    assert check("99.Q", e["K"], e).lines == (sentence("exchanged"),)
    assert check("99.weights", shares(e["K"] @ e["Q"].T / np.sqrt(2)), e).lines == (sentence("exchanged"),)


def test_right_but_transposed():
    e = uneven()
    for name in ("Q", "V", "scaled", "weights", "output"):
        told = check(f"99.{name}", e[name].T, e).lines
        assert sentence("transposed") in [line.removeprefix("· ") for line in told]
    verdict = check("99.attend", lambda Q, K, V: (shares(Q @ K.T / np.sqrt(K.shape[1])) @ V).T)
    assert verdict.lines[0] == sentence("transposed")


def test_rounded_too_early(e):
    X, W_Q, W_K, W_V = (e[name] for name in e.inputs)
    scores, V = X @ W_Q @ (X @ W_K).T, X @ W_V
    scaled = np.round(scores / np.sqrt(2), 2)
    assert check("99.weights", shares(scaled), e).lines == (sentence("rounded_early", name="scaled", decimals=2),)
    assert check("99.output", shares(scaled) @ V, e).lines == (sentence("rounded_early", name="scaled", decimals=2),)
    weights = np.round(shares(scores / np.sqrt(2)), 3)
    assert check("99.output", weights @ V, e).lines == (sentence("rounded_early", name="weights", decimals=3),)
    for factor, told in ((1 / 1.4, {"name": "√d_k", "decimals": 1}), (0.71, {"name": "1/√d_k", "decimals": 2})):
        assert check("99.weights", shares(scores * factor), e).lines == (sentence("rounded_early", **told),)
    every = np.round(np.round(shares(np.round(np.round(scores, 2) / np.sqrt(2), 2)), 2) @ np.round(V, 2), 2)
    assert check("99.output", every, e).lines == (sentence("rounded_every_step", decimals=2),)
    assert check("99.weights", np.round(shares(scores / np.sqrt(2)), 3), e).lines == (sentence("rounded", decimals=3),)


def test_rounded_too_early_in_a_function():
    def attend(Q, K, V):
        return np.round(shares(Q @ K.T / np.sqrt(K.shape[1])), 2) @ V

    assert check("99.attend", attend).lines[0] == sentence("rounded_early", name="weights", decimals=2)
    finished = check("99.attend", lambda Q, K, V: np.round(shares(Q @ K.T / np.sqrt(K.shape[1])) @ V, 3))
    assert finished.lines[0] == sentence("rounded", decimals=3)


def test_another_step(e):
    assert check("99.weights", e["scaled"], e).lines == (sentence("another_step", name="scaled"),)
    assert check("99.scores", e["weights"], e).lines == (sentence("another_step", name="weights"),)
    assert check("99.V", e["K"], e).lines == (sentence("K_for_V"),)  # known better than as another step
    assert check("99.scaled", e["scores"], e).lines == (sentence("forgot_scale", d_k=2),)


def test_exp_that_overflows_in_a_function():
    verdict = check("99.softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))
    assert verdict.lines[0] == sentence("overflow")
    verdict = check("99.softmax", lambda x: shares(x - x.max(axis=1, keepdims=True), axis=0))
    assert verdict.lines[0] == sentence("columns")


@pytest.mark.parametrize(("made", "name"), [
    (lambda x: np.exp(x - x.max(axis=1, keepdims=True)), "not_shared_out"),
    (lambda x: np.exp(x) / np.exp(x).sum(axis=1), "sums_not_kept"),
    (lambda x: shares(x - x.max(axis=1)), "sums_not_kept"),
    (lambda x: np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1),
     "sums_not_kept"),
    (lambda x: np.exp(x - x.max(axis=1)) / np.exp(x - x.max(axis=1)).sum(axis=1), "sums_not_kept"),
    (lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(axis=0), "columns"),
    (lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(), "whole_matrix"),
])
def test_a_maximum_taken_away_first_hides_no_mistake(e, made, name):
    assert check("99.weights", made(e["scaled"]), e).lines == (sentence(name),)


def test_two_mistakes_with_the_same_numbers_are_both_named():
    """Four words and keys of length 2: √n is d_k."""
    random = np.random.default_rng(1)
    e = Experiment(Q=random.integers(-9, 10, (4, 2)) / 10, K=random.integers(-9, 10, (4, 2)) / 10, V=np.ones((4, 2)))
    assert check("99.weights", shares(e["Q"] @ e["K"].T / 2), e).lines == (
        say("check.several"),
        f"· {sentence('divided_by_d_k', d_k=2)}",
        f"· {sentence('n_for_d_k', n=4, d_k=2)}",
    )


def test_a_mistake_that_changes_nothing_is_no_mistake(e):
    e.W_Q = np.zeros((2, 2))  # all scores 0: no scaling, wrong axis, wrong length, all the same
    third = np.full((3, 3), 1 / 3)
    assert check("99.weights", third, e).state == RIGHT
    assert check("99.weights", third + 0.1, e).lines == (
        say("check.entries_off", wrong=9, total=9, at=say("check.at", row=1, column=1), value="0.433333"),)
    ones = Experiment(Q=[[1.0], [2.0]], K=[[0.5], [1.0]], V=[[1.0], [0.0]])  # d_k = 1: nothing to forget
    assert check("99.weights", shares(ones["Q"] @ ones["K"].T), ones).state == RIGHT


def test_typed_numbers_of_a_mistake_are_known_as_far_as_they_go(e):
    typed = np.round(shares(e["scores"]), 3)
    assert check("99.typed", typed, e).lines == (say("check.fits"), f"· {sentence('forgot_scale', d_k=2)}")
    assert check("99.weights", typed, e).lines == (say("check.fits"), f"· {sentence('forgot_scale', d_k=2)}")


@settings(max_examples=150)
@given(st.lists(st.lists(st.integers(0, 1000), min_size=3, max_size=3), min_size=3, max_size=3))
def test_numbers_that_come_from_no_mistake_are_not_blamed_on_one(entries):
    answer = np.array(entries) / 1000
    lines = check("99.typed", answer).lines
    known = {f"mistake.{name}" for name in NAMES}
    starts = [texts(chosen())[key].split("{")[0] for key in known]
    close = np.abs(answer - Experiment.from_example("我爱你")["weights"]).max() < 0.05
    assert close or not any(line.removeprefix("· ").startswith(start) for line in lines for start in starts)


def test_all_mistakes_of_the_list_are_told_in_both_languages():
    for name in NAMES:
        for language in LANGUAGES:
            assert texts(language)[f"mistake.{name}"]
    assert {mistake.name for mistake in KNOWN} <= set(NAMES)


def test_mistakes_leave_what_they_are_given_alone():
    e = uneven(mask=np.tril(np.ones((4, 4), dtype=bool)))
    sheet, before = Sheet.of(e), {name: e[name].copy() for name in e.names}
    for mistake in KNOWN:
        for name in ("Q", "weights", "output"):
            try:
                mistake.answer(sheet, lambda s, name=name: s[name])
            except ValueError:  # a matrix that is not square cannot be used transposed
                assert mistake.name == "transposed_W"
    assert all(np.array_equal(e[name], value) for name, value in before.items())
    assert np.array_equal(sheet["output"], before["output"])
