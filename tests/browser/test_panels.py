"""Switches, presets, temperature, the laboratory and sharing, by keyboard alone."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_lib import Experiment, causal_mask
from attention_lib.scaling import random_scores

SETUP = """from attention_lib import Experiment, controls, presets, rows, scaling_lab, share, show, start, temperature
start("en")
e = Experiment.from_example("我爱你")"""
PANEL = 'rows(presets(e), controls(e), temperature(e), show(e, "scores", "weights"), share(e))'


@pytest.fixture(scope="module")
def opened(shared_lab, server):
    return shared_lab.open(server.notebook("panels.ipynb", SETUP, PANEL, "scaling_lab()")).run_all()


@pytest.fixture
def panels(opened):
    opened.page.get_by_role("button", name="Reset all").press("Enter")
    see(opened)
    return opened


def see(lab, **changes):
    """The page shows the scores and weights of the example with these changes."""
    e = Experiment.from_example("我爱你")
    e.set(**changes)
    lab.wait_shown("scores", e["scores"])
    lab.wait_shown("weights", e["weights"])
    return e


def test_presets_are_pressed_by_enter_and_space(panels):
    page = panels.page
    page.get_by_role("button", name="W_Q = W_K").press("Enter")
    see(panels, W_K=[[0.5, 0.2], [0.1, 0.6]])
    expect(page.get_by_role("button", name="W_Q = W_K", pressed=True)).to_be_visible()
    page.get_by_role("button", name="causal").press("Space")
    see(panels, mask=causal_mask(3))
    expect(page.get_by_role("radio", name="causal")).to_be_checked()
    expect(page.get_by_role("button", pressed=True).filter(has_text="causal")).to_have_count(1)


def test_arrows_walk_through_the_switches_and_a_broken_rule_is_told_in_red(panels):
    page = panels.page
    faults = page.get_by_role("radiogroup", name="Break it")
    faults.get_by_role("radio", name="nothing").focus()
    page.keyboard.press("ArrowRight")
    see(panels, fault="wrong axis")
    broken = faults.locator(".al-broken")
    expect(broken).to_contain_text("0.972, 0.999, 1.029")
    expect(broken).to_have_css("background-color", "rgb(183, 28, 28)")
    expect(page.locator(".al-sums td.al-wrong")).to_have_count(3)
    page.keyboard.press("ArrowRight")
    see(panels, fault="no scaling")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    see(panels)
    expect(broken).to_have_count(0)
    page.get_by_role("radiogroup", name="Scaling").get_by_role("radio", name="none").press("Space")
    see(panels, scale=False)


def test_the_temperature_moves_step_by_step_and_takes_a_typed_number(panels):
    page = panels.page
    slider = page.get_by_role("slider", name="Temperature T")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "T = 0.9")
    see(panels, scale=1 / (0.9 * np.sqrt(2)))
    page.keyboard.press("Home")
    e = see(panels, scale=1 / (0.05 * np.sqrt(2)))
    shares = page.locator(".al-temperature .al-value")
    expect(shares).to_have_text([f"{w:.3f}" for w in e["weights"][0]])
    field = page.get_by_role("textbox", name="Temperature T, type a number")
    field.fill("２．５")
    field.press("Enter")
    see(panels, scale=1 / (2.5 * np.sqrt(2)))
    expect(slider).to_have_attribute("aria-valuetext", "T = 2.5")
    field.fill("hot")
    field.press("Enter")
    expect(page.locator(".al-temperature .al-error")).to_contain_text("hot")
    expect(field).to_have_value("2.5")
    page.get_by_role("button", name="T = 1").press("Enter")
    see(panels)


def test_the_laboratory_follows_slider_and_field(panels):
    page = panels.page
    slider = page.get_by_role("slider", name="d_k, length of a query and of a key")
    field = page.get_by_role("textbox", name="d_k, type a whole number")
    slider.focus()
    for key, d_k in (("Home", 1), ("ArrowRight", 2), ("End", 1024), ("ArrowLeft", 512)):
        page.keyboard.press(key)
        expect(field).to_have_value(str(d_k))
        found = random_scores(0).measure(d_k).values()
        expect(page.locator('.al-lab td[data-kind="deviation"] .al-number')).to_have_text(
            [f"{spread.deviation:.3f}" for spread in found])
    field.fill("777")
    field.press("Enter")
    found = random_scores(0).measure(777).values()
    expect(page.locator('.al-lab td[data-kind="gradient"] .al-number')).to_have_text(
        [f"{spread.gradient:.3f}" for spread in found])
    field.fill("2000")
    field.press("Enter")
    expect(page.locator(".al-lab .al-error")).to_contain_text("from 1 to 1024")
    expect(field).to_have_value("777")


def test_no_press_is_lost_while_the_kernel_is_at_work(panels):
    page = panels.page
    length = page.get_by_role("slider", name="d_k, length of a query and of a key")
    temperature = page.get_by_role("slider", name="Temperature T")
    panels.in_kernel("import time; time.sleep(1)", wait=False)
    for slider in (length, temperature):
        slider.press("Home")
        for _ in range(6):
            slider.press("ArrowRight")
    panels.in_kernel("pass")
    expect(length).to_have_attribute("aria-valuetext", "d_k = 64")
    expect(length).to_have_value("6")
    expect(temperature).to_have_attribute("aria-valuetext", "T = 0.12")
    expect(temperature).to_have_value("6")
    see(panels, scale=1 / (0.12 * np.sqrt(2)))


def test_a_code_is_shown_opened_and_refused(panels):
    page = panels.page
    code = page.get_by_role("textbox", name="State code")
    pasted = page.get_by_role("textbox", name="Open a code")
    expect(code).to_have_value("1JGBQRV")
    pasted.fill(" 8xr801 qz2dw6 ")
    pasted.press("Enter")
    see(panels, W_Q=[[0.6, 0.2], [0.1, 0.6]])
    expect(code).to_have_value("8XR801QZ2DW6")
    pasted.fill("8XR801QZ2DW7")
    pasted.press("Enter")
    expect(page.locator(".al-share .al-error")).to_contain_text("mistyped")
    expect(code).to_have_value("8XR801QZ2DW6")
    page.get_by_role("button", name="Copy", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_nothing_is_cut_and_nothing_scrolls_sideways(panels, width):
    page = panels.page
    page.set_viewport_size({"width": width, "height": 1600})
    try:
        page.wait_for_timeout(300)
        cut = page.evaluate("""() => [...document.querySelectorAll('.al-tool, .al-tool *')].filter((el) =>
            el.clientWidth > 0 && el.tagName !== 'INPUT' && el.scrollWidth > el.clientWidth + 1
            && getComputedStyle(el).overflowX !== 'visible').map((el) => el.className)""")
        assert cut == []
        right = page.evaluate("""() => Math.max(...[...document.querySelectorAll('.al-tool *')].map((el) =>
            el.getBoundingClientRect().right - el.closest('.jp-OutputArea-output').getBoundingClientRect().right))""")
        assert right <= 1
    finally:
        page.set_viewport_size({"width": 1280, "height": 1600})
