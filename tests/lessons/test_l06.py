"""What the prose of lesson 06 claims: each number, from the Experiment, against the value worked out by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lib import Experiment
from attention_lib.digits import fixed
from attention_lib.explain import explain
from attention_lib.lessons import l06

EXACT = {"rtol": 0, "atol": 1e-12}
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.fixture
def tokens():
    return Experiment.from_example("three tokens")


def shown(values, decimals=3):
    return [fixed(x, decimals) for x in np.ravel(values)]


def by_hand(scores):
    powers = [math.exp(s) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def test_arithmetic_of_the_first_output(e):
    told = explain(e, "output", 0, 0)
    assert "0.3357×0.8 + 0.3333×0.55 + 0.3310×0.3" in " ".join(told.lines)
    assert told.lines[-1] == "≈ 0.5512"
    assert told.sources == (("weights", 0, None), ("V", None, 0))


def test_other_values_same_weights(e):
    weights = e["weights"]
    e.set_entry("W_V", 0, 0, 1.8)
    assert np.array_equal(e["weights"], weights)
    assert_allclose(e["V"][:, 0], [1.8, 1.05, 0.3], **EXACT)
    assert shown(e["output"][:, 0]) == ["1.054", "1.032", "1.011"]
    first = by_hand(np.array([0.26, 0.25, 0.24]) / math.sqrt(2))
    assert_allclose(e["output"][0, 0], 1.8 * first[0] + 1.05 * first[1] + 0.3 * first[2], **EXACT)


def test_each_word_carries_its_context(e):
    assert_allclose(e["X"][[0, 2]], [[1, 0], [0, 1]], **EXACT)
    assert_allclose(e["output"], [[0.5511785015, 0.4981143976], [0.5441086708, 0.5094261268],
                                  [0.5370494302, 0.5207209116]], rtol=0, atol=5e-11)
    assert shown(e["output"][[0, 2]]) == ["0.551", "0.498", "0.537", "0.521"]


def test_towards_a_corner(tokens):
    tokens.set_entry("Q", 0, 0, 20)
    assert_allclose(tokens["output"][0], tokens["V"][1], rtol=0, atol=1e-5)


def test_towards_an_edge(tokens):
    tokens.set_entry("Q", 0, 0, -20)
    shares = by_hand([-2 / math.sqrt(2), -20 / math.sqrt(2), 0])
    assert_allclose(tokens["weights"][0], shares, **EXACT)
    assert shares[1] < 1e-5
    assert shown(tokens["output"][0]) == ["0.180", "0.422"]


def test_three_values_on_one_line(e, tokens):
    assert_allclose(e["V"], [[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]], **EXACT)
    assert_allclose(e["V"][1], (e["V"][0] + e["V"][2]) / 2, **EXACT)
    assert_allclose(tokens["V"], [[0.1, 0.1], [1, 1], [0.2, 0.5]], **EXACT)
    a, b, c = tokens["V"]
    assert abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) > 0.1


def test_the_mix_of_corners_is_unique_and_is_the_weights(tokens):
    corners = np.vstack([tokens["V"].T, np.ones(3)])
    shares = np.linalg.solve(corners, np.vstack([tokens["output"].T, np.ones(3)])).T
    assert_allclose(shares, tokens["weights"], **EXACT)
    assert_allclose(np.array([0.5, 0, 0.5]) @ tokens["V"], [0.15, 0.3], **EXACT)


@pytest.mark.parametrize(("q", "weight", "output"), [
    (0, "0.333", ["0.433", "0.533"]),
    (3, "0.739", ["0.778", "0.817"]),
    (5, "0.900", None),
    (10, "0.994", None),
    (20, "1.000", ["1.000", "1.000"]),
])
def test_from_average_to_look_up(tokens, q, weight, output):
    pick = Experiment(Q=[[0, q, 0]], K=np.eye(3), V=tokens["V"])
    assert_allclose(pick["scores"], [[0, q, 0]], **EXACT)
    assert_allclose(pick["weights"][0], by_hand([0, q / math.sqrt(3), 0]), **EXACT)
    assert fixed(pick["weights"][0, 1], 3) == weight
    if output:
        assert shown(pick["output"]) == output


def test_a_weight_that_only_looks_like_one(tokens):
    pick = Experiment(Q=[[0, 20, 0]], K=np.eye(3), V=tokens["V"])
    assert fixed(pick["weights"][0, 1], 5) == "0.99998"
    assert (pick["weights"] > 0).all()


def test_equal_weights_are_an_average(tokens):
    pick = Experiment(Q=[[0, 0, 0]], K=np.eye(3), V=tokens["V"])
    assert_allclose(pick["output"][0], [1.3 / 3, 1.6 / 3], **EXACT)


def test_same_values_make_weights_irrelevant(e):
    e.W_V = [[0.8, 0.1], [0.8, 0.1]]
    assert_allclose(e["output"], [[0.8, 0.1]] * 3, **EXACT)
    assert shown(e["weights"][0]) == ["0.336", "0.333", "0.331"]
    e.set_entry("W_Q", 0, 1, 2.0)
    assert shown(e["weights"][0]) == ["0.255", "0.327", "0.418"]
    assert_allclose(e["weights"][0], by_hand(np.array([0.8, 1.15, 1.5]) / math.sqrt(2)), **EXACT)
    assert_allclose(e["output"], [[0.8, 0.1]] * 3, **EXACT)


def test_the_listing_passes_the_weak_checks_only(e):
    weights, output = np.array(l06.CLAIMED_WEIGHTS), np.array(l06.CLAIMED_OUTPUT)
    assert_allclose(weights.sum(axis=1), 1, **EXACT)
    assert ((weights > 0) & (weights < 1)).all()
    assert 0.0004 < abs(weights - e["weights"]).max() < 0.0005
    assert 0.0004 < abs(output - e["output"]).max() < 0.0005
    assert shown((weights @ e["V"])[0], 8) == ["0.55135048", "0.49783924"]
    assert not np.allclose(weights @ e["V"], output)
    assert not (np.round(weights, 8) == np.round(e["weights"], 8)).any()
    assert not (np.round(output, 8) == np.round(e["output"], 8)).any()
    assert fixed(e["scaled"][1, 1], 8) == "0.20506097"


def test_three_numbers_of_the_listing_disagree_at_three_decimals(e):
    def pairs(claimed, right):
        both = zip(shown(claimed), shown(right), strict=True)
        return [pair for pair in both if pair[0] != pair[1]]

    found = pairs(l06.CLAIMED_WEIGHTS, e["weights"]) + pairs(l06.CLAIMED_OUTPUT, e["output"])
    assert found == [("0.332", "0.333"), ("0.359", "0.360"), ("0.552", "0.551")]
    assert l06.disagreeing() == l06.EXERCISES["06.c"].answer(e) == 3
    assert l06.disagreeing(8) == 15


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_listing_is_never_shown_as_a_result(language):
    notebook = json.loads((NOTEBOOKS / language / "06_output.ipynb").read_text(encoding="utf-8"))
    wrong = [f"{x:.10f}".rstrip("0") for x in (*np.ravel(l06.CLAIMED_WEIGHTS), *np.ravel(l06.CLAIMED_OUTPUT))]
    code = next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == "suspects")
    assert all(digits in code for digits in wrong)
    for cell in notebook["cells"]:
        shown_there = json.dumps(cell.get("outputs", []))
        text = "" if cell["id"] == "suspects" else "".join(cell["source"])
        assert not [digits for digits in wrong if digits in shown_there + text]


def test_the_truth_of_each_prediction(e, tokens):
    truths = {key: p.truth(tokens if p.example == "three tokens" else e) for key, p in l06.PREDICTIONS.items()}
    assert_allclose(truths.pop("06.3"), 1.3 / 3, **EXACT)
    assert truths == {"06.1": 2, "06.2": 0, "06.4": 2}
