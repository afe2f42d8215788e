"""What the prose of lesson 12 claims: each number, from the library, against the value worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import WholeBlock, block_flow, block_stack, layer_norm
from attention_lib.arithmetic import explain
from attention_lib.block import unlikeness
from attention_lib.digits import fixed
from attention_lib.lessons import l12

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def b():
    return WholeBlock.from_example()


def shown(values):
    return [fixed(x) for x in np.ravel(values)]


def by_hand(X, b, pre=False, residuals=True, norms=True, attention=True):
    """One block in plain numpy, with the matrices of ``b``."""
    def norm(x):
        if not norms:
            return x
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)

    def attend(x):
        said = []
        for h in (slice(0, 2), slice(2, 4)):
            scaled = x @ b["W_Q"][:, h] @ (x @ b["W_K"][:, h]).T / math.sqrt(2)
            powers = np.exp(scaled - scaled.max(1, keepdims=True))
            said.append(powers / powers.sum(1, keepdims=True) @ x @ b["W_V"][:, h])
        return np.hstack(said) @ b["W_O"] * attention

    def feed(x):
        return np.maximum(x @ b["W_1"] + b["b_1"], 0) @ b["W_2"]

    if pre:
        middle = X * residuals + attend(norm(X))
        return middle * residuals + feed(norm(middle))
    middle = norm(X * residuals + attend(X))
    return norm(middle * residuals + feed(middle))


def size(x):
    return math.sqrt((x**2).sum() / x.size)


def difference(x):
    off = x - x.mean(axis=0)
    return math.sqrt((off**2).sum() / (x**2).sum())


def test_the_residual(b):
    # in head 1 cat looks at cat and milk with e^√2 each, at drinks with 1
    first = 2 * math.exp(math.sqrt(2)) / (2 * math.exp(math.sqrt(2)) + 1)
    assert_allclose(b["merged"][0, 0], first, **EXACT)
    assert fixed(b["attended"][0, 0], 4) == "0.9734"
    assert explain(b, "added_1", 0, 0).lines[-1] == "≈ 1.9734"
    b.set_entry("W_O", 0, 0, 0.0)
    assert shown(b["attended"][:, 0]) == ["0.082", "0.336", "0.336"]
    assert shown(b["added_1"][:, 0]) == ["1.082", "0.336", "1.336"]
    assert_allclose(b["added_1"][:, 0], b["merged"][:, 2] * 0.5 + [1, 0, 1], **EXACT)


def test_the_layer_norm(b):
    row = b["added_1"][0]
    mean = sum(row) / 4
    root = math.sqrt(sum((x - mean) ** 2 for x in row) / 4 + 1e-5)
    assert [fixed(mean, 4), fixed(root, 4), fixed((row[0] - mean) / root)] == ["0.9977", "0.8041", "1.213"]
    assert_allclose(b["normed_1"][0], (row - mean) / root, **EXACT)
    before = b["normed_1"]
    assert shown(before[:, 0]) == ["1.213", "-0.566", "1.440"]
    b.set_entry("gain_1", 0, 0, 2.0)
    assert shown(b["normed_1"][:, 0]) == ["2.427", "-1.132", "2.881"]
    assert_allclose(b["normed_1"], before * [2, 1, 1, 1], **EXACT)
    b.set_entry("shift_1", 0, 0, 1.0)
    assert_allclose(b["normed_1"], before * [2, 1, 1, 1] + [1, 0, 0, 0], **EXACT)
    assert_allclose(layer_norm([[1.0, 0, 1, 0], [10, 0, 10, 0]]), [[1, -1, 1, -1]] * 2, rtol=0, atol=3e-5)
    assert_allclose(layer_norm([[5.0, 5, 5, 5]]), 0, **EXACT)


def test_the_feed_forward_part(b):
    assert shown(b["hidden"][0, :2]) == ["1.731", "0.000"]
    total = b["normed_1"][0] @ [0, 0, -1, 1]
    assert fixed(total, 4) == "-1.7306"
    fed = b["fed"]
    assert shown(b["hidden"][:, 0]) == ["1.731", "0.692", "0.000"]
    others = b["hidden"][:, 1:]
    b.set_entry("W_1", 2, 0, -1.0)
    assert shown(b["hidden"][:, 0]) == ["0.209", "1.113", "0.057"]
    assert_allclose(b["hidden"][:, 0], np.maximum(b["normed_1"] @ [0, 0, -1, -1], 0), **EXACT)
    assert_allclose(b["hidden"][:, 1:], others, **EXACT)
    assert ((abs(b["fed"] - fed) > 1e-9).any(axis=0)).tolist() == [False, False, True, True]


def test_without_relu_two_layers_are_one(b):
    x, W = b["normed_1"], b["W_1"] @ b["W_2"]
    assert_allclose(x @ b["W_1"] @ b["W_2"], x @ W, **EXACT)
    assert W.shape == (4, 4)


@pytest.mark.parametrize(("settings", "hand", "size_told", "difference_told"), [
    ({}, {}, "1.000", "0.906"),
    ({"attention": False}, {"attention": False}, "1.000", "0.997"),
    ({"residual_1": False, "residual_2": False}, {"residuals": False}, "1.000", "0.403"),
    ({"norm_1": False, "norm_2": False}, {"norms": False}, "2.186", "0.590"),
    ({"norm_first": True}, {"pre": True}, "2.236", "0.842"),
])
def test_the_last_box(b, settings, hand, size_told, difference_told):
    b.set(**settings)
    want = by_hand(b["X"], b, **hand)
    assert_allclose(b["output"], want, **EXACT)
    assert [fixed(size(want)), fixed(difference(want))] == [size_told, difference_told]
    rows = next(box for box in block_flow(b).boxes if box["name"] == "outcome")["tables"][0]["text"]
    assert rows[-1] == [size_told, difference_told]


def test_one_slider_moves_one_row(b):
    before = b["output"]
    b.set_entry("W_Q", 2, 3, -2.0)
    assert_allclose(b["output"], by_hand(b["X"], b), **EXACT)
    assert shown(b["output"][0]) == ["0.811", "-1.087", "1.168", "-0.893"]
    assert_allclose(b["output"][1:], before[1:], **EXACT)
    assert b["X"][:, 2].tolist() == [1, 0, 0]  # cat alone is alive


WAYS = {"post": {}, "pre": {"pre": True}, "no_norm": {"norms": False}, "no_residual": {"residuals": False}}


@pytest.mark.parametrize(("way", "sizes", "last"), [
    ("post", ["1.000"] * 6, "0.775"), ("pre", ["2.236", "4.429", "6.677", "8.910", "11.129", "13.337"], "0.805"),
    ("no_norm", ["2.186", "10.020", "53.474", "285.282", "1619.296", "9942.716"], "0.055"),
    ("no_residual", ["1.000"] * 6, "0.000"),
])
def test_six_blocks(b, way, sizes, last):
    x, found = b["X"], []
    for _ in range(6):
        x = by_hand(x, b, **WAYS[way])
        found.append(fixed(size(x)))
    assert found == sizes
    assert fixed(difference(x)) == last
    table = next(box for box in block_stack(b).boxes if box["name"] == "beside")["tables"][0]
    assert table["text"][list(WAYS).index(way)] == [sizes[-1], last]


def test_pre_norm_adds_and_no_norm_multiplies(b):
    pre = [size(x) for x in b.stacked(12, norm_first=True)]
    assert_allclose(np.diff(pre[1:]), 2.2, atol=0.06)
    plain = [size(x) for x in b.stacked(12, norm_1=False, norm_2=False)]
    assert min(np.divide(plain[2:], plain[1:-1])) > 4


def test_attention_alone_loses_the_difference(b):
    """Dong, Cordonnier and Loukas 2021: neither residual of attention nor feed-forward part."""
    pure = [unlikeness(x) for x in b.stacked(6, residual_1=False, feed_forward=False, norm_1=False, norm_2=False)]
    assert [fixed(x) for x in pure[:4]] == ["0.730", "0.299", "0.023", "0.000"]
    assert pure[6] < 1e-9


def test_numbers_of_a_block(b):
    assert sum(b[name].size for name in b.inputs if name != "X") == 138 == l12._numbers(4, 6) - 4 * 4
    assert l12._numbers() == 4 * (512 * 512 + 512) + (512 * 2048 + 2048) + (2048 * 512 + 512) + 4 * 512 == 3_152_384
    assert round(100 * (2 * 512 * 2048 + 2048 + 512) / 3_152_384) == 67
    assert 512 / 8 == 64


def test_numbers_of_a_block_of_pytorch():
    torch = pytest.importorskip("torch")
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048)
    assert sum(parameter.numel() for parameter in layer.parameters()) == l12._numbers()


def test_the_truth_of_each_prediction():
    assert {key: p.truth(None) for key, p in l12.PREDICTIONS.items()} == {"12.1": 1, "12.2": 0, "12.3": 1, "12.4": 2}
