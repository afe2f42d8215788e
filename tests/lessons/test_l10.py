"""What the prose of lesson 10 claims: each number, from the library, against a value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment, backward, copy_previous, find_student, squared_error, train
from attention_lib.digits import fixed
from attention_lib.lessons import l10

R = np.array([[1, 2, 2], [-2, -1, 2], [2, -2, 1]]) / 3
LIN, AN, NING, YU, MEI, HANG = 0, 1, 2, 3, 6, 7


@pytest.fixture(scope="module")
def task():
    return find_student()


@pytest.fixture(scope="module")
def every_step(task):
    """The loss and accuracy after each step, as the panel shows them."""
    return train(task, every=1)


@pytest.fixture(scope="module")
def small(task):
    return train(task).experiment(find_student(students=4))


def test_the_class_of_the_first_panel(task):
    e = train(task, 0).experiment()
    assert e.words[LIN] == "Lin"
    assert e["X"][LIN].tolist() == [-1.0, -0.9, 0.9, -1.0, 0.8, 1.0, -0.5, 0.5]
    assert e["X"][MEI, :3].tolist() == [1.0, 1.2, -0.9]
    assert task.held_out.sought[0, LIN] == MEI
    assert fixed((1.0 - 2 * 1.2 - 2 * 0.9) / 3, 2) == "-1.07"
    assert_allclose(e["X"][MEI, :3] @ R, [(1.0 - 2.4 - 1.8) / 3, (2.0 - 1.2 + 1.8) / 3, (2.0 + 2.4 - 0.9) / 3],
                    rtol=0, atol=1e-12)
    distances = ((e["X"][:, :3] - e["X"][LIN, 3:6]) ** 2).sum(axis=1)
    assert distances.argmin() == HANG
    assert fixed(e["weights"][LIN, MEI], 2) == "0.08"
    assert e["weights"][LIN, MEI] < 1 / 8
    assert sum(W.size for W in (e["W_Q"], e["W_K"], e["W_V"])) == 64


def test_three_steps_and_the_way_to_95_percent(every_step):
    assert [fixed(m.loss) for m in every_step.history[:4]] == ["0.574", "0.567", "0.558", "0.552"]
    assert every_step.learned.step == 137
    assert every_step.task.learning_rate == 0.5
    assert every_step.task.steps == 600


def test_too_long_and_too_short_strides(task):
    assert train(task, learning_rate=5.0, every=1).diverged.step == 18
    slow = train(task, learning_rate=0.01, every=600).history[-1]
    assert fixed(slow.loss) == "0.524"
    assert abs(slow.accuracy - 1 / 8) < 0.05


def test_the_trained_matrices_in_a_smaller_class(small):
    found = small["weights"]
    assert [(int(row.argmax()), fixed(row.max())) for row in found] == [
        (AN, "0.984"), (YU, "0.982"), (YU, "0.984"), (NING, "0.975")]
    assert found.argmax(axis=1).tolist() == find_student(students=4).held_out.sought[0].tolist()


def test_lin_asks_for_yu_instead(small):
    try:
        turned = (small["X"][YU, :3] @ R).round(1)
        assert turned.tolist() == [-0.2, 0.3, -1.7]
        for column, number in enumerate(turned, start=3):
            small.set_entry("X", LIN, column, number)
        assert small["weights"][LIN].argmax() == YU
        assert fixed(small["weights"][LIN, YU]) == "0.984"
    finally:
        small.reset()


def test_the_preset_mixes_ask_and_label(small):
    try:
        small.set(W_K=small["W_Q"])
        assert fixed(small["weights"][LIN, LIN]) == "0.905"
    finally:
        small.reset()


def test_each_matrix_reads_its_own_part(small):
    parts = {"W_Q": slice(3, 6), "W_K": slice(0, 3), "W_V": slice(6, 8)}
    for name, own in parts.items():
        others = np.delete(small[name], np.arange(8)[own], axis=0)
        assert np.abs(others).max() < 0.1
        assert np.abs(small[name][own]).max() > 1


def test_the_word_before():
    learner = train(copy_previous(), every=1)
    assert learner.learned.step == 120
    assert fixed(learner.history[-1].weight) == "0.940"
    words = learner.task.words[0]
    assert words[:3] == ("1 you", "2 you", "3 you")
    assert learner.experiment()["weights"][1:].argmax(axis=1).tolist() == list(range(6))
    for name in ("W_Q", "W_K"):
        sizes = np.abs(learner.W[name]).max(axis=1)
        assert set(np.argsort(sizes)[-2:]) == {4, 5}  # sin₁ and cos₁
    assert fixed(train(copy_previous(positions=False)).history[-1].accuracy, 1) == "0.6"


def test_the_truth_of_each_prediction():
    truths = {key: p.truth(None) for key, p in l10.PREDICTIONS.items()}
    assert truths == {"10.1": 0.125, "10.2": 0, "10.3": 2, "10.4": 1, "10.5": 1}
    assert "18" in str(l10.PREDICTIONS["10.3"].values(None)["step"])


def test_a_saturated_row_lets_nothing_through():
    for d_weights in ([3.0, -2.0, 5.0], [-1.0, 100.0, 7.0]):
        assert not l10._through_softmax(np.array([0.0, 1.0, 0.0]), np.array(d_weights)).any()


def test_the_exercises_by_hand():
    assert l10.EXERCISES["10.a"].answer(None) == 7
    w, g = [0.5, 0.3, 0.2], [1.0, -2.0, 3.0]
    mean = 0.5 * 1 - 0.3 * 2 + 0.2 * 3
    assert_allclose(l10._through_softmax(np.array(w), np.array(g)), [a * (b - mean) for a, b in zip(w, g, strict=True)],
                    rtol=0, atol=1e-15)
    X, K, d = ((1.0, 2.0), (3.0, -1.0)), ((1.0, 0.0, 2.0), (0.0, 1.0, -1.0)), ((0.5, -0.5), (-0.25, 0.25))
    d_Q = [[0.5, -0.5, 1.5], [-0.25, 0.25, -0.75]]
    by_hand = [[(X[0][i] * d_Q[0][j] + X[1][i] * d_Q[1][j]) / math.sqrt(3) for j in range(3)] for i in range(2)]
    assert_allclose(l10.EXERCISES["10.c"].reference(*map(np.array, (X, K, d))), by_hand, rtol=0, atol=1e-12)
    assert math.isclose(l10.EXERCISES["10.d"].answer(None), 0.55, rel_tol=1e-12)


def test_the_printed_gradients():
    e = Experiment.from_example("我爱你")
    d = backward(e.X, e.steps, squared_error(e["output"], e.X)[1])
    assert d.d_W_Q.round(4).tolist() == [[-0.0048, 0.0097], [0.0052, -0.0103]]
    assert d.d_W_V.round(4).tolist() == [[0.0169, 0.0092], [0.0272, 0.0002]]
