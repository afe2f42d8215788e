"""What there is to learn: classes in which everybody asks for another, and sentences of words with a word before."""

import math

import numpy as np
import pytest

from attention_lib import copy_previous, find_student
from attention_lib.experiment import Experiment
from attention_lib.language import LANGUAGES, choose
from attention_lib.tasks import ROTATION

pytestmark = pytest.mark.filterwarnings("error")


def parts(groups):
    return groups.X[..., :3], groups.X[..., 3:6], groups.X[..., 6:]


def test_the_rotation_turns_and_keeps_lengths():
    assert np.allclose(ROTATION @ ROTATION.T, np.eye(3), rtol=0, atol=1e-15)
    assert math.isclose(np.linalg.det(ROTATION), 1, rel_tol=1e-12)
    assert np.abs(ROTATION).min() > 0.3  # each of the three is mixed from all three


@pytest.mark.parametrize("students", [3, 5, 8])
def test_a_class(students):
    task = find_student(students)
    for groups in (task.training, task.held_out):
        label, ask, say = parts(groups)
        n = len(groups.X)
        assert groups.X.shape == (n, students, 8)
        assert all(len({tuple(row) for row in np.sign(one)}) == students for one in label)  # no two alike
        assert all(len({tuple(row) for row in one}) == students for one in say)
        rows = np.arange(n)[:, None]
        assert np.abs(ask - label[rows, groups.sought] @ ROTATION).max() < 0.7
        assert np.std(ask - label[rows, groups.sought] @ ROTATION) < 0.15
        assert (groups.sought != np.arange(students)).all()
        assert len(np.unique(groups.sought)) == students
        assert np.array_equal(groups.target, say[rows, groups.sought])
        assert np.array_equal(groups.choices, say)
        assert np.array_equal(groups.right, groups.sought)
        assert np.array_equal(groups.X, groups.X.round(1))
        assert not np.signbit(groups.X[groups.X == 0]).any()
    assert task.chance == 1 / students
    assert task.counted.all()


def test_a_question_looks_like_nobodys_label_but_the_right_ones_when_turned():
    groups = find_student().held_out
    label, ask, _ = parts(groups)

    def nearest(turned):
        return ((ask[:, :, None] - turned[:, None]) ** 2).sum(axis=-1).argmin(axis=-1)

    assert (nearest(label @ ROTATION) == groups.sought).mean() > 0.99
    assert (nearest(label) == groups.sought).mean() < 0.02
    assert (nearest(label @ ROTATION.T) == groups.sought).mean() < 0.15


def test_held_out_groups_are_not_among_those_to_learn_from():
    for task in (find_student(), find_student(seed=5)):
        seen = {X.tobytes() for X in task.training.X}
        assert len(seen) == len(task.training.X)
        assert not any(X.tobytes() in seen for X in task.held_out.X)


def test_the_same_seed_gives_the_same_and_another_one_others():
    assert np.array_equal(find_student(seed=3).training.X, find_student(seed=3).training.X)
    assert not np.array_equal(find_student(seed=3).training.X, find_student(seed=4).training.X)
    assert not np.array_equal(copy_previous(seed=3).training.X, copy_previous(seed=4).training.X)


@pytest.mark.parametrize("words", [3, 7])
def test_a_sentence(words):
    task = copy_previous(words)
    for groups in (task.training, task.held_out):
        token, place = groups.X[..., :4], groups.X[..., 4:]
        assert groups.X.shape == (len(groups.X), words, 8)
        assert set(np.unique(token)) == {0, 1}
        assert (token.sum(axis=-1) == 1).all()
        assert len(np.unique(token.argmax(axis=-1))) == 4
        for i in range(words):
            by_hand = [math.sin(i), math.cos(i), math.sin(i / 100), math.cos(i / 100)]
            assert np.allclose(place[:, i], by_hand, rtol=0, atol=1e-12)
            if i:
                assert np.array_equal(groups.target[:, i], token[:, i - 1])
                assert (groups.sought[:, i] == i - 1).all()
        picked = np.take_along_axis(groups.choices, groups.right[..., None], axis=1)
        assert np.array_equal(picked, groups.target)
    assert task.counted.tolist() == [False] + [True] * (words - 1)
    assert task.mask.tolist() == [[j <= i for j in range(words)] for i in range(words)]
    assert task.chance == 0.25


def test_without_positions_nothing_tells_the_order():
    blind, seeing = copy_previous(positions=False), copy_previous()
    assert not blind.training.X[..., 4:].any()
    assert np.array_equal(blind.training.X[..., :4], seeing.training.X[..., :4])
    assert np.array_equal(blind.held_out.target, seeing.held_out.target)


@pytest.mark.parametrize("code", LANGUAGES)
def test_names_in_each_language(code):
    choose(code)
    names = {"zh": ("小林", "小宁", "你"), "en": ("Lin", "Ning", "you")}[code]
    task = find_student()
    assert (task.words[0][0], task.words[0][2]) == names[:2]
    assert len(set(task.words[0])) == len(set(task.features)) == 8
    copy = copy_previous()
    assert copy.words[0][0] == f"1 {names[2]}"
    spoken = copy.held_out.X[0, :, :4].argmax(axis=-1)
    assert copy.words[0] == tuple(f"{i + 1} {copy.features[word]}" for i, word in enumerate(spoken))


def test_every_group_fits_into_an_experiment():
    for task in (find_student(), find_student(3), copy_previous()):
        W = [np.ones((len(task.features), width)) for width in (task.d_k, task.d_k, task.d_v)]
        e = Experiment(task.held_out.X[-1], *W, mask=task.mask, words=task.words[-1], features=task.features)
        assert e["output"].shape == task.held_out.target[-1].shape


@pytest.mark.parametrize("make", [
    lambda: find_student(2), lambda: find_student(9), lambda: find_student(8.0), lambda: find_student(seed=-1),
    lambda: copy_previous(2), lambda: copy_previous(8), lambda: copy_previous("7"), lambda: copy_previous(seed="a"),
])
def test_what_cannot_be_made_is_refused_in_words(make):
    with pytest.raises(ValueError, match=r"(students|words|seed): got .*; needs"):
        make()
