"""Every number the lesson states, to the digit, and against the independent values of by_hand.py."""

import by_hand
import numpy as np
import pytest

from attention_lib.examples import EXAMPLES
from attention_lib.experiment import Experiment
from attention_lib.maths import attention, causal_mask, self_attention, softmax

pytestmark = pytest.mark.filterwarnings("error")

WORDS, TOKENS = EXAMPLES["我爱你"].inputs, EXAMPLES["three tokens"].inputs


def stated(got, want, decimals=10):
    np.testing.assert_allclose(got, want, rtol=0, atol=0.5 * 10.0**-decimals)


def same_steps(steps, want):
    for name, value in want.items():
        np.testing.assert_allclose(steps[name], value, rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_example_is_the_one_of_the_lesson():
    assert WORDS["X"] == ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
    assert WORDS["W_Q"] == ((0.5, 0.2), (0.1, 0.6))
    assert WORDS["W_K"] == ((0.4, 0.3), (0.2, 0.7))
    assert WORDS["W_V"] == ((0.8, 0.1), (0.3, 0.9))
    assert EXAMPLES["我爱你"].words["zh"] == ("我", "爱", "你")
    assert EXAMPLES["classroom"].inputs == WORDS  # the people of the classroom are the words of the sentence


def test_every_step_of_the_worked_example():
    steps = self_attention(**WORDS)
    stated(steps.Q, [[0.5, 0.2], [0.3, 0.4], [0.1, 0.6]])
    stated(steps.K, [[0.4, 0.3], [0.3, 0.5], [0.2, 0.7]])
    stated(steps.V, [[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]])
    stated(steps.scores, [[0.26, 0.25, 0.24], [0.24, 0.29, 0.34], [0.22, 0.33, 0.44]])
    stated(steps.scaled, [[0.1838477631, 0.1767766953, 0.1697056275], [0.1697056275, 0.2050609665, 0.2404163056],
                          [0.1555634919, 0.2333452378, 0.3111269837]])
    stated(steps.weights, [[0.3356931140, 0.3333277778, 0.3309791081], [0.3216200976, 0.3331944878, 0.3451854145],
                           [0.3077677972, 0.3326621264, 0.3595700764]])
    stated(steps.output, [[0.5511785015, 0.4981143976], [0.5441086708, 0.5094261268], [0.5370494302, 0.5207209116]])
    stated(steps.output, [[0.551, 0.498], [0.544, 0.509], [0.537, 0.521]], decimals=3)
    np.testing.assert_allclose(steps.weights.sum(axis=1), 1, rtol=1e-15)
    same_steps(steps, by_hand.self_attention(**WORDS))


def test_what_the_published_listing_has_wrong():
    steps = self_attention(**WORDS)
    weights = np.array([[0.33614837, 0.33310516, 0.33074647], [0.32184448, 0.33343385, 0.34472167],
                        [0.30815179, 0.33241613, 0.35943208]])
    output = np.array([[0.55158713, 0.49825904], [0.5443457, 0.50918687], [0.53701315, 0.52096187]])
    largest = max(abs(steps.weights - weights).max(), abs(steps.output - output).max())
    assert 0.0004 < largest < 0.0005
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1.1e-8)
    apart = [(w, r) for w, r in zip(np.round([*weights.flat, *output.flat], 3),
                                    np.round([*steps.weights.flat, *steps.output.flat], 3), strict=True) if w != r]
    assert apart == [(0.332, 0.333), (0.359, 0.360), (0.552, 0.551)]
    stated((weights @ steps.V)[0], [0.55135048, 0.49783924], decimals=8)
    stated(steps.scaled[1, 1], 0.20506097, decimals=8)


def test_the_three_tokens():
    steps = attention(**TOKENS)
    stated(steps.scores, [[0.10, 1.00, 0.00], [1.02, 0.40, 1.00], [0.19, 0.92, 0.10]])
    stated(steps.weights, [[0.2616848924, 0.4944950704, 0.2438200373], [0.3800805707, 0.2451761800, 0.3747432493],
                           [0.2767039367, 0.4636528315, 0.2596432319]])
    stated(steps.output, [[0.5694275671, 0.6425735782], [0.3581328869, 0.4705558617], [0.5432518715, 0.6211448411]])
    same_steps(steps, by_hand.attention(**TOKENS))
    assert steps.weights.argmax(axis=1).tolist() == [1, 0, 1]  # w2 does not win the row of w2


def test_one_matrix_for_query_and_key_makes_the_scores_symmetric():
    scores = self_attention(**WORDS | {"W_K": WORDS["W_Q"]}).scores
    stated(scores, [[0.29, 0.23, 0.17], [0.23, 0.25, 0.27], [0.17, 0.27, 0.37]])
    assert np.array_equal(scores, scores.T)


def test_query_and_key_matrix_merge_into_one():
    X, W_Q, W_K = (np.array(WORDS[name]) for name in ("X", "W_Q", "W_K"))
    M = W_Q @ W_K.T
    stated(M, [[0.26, 0.24], [0.22, 0.44]])
    np.testing.assert_allclose(X @ M @ X.T, self_attention(**WORDS).scores, rtol=1e-12)


def test_without_scaling():
    steps = self_attention(**WORDS, scale=False)
    stated(steps.weights, [[0.3366721665, 0.3333222225, 0.3300056110], [0.3168124095, 0.3330557291, 0.3501318614],
                           [0.2974106123, 0.3319929444, 0.3705964434]])
    stated(steps.output, [[0.5516666389, 0.4973333778], [0.5416701370, 0.5133277808], [0.5317035422, 0.5292743324]])
    same_steps(steps, by_hand.self_attention(**WORDS, scale=False))


def test_causal_mask():
    steps = self_attention(**WORDS, mask=causal_mask(3))
    stated(steps.weights, [[1, 0, 0], [0.4911620858, 0.5088379142, 0], [0.3077677972, 0.3326621264, 0.3595700764]])
    stated(steps.output, [[0.8, 0.1], [0.6727905215, 0.3035351657], [0.5370494302, 0.5207209116]])
    same_steps(steps, by_hand.self_attention(**WORDS, mask=causal_mask(3)))


def test_softmax_over_the_wrong_axis():
    weights = softmax(self_attention(**WORDS).scaled, axis=0)
    stated(weights, [[0.3380583320, 0.3239509353, 0.3100601589], [0.3333111122, 0.3332444622, 0.3327784714],
                     [0.3286305558, 0.3428046024, 0.3571613697]])
    np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=1e-15)
    assert abs(weights.sum(axis=1) - 1).max() > 0.01


@pytest.mark.parametrize("d_k", [1, 2, 4, 16, 64, 256, 1024])
def test_a_dot_product_spreads_as_the_root_of_its_length(d_k):
    random = np.random.default_rng(7)
    steps = attention(random.normal(size=(900, d_k)), random.normal(size=(900, d_k)), np.ones((900, 1)))
    assert steps.scores.std() == pytest.approx(d_k**0.5, rel=0.08)
    assert steps.scaled.std() == pytest.approx(1, rel=0.08)


def test_taking_the_maximum_away_changes_nothing():
    stated(softmax([1000, 1001, 1002]), [0.0900305732, 0.2447284711, 0.6652409558])
    np.testing.assert_allclose(softmax([1000, 1001, 1002]), softmax([0, 1, 2]), rtol=1e-15)


def test_temperature_from_picking_the_largest_to_equal_shares():
    scores = np.array([0.26, 0.25, 0.24])
    np.testing.assert_allclose(softmax(scores / 1e-4), [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(softmax(scores / 1e12), 1 / 3, rtol=1e-12)


def test_every_output_lies_inside_the_triangle_of_the_values():
    steps = self_attention(**WORDS)
    corners = np.vstack([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
    steps = attention(steps.Q, steps.K, corners)
    assert (steps.output > 0).all()
    assert (steps.output.sum(axis=1) < 1).all()


def test_one_hot_weights_look_up_and_equal_weights_average():
    V = np.array([[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]])
    np.testing.assert_allclose(attention(np.eye(3) * 1000, np.eye(3), V).output, V, rtol=1e-15)
    np.testing.assert_allclose(attention(np.zeros((3, 3)), np.eye(3), V).output, [V.mean(axis=0)] * 3, rtol=1e-15)


@pytest.mark.parametrize("sentence", ["我爱你", "dog bites man"])
def test_attention_alone_does_not_know_the_order_of_words(sentence):
    e = Experiment.from_sentence(sentence, width=3)
    other = Experiment.from_sentence("你爱我" if sentence == "我爱你" else "man bites dog", width=3)
    assert np.array_equal(other["X"], e["X"][::-1])
    np.testing.assert_allclose(other["output"], e["output"][::-1], rtol=1e-12)
