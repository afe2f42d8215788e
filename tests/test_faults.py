"""Each fault breaks one thing, and only that."""

import by_hand
import numpy as np
import pytest

from attention_lib.examples import EXAMPLES
from attention_lib.experiment import Experiment
from attention_lib.faults import FAULTS, broken_attention
from attention_lib.maths import STEPS, attention, causal_mask

pytestmark = pytest.mark.filterwarnings("error")

RANDOM = np.random.default_rng(5)
QKV = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(5, 3))
SQUARE = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 3))
MASK = RANDOM.random((4, 5)) < 0.6
MASK[2], MASK[:, 3] = False, False


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("scale", [True, False, -0.7])
def test_like_the_same_fault_by_hand(fault, mask, scale):
    steps, want = broken_attention(fault, *QKV, mask, scale), by_hand.attention(*QKV, mask, scale, fault)
    for name in STEPS:
        np.testing.assert_allclose(steps[name], want[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_what_each_fault_does_to_the_sums():
    assert abs(broken_attention("wrong axis", *QKV).weights.sum(axis=0) - 1).max() < 1e-12
    late = broken_attention("mask after softmax", *SQUARE).weights
    assert np.array_equal(late, np.tril(attention(*SQUARE).weights))
    assert (late.sum(axis=1)[:-1] < 1).all()
    assert np.array_equal(broken_attention("V is K", *QKV).output, attention(*QKV).weights @ QKV[1])
    assert np.array_equal(broken_attention("no scaling", *QKV).scaled, attention(*QKV).scores)


def test_mask_after_softmax_uses_the_mask_that_is_given():
    mask = ~causal_mask(4)
    late = broken_attention("mask after softmax", *SQUARE, mask=mask).weights
    assert np.array_equal(late, attention(*SQUARE).weights * mask)


def test_the_lesson_figures_of_the_wrong_axis():
    e = Experiment.from_example("我爱你")
    e.fault = "wrong axis"
    want = [[0.3380583320, 0.3239509353, 0.3100601589], [0.3333111122, 0.3332444622, 0.3327784714],
            [0.3286305558, 0.3428046024, 0.3571613697]]
    np.testing.assert_allclose(e["weights"], want, rtol=0, atol=0.5e-10)


def test_one_matrix_for_queries_and_keys():
    e = Experiment.from_example("我爱你")
    e.fault = "W_K is W_Q"
    np.testing.assert_allclose(e["scores"], [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]], atol=1e-12)
    assert np.array_equal(e["W_K"], EXAMPLES["我爱你"].inputs["W_K"])  # the learner's own matrix stays


@pytest.mark.parametrize("fault", ["", "wrong", None, 3, ["wrong axis"], np.array(["wrong axis"])])
def test_an_unknown_fault_is_refused(fault):
    with pytest.raises(ValueError, match=r"^fault: got .*; needs one of 'wrong axis'"):
        broken_attention(fault, *QKV)


def test_keys_can_only_stand_in_for_values_of_their_length():
    with pytest.raises(ValueError, match=r"^V: got shape \(5, 2\); needs as many columns as K"):
        broken_attention("V is K", QKV[0], QKV[1], QKV[2][:, :2])
    e = Experiment(np.eye(2), np.eye(2), np.eye(2), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"^V: got shape"):
        e.fault = "V is K"
    assert e.fault is None


def test_only_faults_that_fit_are_offered():
    e = Experiment.from_example("three tokens")
    with pytest.raises(ValueError, match=r"needs one of None, 'wrong axis', 'no scaling', .*'V is K'$"):
        e.fault = "W_K is W_Q"
