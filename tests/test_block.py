"""One whole block: layer norm, feed-forward and their order, by hand, by SciPy, and beside PyTorch's encoder layer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import erf

from attention_lib.block import (
    BlockWeights,
    Parts,
    feed_forward,
    gelu,
    layer_norm,
    relu,
    size,
    transformer_block,
    unlikeness,
)
from attention_lib.heads import multi_head_attention
from attention_lib.maths import causal_mask

EXACT = {"rtol": 0, "atol": 1e-12}


def random_weights(random, d=6, heads=2, d_ff=10, biases=True):
    def draw(*shape):
        return random.standard_normal(shape)

    shapes = {"W_Q": (d, d), "W_K": (d, d), "W_V": (d, d), "W_O": (d, d), "W_1": (d, d_ff), "W_2": (d_ff, d)}
    more = {"b_Q": d, "b_K": d, "b_V": d, "b_O": d, "b_1": d_ff, "b_2": d, "gain_1": d, "shift_1": d, "gain_2": d,
            "shift_2": d}
    return BlockWeights(**{name: draw(*shape) for name, shape in shapes.items()},
                        **({name: draw(n) for name, n in more.items()} if biases else {}))


def test_layer_norm_by_hand():
    # row 1: mean 2, mean square of the rest 2/3; row 2: all alike
    x = layer_norm([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    one = 1 / math.sqrt(2 / 3 + 1e-5)
    assert_allclose(x, [[-one, 0, one], [0, 0, 0]], **EXACT)
    assert_allclose(layer_norm([[1.0, 2.0, 3.0]], gain=[1, 2, 3], shift=[0.5, 0, -1]),
                    [[-one + 0.5, 0, 3 * one - 1]], **EXACT)


@settings(max_examples=50)
@given(st.integers(1, 5), st.integers(2, 8), st.integers(0, 2**32), st.sampled_from([0.1, 1.0, 1e6]))
def test_layer_norm_of_any_rows(n, d, seed, large):
    X = large * np.random.default_rng(seed).standard_normal((2, n, d))
    found = layer_norm(X, epsilon=0)
    assert_allclose(found.mean(axis=-1), 0, rtol=0, atol=1e-9)
    assert_allclose(found.var(axis=-1), 1, rtol=0, atol=1e-9)
    assert_allclose(layer_norm(3 * X + 7, epsilon=0), found, rtol=0, atol=1e-7)  # height and size of a row are gone
    assert_allclose(layer_norm(X[:, ::-1]), layer_norm(X)[:, ::-1], **EXACT)  # no word sees another


def test_relu_and_gelu():
    x = np.linspace(-6, 6, 49).reshape(7, 7)
    assert_allclose(relu(x), np.where(x > 0, x, 0), **EXACT)
    assert_allclose(gelu(x), 0.5 * x * (1 + erf(x / np.sqrt(2))), **EXACT)
    assert_allclose(gelu([0.0, 1.0]), [0, 0.8413447460685429], **EXACT)


def test_feed_forward_by_hand():
    # [1, 2] W_1 + b_1 = [1 + 2 − 4, 2 + 2] = [−1, 4] → [0, 4] → 4 × [3, −1] + [0.5, 0]
    found = feed_forward([[1.0, 2.0]], [[1, 2], [1, 1]], [-4, 0], [[9, 9], [3, -1]], [0.5, 0])
    assert_allclose(found, [[12.5, -4]], **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_order_of_the_stages(norm_first):
    random = np.random.default_rng(5)
    w, X = random_weights(random), random.standard_normal((4, 6))
    s = transformer_block(X, w, heads=2, parts=Parts(norm_first=norm_first))

    def attend(x):
        Q, K, V = (x @ getattr(w, f"W_{n}") + getattr(w, f"b_{n}") for n in "QKV")
        said = []
        for h in (slice(0, 3), slice(3, 6)):
            scaled = Q[:, h] @ K[:, h].T / math.sqrt(3)
            powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
            said.append(powers / powers.sum(axis=1, keepdims=True) @ V[:, h])
        return np.hstack(said) @ w.W_O + w.b_O

    def norm(x, gain, shift):
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gain + shift

    def feed(x):
        return np.maximum(x @ w.W_1 + w.b_1, 0) @ w.W_2 + w.b_2

    first, second = (w.gain_1, w.shift_1), (w.gain_2, w.shift_2)
    if norm_first:
        middle = X + attend(norm(X, *first))
        want = middle + feed(norm(middle, *second))
        assert_allclose(s.normed_1, norm(X, *first), **EXACT)
        assert_allclose(s.output, s.added_2, **EXACT)
    else:
        middle = norm(X + attend(X), *first)
        want = norm(middle + feed(middle), *second)
        assert_allclose(s.added_1, X + attend(X), **EXACT)
        assert_allclose(s.normed_1, middle, **EXACT)
        assert_allclose(s.normed_2, want, **EXACT)
    assert_allclose(s.middle, middle, **EXACT)
    assert_allclose(s.output, want, **EXACT)
    assert s.heads.heads.weights.shape == (2, 4, 4)
    assert s.hidden.shape == (4, 10)


def test_a_part_that_is_off():
    random = np.random.default_rng(6)
    w, X = random_weights(random), random.standard_normal((4, 6))

    def block(**parts):
        return transformer_block(X, w, heads=2, parts=Parts(**parts))

    def norm_1(x):
        return layer_norm(x, w.gain_1, w.shift_1)

    def norm_2(x):
        return layer_norm(x, w.gain_2, w.shift_2)

    def feed(x):
        return feed_forward(x, w.W_1, w.b_1, w.W_2, w.b_2)

    attended = block().attended
    without = multi_head_attention(X, w.W_Q, w.W_K, w.W_V, w.W_O, 2)  # a bias of queries and keys changes the weights
    assert not np.allclose(attended, without.output)
    deaf = block(attention=False)
    assert_allclose(deaf.attended, np.zeros((4, 6)), **EXACT)
    assert_allclose(deaf.middle, norm_1(X), **EXACT)
    no_feed = block(feed_forward=False)
    assert_allclose(no_feed.output, norm_2(norm_1(X + attended)), **EXACT)
    assert_allclose(block(residual_1=False).middle, norm_1(attended), **EXACT)
    assert_allclose(block(residual_2=False).output, norm_2(feed(norm_1(X + attended))), **EXACT)
    assert_allclose(block(norm_1=False).middle, X + attended, **EXACT)
    middle = norm_1(X + attended)
    assert_allclose(block(norm_2=False).output, middle + feed(middle), **EXACT)
    assert_allclose(block(attention=False, residual_1=False, norm_1=False).middle, 0, **EXACT)
    nothing = Parts(norm_1=False, norm_2=False, attention=False, feed_forward=False)
    assert_allclose(transformer_block(X, w, heads=2, parts=nothing).output, X, **EXACT)
    pre = block(norm_first=True, norm_1=False, residual_2=False)
    assert_allclose(pre.output, feed(norm_2(X + attended)), **EXACT)
    assert_allclose(pre.normed_1, X, **EXACT)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_equal_to_pytorch(norm_first, activation, dtype, masked, record_property):
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    d, heads, d_ff, n = 8, 2, 20, 7
    kind = getattr(torch, dtype)
    layer = torch.nn.TransformerEncoderLayer(d, heads, d_ff, dropout=0.3, activation=activation, batch_first=True,
                                             norm_first=norm_first, dtype=kind).eval()
    with torch.no_grad():
        for parameter in layer.parameters():  # biases and gains, too, which begin at 0 and 1
            if dtype == "float64":
                parameter.copy_(torch.randn_like(parameter))
            else:  # near what PyTorch begins with: entries of the output about 1, so that 1e-6 is its rounding
                parameter.add_(0.1 * torch.randn_like(parameter))
    found = {name: value.detach().numpy().astype(np.float64) for name, value in layer.named_parameters()}
    W_Q, W_K, W_V = (W.T for W in np.split(found["self_attn.in_proj_weight"], 3))
    b_Q, b_K, b_V = np.split(found["self_attn.in_proj_bias"], 3)
    weights = BlockWeights(
        W_Q, W_K, W_V, found["self_attn.out_proj.weight"].T, found["linear1.weight"].T, found["linear2.weight"].T,
        b_Q, b_K, b_V, found["self_attn.out_proj.bias"], found["linear1.bias"], found["linear2.bias"],
        found["norm1.weight"], found["norm1.bias"], found["norm2.weight"], found["norm2.bias"],
    )
    X = torch.randn(3, n, d, dtype=kind)
    mask = causal_mask(n) if masked else None
    with torch.inference_mode():
        want = layer(X, src_mask=None if mask is None else torch.from_numpy(~mask)).numpy()
    ours = transformer_block(X.numpy(), weights, heads, mask, activation, Parts(norm_first=norm_first)).output
    difference = float(np.abs(ours - want).max())
    record_property("difference", difference)
    print(f"PyTorch {dtype} {activation} norm_first={norm_first} masked={masked}: {difference:.1e}")
    assert difference <= (1e-10 if dtype == "float64" else 1e-6)


@pytest.mark.parametrize(("change", "named"), [
    ({"W_1": np.ones((5, 10))}, "W_1"), ({"W_2": np.ones((9, 6))}, "W_2"), ({"W_2": np.ones((10, 5)), "b_2": 0}, "W_2"),
    ({"W_O": np.ones((6, 5)), "b_O": 0}, "W_O"), ({"b_1": np.ones(3)}, "b_1"), ({"gain_1": np.ones(5)}, "gain"),
    ({"b_Q": np.ones((2, 6))}, "b_Q"), ({"W_Q": np.ones((6, 5)), "b_Q": 0}, "W_Q"),
    ({"W_K": np.ones((5, 6))}, r"W_K: got shape \(5, 6\); needs as many rows as X .* \(3, 6\)"),
    ({"shift_2": np.nan}, "shift"),
])
def test_what_does_not_fit_is_refused_by_name(change, named):
    given = vars(random_weights(np.random.default_rng(0))) | change
    with pytest.raises(ValueError, match=rf"^{named}"):
        transformer_block(np.ones((3, 6)), BlockWeights(**given), heads=2)
    with pytest.raises(ValueError, match="activation"):
        transformer_block(np.ones((3, 6)), random_weights(np.random.default_rng(0)), heads=2, activation="tanh")


def test_size_and_unlikeness():
    assert size([[3.0, 4.0]]) == pytest.approx(math.sqrt(12.5), abs=1e-15)
    assert unlikeness([[1.0, 2.0], [1.0, 2.0]]) == 0
    assert unlikeness([[1.0], [-1.0]]) == 1
    # rows (1, 0), (0, 1): mean (½, ½); √(4 · ¼) / √2
    assert unlikeness(np.eye(2)) == pytest.approx(1 / math.sqrt(2), abs=1e-15)
    assert unlikeness(np.zeros((2, 2))) == 0
