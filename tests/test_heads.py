"""Heads: split, merged and attended to, against plain Python with 50 digits and against PyTorch."""

import by_hand
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import attention, causal_mask, merge_heads, multi_head_attention, split_heads

pytestmark = pytest.mark.filterwarnings("error")

EXACT = {"rtol": 0, "atol": 1e-12}


def random_case(n=5, d_model=6, heads=3, d_k=2, d_v=4, d_out=7, seed=0):
    random = np.random.default_rng(seed)
    shapes = (n, d_model), (d_model, heads * d_k), (d_model, heads * d_k), (d_model, heads * d_v), (heads * d_v, d_out)
    return [random.normal(size=shape) for shape in shapes]


def slowly(X, W_Q, W_K, W_V, W_O, heads, mask=None, keep=None):
    """One head after the other, on slices of W, with 50 digits; weights of each head, and the output."""
    keep = [True] * heads if keep is None else keep
    weights, rows = [], [[] for _ in X]
    for h in range(heads):
        part = [np.array_split(W, heads, axis=1)[h] for W in (W_Q, W_K, W_V)]
        steps = by_hand.self_attention(X, *part, mask)
        weights.append(steps["weights"])
        for row, told in zip(rows, steps["output"], strict=True):
            row += [x if keep[h] else 0.0 for x in told]
    output = by_hand.product(by_hand.decimals(rows), by_hand.decimals(W_O))
    return weights, rows, [[float(x) for x in row] for row in output]


# Splitting and merging


def test_twelve_numbers_in_two_heads():
    split = split_heads(np.arange(12).reshape(3, 4), 2)
    assert_array_equal(split, [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])
    assert_array_equal(merge_heads(split), np.arange(12).reshape(3, 4))
    assert_array_equal(np.arange(12).reshape(2, 3, 2)[0], [[0, 1], [2, 3], [4, 5]])  # the mistake: it mixes words


@settings(max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3))
def test_each_head_has_its_columns_of_every_word(data, heads, n, width):
    batch = data.draw(st.sampled_from([(), (2,), (2, 3)]))
    X = data.draw(arrays(np.float64, (*batch, n, heads * width), elements=st.floats(-9, 9)))
    split = split_heads(X, heads)
    assert split.shape == (*batch, heads, n, width)
    for h in range(heads):
        assert_array_equal(split[..., h, :, :], X[..., h * width:(h + 1) * width])
    assert_array_equal(merge_heads(split), X)


@pytest.mark.parametrize(("X", "heads", "said"), [
    (np.ones((3, 4)), 3, r"^X: got shape \(3, 4\); needs a number of columns that 3 heads"),
    (np.ones((3, 4)), 0, "^heads: got 0"),
    (np.ones((3, 4)), 2.0, r"^heads: got 2\.0"),
    (np.ones(4), 2, "^X: got shape"),
    ([["a"]], 1, "^X: got text"),
])
def test_what_cannot_be_split(X, heads, said):
    with pytest.raises(ValueError, match=said):
        split_heads(X, heads)


def test_what_cannot_be_merged():
    with pytest.raises(ValueError, match="an axis for the heads"):
        merge_heads(np.ones((3, 4)))


# Attention


@pytest.mark.parametrize("mask", [None, causal_mask(5), np.eye(5, dtype=bool)[::-1] & causal_mask(5)])
@pytest.mark.parametrize("keep", [None, [True, False, True], [False] * 3])
def test_as_one_head_after_the_other(mask, keep):
    case = random_case()
    found = multi_head_attention(*case, heads=3, mask=mask, keep=keep)
    weights, merged, output = slowly(*case, 3, mask, keep)
    assert found.heads.weights.shape == (3, 5, 5)
    assert_allclose(found.heads.weights, weights, **EXACT)
    assert_allclose(found.merged, merged, **EXACT)
    assert_allclose(found.output, output, **EXACT)


def test_one_head_with_an_identity_is_plain_attention():
    X, W_Q, W_K, W_V, _ = random_case(heads=1)
    found = multi_head_attention(X, W_Q, W_K, W_V, np.eye(4), heads=1)
    assert_allclose(found.output, attention(X @ W_Q, X @ W_K, X @ W_V).output, **EXACT)


def test_each_head_is_scaled_by_its_own_key_length():
    case = random_case(d_k=3)
    found = multi_head_attention(*case, heads=3)
    assert_allclose(found.heads.scaled * np.sqrt(3), found.heads.scores, **EXACT)


def test_a_head_that_is_off_takes_its_share_of_w_o_with_it():
    """Zeros before W_O are the sum over the other heads of what each adds: the ξ of Michel, Levy and Neubig."""
    case = random_case()
    found = multi_head_attention(*case, heads=3)
    added = [part @ rows for part, rows in zip(found.heads.output, np.split(case[-1], 3), strict=True)]
    assert_allclose(sum(added), found.output, **EXACT)
    without = multi_head_attention(*case, heads=3, keep=[True, False, True])
    assert_allclose(without.output, added[0] + added[2], **EXACT)
    assert_array_equal(without.merged[:, 4:8], np.zeros((5, 4)))
    assert_array_equal(without.heads.weights, found.heads.weights)


def test_batches():
    case = random_case()
    X = np.stack([case[0], 2 * case[0]])
    found = multi_head_attention(X, *case[1:], heads=3, mask=causal_mask(5))
    for x, output in zip(X, found.output, strict=True):
        assert_allclose(output, multi_head_attention(x, *case[1:], heads=3, mask=causal_mask(5)).output, **EXACT)


@pytest.mark.parametrize(("change", "said"), [
    ({1: np.ones((5, 6))}, r"^W_Q: got shape \(5, 6\); needs as many rows as X has columns"),
    ({3: np.ones((6, 8))}, r"^W_V: got shape \(6, 8\); needs a number of columns that 3 heads"),
    ({4: np.ones((6, 2))}, r"^W_O: got shape \(6, 2\); needs as many rows as W_V has columns"),
    ({2: np.ones((6, 9))}, "^Q: got shape"),
])
def test_matrices_that_do_not_fit(change, said):
    case = random_case()
    for at, value in change.items():
        case[at] = value
    with pytest.raises(ValueError, match=said):
        multi_head_attention(*case, heads=3)


@pytest.mark.parametrize("keep", [[True], [True, False, 2], "abc", [0.0, 1.0, 1.0], [[True], [True, False]], 5])
def test_a_keep_that_does_not_fit(keep):
    with pytest.raises(ValueError, match=r"^keep: got .*3 times True or False"):
        multi_head_attention(*random_case(), heads=3, keep=keep)


# PyTorch


@pytest.mark.parametrize("average", [False, True])
def test_as_pytorchs_multi_head_attention(average):
    torch = pytest.importorskip("torch")
    X, W_Q, W_K, W_V, W_O = random_case(d_model=6, d_k=2, d_v=2, d_out=6)
    words, W_in = torch.tensor(X)[:, None], torch.tensor(np.vstack([W_Q.T, W_K.T, W_V.T]))  # (n, 1, d_model)
    output, weights = torch.nn.functional.multi_head_attention_forward(
        words, words, words, embed_dim_to_check=6, num_heads=3, in_proj_weight=W_in, in_proj_bias=None, bias_k=None,
        bias_v=None, add_zero_attn=False, dropout_p=0.0, out_proj_weight=torch.tensor(W_O.T.copy()), out_proj_bias=None,
        training=False, attn_mask=torch.tensor(~causal_mask(5)), average_attn_weights=average)
    found = multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=3, mask=causal_mask(5))
    assert_allclose(found.output, output[:, 0].numpy(), **EXACT)
    ours = found.heads.weights.mean(axis=0) if average else found.heads.weights
    assert_allclose(ours, weights[0].numpy(), **EXACT)


def test_as_pytorchs_scaled_dot_product_attention():
    torch = pytest.importorskip("torch")
    case = random_case()
    found = multi_head_attention(*case, heads=3, mask=causal_mask(5))
    Q, K, V = (torch.tensor(found.heads[name].copy()) for name in "QKV")
    told = torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True).numpy()
    assert_allclose(found.heads.output, told, **EXACT)
    assert_allclose(found.output, np.concatenate(list(told), axis=1) @ case[-1], **EXACT)
