"""Masks, heads and the order of words in a real page: by keyboard and by dragging, and readable for everybody."""

import re

import pytest
from lab import THEMES
from playwright.sync_api import expect

from attention_lib import Experiment, MultiHead, WordOrder, causal_mask

SETUP = """from attention_lib import *
start("en")
e, m = Experiment.from_example("我爱你"), MultiHead.from_example()"""
PANELS = ("rows(mask_lab(e), before_or_after(e))", 'rows(head_switches(m), show(m, "merged"), head_maps(m))',
          'order_lab(e, "weights", "change")', "position_map(6, 4)")


SLOW = """import time, ipywidgets
knobs = next(w for w in ipywidgets.widgets.widget._instances.values() if type(w).__name__ == "Knobs")
turn = knobs.turn
knobs.turn = lambda *move: (time.sleep({seconds}), turn(*move))"""


@pytest.fixture(scope="module")
def opened(shared_lab, server):
    return shared_lab.open(server.notebook("masks.ipynb", SETUP, *PANELS)).run_all()


def test_switches_by_keyboard(opened):
    page, e = opened.page, Experiment.from_example("我爱你")
    pair = page.get_by_role("switch", name="我 I may look at 我 I")
    pair.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_role("switch", name="我 I may look at 爱 love")).to_have_attribute("aria-checked", "false")
    e.mask = [[1, 0, 1], [1, 1, 1], [1, 1, 1]]
    opened.wait_shown("weights", e["weights"])
    opened.wait_shown("before", e["weights"])
    hidden = opened.cell("weights", 0, 1)
    expect(hidden).to_have_attribute(
        "aria-label", "weights, row 我 I, column 爱 love: 0.000, hidden by the mask, before: 0.333")
    page.get_by_role("button", name="causal", exact=True).press("Enter")
    e.mask = causal_mask(3)
    opened.wait_shown("weights", e["weights"])
    expect(page.locator('.al-matrix[data-matrix="after"] td.al-wrong')).to_have_count(2)
    page.get_by_role("button", name="all", exact=True).press("Enter")
    opened.wait_shown("weights", Experiment.from_example("我爱你")["weights"])


def test_a_head_is_switched_off(opened):
    m = MultiHead.from_example()
    opened.page.get_by_role("switch", name="head 2 takes part").press("Space")
    m.keep = [True, False]
    opened.wait_shown("merged", m["merged"])
    opened.page.get_by_role("switch", name="head 2 takes part").press("Space")


def test_words_are_moved_by_arrows_and_by_dragging(opened):
    page, o = opened.page, WordOrder(Experiment.from_example("我爱你"))
    page.get_by_role("button", name="我 I, one place to the right").press("Enter")
    o.move(0, 1)
    expect(page.locator(".al-word").first).to_contain_text("爱 love")
    expect(page.get_by_role("button", name="我 I, one place to the right")).to_be_focused()
    page.get_by_role("radio", name="rotary").press("Space")
    o.positions = "rotary"
    opened.wait_shown("change", o["change"])
    cards = page.locator(".al-card")
    cards.nth(2).drag_to(cards.nth(0))
    o.move(2, 0)
    opened.wait_shown("change", o["change"])
    labels = page.locator('.al-matrix[data-matrix="weights"]').nth(1).locator('th[scope="row"]')
    expect(labels).to_have_text(list(o.words))


def test_quick_presses_move_the_word_that_was_pressed(opened):
    page = opened.page
    page.get_by_role("button", name="as written").press("Enter")
    expect(page.locator(".al-word").first).to_contain_text("我 I")
    opened.in_kernel("import time; time.sleep(2)", wait=False)
    page.get_by_role("button", name="我 I, one place to the right").focus()
    for _ in range(2):
        page.keyboard.press("Enter")
    opened.in_kernel("pass")
    expect(page.locator(".al-word")).to_have_text([re.compile(word) for word in ("爱", "你", "我")])
    expect(page.get_by_role("button", name="我 I, one place to the left")).to_be_focused()
    expect(page.locator(".al-error:visible")).to_have_count(0)


def test_an_answer_to_an_older_move_does_not_take_the_handle_back(opened):
    slider = opened.page.get_by_role("slider", name="places", exact=True)
    expect(slider).to_have_value("6")
    opened.in_kernel(SLOW.format(seconds=0.3))
    for _ in range(6):
        slider.press("ArrowRight")
        opened.page.wait_for_timeout(100)
    opened.in_kernel("pass")
    expect(slider).to_have_value("12")
    expect(opened.page.locator(".al-knob output").first).to_have_text("12")
    opened.in_kernel(SLOW.format(seconds=3))
    slider.press("ArrowRight")
    opened.page.wait_for_timeout(2500)  # longer than the page waits before it sends more
    expect(slider).to_have_value("13", timeout=1)
    opened.in_kernel("pass")
    expect(slider).to_have_value("13")


def test_a_typed_sentence_takes_the_place(opened):
    page = opened.page
    field = page.get_by_role("textbox", name="Your own sentence").nth(1)
    field.fill("dog bites man")
    field.press("Enter")
    expect(page.locator(".al-word").first).to_contain_text("dog")


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious(opened, theme):
    opened.theme(theme)
    assert opened.axe() == []
