"""Slider grids and live matrices under a learner's hands."""

import numpy as np
import pytest
from playwright.sync_api import expect
from steps_again import W_Q, steps

SETUP = """from attention_lib import Experiment, columns, edit, rows, show, start
start("en")
e = Experiment.from_example("我爱你")"""
PANEL = 'columns(edit(e, "W_Q"), show(e))'
def see(lab, W):
    for name, value in steps(np.array(W)).items():
        lab.wait_shown(name, value)


@pytest.fixture(scope="module")
def opened(shared_lab, server):
    return shared_lab.open(server.notebook("panel.ipynb", SETUP, PANEL)).run_all()


@pytest.fixture
def panel(opened):
    """The panel as it began: nothing moved, no arithmetic open."""
    opened.page.get_by_role("button", name="Reset W_Q").click()
    if opened.page.locator(".al-arithmetic").is_visible():
        opened.page.get_by_role("button", name="Close the arithmetic").click()
        opened.page.locator(".al-arithmetic").wait_for(state="hidden")
    see(opened, W_Q)
    opened.page.wait_for_timeout(800)  # longer than one gesture, so that the next move is marked against this state
    return opened


def test_keyboard_moves_one_step_and_every_later_number_follows(panel):
    see(panel, W_Q)
    handle = panel.slider("W_Q, row x₁, column q₁")
    handle.focus()
    panel.page.keyboard.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuenow", "0.6")
    see(panel, [[0.6, 0.2], [0.1, 0.6]])
    old = panel.cell("Q", 0, 0).locator(".al-old")
    expect(old).to_have_text("0.500")
    expect(panel.cell("Q", 0, 1).locator(".al-old")).to_have_text("")


def test_steps_have_no_dust_and_both_ends_are_reached(panel):
    handle, field = panel.slider("W_Q, row x₁, column q₁"), panel.field("W_Q, row x₁, column q₁, type a number")
    handle.focus()
    panel.page.keyboard.press("Home")
    see(panel, [[-2.0, 0.2], [0.1, 0.6]])
    for _ in range(23):
        panel.page.keyboard.press("ArrowRight")
    see(panel, [[0.3, 0.2], [0.1, 0.6]])
    expect(field).to_have_value("0.3")
    for _ in range(3):
        panel.page.keyboard.press("ArrowLeft")
    see(panel, [[0.0, 0.2], [0.1, 0.6]])
    expect(field).to_have_value("0.0")
    panel.page.keyboard.press("End")
    see(panel, [[2.0, 0.2], [0.1, 0.6]])
    assert "-0.00" not in panel.page.locator(".al-panel").inner_text()


@pytest.mark.parametrize(("typed", "value"), [("1.5", 1.5), ("－１．５", -1.5), ("−0.25", -0.25), ("０。５", 0.5)])
def test_typed_numbers(panel, typed, value):
    field = panel.field("W_Q, row x₂, column q₁, type a number")
    field.fill(typed)
    field.press("Enter")
    see(panel, [[0.5, 0.2], [value, 0.6]])
    expect(panel.slider("W_Q, row x₂, column q₁")).to_have_attribute("aria-valuenow", str(value))
    expect(field).to_have_value(str(value))
    expect(panel.page.locator(".al-error:visible")).to_have_count(0)


def test_what_cannot_be_taken_is_said_and_the_next_move_works(panel):
    field, error = panel.field("W_Q, row x₂, column q₁, type a number"), panel.page.locator(".al-edit .al-error")
    field.fill("99")
    field.press("Enter")
    see(panel, [[0.5, 0.2], [2.0, 0.6]])
    expect(error).to_contain_text("99.0 is outside -2.0 … 2.0")
    field.fill("abc")
    field.press("Enter")
    panel.page.wait_for_function("() => document.querySelector('.al-edit .al-error').textContent.includes('abc')")
    expect(field).to_have_value("2.0")
    panel.slider("W_Q, row x₂, column q₁").focus()
    panel.page.keyboard.press("ArrowLeft")
    see(panel, [[0.5, 0.2], [1.9, 0.6]])
    panel.page.wait_for_function("() => document.querySelector('.al-edit .al-error').hidden")


def test_click_on_the_track_and_reset(panel):
    track = panel.page.locator(".al-edit .noUi-base").nth(1)
    box = track.bounding_box()
    panel.page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    see(panel, [[0.5, 1.0], [0.1, 0.6]])
    panel.page.get_by_role("button", name="Reset W_Q").click()
    see(panel, W_Q)
    expect(panel.slider("W_Q, row x₁, column q₂")).to_have_attribute("aria-valuenow", "0.2")


def test_a_cell_tells_its_arithmetic_and_lights_where_it_came_from(panel):
    panel.cell("scores", 0, 1).click()
    told = panel.page.locator(".al-arithmetic")
    told.wait_for(state="visible")
    expect(told.locator(".al-lines div")).to_have_text([
        "scores[我 I, 爱 love] = Q[1, :] · K[2, :]", "= 0.5×0.3 + 0.2×0.5", "= 0.15 + 0.1", "= 0.25"])
    lit = panel.page.evaluate("""() => [...document.querySelectorAll('.al-panel .al-lit')].map((b) =>
        [b.closest('.al-matrix').dataset.matrix, b.querySelector('.al-number').textContent])""")
    assert lit == [["Q", "0.500"], ["Q", "0.200"], ["K", "0.300"], ["K", "0.500"]]
    panel.slider("W_Q, row x₁, column q₁").focus()
    panel.page.keyboard.press("ArrowRight")
    panel.page.wait_for_function("() => document.querySelector('.al-lines').innerText.includes('0.6×0.3 + 0.2×0.5')")


def test_keyboard_alone_reads_the_softmax(panel):
    panel.cell("weights", 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        panel.page.keyboard.press(key)
    told = panel.page.locator(".al-arithmetic")
    told.wait_for(state="visible")
    expect(told.locator(".al-lines div")).to_have_text([
        "exp(0.3111) ≈ 1.3650", "sum of the row: 1.1683 + 1.2628 + 1.3650 ≈ 3.7961",
        "weights[你 you, 你 you] = 1.3650 ÷ 3.7961 ≈ 0.3596"])
    panel.page.keyboard.press("Escape")
    told.wait_for(state="hidden")


def test_lit_entries_of_the_sliders(panel):
    panel.cell("Q", 2, 1).click()
    panel.page.wait_for_function("() => document.querySelectorAll('.al-edit .al-lit').length === 2")
    lit = panel.page.evaluate("() => [...document.querySelectorAll('.al-edit .al-lit input')].map((f) => f.value)")
    assert lit == ["0.2", "0.6"]


def test_rerun_leaves_one_panel_and_no_heap_of_widgets(lab, server):
    count = ("import gc, ipywidgets; gc.collect()\n"
             "print(len(ipywidgets.widgets.widget._instances), len(get_ipython().kernel.comm_manager.comms))")
    lab.open(server.notebook("rerun.ipynb", SETUP, PANEL, count)).run_all()
    first = lab.page.locator(".jp-OutputArea-output pre").last.inner_text()
    for _ in range(5):
        lab.run_all()
    expect(lab.page.locator(".jp-OutputArea-output pre").last).to_have_text(first)
    expect(lab.page.locator(".al-panel")).to_have_count(1)


def test_a_slow_laptop(lab, server):
    """anywidget gives up on a module after two seconds; here at once, and the panel still follows."""
    lab.page.add_init_script("""AbortSignal.timeout = () => {
        const controller = new AbortController();
        queueMicrotask(() => controller.abort());
        return controller.signal;
    }""")
    lab.open(server.notebook("slow.ipynb", SETUP, PANEL)).run_all()
    lab.slider("W_Q, row x₁, column q₁").focus()
    lab.page.keyboard.press("ArrowRight")
    see(lab, [[0.6, 0.2], [0.1, 0.6]])
    lab.page.get_by_role("button", name="Reset W_Q").click()
    see(lab, W_Q)
