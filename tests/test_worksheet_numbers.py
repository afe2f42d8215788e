"""The numbers of the worksheets: exact where they are said to be, and the same by every way a learner may take."""

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from by_hand import product as times
from by_hand import self_attention, transposed
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lib import language
from attention_lib.worksheets.problems import DECIMALS, problem
from attention_lib.worksheets.sheet import written

pytestmark = pytest.mark.filterwarnings("error")
INPUTS = ("X", "W_Q", "W_K", "W_V")
SHAPES = dict.fromkeys(("X", "Q", "K", "V", "output"), (3, 2)) | dict.fromkeys(INPUTS[1:], (2, 2)) | dict.fromkeys(
    ("scores", "scaled", "exp", "weights"), (3, 3)) | dict.fromkeys(("sums", "checks"), (3, 1))


def printed(name, matrix):
    """As on paper, read back exactly."""
    return [[Decimal(written(x, DECIMALS[name]).replace("−", "-")) for x in row] for row in matrix.tolist()]


@pytest.fixture(scope="module")
def sheets():
    halves = problem(1, 50), problem(1, 78)  # X with a 0.5 in it
    assert all((sheet.X % 1).any() for sheet in halves)
    return [problem(seed, student) for seed, student in product((1, 2026), range(1, 8))] + [*halves]


def test_what_is_printed_of_the_inputs_is_all_of_them(sheets):
    for sheet in sheets:
        for name, shape in SHAPES.items():
            assert getattr(sheet, name).shape == shape
        for name in INPUTS:
            read_back = [[float(x) for x in row] for row in printed(name, getattr(sheet, name))]
            assert read_back == getattr(sheet, name).tolist()


def test_products_are_exact_in_the_decimals_printed(sheets):
    for sheet in sheets:
        read = {name: [[Fraction(x) for x in row] for row in printed(name, getattr(sheet, name))] for name in SHAPES}
        Q, K, V = (times(read["X"], read[name]) for name in INPUTS[1:])
        for name, exact in {"Q": Q, "K": K, "V": V, "scores": times(Q, transposed(K))}.items():
            assert read[name] == exact, name
            assert DECIMALS[name] <= 2


def test_every_step_is_the_one_of_attention(sheets):
    for sheet in sheets:
        steps = self_attention(*(printed(name, getattr(sheet, name)) for name in INPUTS))
        for name, value in steps.items():
            np.testing.assert_allclose(getattr(sheet, name), value, rtol=0, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(sheet.exp / sheet.sums, steps["weights"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.log(sheet.exp), steps["scaled"], rtol=0, atol=1e-12)
        assert sheet.most == tuple(max(range(3), key=row.__getitem__) for row in steps["weights"])


def rounded(value, name):
    """As school teaches it: 5 goes up."""
    return value.quantize(Decimal(1).scaleb(-DECIMALS[name]), rounding=ROUND_HALF_UP)


def ways():
    """How √2 is taken, and after which steps a learner goes on with the rounded number."""
    for root, *rounds in product(("√2", "1.414", "0.707"), *[(True, False)] * 4):
        if root == "√2" or rounds[0]:  # the sheet asks those who take 1.414 to go on with what they wrote
            yield root, dict(zip(("scaled", "exp", "sums", "weights"), rounds, strict=True))


def worked(scores, V, root, rounds):
    """Every blank from step 3 on, filled in by a learner who goes this way."""
    def go_on(name, values):
        blanks[name] = [[rounded(x, name) for x in row] for row in values]
        return blanks[name] if rounds.get(name) else values

    blanks = {}
    factor = {"√2": 1 / Decimal(2).sqrt(), "1.414": 1 / Decimal("1.414"), "0.707": Decimal("0.707")}[root]
    scaled = go_on("scaled", [[x * factor for x in row] for row in scores])
    powers = go_on("exp", [[x.exp() for x in row] for row in scaled])
    sums = go_on("sums", [[sum(row)] for row in powers])
    weights = go_on("weights", [[x / total for x in row] for row, (total,) in zip(powers, sums, strict=True)])
    blanks["checks"] = [[sum(row)] for row in blanks["weights"]]
    go_on("output", times(weights, V))
    return blanks


def test_every_way_of_rounding_fills_every_blank_with_what_the_key_says(sheets):
    assert len(list(ways())) == 32
    with localcontext() as context:
        context.prec = 30
        for sheet in sheets[::2]:
            scores, V = (printed(name, getattr(sheet, name)) for name in ("scores", "V"))
            for root, rounds in ways():
                for name, blank in worked(scores, V, root, rounds).items():
                    assert blank == printed(name, getattr(sheet, name)), (name, root, rounds)


def test_the_weights_as_written_add_up_to_one(sheets):
    for sheet in sheets:
        assert [sum(row) for row in printed("weights", sheet.weights)] == [1, 1, 1]
        assert printed("checks", sheet.checks) == [[1], [1], [1]]


def test_the_numbers_are_worth_the_work(sheets):
    for sheet in sheets:
        weights = np.sort(sheet.weights, axis=1)
        assert (weights[:, 2] - weights[:, 1] > 0.02).all()  # no doubt who is looked at most
        assert (weights[:, 2] - weights[:, 0] > 0.15).all()
        assert len(set(sheet.most)) > 1
        assert abs(sheet.scaled).max() <= 1.5
        assert (abs(sheet.scores) < 1e-9).sum() <= 3
        for W in (sheet.W_Q, sheet.W_K, sheet.W_V):  # a transposed W, or one for another, gives other numbers
            assert W[0, 1] != W[1, 0]
            assert abs(np.linalg.det(W)) > 1e-9
        assert (sheet.W_Q != sheet.W_K).any()
        assert (sheet.W_V > 0).all()


def test_a_forgotten_step_shows(sheets):
    """The known mistakes lead to other numbers than the key's, so that a wrong sheet is seen to be wrong."""
    for sheet in sheets:
        given = [getattr(sheet, name) for name in INPUTS]
        for fault in ("no scaling", "wrong axis", "V is K"):
            steps = self_attention(*given, fault=fault)
            assert printed("output", np.array(steps["output"])) != printed("output", sheet.output), fault
        unscaled = np.array(self_attention(*given, scale=0.5)["weights"])  # divided by d_k in place of its root
        assert printed("weights", unscaled) != printed("weights", sheet.weights)


def test_every_student_and_every_seed_has_numbers_of_its_own(sheets):
    inputs = {tuple(np.concatenate([getattr(sheet, name).ravel() for name in INPUTS])) for sheet in sheets}
    assert len(inputs) == len(sheets)


def test_the_same_seed_and_student_are_the_same_sheet():
    again = problem(2026, 7)
    assert all((getattr(problem(2026, 7), name) == getattr(again, name)).all() for name in SHAPES)


def test_sheets_are_the_same_on_every_machine_and_next_year():
    sheet = problem(1, 1)
    assert sheet.X.tolist() == [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]
    assert sheet.W_Q.tolist() == [[0.7, 0.9], [-0.3, -0.4]]
    assert sheet.W_K.tolist() == [[0.9, -0.4], [0.9, 0.1]]
    assert sheet.W_V.tolist() == [[0.9, 0.4], [0.6, 0.9]]


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), student=st.integers(1, 999))
def test_there_is_a_sheet_for_every_seed_and_student(seed, student):
    sheet = problem(seed, student)
    for name in "QKV":
        exact = times(printed("X", sheet.X), printed("X", getattr(sheet, f"W_{name}")))
        assert printed(name, getattr(sheet, name)) == exact
    assert [sum(row) for row in printed("weights", sheet.weights)] == [1, 1, 1]


@pytest.mark.parametrize(("seed", "student"), [(-1, 1), (1, 0), (1.5, 1), (1, "1"), (True, 1)])
def test_a_seed_or_student_out_of_range_is_refused(seed, student):
    language.choose("en")
    with pytest.raises(ValueError, match="needs a whole number of at least"):
        problem(seed, student)


@pytest.mark.parametrize(("number", "decimals", "text"), [(-0.5, 1, "−0.5"), (-0.0, 2, "0.00"), (-1e-17, 3, "0.000")])
def test_numbers_are_written_with_a_real_minus_and_never_minus_zero(number, decimals, text):
    assert written(number, decimals) == text
