"""Masks before softmax and after it, a row with nothing left, and what PyTorch makes of the same masks."""

import by_hand
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import Experiment, attention, causal_mask, mask_after_softmax, mask_before_softmax, padding_mask

pytestmark = pytest.mark.filterwarnings("error")

EXACT = {"rtol": 0, "atol": 1e-12}
CAUSAL = [[1, 0, 0], [0.4911620858, 0.5088379142, 0], [0.3077677972, 0.3326621264, 0.3595700764]]
CAUSAL_OUTPUT = [[0.8, 0.1], [0.6727905215, 0.3035351657], [0.5370494302, 0.5207209116]]


@st.composite
def scaled_and_mask(draw):
    n_q, n_k = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    numbers = st.lists(st.floats(-30, 30), min_size=n_q * n_k, max_size=n_q * n_k)
    switches = st.lists(st.booleans(), min_size=n_q * n_k, max_size=n_q * n_k)
    return np.reshape(draw(numbers), (n_q, n_k)), np.reshape(draw(switches), (n_q, n_k))


# Padding


def test_padding_hides_the_columns_behind_the_words():
    assert_array_equal(padding_mask(2, 3), [[True, True, False]] * 3)
    assert_array_equal(causal_mask(3) & padding_mask(2, 3), [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    assert padding_mask(3, 3).all()
    assert not padding_mask(0, 3).any()
    assert padding_mask(2, 3).dtype == bool


@pytest.mark.parametrize(("length", "n", "said"), [(4, 3, "length"), (-1, 3, "length"), (1.0, 3, "length"),
                                                   (True, 3, "length"), (1, 0, "n"), ("2", 3, "length")])
def test_a_length_that_does_not_fit(length, n, said):
    with pytest.raises(ValueError, match=f"^{said}: got"):
        padding_mask(length, n)


def test_words_with_padding_come_out_as_without(e):
    """Zeros behind the sentence change nothing once they are hidden, and take their share when they are not."""
    X = np.vstack([e.X, np.zeros((2, 2))])
    padded = Experiment(X, e.W_Q, e.W_K, e.W_V, mask=padding_mask(3, 5))
    assert_allclose(padded["weights"][:3, :3], e["weights"], **EXACT)
    assert_allclose(padded["output"][:3], e["output"], **EXACT)
    assert_array_equal(padded["weights"][:, 3:], np.zeros((5, 2)))
    padded.mask = None
    powers = np.exp([0.26 / np.sqrt(2), 0.25 / np.sqrt(2), 0.24 / np.sqrt(2)])
    assert_allclose(padded["weights"][0, 3:].sum(), 2 / (powers.sum() + 2), **EXACT)


# Before, after, and after with the rest shared out again


def test_the_figures_of_the_lesson(e):
    keep = causal_mask(3)
    assert_allclose(mask_before_softmax(e["scaled"], keep), CAUSAL, rtol=0, atol=6e-11)
    assert_allclose(mask_before_softmax(e["scaled"], keep) @ e["V"], CAUSAL_OUTPUT, rtol=0, atol=6e-11)
    assert_allclose(mask_after_softmax(e["scaled"], keep, renormalise=True), CAUSAL, rtol=0, atol=6e-11)
    assert_allclose(mask_after_softmax(e["scaled"], keep).sum(axis=1), [0.3356931140, 0.6548145854, 1],
                    rtol=0, atol=2e-10)


@settings(max_examples=100)
@given(scaled_and_mask())
def test_before_and_renormalised_are_equal_and_as_by_hand(case):
    scaled, keep = case
    want = [[float(w) for w in by_hand.softmax(*pair)] for pair in zip(by_hand.decimals(scaled), keep, strict=True)]
    assert_allclose(mask_before_softmax(scaled, keep), want, **EXACT)
    assert_allclose(mask_after_softmax(scaled, keep, renormalise=True), want, **EXACT)
    after = mask_after_softmax(scaled, keep)
    open_row = [[float(w) for w in by_hand.softmax(row)] for row in by_hand.decimals(scaled)]
    assert_allclose(after, np.where(keep, open_row, 0), **EXACT)
    assert (after.sum(axis=1) <= 1 + 1e-12).all()


def test_masking_before_is_what_attention_does(e):
    keep = np.array([[True, False, True], [False, False, False], [False, True, False]])
    steps = attention(e["Q"], e["K"], e["V"], mask=keep)
    assert_array_equal(mask_before_softmax(steps.scaled, keep), steps.weights)
    e.set(mask=keep, fault="mask after softmax")
    assert_array_equal(mask_after_softmax(e["scaled"], keep), e["weights"])


def test_on_paper_equal_in_the_computer_not():
    """A hidden score of 1000 leaves nothing of the others to share out again."""
    scaled, keep = [[0.0, 0.0, 1000.0]], [[True, True, False]]
    assert_array_equal(mask_before_softmax(scaled, keep), [[0.5, 0.5, 0]])
    assert_array_equal(mask_after_softmax(scaled, keep, renormalise=True), [[0, 0, 0]])


def test_a_row_with_nothing_to_look_at_is_zeros_without_a_warning(e):
    keep = [[True, False, False], [True, True, False], [False, False, False]]
    for weights in (mask_before_softmax(e["scaled"], keep), mask_after_softmax(e["scaled"], keep, renormalise=True)):
        assert_array_equal(weights[2], [0, 0, 0])
        assert_allclose(weights.sum(axis=1), [1, 1, 0], **EXACT)
    assert_array_equal(attention(e["Q"], e["K"], e["V"], mask=keep).output[2], [0, 0])


@pytest.mark.parametrize("function", [mask_before_softmax, mask_after_softmax])
def test_bad_input_is_refused_in_words(function):
    with pytest.raises(ValueError, match=r"^mask: got shape"):
        function([[1.0, 2.0]], [[True, False, True]])
    with pytest.raises(ValueError, match=r"^mask: got decimal numbers"):
        function([[1.0, 2.0]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match=r"^scaled: got"):
        function([[np.nan, 2.0]], [[True, False]])


# What lesson 08 says of PyTorch. A library may change its mind, so the words there name the version.


def test_pytorch_agrees_on_masks_and_true_means_takes_part(e):
    torch = pytest.importorskip("torch")
    keep = np.array([[True, False, False], [True, True, False], [True, False, True]])
    Q, K, V = (torch.tensor(e[name].copy())[None] for name in "QKV")
    output = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.tensor(keep)[None])[0]
    assert_allclose(output.numpy(), attention(e["Q"], e["K"], e["V"], mask=keep).output, **EXACT)


def multi_head(torch, e):
    """PyTorch's layer with one head and the matrices of the example; W_O leaves the output as it is."""
    layer = torch.nn.MultiheadAttention(2, 1, bias=False, batch_first=True, dtype=torch.float64).eval()
    W = np.vstack([e[name].T for name in ("W_Q", "W_K", "W_V")])
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(W))
        layer.out_proj.weight.copy_(torch.eye(2))
    X = torch.tensor(e["X"].copy())[None]
    return lambda mask, **options: [t if t is None else t[0].detach().numpy() for t in layer(
        X, X, X, attn_mask=torch.tensor(mask), **options)]


def test_in_pytorchs_layer_true_means_hidden(e):
    torch = pytest.importorskip("torch")
    output, weights = multi_head(torch, e)(~causal_mask(3))
    assert_allclose(weights, CAUSAL, rtol=0, atol=6e-11)
    assert_allclose(output, CAUSAL_OUTPUT, rtol=0, atol=6e-11)


def test_a_row_with_nothing_to_look_at_in_pytorch(e):
    torch = pytest.importorskip("torch", minversion="2.5")
    keep = np.array([[True, False, False], [True, True, False], [False, False, False]])
    scaled = torch.tensor(e["scaled"].copy())
    by_steps = torch.softmax(scaled.masked_fill(torch.tensor(~keep), float("-inf")), dim=-1)
    assert by_steps[2].isnan().all()
    large = torch.softmax(scaled.masked_fill(torch.tensor(~keep), -1e9), dim=-1)
    assert_allclose(large[2].numpy(), [1 / 3] * 3, **EXACT)
    Q, K, V = (torch.tensor(e[name].copy())[None] for name in "QKV")
    fused = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.tensor(keep)[None])[0]
    assert_array_equal(fused[2].numpy(), [0, 0])
    layer = multi_head(torch, e)
    assert np.isnan(layer(~keep)[0][2]).all()
    assert_array_equal(layer(~keep, need_weights=False)[0][2], [0, 0])
