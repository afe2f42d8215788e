"""What the prose of lesson 00 claims, from the Experiment and the widgets themselves."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_lib import edit
from attention_lib.digits import fixed
from attention_lib.lessons import l00

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_dragging_to_one(e):
    assert e["W_Q"][0, 0] == e["Q"][0, 0] == 0.5
    e.set_entry("W_Q", 0, 0, l00.DRAGGED)
    assert fixed(e["Q"][0, 0]) == "1.000"
    assert l00.EXERCISES["00.a"].answer(e) == e["Q"][0, 0]


def test_typing(e):
    grid = edit(e, "W_Q")
    assert e["Q"][2, 1] == 0.6
    grid.type(1, 1, "−1.5")
    assert e["Q"][2, 1] == l00.TYPED == l00.EXERCISES["00.b"].answer(e)


@pytest.mark.parametrize(("typed", "value"), [("０．８", 0.8), ("−１", -1.0)])
def test_full_width_digits_are_understood(e, typed, value):
    edit(e, "W_Q").type(0, 0, typed)
    assert e["W_Q"][0, 0] == value


def test_sliders_run_from_minus_two_to_two_in_steps_of_a_tenth(e):
    for slider in edit(e, "W_Q").sliders:
        assert (slider.min, slider.max, slider.step) == (-2, 2, 0.1)


def test_a_number_outside_goes_to_the_nearest_end_and_is_told(e):
    with pytest.raises(ValueError, match="2"):
        edit(e, "W_Q").type(0, 0, "99")
    assert e["W_Q"][0, 0] == 2


def test_the_truth_of_the_prediction(e):
    assert l00.PREDICTIONS["00.1"].truth(e) == 1
    assert np.array_equal(e["X"][[0, 2]], np.eye(2))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_map_names_every_lesson_and_its_minutes(language):
    def cells(path):
        return {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}

    lessons = sorted((NOTEBOOKS / language).glob("0[0-7]_*.ipynb"))
    table = cells(NOTEBOOKS / language / "00_start.ipynb")["map"].splitlines()
    for path in lessons:
        named = [line for line in table if path.name in line or line.startswith(f"| {path.name[:2]} ·")]
        assert len(named) == 1, path.name
        minutes = named[0].split("|")[-2].strip()
        title = cells(path)["title"]
        assert f"约 {minutes} 分钟" in title or f"bout {minutes} minutes" in title, (path.name, minutes)
