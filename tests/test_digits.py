"""How a number looks, and what a typed number means."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lib.digits import clean, equals, exact, fixed, marked, parse, short

pytestmark = pytest.mark.filterwarnings("error")
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("x", "decimals", "text"),
    [
        (-0.001, 2, "0.00"), (-0.0, 3, "0.000"), (-0.005001, 2, "-0.01"), (0.1 + 0.2, 3, "0.300"), (1, 0, "1"),
        (-0.4, 0, "0"), (np.float64(0.5), 2, "0.50"), (1e300, 2, "1.00e+300"), (-2e9, 1, "-2.0e+09"),
        (999999999.5, 1, "999999999.5"),
    ],
)
def test_fixed(x, decimals, text):
    assert fixed(x, decimals) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.1 + 0.2, "0.3"), (1, "1.0"), (-2.25, "-2.25"), (-0.0, "0.0"), (10, "10.0"), (-1e-13, "0.0"),
        (0.00001, "0.00001"), (0.2999999999999998, "0.3"), (1 / 3, "0.3333333333"),
        (123456789.125, "123456789.125"), (1e300, "1.0e+300"),
    ],
)
def test_short(x, text):
    assert short(x) == text


def test_short_keeps_the_zeros_that_count():
    assert (short(10, 0), short(-100, 4), short(2.50001, 4)) == ("10.0", "-100.0", "2.5")


@pytest.mark.parametrize(("x", "value"), [(0.30000000000000004, 0.3), (0.2999999999999998, 0.3), (1e300, 1e300)])
def test_clean(x, value):
    assert clean(x) == value


def test_clean_takes_the_sign_off_zero():
    assert str(clean(-0.0)) == str(clean(-1e-14)) == "0.0"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5), (" -1.2 ", -1.2), ("０．５", 0.5), ("−０．５", -0.5), ("－１", -1), ("＋2", 2),
        ("–0.5", -0.5), ("—1", -1), ("0。5", 0.5), ("。5", 0.5), (".5", 0.5), ("5.", 5), ("- 0.5", -0.5),
        ("\u3000１\u3000", 1), ("1e3", 1000), ("１ｅ－２", 0.01), ("٣", 3), ("-0", 0), ("007", 7), (2, 2),
        (0.25, 0.25),
    ],
)
def test_parse(text, value):
    assert parse(text) == value
    assert str(parse(text)) == str(float(value))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "abc", "nan", "NaN", "inf", "-Infinity", "1e400", "1,5", "1，5", "1_000", "½", "3²", "①",
        "1 5", "1 000", "1.2.3", "--1", "——1", "+-1", "-", ".", "e5", "1e", "0x10", "1+1", "1/2", "50%", "3·5",
        "一", "1\n2", "1;", "1j", "True", None, [1], b"1", "1\x00",
    ],
)
def test_parse_refuses_what_is_not_one_finite_number(text):
    with pytest.raises(ValueError, match=r"^number: got .*; needs one finite number"):
        parse(text)


def test_what_is_cut_off_is_about_equal():
    assert exact(0.1 + 0.2, 1)
    assert not exact(0.25, 1)
    assert equals(0.5, 0.1 + 0.2, decimals=1) == "="
    assert equals(0.5, 2**-0.5, decimals=4) == "≈"


def test_what_is_hidden_is_marked():
    texts = [["0.1", "0.2"], ["0.3", "0.4"]]
    assert marked(texts, None) == texts
    assert marked(texts, np.array([[False, True], [False, False]])) == [["0.1", "0.2 ⊘"], ["0.3", "0.4"]]


@given(FINITE, st.integers(0, 12))
def test_nothing_looks_like_minus_zero(x, decimals):
    for text in (fixed(x, decimals), short(x, decimals)):
        assert not re.fullmatch(r"-0(\.0*)?", text)
        assert len(text) <= 10 + 1 + decimals + 2


@given(st.floats(-1e308, 1e308))
def test_what_is_shown_is_near_what_is_there(x):
    assert float(fixed(x, 6)) == pytest.approx(x, rel=1e-6, abs=0.51e-6)
    assert float(short(x)) == pytest.approx(x, rel=1e-10, abs=0.51e-10)
    assert clean(clean(x)) == clean(x) == pytest.approx(x, rel=1e-15, abs=0.51e-12)


@given(FINITE)
def test_a_typed_number_is_that_number(x):
    assert parse(repr(x)) == x
    if abs(x) < 1e308:
        assert parse(short(x)) == float(short(x))
    wide = repr(x).translate({n: n + 0xFEE0 for n in range(0x21, 0x7F)})
    assert parse(wide) == x


@given(st.text(max_size=12) | st.text("0１٣½².。−-+eE_ ", max_size=6))
def test_any_text_is_a_finite_number_or_a_value_error(text):
    try:
        value = parse(text)
    except ValueError:
        return  # and no other exception
    assert np.isfinite(value)
