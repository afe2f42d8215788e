"""Learning: the steps, the measures, how sure it is to get there, and what happens when the strides are too long."""

import math
import time

import numpy as np
import pytest

from attention_lib import Learner, backward, copy_previous, find_student, self_attention, squared_error, train
from attention_lib.language import LANGUAGES, choose
from attention_lib.tasks import ROTATION

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def task():
    return find_student()


@pytest.fixture(scope="module")
def learned(task):
    return train(task)


def test_one_step_is_one_step_downhill(task):
    learner = Learner(task, learning_rate=0.25, seed=7)
    random = np.random.RandomState(7)
    W = {name: random.normal(0, 0.3, (8, width)) for name, width in (("W_Q", 3), ("W_K", 3), ("W_V", 2))}
    assert all(np.array_equal(learner.W[name], W[name]) for name in W)
    for step in (1, 2):
        chosen_groups = random.randint(512, size=32)
        X, target = task.training.X[chosen_groups], task.training.target[chosen_groups]
        steps = self_attention(X, **W)
        d = backward(X, steps, squared_error(steps.output, target)[1])
        W = {"W_Q": W["W_Q"] - 0.25 * d.d_W_Q, "W_K": W["W_K"] - 0.25 * d.d_W_K, "W_V": W["W_V"] - 0.25 * d.d_W_V}
        learner.step()
        assert learner.steps == step
        for name, expected in W.items():
            assert np.allclose(learner.W[name], expected, rtol=0, atol=1e-15)


def test_the_measures_by_hand(task):
    learner = train(task, steps=60, every=60)
    loss, right, weight, m = 0.0, 0, 0.0, 0
    for X, sought in zip(task.held_out.X.tolist(), task.held_out.sought.tolist(), strict=True):
        Q, K, V = (np.array(X) @ learner.W[name] for name in ("W_Q", "W_K", "W_V"))
        for i, j in enumerate(sought):
            powers = [math.exp(float(Q[i] @ k) / math.sqrt(3)) for k in K]
            shares = [p / math.fsum(powers) for p in powers]
            output = sum(share * v for share, v in zip(shares, V, strict=True))
            distances = [(output[0] - row[6]) ** 2 + (output[1] - row[7]) ** 2 for row in X]
            loss += distances[j] / 2
            right += distances.index(min(distances)) == j
            weight += shares[j]
            m += 1
    measured = learner.history[-1]
    assert measured.step == 60
    assert math.isclose(measured.loss, loss / m, rel_tol=1e-12)
    assert measured.accuracy == right / m
    assert math.isclose(measured.weight, weight / m, rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(21))
def test_every_seed_gets_from_chance_to_95_percent(task, seed):
    start = time.perf_counter()
    learner = train(task, steps=350, seed=seed, every=50)
    assert time.perf_counter() - start < 10
    assert abs(learner.history[0].accuracy - 1 / 8) < 0.06
    assert learner.history[-1].accuracy >= 0.95
    assert learner.learned is not None
    assert learner.learned.accuracy >= 0.95


@pytest.mark.parametrize("students", [3, 5])
def test_smaller_classes_are_learned_too(students):
    learner = train(find_student(students, seed=2), every=100)
    assert learner.history[0].accuracy < 0.5
    assert learner.history[-1].accuracy >= 0.95


def test_it_finds_the_rotation_that_nobody_told(learned):
    M = learned.W["W_Q"] @ learned.W["W_K"].T
    block = M[3:6, :3]
    found = block / np.sqrt((block**2).sum() / 3)
    assert np.allclose(found, ROTATION.T, rtol=0, atol=0.05)
    elsewhere = M.copy()
    elsewhere[3:6, :3] = 0
    assert np.abs(elsewhere).max() < 0.1 * np.abs(block).max()
    assert np.allclose(learned.W["W_V"], np.vstack([np.zeros((6, 2)), np.eye(2)]), rtol=0, atol=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_copying_puts_the_weight_below_the_diagonal(seed):
    copy = copy_previous(seed=seed)
    learner = train(copy, seed=seed, every=100)
    weights = self_attention(copy.held_out.X, **learner.W, mask=copy.mask).weights
    below = np.mean([[one[i, i - 1] for i in range(1, 7)] for one in weights])
    assert below >= 0.9
    assert math.isclose(below, learner.history[-1].weight, rel_tol=1e-12)
    assert learner.history[0].weight < 0.4
    assert learner.history[-1].accuracy >= 0.95
    assert not weights[:, ~copy.mask].any()


def test_copying_needs_positions():
    learner = train(copy_previous(positions=False), every=100)
    assert not learner.diverged
    assert 0.4 < learner.history[-1].accuracy < 0.75
    assert learner.history[-1].weight < 0.5


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("rate", [5.0, 20.0, 1e6, 1e200, 1e308])
def test_strides_too_long_diverge_and_say_so(task, rate, code):
    choose(code)
    learner = train(task, learning_rate=rate)
    told = str(learner.diverged)
    assert learner.steps < 40
    assert learner.diverged.step == learner.steps + 1
    assert not learner.diverged.loss <= 1000 * learner.diverged.first
    assert "nan" not in told.lower()
    assert "inf" not in told.lower()
    assert all(np.isfinite(W).all() for W in learner.W.values())
    assert all(np.isfinite(m.loss) for m in learner.history)
    before, at = {name: W.copy() for name, W in learner.W.items()}, learner.steps
    learner.step()
    assert learner.measure() == learner.history[-1]
    assert learner.steps == at
    assert all(np.array_equal(before[name], learner.W[name]) for name in before)
    assert np.isfinite(learner.experiment()["output"]).all()


def test_a_divergence_tells_its_numbers(task):
    told = str(train(task, learning_rate=5.0, every=1).diverged)
    assert told == "Step 18 diverged: with a learning rate of 5.0 the loss went from 0.574 at the start to 665.733."
    assert "more than the computer can hold" in str(train(task, learning_rate=1e200).diverged)


def test_strides_too_short_learn_nothing_in_that_time(task):
    learner = train(task, learning_rate=0.01, every=300)
    assert not learner.diverged
    assert learner.learned is None
    assert learner.history[-1].loss < learner.history[0].loss


def test_the_rate_may_change_on_the_way(task):
    learner = Learner(task)
    learner.learning_rate = 0.125
    assert learner.learning_rate == 0.125
    before = learner.W["W_V"]
    learner.step()
    slow = learner.W["W_V"] - before
    other = Learner(task, learning_rate=0.25)
    other.step()
    assert np.allclose(2 * slow, other.W["W_V"] - before, rtol=0, atol=1e-15)


def test_the_same_seed_learns_the_same_and_others_begin_elsewhere(task):
    one, same, other = (train(task, steps=20, seed=seed) for seed in (1, 1, 2))
    assert one.history == same.history
    assert not np.array_equal(one.W["W_Q"], other.W["W_Q"])


def test_history_is_measured_as_often_as_asked(task):
    assert [m.step for m in train(task, steps=25, every=10).history] == [0, 10, 20, 25]
    learner = train(task, steps=0)
    learner.measure()
    assert [m.step for m in learner.history] == [0]


def test_its_matrices_open_as_an_experiment(task, learned):
    e = learned.experiment(group=3)
    assert np.array_equal(e["X"], task.held_out.X[3])
    for name, W in learned.W.items():
        assert np.abs(e[name] - W).max() <= 0.005 + 1e-12
    assert e.words == task.words[3]
    assert e.labels("W_Q")[0] == task.features
    assert e["weights"].argmax(axis=1).tolist() == task.held_out.sought[3].tolist()
    small = find_student(students=4)
    for group in range(10):
        e = learned.experiment(small, group)
        assert e["weights"].shape == (4, 4)
        assert e["weights"].argmax(axis=1).tolist() == small.held_out.sought[group].tolist()


@pytest.mark.parametrize("make", [
    lambda task: Learner(task, learning_rate=0), lambda task: Learner(task, learning_rate=-0.1),
    lambda task: Learner(task, learning_rate=float("nan")), lambda task: Learner(task, learning_rate="fast"),
    lambda task: Learner(task, seed=-1), lambda task: Learner(task, seed=0.5), lambda task: train(task, steps=-1),
    lambda task: train(task, every=0), lambda task: Learner(task).experiment(group=64),
    lambda task: Learner(task).experiment(copy_previous()),
])
def test_what_cannot_be_done_is_refused_in_words(task, make):
    with pytest.raises(ValueError, match=r"got .*; needs"):
        make(task)
