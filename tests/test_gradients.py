"""The way back: against finite differences, against complex steps, and against PyTorch where it is installed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attention_lib import Experiment, backward, causal_mask, self_attention, squared_error

pytestmark = pytest.mark.filterwarnings("error")

NAMES = ("W_Q", "W_K", "W_V")
H = 1e-5


class Case:
    """Random numbers of some shapes, and the loss as a function of the three matrices."""

    def __init__(self, seed=0, groups=(), n=3, d_model=4, d_k=2, d_v=5, mask=None, scale=True, counted=True):
        random = np.random.default_rng(seed)
        self.X = random.normal(size=(*groups, n, d_model))
        self.W = {name: random.normal(size=(d_model, d_v if name == "W_V" else d_k)) for name in NAMES}
        self.target = random.normal(size=(*groups, n, d_v))
        self.mask, self.scale, self.counted = mask, scale, counted

    def forward(self, **changed):
        steps = self_attention(self.X, **self.W | changed, mask=self.mask, scale=self.scale)
        return steps, *squared_error(steps.output, self.target, self.counted)

    def gradients(self):
        steps, _, d_output = self.forward()
        d = backward(self.X, steps, d_output, self.scale)
        return {name: getattr(d, f"d_{name}") for name in NAMES}

    def slopes(self, name):
        """∂loss/∂W by central differences."""
        found = np.zeros_like(self.W[name])
        for at in np.ndindex(found.shape):
            nudge = np.zeros_like(found)
            nudge[at] = H
            up, down = (self.forward(**{name: self.W[name] + sign * nudge})[1] for sign in (1, -1))
            found[at] = (up - down) / (2 * H)
        return found

    def complex_slopes(self, name):
        """∂loss/∂W to full precision: Im f(W + ih)/h (Squire and Trapp 1998), the forward pass written out anew."""
        found = np.zeros_like(self.W[name])
        for at in np.ndindex(found.shape):
            W = {key: value.astype(complex) for key, value in self.W.items()}
            W[name][at] += 1e-30j
            found[at] = _loss(self, **W).imag / 1e-30
        return found


def _loss(case, W_Q, W_K, W_V):
    Q, K, V = case.X @ W_Q, case.X @ W_K, case.X @ W_V
    factor = {True: 1 / math.sqrt(K.shape[-1]), False: 1.0}.get(case.scale, case.scale)
    powers = np.exp(np.einsum("...id,...jd->...ij", Q, K) * factor)
    if case.mask is not None:
        powers = powers * case.mask
    off = np.einsum("...ij,...jd->...id", powers / powers.sum(axis=-1, keepdims=True), V) - case.target
    off = off if case.counted is True else off[..., case.counted, :]
    return (off**2).sum() / 2 / math.prod(off.shape[:-1])


CASES = {
    "one group": {},
    "groups": {"groups": (6,), "n": 5},
    "groups of groups": {"groups": (2, 3), "n": 2, "d_v": 1},
    "one word": {"n": 1},
    "one column": {"d_model": 1, "d_k": 1, "d_v": 1},
    "no scaling": {"scale": False},
    "another factor": {"scale": 0.3},
    "causal": {"n": 4, "mask": causal_mask(4), "groups": (3,)},
    "rows that do not count": {"n": 4, "mask": causal_mask(4), "groups": (3,), "counted": np.arange(4) > 0},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_finite_differences(case, name):
    case = Case(**CASES[case])
    slopes, gradient = case.slopes(name), case.gradients()[name]
    assert np.abs(slopes - gradient).max() <= 1e-6 * np.abs(gradient).max()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_complex_steps(case, name):
    case = Case(**CASES[case])
    gradient = case.gradients()[name]
    assert_allclose(gradient, case.complex_slopes(name), rtol=0, atol=1e-12 * max(1, np.abs(gradient).max()))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), d_model=st.integers(1, 5), d_k=st.integers(1, 4),
       d_v=st.integers(1, 4), groups=st.sampled_from([(), (1,), (3,)]))
def test_any_shape(seed, n, d_model, d_k, d_v, groups):
    case = Case(seed, groups, n, d_model, d_k, d_v)
    for name, gradient in case.gradients().items():
        assert_allclose(gradient, case.complex_slopes(name), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_pytorch(case):
    torch = pytest.importorskip("torch")
    case = Case(**CASES[case])
    W = {name: torch.tensor(value, requires_grad=True) for name, value in case.W.items()}
    X, target = torch.tensor(case.X), torch.tensor(case.target)
    Q, K, V = X @ W["W_Q"], X @ W["W_K"], X @ W["W_V"]
    scale = {True: None, False: 1.0}.get(case.scale, case.scale)
    mask = None if case.mask is None else torch.tensor(case.mask)
    output = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask, scale=scale)
    off = output - target
    if case.counted is not True:
        off = off[..., torch.tensor(case.counted), :]
    loss = (off**2).sum(-1).mean() / 2
    loss.backward()
    assert math.isclose(case.forward()[1], loss.item(), rel_tol=1e-12)
    for name, gradient in case.gradients().items():
        theirs = W[name].grad.numpy()
        assert np.abs(gradient - theirs).max() <= 1e-10 * max(np.abs(theirs).max(), 1e-3)


def test_a_row_of_scores_that_is_lifted_changes_nothing():
    case = Case(n=5)
    steps, _, d_output = case.forward()
    d = backward(case.X, steps, d_output)
    assert_allclose(d.d_scaled.sum(axis=1), 0, rtol=0, atol=1e-15)
    assert np.abs(d.d_scaled).max() > 1e-3


def test_what_is_hidden_gets_no_gradient():
    mask = causal_mask(4)
    mask[2] = False  # a row that may look at nothing
    case = Case(n=4, mask=mask)
    steps, _, d_output = case.forward()
    d = backward(case.X, steps, d_output)
    assert not d.d_scores[~mask].any()
    assert not d.d_Q[2].any()
    assert d.d_scores[3].all()


def test_shapes_are_those_of_the_steps():
    case = Case(groups=(7,))
    steps, _, d_output = case.forward()
    d = backward(case.X, steps, d_output)
    for name in ("output", "weights", "V", "scaled", "scores", "Q", "K"):
        assert getattr(d, f"d_{name}").shape == steps[name].shape
    assert {name: gradient.shape for name, gradient in case.gradients().items()} == {
        name: W.shape for name, W in case.W.items()}


def test_by_hand():
    """Two words, one column, W_Q = W_K = W_V = 1: every number on paper."""
    X = np.array([[0.0], [1.0]])
    one = np.ones((1, 1))
    steps = self_attention(X, one, one, one)
    target = np.array([[0.5], [1.0]])
    w = 1 / (1 + math.exp(-1))  # row 2: scores 0 and 1; row 1: both 0
    loss, d_output = squared_error(steps.output, target)
    assert_allclose(loss, (w - 1) ** 2 / 4, rtol=0, atol=1e-15)  # row 1 hits its target, 0.5
    d = backward(X, steps, d_output)
    off = (w - 1) / 2
    assert_allclose(d.d_output, [[0], [off]], rtol=0, atol=1e-15)
    assert_allclose(d.d_W_V, [[off * w]], rtol=0, atol=1e-15)
    assert_allclose(d.d_W_Q, [[off * w * (1 - w)]], rtol=0, atol=1e-15)
    assert_allclose(d.d_W_K, [[off * w * (1 - w)]], rtol=0, atol=1e-15)


def test_the_example_of_the_lesson():
    e = Experiment.from_example("我爱你")
    loss, d_output = squared_error(e["output"], e.X)
    off = e["output"] - e.X
    assert_allclose(loss, sum(float(x) ** 2 for x in off.flat) / 6, rtol=0, atol=1e-12)
    d = backward(e.X, e.steps, d_output)
    assert_allclose(d.d_W_Q, [[-0.0048, 0.0097], [0.0052, -0.0103]], rtol=0, atol=5e-5)


def test_rows_that_do_not_count_give_neither_loss_nor_gradient():
    output, target = np.arange(6.0).reshape(3, 2), np.zeros((3, 2))
    loss, d = squared_error(output, target, [True, False, True])
    assert loss == (0 + 1 + 16 + 25) / 4
    assert_allclose(d, [[0, 0.5], [0, 0], [2, 2.5]], rtol=0, atol=1e-15)
    assert squared_error(output, target)[0] == (0 + 1 + 4 + 9 + 16 + 25) / 6


def test_what_does_not_fit_is_refused_in_words():
    case = Case()
    steps, _, d_output = case.forward()
    with pytest.raises(ValueError, match=r"d_output.*\(3, 4\).*\(3, 5\), like output"):
        backward(case.X, steps, d_output[:, :4])
    with pytest.raises(ValueError, match=r"X.*\(2, 4\)"):
        backward(case.X[:2], steps, d_output)
    with pytest.raises(ValueError, match="NaN"):
        backward(case.X, steps, d_output * np.nan)
