"""Whatever is handed over: the right value, or a ValueError that names the matrix; never a warning, never a change."""

import contextlib
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strange import COATS, RUBBISH

from attention_lib.experiment import DIRECT, PROJECTED, Experiment
from attention_lib.explain import explain
from attention_lib.faults import FAULTS, broken_attention
from attention_lib.language import choose
from attention_lib.maths import STEPS, attention, causal_mask, self_attention, softmax

pytestmark = pytest.mark.filterwarnings("error")
I2 = [[1.0, 0.0], [0.0, 1.0]]

USES = {
    **{f"attention {n}": (n, lambda value, n=n: attention(**dict.fromkeys(DIRECT, I2) | {n: value})) for n in DIRECT},
    **{f"faulty {n}": (n, lambda value, n=n: broken_attention("wrong axis", **dict.fromkeys(DIRECT, I2) | {n: value}))
       for n in DIRECT},
    **{f"self_attention {n}": (n, lambda value, n=n: self_attention(**dict.fromkeys(PROJECTED, I2) | {n: value}))
       for n in PROJECTED},
    **{f"set {n}": (n, lambda value, n=n: changed(Experiment(I2, I2, I2, I2), n, value)) for n in PROJECTED},
    **{f"set {n}": (n, lambda value, n=n: changed(Experiment(Q=I2, K=I2, V=I2), n, value)) for n in DIRECT},
}


def changed(e, name, value):
    e.set(**{name: value})
    return e.steps


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_is_refused_in_words(rubbish):
    for name, function in USES.values():
        with np.errstate(all="raise"), pytest.raises(ValueError, match=rf"^{name}: got .+; needs .+") as refused:
            function(RUBBISH[rubbish])
        assert len(str(refused.value)) < 200
        assert "{" not in re.sub(r"got .*;", "", str(refused.value))


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_is_refused_without_a_warning(rubbish, recwarn):
    warnings.simplefilter("always")  # as an error it might be taken for a refusal
    for function in (softmax, *(function for _, function in USES.values()), *SETTINGS.values()):
        with contextlib.suppress(ValueError):
            function(RUBBISH[rubbish])
    assert list(recwarn) == []


@pytest.mark.parametrize("coat", COATS)
def test_any_coat_is_accepted_and_left_as_it_was(coat):
    value = COATS[coat]
    assert np.array_equal(np.asarray(value), [[1, 0], [1, 1]])
    for _, function in USES.values():
        with np.errstate(all="raise"):
            steps, plain = function(value), function([[1.0, 0.0], [1.0, 1.0]])
        assert np.array_equal(np.asarray(value), [[1, 0], [1, 1]])
        assert all(np.array_equal(steps[name], plain[name]) for name in STEPS)


@pytest.mark.parametrize("rubbish", [r for r in RUBBISH if r not in ("a row", "-inf", "range")])
def test_softmax_refuses_rubbish(rubbish):
    with np.errstate(all="raise"), pytest.raises(ValueError, match=r"^x: got .+; needs .+"):
        softmax(RUBBISH[rubbish])


@pytest.mark.parametrize("coat", COATS)
def test_softmax_takes_any_coat(coat):
    np.testing.assert_allclose(softmax(COATS[coat]), softmax([[1.0, 0.0], [1.0, 1.0]]), rtol=0)


SETTINGS = {"scale": lambda value: attention(I2, I2, I2, scale=value),
            "e.scale": lambda value: Experiment(Q=I2, K=I2, V=I2, scale=value),
            "mask": lambda value: attention(I2, I2, I2, mask=value),
            "e.mask": lambda value: Experiment(Q=I2, K=I2, V=I2, mask=value),
            "fault": lambda value: broken_attention(value, I2, I2, I2),
            "e.fault": lambda value: Experiment(Q=I2, K=I2, V=I2, fault=value)}
ALLOWED = {("scale", "one number"), ("mask", "None"), ("fault", "None")}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_is_no_setting_either(setting, rubbish):
    name = setting.removeprefix("e.")
    if (name, rubbish) in ALLOWED and setting != "fault":
        SETTINGS[setting](RUBBISH[rubbish])
        return
    with pytest.raises(ValueError, match=rf"^{name}: got .+; needs .+"):
        SETTINGS[setting](RUBBISH[rubbish])


@pytest.mark.parametrize("scale", [np.float32(0.5), np.int8(-128), np.uint8(3), np.longdouble(2), 0, 5e-324, np.True_])
def test_numbers_of_any_kind_scale(scale):
    with np.errstate(all="raise"):
        assert np.isfinite(attention(I2, I2, I2, scale=scale).output).all()


# Hypothesis: arrays of any type and shape, lists in lists, and everything above.

ARRAYS = hnp.arrays(hnp.scalar_dtypes() | hnp.unicode_string_dtypes() | hnp.byte_string_dtypes(),
                    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.complex_numbers()
ANYTHING = (ARRAYS | st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=8)
            | st.sampled_from([*RUBBISH, *COATS]).map(lambda name: (RUBBISH | COATS)[name]))
MATRIX = ANYTHING | hnp.arrays(float, (2, 2), elements=st.floats(-1e3, 1e3))


def outcome(function, *args, **kwargs):
    """What the function returns, or None where it refused with a ValueError."""
    try:
        with np.errstate(all="raise"):
            return function(*args, **kwargs)
    except ValueError as refused:
        if not re.search(r"got .+; needs", str(refused)):
            raise RuntimeError("not our own words") from refused
        return None


many = settings(max_examples=100, suppress_health_check=list(HealthCheck))


@many
@given(ANYTHING, st.integers(-3, 3) | LEAVES)
def test_softmax_of_anything(x, axis):
    weights = outcome(softmax, x, axis)
    if weights is not None:
        sums = weights.sum(axis=axis)
        assert weights.dtype == np.float64
        assert weights.shape == np.shape(x)
        assert ((abs(sums - 1) < 1e-12) | (sums == 0)).all()


@many
@given(MATRIX, MATRIX, MATRIX, st.none() | ANYTHING, st.booleans() | LEAVES, st.sampled_from(FAULTS) | LEAVES)
def test_attention_of_anything(Q, K, V, mask, scale, fault):
    for steps in (outcome(attention, Q, K, V, mask, scale), outcome(broken_attention, fault, Q, K, V, mask, scale)):
        if steps is not None:
            assert all(np.isfinite(steps[name]).all() for name in STEPS)
            assert steps.weights.shape == (*steps.scores.shape[:-2], np.shape(Q)[-2], np.shape(K)[-2])


@many
@given(st.lists(MATRIX, min_size=4, max_size=4), st.none() | ANYTHING, st.none() | LEAVES | ANYTHING)
def test_experiments_of_anything(matrices, mask, labels):
    experiments = (outcome(Experiment, *matrices, mask=mask, words=labels, features=labels),
                   outcome(Experiment, Q=matrices[0], K=matrices[1], V=matrices[2], words=labels))
    for e in experiments:
        if e is not None:
            assert all(np.isfinite(e[name]).all() for name in e.names)
            assert all(explain(e, name, 0, 0).lines for name in e.names)


@many
@given(st.sampled_from(["X", "W_V", "Q", "scores", "mask", "no"]) | LEAVES, LEAVES | st.integers(-2, 3),
       LEAVES | st.integers(-2, 3), LEAVES | ANYTHING)
def test_cells_of_anything(name, row, column, value):
    e = Experiment(I2, I2, I2, I2)
    outcome(e.__getitem__, name)
    outcome(e.labels, name)
    outcome(e.reset, name)
    outcome(explain, e, name, row, column)
    outcome(setattr, e, "focus", value)
    outcome(setattr, e, "focus", (name, row, column))
    outcome(e.set_entry, name, row, column, value)
    assert all(np.isfinite(e[n]).all() for n in e.names)
    assert e.focus is None or explain(e, *e.focus).lines


@many
@given(ANYTHING | st.text(), LEAVES | st.integers(0, 9), LEAVES | st.integers(0, 9))
def test_sentences_of_anything(text, width, seed):
    e = outcome(Experiment.from_sentence, text, width, seed)
    assert e is None or e["X"].shape == (len(e.words), width)


@many
@given(LEAVES.filter(lambda n: type(n) is not int) | st.integers(-5, 30))
def test_causal_masks_of_anything(n):
    mask = outcome(causal_mask, n)
    assert mask is None or mask.sum() == n * (n + 1) // 2


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_complaint_reads_well_in_both_languages(language):
    choose(language)
    try:
        with pytest.raises(ValueError, match=r"W_V") as refused:
            self_attention(I2, I2, I2, [[1, 2, 3]])
        assert str(refused.value) == {
            "zh": "W_V 有误。得到的：形状 (1, 3)；需要的：行数等于 X 的列数，X 的形状是 (2, 2)",
            "en": "W_V: got shape (1, 3); needs as many rows as X has columns; the shape of X is (2, 2)",
        }[language]
        with pytest.raises(ValueError, match=r"NaN") as refused:
            Experiment.from_example("我爱你").set(W_Q=[[1, float("nan")], [0, 1]])
        assert str(refused.value) == {
            "zh": "W_Q 有误。得到的：第 1 行第 2 列是 NaN（不是数）；需要的：全部是有限的数",
            "en": "W_Q: got NaN (not a number) in row 1, column 2; needs finite numbers",
        }[language]
    finally:
        choose("en")
