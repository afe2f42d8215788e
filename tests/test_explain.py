"""The arithmetic behind every cell of every matrix ends with the number in the cell."""

import re

import numpy as np
import pytest

from attention_lib.experiment import Experiment
from attention_lib.explain import explain
from attention_lib.faults import FAULTS
from attention_lib.language import choose, say

pytestmark = pytest.mark.filterwarnings("error")

NUMBER = r"\(?(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)\)?"


def projected(n, d_model, d_k, d_v, mask=None, scale=True):
    random = np.random.default_rng(n)
    shapes = (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    return Experiment(*(np.round(random.uniform(-2, 2, shape), 1) for shape in shapes), mask=mask, scale=scale)


def direct(n_q, n_k, d_k, d_v, mask=None, size=2):
    random = np.random.default_rng(n_q)
    Q, K, V = (np.round(random.uniform(-size, size, shape), 1) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    return Experiment(Q=Q, K=K, V=V, mask=mask)


EXPERIMENTS = {
    "lesson": lambda: Experiment.from_example("我爱你"),
    "tokens": lambda: Experiment.from_example("three tokens"),
    "random": lambda: projected(4, 3, 5, 2),
    "masked": lambda: projected(3, 4, 2, 2, mask=[[0, 0, 0], [1, 0, 1], [0, 0, 1]]),  # also a column of zeros
    "one column": lambda: projected(3, 1, 1, 1),
    "one word": lambda: projected(1, 2, 2, 2),
    "n_q is not n_k": lambda: direct(2, 5, 3, 4, mask=[[1, 0, 1, 0, 0], [0, 0, 0, 0, 0]]),
    "number for scale": lambda: projected(3, 2, 2, 2, scale=-0.25),
    "no scale": lambda: projected(3, 2, 2, 2, scale=np.False_),
    "large scores": lambda: direct(3, 3, 2, 2, mask=np.eye(3, dtype=bool)[::-1] | np.eye(3, dtype=bool), size=30),
    "low scores": lambda: Experiment(Q=[[-6.0]], K=[[1.0], [1.1]], V=[[1.0], [2.0]]),
    "huge": lambda: Experiment(Q=[[1e150]], K=[[1e150], [-1e150]], V=[[1e300], [2.0]]),
    "nothing to see": lambda: projected(2, 2, 2, 2, mask=False),
}


def experiment(name, fault):
    e = EXPERIMENTS[name]()
    e.fault = fault
    return e


def fits(name, fault):
    e = EXPERIMENTS[name]()
    return not ((fault == "W_K is W_Q" and "X" not in e.inputs)
                or (fault == "V is K" and e["K"].shape[1] != e["V"].shape[1]))


CASES = [(name, fault) for name in EXPERIMENTS for fault in (None, *FAULTS) if fits(name, fault)]


@pytest.fixture(params=["zh", "en"])
def both_languages(request):
    choose(request.param)
    yield
    choose("en")


def cells(e):
    return [(name, row, column) for name in e.names for row, column in np.ndindex(e[name].shape)]


def last_number(lines):
    """The number after the last = or ≈."""
    ends = [re.search(rf"[=≈] {NUMBER}$", line) for line in lines]
    return float([end for end in ends if end][-1][1])


def part(e, matrix, row, column):
    return e[matrix][slice(None) if row is None else row, slice(None) if column is None else column]


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_the_last_number_is_the_one_in_the_cell(name, fault, both_languages):
    e = experiment(name, fault)
    for cell in cells(e):
        with np.errstate(all="raise"):
            lines = explain(e, *cell).lines
        value = float(e[cell[0]][cell[1:]])
        assert last_number(lines) == pytest.approx(value, rel=1e-4, abs=0.51e-4), (cell, lines)
        assert not re.search(r"nan|inf\b|-0\.0+(?!\d)|\d{12}|np\.", " ".join(lines)), lines


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_what_is_written_out_comes_to_the_number(name, fault):
    e = experiment(name, fault)
    for cell in cells(e):
        value = float(e[cell[0]][cell[1:]])
        for line in explain(e, *cell).lines[1:]:
            if written := re.fullmatch(r"([=≈]) ([\d.e+()× -]+)", line):
                rounding = sum(abs(float(number)) + 1 for number in re.findall(NUMBER, line)) * 1e-4
                near = rounding if written[1] == "≈" else 1e-9
                assert eval(written[2].replace("×", "*")) == pytest.approx(value, rel=1e-9, abs=near), (cell, line)


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_the_sources_are_where_the_number_comes_from(name, fault):
    e = experiment(name, fault)
    for cell in cells(e):
        value, sources = e[cell[0]][cell[1:]], explain(e, *cell).sources
        if cell[0] in e.inputs:
            assert sources == ()
        elif len(sources) == 2:  # a dot product
            a, b = (part(e, *source) for source in sources)
            np.testing.assert_allclose(a @ b, value, rtol=1e-12, atol=1e-12)
        elif cell[0] == "weights":
            (matrix, row, column), = sources
            assert matrix == "scaled"
            assert (row, column) in {cell[1:], (None, cell[2]) if fault == "wrong axis" else (cell[1], None)}
        else:
            assert sources == (("scores" if cell[0] == "scaled" else "K", *cell[1:]),)


def test_in_full():
    e = Experiment.from_example("我爱你")
    wo, ai = e.words[:2]
    assert explain(e, "Q", 0, 1).lines == (
        f"Q[{wo}, q₂] = X[1, :] · W_Q[:, 2]", "= 1.0×0.2 + 0.0×0.6", "= 0.2 + 0.0", "= 0.2")
    assert explain(e, "scores", 0, 0).lines == (
        f"scores[{wo}, {wo}] = Q[1, :] · K[1, :]", "= 0.5×0.4 + 0.2×0.3", "= 0.2 + 0.06", "= 0.26")
    assert explain(e, "scaled", 0, 0).lines == (f"scaled[{wo}, {wo}] = 0.26 ÷ √2 ≈ 0.26 ÷ 1.4142", "≈ 0.1838")
    assert explain(e, "weights", 0, 1).lines == (
        "exp(0.1768) ≈ 1.1934", "sum of the row: 1.2018 + 1.1934 + 1.1850 ≈ 3.5802",
        f"weights[{wo}, {ai}] = 1.1934 ÷ 3.5802 ≈ 0.3333")
    assert explain(e, "output", 0, 0).lines == (
        f"output[{wo}, v₁] = weights[1, :] · V[:, 1]", "≈ 0.3357×0.8 + 0.3333×0.55 + 0.3310×0.3",
        "≈ 0.2686 + 0.1833 + 0.0993", "≈ 0.5512")


def test_negative_operands_stand_in_brackets():
    e = Experiment([[-0.5, 1.0]], [[2.0], [-1.5]], [[1.0], [1.0]], [[1.0], [1.0]])
    assert explain(e, "Q", 0, 0).lines[1:] == ("= (-0.5)×2.0 + 1.0×(-1.5)", "= (-1.0) + (-1.5)", "= -2.5")


def test_a_single_column_has_a_single_product():
    assert explain(Experiment([[3.0]], [[0.5]], [[1.0]], [[1.0]]), "Q", 0, 0).lines[1:] == ("= 3.0×0.5", "= 1.5")


def test_large_and_low_scores_show_the_maximum_taken_away():
    large = explain(Experiment(Q=[[1.0]], K=[[1000.0], [1001.0]], V=[[1.0], [2.0]]), "weights", 0, 0).lines
    assert "1001.0" in large[0]
    assert large[1] == "exp(1000.0 - 1001.0) ≈ 0.3679"
    assert large[-1].endswith("0.3679 ÷ 1.3679 ≈ 0.2689")
    low = explain(EXPERIMENTS["low scores"](), "weights", 0, 1).lines
    assert low[1] == "exp(-6.6 - (-6.0)) ≈ 0.5488"


def test_what_is_hidden_is_said_to_be():
    e = Experiment.from_example("我爱你")
    wo, ai, ni = e.words
    e.mask = np.tril(np.ones((3, 3), dtype=bool))
    assert explain(e, "weights", 0, 0).lines[1:] == (
        "sum of the row: 1.2018", f"weights[{wo}, {wo}] = 1.2018 ÷ 1.2018 ≈ 1.0000")
    assert explain(e, "weights", 1, 2).lines == (
        "the mask puts −∞ in place of this score, and exp(−∞) = 0", "sum of the row: 1.1850 + 1.2276 ≈ 2.4126",
        f"weights[{ai}, {ni}] = 0 ÷ 2.4126 = 0.0")
    assert explain(e, "scaled", 1, 2).lines[-1] == (
        "the mask hides this pair: before softmax, −∞ takes the place of this number")
    assert explain(e, "scaled", 2, 1).lines[-1] == "≈ 0.2333"
    e.set(fault="mask after softmax", mask=None)
    assert explain(e, "weights", 0, 2).lines[-1] == "0.3310 × 0 = 0.0"
    assert explain(e, "scaled", 0, 2).lines[-1] == "≈ 0.1697"  # hidden only later
    e.set(fault=None, mask=[[1, 0, 0], [0, 0, 0], [0, 0, 1]])
    told = explain(e, "weights", 1, 0)
    assert told.lines == (f"weights[{ai}, {wo}] = 0.0", say("explain.masked_row"))
    assert told.sources == (("scaled", 1, None),)
    e.fault = "wrong axis"
    assert explain(e, "weights", 1, 1).lines[-1] == say("explain.masked_column")


@pytest.mark.parametrize("cell", [("Q", 3, 0), ("Q", -1, 0), ("Q", 0, 2), ("Q", 0, -1), ("Q", 0.0, 0), ("A", 0, 0)])
def test_a_cell_that_is_not_there(cell):
    with pytest.raises(ValueError, match=r"(row|column|Experiment)"):
        explain(Experiment.from_example("我爱你"), *cell)
