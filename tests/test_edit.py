"""Slider grids without a browser."""

import ipywidgets
import numpy as np
import pytest

from attention_lib import Experiment, edit
from attention_lib.widgets.edit import EntrySlider


def told(e):
    heard = []
    e.observe(lambda change: heard.append(change.new), "steps")
    return heard


def test_one_float_slider_an_entry(e):
    grid = edit(e, "W_Q")
    assert len(grid.sliders) == 4
    assert all(isinstance(s, ipywidgets.FloatSlider) for s in grid.sliders)
    assert [(s.min, s.max, s.step) for s in grid.sliders] == [(-2.0, 2.0, 0.1)] * 4
    assert [s.value for s in grid.sliders] == [0.5, 0.2, 0.1, 0.6]


def test_every_input_where_none_is_named(e):
    assert [grid.name for grid in edit(e).children] == ["X", "W_Q", "W_K", "W_V"]
    assert [grid.name for grid in edit(Experiment.from_example("three tokens")).children] == ["Q", "K", "V"]


def test_a_move_computes_once(e):
    grid, heard = edit(e, "W_K"), told(e)
    grid.sliders[3].value = 1.0
    assert len(heard) == 1
    assert e["W_K"].tolist() == [[0.4, 0.3], [0.2, 1.0]]


def test_dust_is_neither_shown_nor_stored(e):
    grid = edit(e, "W_Q")
    grid.sliders[0].value = 0.2999999999999998
    assert grid.sliders[0].value == 0.3
    assert e["W_Q"][0, 0] == 0.3
    grid.sliders[0].value = -1e-17
    assert str(grid.sliders[0].value) == "0.0"
    assert str(e["W_Q"][0, 0]) == "0.0"
    assert "0.0  0.2" in grid.static_text()


def test_value_is_fresh_and_set_as_a_whole(e):
    grid, heard = edit(e, "W_Q"), told(e)
    grid.value[0, 0] = 9
    assert grid.value[0, 0] == 0.5
    grid.value = [[1, 0], [0, 1]]
    assert len(heard) == 1
    assert [s.value for s in grid.sliders] == [1, 0, 0, 1]
    grid.reset()
    assert len(heard) == 2
    assert [s.value for s in grid.sliders] == [0.5, 0.2, 0.1, 0.6]


def test_a_value_beyond_the_range_from_code_widens_it(e):
    grid = edit(e, "W_Q")
    e.W_Q = [[5.0, 0.2], [-7.5, 0.6]]
    assert [s.value for s in grid.sliders] == [5.0, 0.2, -7.5, 0.6]
    assert grid.sliders[0].max == 5.0
    assert grid.sliders[2].min == -7.5


@pytest.mark.parametrize("text", ["abc", "", "nan", "inf", "1,5", "0x10", "1_0", "--1"])
def test_what_is_not_a_number_is_refused_and_nothing_changes(e, text):
    grid, heard = edit(e, "W_Q"), told(e)
    with pytest.raises(ValueError, match=r"W_Q\[1, 2\]"):
        grid.type(0, 1, text)
    assert heard == []
    assert e["W_Q"][0, 1] == 0.2


def test_a_number_out_of_range_is_clamped_with_a_word(e):
    grid = edit(e, "W_Q")
    with pytest.raises(ValueError, match=r"99\.0 .* -2\.0 … 2\.0"):
        grid.type(0, 0, "99")
    assert e["W_Q"][0, 0] == 2.0
    assert grid.sliders[0].value == 2.0


def test_a_handler_says_what_went_wrong_and_the_next_move_works(e, monkeypatch):
    grid = edit(e, "W_Q")
    e.observe(lambda _: 1 / 0, "steps")
    grid.sliders[0].value = 1.0
    assert "ZeroDivisionError" in grid.message
    e.unobserve_all("steps")
    grid.sliders[0].value = 1.1
    assert grid.message == ""
    assert e["W_Q"][0, 0] == 1.1


def test_an_impossible_input_comes_back(e):
    e.X = np.full((3, 2), 1e154)  # Q Kᵀ just fits
    grid = edit(e, "W_Q", low=-10, high=10)
    grid.sliders[0].value = 9.0
    assert "too large" in grid.message
    assert grid.sliders[0].value == 0.5 == e["W_Q"][0, 0]


def test_nan_is_refused():
    slider = EntrySlider(value=0.5, min=-2, max=2)
    with pytest.raises(ValueError, match="finite"):
        slider.value = float("nan")
    assert slider.value == 0.5


def test_a_computed_matrix_cannot_be_edited(e):
    with pytest.raises(ValueError, match=r"^Q: .*X, W_Q, W_K, W_V"):
        edit(e, "Q")
    with pytest.raises(ValueError, match="nonsense"):
        edit(e, "nonsense")


def test_two_grids_of_one_matrix_stay_together(e):
    one, two = edit(e, "W_Q"), edit(e, "W_Q")
    heard = told(e)
    one.sliders[1].value = -1.3
    assert two.sliders[1].value == -1.3
    assert len(heard) == 1


def test_closing_leaves_nothing_behind(e):
    before = set(ipywidgets.widgets.widget._instances)
    grid = edit(e, "W_Q")
    grid.close()
    assert set(ipywidgets.widgets.widget._instances) == before
    e.W_Q = [[1, 1], [1, 1]]


def test_static_twin(e):
    data, _ = edit(e, "W_Q")._repr_mimebundle_()
    assert data["text/plain"].splitlines()[1:] == ["x₁: 0.5  0.2", "x₂: 0.1  0.6"]
    assert "<td>0.5</td><td>0.2</td>" in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data
