"""Positions: against the formula written out with math, against complex numbers, and what they are good for."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from attention_lib import rotary, sinusoidal_positions
from attention_lib.position_table import PositionTable

pytestmark = pytest.mark.filterwarnings("error")

EXACT = {"rtol": 0, "atol": 1e-12}


def written_out(n, d_model, base=10_000.0):
    wave = (math.sin, math.cos)
    return [[wave[c % 2](pos / base ** ((c - c % 2) / d_model)) for c in range(d_model)] for pos in range(n)]


@pytest.mark.parametrize(("n", "d_model"), [(1, 1), (3, 2), (7, 5), (50, 16), (64, 64)])
def test_sinusoidal_as_written_out(n, d_model):
    assert_allclose(sinusoidal_positions(n, d_model), written_out(n, d_model), **EXACT)


def test_another_base():
    assert_allclose(sinusoidal_positions(4, 6, base=50), written_out(4, 6, 50.0), **EXACT)


def test_the_first_rows():
    P = sinusoidal_positions(3, 4)
    assert_array_equal(P[0], [0, 1, 0, 1])
    assert_allclose(P[1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], **EXACT)


def test_two_places_are_alike_by_their_distance():
    P = sinusoidal_positions(20, 8)
    alike = P @ P.T
    for distance in range(20):
        assert_allclose(np.diagonal(alike, distance), alike[0, distance], **EXACT)


@pytest.mark.parametrize(("arguments", "said"), [
    ((0, 4), "^n: got 0"), ((3, 0), "^d_model: got 0"), ((3.0, 4), r"^n: got 3\.0"),
    ((3, 4, 0), "^base: got 0"), ((3, 4, -1.0), "^base: got -1"), ((3, 4, "x"), "^base: got text"),
])
def test_sinusoidal_refuses(arguments, said):
    with pytest.raises(ValueError, match=said):
        sinusoidal_positions(*arguments)


# Rotary

some_rows = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, (shape[0], 2 * shape[1]), elements=st.floats(-9, 9)))


@settings(max_examples=80)
@given(some_rows)
def test_rotary_as_complex_numbers(X):
    _n, d = X.shape
    pairs = [[complex(x, y) * cmath.exp(1j * m / 10_000 ** (2 * i / d))
              for i, (x, y) in enumerate(zip(row[::2], row[1::2], strict=True))] for m, row in enumerate(X)]
    want = [[part for z in row for part in (z.real, z.imag)] for row in pairs]
    assert_allclose(rotary(X), np.reshape(want, X.shape), **EXACT)


@settings(max_examples=60)
@given(some_rows, st.integers(-1000, 1000))
def test_the_length_stays_and_scores_depend_on_the_distance(X, shift):
    n, d = X.shape
    keys = np.cos(np.arange(n * d)).reshape(n, d)
    turned = rotary(X)
    assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(X, axis=1), rtol=0, atol=1e-11)
    scores = turned @ rotary(keys).T
    moved = rotary(X, np.arange(n) + shift) @ rotary(keys, np.arange(n) + shift).T
    assert_allclose(moved, scores, rtol=0, atol=2e-10)  # angles of up to 1000 have lost three digits
    at = np.arange(n)
    far = [[q @ rotary(k[None], [j - i])[0] for j, k in zip(at, keys, strict=True)] for i, q in zip(at, X, strict=True)]
    assert_allclose(scores, far, rtol=0, atol=1e-11)


def test_the_same_vector_everywhere_makes_a_matrix_of_diagonals():
    q, k = np.array([1.0, 2.0, -0.5, 0.3]), np.array([0.2, -1.0, 0.7, 1.1])
    scores = rotary(np.tile(q, (6, 1))) @ rotary(np.tile(k, (6, 1))).T
    for distance in range(-5, 6):
        assert_allclose(np.ptp(np.diagonal(scores, distance)), 0, **EXACT)
    assert abs(scores[0, 1] - scores[1, 0]) > 0.1  # before is not the same as behind


def test_place_zero_is_not_turned_and_batches_are_turned_alike():
    X = np.arange(24.0).reshape(2, 3, 4)
    turned = rotary(X)
    assert_array_equal(turned[:, 0], X[:, 0])
    assert_array_equal(turned[1], rotary(X[1]))
    assert_allclose(rotary([[1.0, 0.0]], [math.pi / 2]), [[0, 1]], **EXACT)
    assert_array_equal(X, np.arange(24.0).reshape(2, 3, 4))


@pytest.mark.parametrize(("arguments", "said"), [
    (([[1.0, 2.0, 3.0]],), "^X: got shape .*needs an even number of columns"),
    (([[1.0, 2.0]], [1, 2]), "^positions: got shape .*needs 1 finite numbers"),
    (([[1.0, 2.0]], [math.inf]), "^positions: "),
    (([1.0, 2.0],), "^X: got shape"),
])
def test_rotary_refuses(arguments, said):
    with pytest.raises(ValueError, match=said):
        rotary(*arguments)


# The table behind the picture


def test_the_table_follows_its_sizes():
    table = PositionTable(4, 6)
    assert_allclose(table["PE"], written_out(4, 6), **EXACT)
    assert_allclose(np.diagonal(table["alike"]), 1, **EXACT)
    assert_allclose(table["alike"][0, 1], sum(math.cos(10_000 ** (-2 * i / 6)) for i in range(3)) / 3, **EXACT)
    heard = []
    table.observe(lambda change: heard.append(change.name), ["steps"])
    table.set(n=5)
    table.set(d_model=8)
    assert heard == ["steps", "steps"]
    assert table["PE"].shape == (5, 8)


@pytest.mark.parametrize("change", [{"n": 1}, {"n": 65}, {"d_model": 3}, {"d_model": 66}, {"n": "4"}, {"base": 2}])
def test_sizes_that_do_not_fit_change_nothing(change):
    table = PositionTable(4, 6)
    before = table.steps
    with pytest.raises(ValueError, match="got"):
        table.set(**change)
    assert (table.n, table.d_model, table.steps) == (4, 6, before)
