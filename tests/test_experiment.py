"""One experiment: what it takes, what follows from it, and who hears of it when."""

import copy

import by_hand
import numpy as np
import pytest
from traitlets import TraitError

from attention_lib.examples import EXAMPLES
from attention_lib.experiment import DIRECT, MOST_WIDTH, MOST_WORDS, PROJECTED, Experiment
from attention_lib.faults import FAULTS
from attention_lib.language import choose
from attention_lib.maths import STEPS, causal_mask

pytestmark = pytest.mark.filterwarnings("error")
W = np.array([[0.5, -0.2], [0.1, 1.6]])


@pytest.fixture
def heard(e):
    """Every notification of e, as (name, old, new)."""
    told = []
    e.observe(lambda change: told.append((change.name, change.old, change.new)))
    return told


def names(heard):
    return [name for name, _, _ in heard]


# What follows from the inputs


@pytest.mark.parametrize("fault", [None, *FAULTS])
@pytest.mark.parametrize("scale", [True, False, 0.3])
@pytest.mark.parametrize("mask", [None, causal_mask(3), [[1, 0, 1], [0, 0, 0], [1, 0, 0]]])
def test_every_matrix_as_by_hand(e, fault, scale, mask):
    e.set(fault=fault, scale=scale, mask=mask, W_Q=W)
    want = by_hand.self_attention(e["X"], W, e["W_K"], e["W_V"], mask, scale, fault)
    for name in STEPS:
        np.testing.assert_allclose(e[name], want[name], rtol=1e-12, atol=1e-12)
        assert e[name] is e.steps[name]


def test_query_key_and_value_given_directly():
    random = np.random.default_rng(0)
    Q, K, V = random.normal(size=(2, 3)), random.normal(size=(5, 3)), random.normal(size=(5, 4))
    e = Experiment(Q=Q, K=K, V=V)
    for name, value in by_hand.attention(Q, K, V).items():
        np.testing.assert_allclose(e[name], value, rtol=1e-11, atol=1e-11)
    assert e.names == ("Q", "K", "V", "scores", "scaled", "weights", "output")
    assert e.labels("weights") == (("w₁", "w₂"), ("k₁", "k₂", "k₃", "k₄", "k₅"))
    assert e.labels("K") == (e.key_words, ("k₁", "k₂", "k₃"))
    assert e.labels("output") == (e.words, ("v₁", "v₂", "v₃", "v₄"))


def test_names_and_labels(e):
    assert e.names == (*PROJECTED, *STEPS)
    labels = {name: e.labels(name) for name in e.names}
    assert labels["X"] == (("我 I", "爱 love", "你 you"), ("x₁", "x₂"))
    assert labels["W_K"] == (("x₁", "x₂"), ("k₁", "k₂"))
    assert labels["weights"] == (e.words, e.words)
    for name, (rows, columns) in labels.items():
        assert e[name].shape == (len(rows), len(columns))
    assert Experiment.from_example("classroom").labels("W_Q") == (("sport", "music"), ("q₁", "q₂"))
    wide = Experiment(np.ones((1, 8)), np.ones((8, 8)), np.ones((8, 8)), np.ones((8, 8)))
    assert wide.labels("Q")[1][-1] == "q₈"
    assert Experiment(Q=np.ones((12, 1)), K=[[1]], V=[[1]]).words[-1] == "w₁₂"


def test_every_array_is_read_only_and_a_trait_is_the_same_as_an_item(e):
    e.mask = causal_mask(3)
    for array in (*(e[name] for name in e.names), e.mask):
        assert not array.flags.writeable
    for name in (*PROJECTED, *DIRECT):
        assert getattr(e, name) is e[name]
    assert Experiment.from_example("three tokens").X is None


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_examples_in_both_languages(name, language):
    choose(language)
    try:
        e = Experiment.from_example(name)
    finally:
        choose("en")
    assert e.words == EXAMPLES[name].words[language]
    assert all(np.array_equal(e[matrix], value) for matrix, value in EXAMPLES[name].inputs.items())


# Who hears of a change


def test_several_inputs_at_once_are_told_once(e, heard):
    e.set(X=np.zeros((3, 2)), W_Q=W, W_K=W, W_V=W, mask=causal_mask(3), scale=False, fault="wrong axis")
    assert sorted(names(heard)) == sorted([*PROJECTED, "mask", "scale", "fault", "steps"])
    assert names(heard)[0] == "steps"


def test_one_input_is_told_with_its_old_and_new_value(e, heard):
    old, old_steps = e["W_Q"], e.steps
    e.W_Q = W
    (_, before, after), (name, was, now) = heard
    assert (before, after) == (old_steps, e.steps)
    assert name == "W_Q"
    assert was is old
    assert np.array_equal(now, W)


def test_who_hears_of_steps_sees_every_input_new(e):
    seen = []
    e.observe(lambda change: seen.append((e["W_Q"], e.W_K, e["Q"], change.new)), "steps")
    e.set(W_Q=W, W_K=2 * W)
    (W_Q, W_K, Q, steps), = seen
    assert np.array_equal(W_Q, W)
    assert np.array_equal(W_K, 2 * W)
    assert np.array_equal(Q, e["X"] @ W)
    assert steps is e.steps


@pytest.mark.parametrize("change", [
    {"W_Q": ((0.5, 0.2), (0.1, 0.6))}, {"W_Q": [[0.5 + 1e-15, 0.2], [0.1, 0.6]]},
    {"X": [[1, -0.0], [0.5, 0.5], [0, 1]]}, {"mask": None}, {"scale": True}, {"scale": np.True_}, {"fault": None}, {},
])
def test_an_equal_value_tells_nothing(e, heard, change):
    steps = e.steps
    e.set(**change)
    assert heard == []
    assert e.steps is steps


def test_true_and_one_are_different_scales(e, heard):
    e.scale = 1
    assert names(heard) == ["steps", "scale"]
    assert e.scale == 1.0
    assert e.scale is not True
    e.scale = np.int8(1)
    assert len(heard) == 2


def test_no_dust(e):
    e.set_entry("W_Q", 0, 0, 0.1 + 0.2)
    e.set_entry("W_Q", 0, 1, -0.0)
    assert e["W_Q"][0].tolist() == [0.3, 0.0]
    assert str(e["W_Q"][0, 1]) == "0.0"


REFUSED = [
    {"W_Q": [[1, 2]]}, {"W_Q": [[1, 2], [3]]}, {"W_Q": "abc"}, {"W_Q": None}, {"W_Q": [[np.nan, 1], [1, 1]]},
    {"W_Q": np.ones((2, 2, 2))}, {"W_Q": 1}, {"X": np.full((3, 2), 1e308), "W_Q": np.full((2, 2), 1e308)},
    {"Q": np.ones((3, 2))}, {"scores": np.ones((3, 3))}, {"unknown": 1}, {"steps": None}, {"words": "我爱你"},
    {"mask": np.ones((3, 3))}, {"mask": [[True, False]]}, {"mask": "causal"}, {"scale": "yes"}, {"scale": np.nan},
    {"scale": None}, {"fault": "none"}, {"fault": 1},
]


@pytest.mark.parametrize("change", REFUSED)
def test_a_refused_change_changes_nothing(e, heard, change):
    state, steps = {name: e[name] for name in e.names}, e.steps
    with pytest.raises(ValueError, match=r"got .+; needs"):
        e.set(**{"W_V": W, "scale": False} | change)
    for name, value in change.items():
        if name in (*PROJECTED, *DIRECT, "mask", "scale", "fault") and len(change) == 1:
            with pytest.raises(ValueError, match=r"got .+; needs"):
                setattr(e, name, value)
    assert heard == []
    assert e.steps is steps
    assert all(e[name] is value for name, value in state.items())
    assert (e.mask, e.scale, e.fault) == (None, True, None)


def test_steps_and_words_cannot_be_assigned(e):
    for name in ("steps", "words", "key_words", "features"):
        with pytest.raises(TraitError):
            setattr(e, name, getattr(e, name))


def test_one_failing_observer_keeps_nobody_from_hearing(e):
    told = []
    e.observe(lambda change: 1 / 0, "steps")
    e.observe(lambda change: told.append("W_Q"), "W_Q")
    e.observe(lambda change: told.append("W_K"), "W_K")
    with pytest.raises(ZeroDivisionError):
        e.set(W_Q=W, W_K=W)
    assert told == ["W_Q", "W_K"]
    assert np.array_equal(e["Q"], e["X"] @ W)
    assert np.array_equal(e["K"], e["X"] @ W)
    with pytest.raises(ZeroDivisionError):
        e.reset()
    np.testing.assert_allclose(e["weights"][0, 0], 0.3356931140, atol=1e-10)


def test_an_observer_may_change_the_experiment_itself(e):
    seen = []
    e.observe(lambda change: e.set(W_K=e["W_Q"]), "W_Q")
    e.observe(lambda change: seen.append(e["K"].copy()), "steps")
    e.W_Q = W
    assert np.array_equal(e["W_K"], W)
    assert np.array_equal(seen[-1], e["X"] @ W)


def test_held_notifications_come_once(e, heard):
    with e.hold_trait_notifications():
        e.W_Q = W
        e.W_Q = 2 * W
        e.W_K = W
        assert heard == []
    assert sorted(names(heard)) == ["W_K", "W_Q", "steps"]
    assert np.array_equal(e["Q"], e["X"] @ (2 * W))


# Entries, reset, focus


def test_set_entry(e, heard):
    e.set_entry("W_K", 1, 0, np.float32(0.5))
    assert e["W_K"].tolist() == [[0.4, 0.3], [0.5, 0.7]]
    assert names(heard) == ["steps", "W_K"]


@pytest.mark.parametrize("args", [
    ("W_K", 2, 0, 1), ("W_K", -1, 0, 1), ("W_K", 0, 2, 1), ("W_K", 0.0, 0, 1), ("W_K", True, 0, 1), ("W_K", None, 0, 1),
    ("W_K", 0, slice(None), 1), ("W_K", 0, 0, "1"), ("W_K", 0, 0, None), ("W_K", 0, 0, [1]), ("W_K", 0, 0, np.nan),
    ("W_K", 0, 0, np.inf), ("W_K", 0, 0, 1j), ("W_K", 0, 0, np.ma.masked), ("W_K", 0, 0, 10**400), ("Q", 0, 0, 1),
    ("mask", 0, 0, True), ("A", 0, 0, 1), (None, 0, 0, 1),
])
def test_an_entry_is_refused_in_words(e, heard, args):
    with pytest.raises(ValueError, match=r"got .+; needs"):
        e.set_entry(*args)
    assert heard == []


def test_reset_one_or_several_or_all(e, heard):
    e.set(X=np.ones((3, 2)), W_Q=W, W_K=W, W_V=W, mask=causal_mask(3), scale=2, fault="wrong axis")
    heard.clear()
    e.reset("W_Q")
    assert names(heard) == ["steps", "W_Q"]
    e.reset("W_K", "mask")
    assert (e.mask, e.scale) == (None, 2)
    heard.clear()
    e.reset()
    assert sorted(names(heard)) == ["W_V", "X", "fault", "scale", "steps"]
    fresh = Experiment.from_example("我爱你")
    assert all(np.array_equal(e[name], fresh[name]) for name in e.names)
    heard.clear()
    e.reset()
    assert heard == []


@pytest.mark.parametrize("name", ["Q", "no", "steps", "words", None, 3, ["W_Q"]])
def test_only_inputs_can_be_reset(e, name):
    e.W_Q = W
    with pytest.raises(ValueError, match=r"got .+; needs"):
        e.reset("W_Q", name)
    assert np.array_equal(e["W_Q"], W)


def test_focus_is_a_cell_that_is_there(e, heard):
    e.focus = ["weights", np.int64(2), 0]
    assert e.focus == ("weights", 2, 0)
    assert type(e.focus[1]) is int
    for cell in [("weights", 3, 0), ("weights", -1, 0), ("A", 0, 0), ("X", 0), "weights", 3, ("X", "0", 0), {}]:
        with pytest.raises(ValueError, match=r"got .+; needs"):
            e.focus = cell
        assert e.focus == ("weights", 2, 0)
    e.focus = None
    assert names(heard) == ["focus", "focus"]


@pytest.mark.parametrize("name", ["A", "mask", "steps", "", None, 0, ("X",), ["X"]])
def test_an_unknown_matrix_is_refused(e, name):
    for ask in (e.__getitem__, e.labels):
        with pytest.raises(ValueError, match=r"^Experiment: got .+; needs one of 'X', 'W_Q'"):
            ask(name)


# Making one


XW, QKV = dict.fromkeys(PROJECTED, W), dict.fromkeys(DIRECT, W)


@pytest.mark.parametrize("inputs", [
    {}, {"X": W}, {"X": W, "W_Q": W, "W_K": W}, {"Q": W, "K": W}, XW | {"Q": W}, QKV | {"W_V": W},
    XW | {"X": np.ones((13, 2))}, dict.fromkeys(PROJECTED, np.ones((9, 9))), XW | {"W_V": np.ones((2, 9))},
    XW | {"W_Q": np.ones((3, 2))}, XW | {"X": np.ones((2, 3))}, XW | {"W_Q": np.ones((2, 1))},
    QKV | {"Q": np.ones((2, 3))}, QKV | {"V": [[1]]}, QKV | {"V": np.ones((1, 2, 2))}, QKV | {"K": np.ones((3, 2))},
    QKV | {"words": ["a"]}, QKV | {"words": 5}, QKV | {"features": "ab"}, XW | {"features": "abc"},
    QKV | {"fault": "W_K is W_Q"}, QKV | {"mask": np.eye(2)}, QKV | {"scale": "yes"},
])
def test_what_makes_no_experiment(inputs):
    with pytest.raises(ValueError, match=r"got .+; needs"):
        Experiment(**inputs)


def test_the_largest_experiment():
    n, width = MOST_WORDS, MOST_WIDTH
    e = Experiment(np.ones((n, width)), *np.ones((3, width, width)))
    np.testing.assert_allclose(e["weights"], 1 / n, rtol=1e-12)


def test_words_may_be_any_texts():
    assert Experiment(Q=W, K=W, V=W, words="我你").words == ("我", "你")
    assert Experiment(Q=W, K=W, V=W, words=(w for w in "ab")).key_words == ("a", "b")


def test_inputs_are_copied_not_kept():
    mine = W.copy()
    e = Experiment(mine, mine, mine, mine)
    mine[0, 0] = 99
    assert e["X"][0, 0] == 0.5
    assert mine.flags.writeable


def test_no_address_in_what_a_cell_prints(e):
    assert repr(e) == "Experiment(X 3×2, W_Q 2×2, W_K 2×2, W_V 2×2)"
    assert "0x" not in repr(e.steps)


def test_a_copy_is_an_experiment_of_its_own(e):
    other = copy.deepcopy(e)
    other.W_Q = W
    assert np.array_equal(e["W_Q"], EXAMPLES["我爱你"].inputs["W_Q"])


# Your own sentence


def test_from_sentence():
    e = Experiment.from_sentence("I love you.", width=3, seed=4)
    assert e.words == ("I", "love", "you")
    assert (e["X"].shape, e["W_Q"].shape) == ((3, 3), (3, 3))
    for name in PROJECTED:
        assert np.array_equal(e[name], np.round(e[name], 1))
        assert abs(e[name]).max() <= 1
    again, other = (Experiment.from_sentence("I love you.", width=3, seed=seed) for seed in (4, 5))
    assert all(np.array_equal(again[name], e[name]) for name in e.names)
    assert not any(np.array_equal(other[name], e[name]) for name in PROJECTED)
    assert not np.array_equal(e["W_Q"], e["W_K"])
    assert not np.array_equal(e["W_Q"], e["W_V"])


def test_the_same_word_has_the_same_vector():
    e = Experiment.from_sentence("Dog bites dog, man bites man", width=4)
    assert np.array_equal(e["X"][0], e["X"][2])
    assert np.array_equal(e["X"][1], e["X"][4])
    assert len(np.unique(e["X"], axis=0)) == 3
    assert np.array_equal(Experiment.from_sentence("狗 dog", width=4)["X"][1], e["X"][0])


@pytest.mark.parametrize(("text", "n"), [("我爱你", 3), ("我 爱你", 2), ("a " * 12, 12), ("一二三四五六" * 2, 12)])
def test_sentences_of_1_to_12_words(text, n):
    assert len(Experiment.from_sentence(text).words) == n


@pytest.mark.parametrize("args", [
    ("",), ("。，！",), ("a " * 13,), ("一" * 13,), (None,), (3,), (["我", "爱"],), (b"abc",), ("a", 0), ("a", 9),
    ("a", 2.0), ("a", "2"), ("a", True), ("a", 2, -1), ("a", 2, 0.5), ("a", 2, None),
])
def test_sentences_that_are_refused(args):
    with pytest.raises(ValueError, match=r"^(text|words|width|seed): got .+; needs"):
        Experiment.from_sentence(*args)


@pytest.mark.parametrize("name", ["我爱他", "", None, 3, ["我爱你"]])
def test_an_unknown_example_is_refused(name):
    with pytest.raises(ValueError, match=r"^from_example: got .+; needs one of '我爱你', 'classroom', 'three tokens'"):
        Experiment.from_example(name)
