"""Predict, then reveal, in the page and by keyboard alone; checks, whose hint and solution stay folded."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from attention_lib.language import texts

LESSON = f"""import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import sample_lesson
from attention_lib import Experiment, check, lessons, predict, predictions_summary, start
sys.modules["attention_lib.lessons.l99"] = sample_lesson
lessons.numbers = lambda: ("99",)
e = Experiment.from_example("我爱你")
"""
CELLS = ('predict("99.1")', 'predict("99.2")', 'predict("99.3", e)', 'answer = ...\ncheck("99.weights", answer, e)',
         'check("99.weights", e["scaled"], e)', "predictions_summary()")


@pytest.fixture(scope="module", params=["zh", "en"])
def opened(request, shared_lab, server):
    name = server.notebook(f"predictions-{request.param}.ipynb", f'{LESSON}start("{request.param}")', *CELLS)
    shared_lab.say = texts(request.param)
    return shared_lab.open(name).run_all()


def asked(lab, key):
    box = lab.page.locator(f'.al-predict[data-prediction="{key}"]')
    if box.locator(".al-again").is_visible():
        box.locator(".al-again").press("Enter")
        expect(box.locator(".al-commit")).to_be_visible()
    return box


def test_a_choice_by_keyboard(opened):
    page, box = opened.page, asked(opened, "99.1")
    assert "0.34" not in box.inner_text()
    box.get_by_role("button", name=opened.say["predict.commit"]).press("Enter")
    expect(box.get_by_role("alert")).to_have_text(opened.say["predict.choose_first"])
    box.get_by_role("radio").first.focus()
    for key in ("Space", "ArrowDown", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(box.locator(".al-verdict")).to_have_text(opened.say["predict.wrong"])
    expect(box.locator(".al-option.al-chosen")).to_contain_text("B.")
    expect(box.locator(".al-option.al-true")).to_contain_text("C.")
    expect(box.locator(".al-because")).to_contain_text("[0.24, 0.29, 0.34]")
    expect(box.get_by_role("alert")).to_be_hidden()
    expect(box.get_by_role("radio").first).to_be_disabled()
    expect(box.locator(".al-again")).to_be_focused()
    page.keyboard.press("Enter")
    expect(box.locator(".al-result")).to_be_empty()
    expect(box.get_by_role("radio").nth(1)).not_to_be_checked()
    assert "0.34" not in box.inner_text()


def test_neither_page_nor_notebook_holds_the_truth_before_the_guess(opened):
    box = opened.page.locator('.al-predict[data-prediction="99.2"]')
    expect(box.locator(".al-verdict")).to_have_count(0)  # the tests below guess
    held = opened.page.evaluate("""() => document.querySelector('.jp-Notebook').innerHTML + JSON.stringify(
        window.jupyterapp.shell.currentWidget.content.model.toJSON())""")
    assert "99.2" in held
    assert "0.26" not in held


def test_a_number_by_keyboard(opened):
    page, box = opened.page, asked(opened, "99.2")
    field = box.get_by_role("textbox")
    field.fill("abc")
    field.press("Enter")
    expect(box.get_by_role("alert")).to_contain_text("abc")
    field.fill("０．３")
    page.keyboard.press("Enter")
    expect(box.locator(".al-verdict")).to_contain_text("0.04")
    expect(box.locator(".al-pair dd")).to_have_text([re.compile(r"^\s*0\.3(\s|$)"), re.compile(r"^\s*0\.26(\s|$)")])


def test_weights_by_keyboard(opened):
    page, box = opened.page, asked(opened, "99.3")
    sliders = box.get_by_role("slider")
    expect(sliders).to_have_count(3)
    shown = box.locator("tbody td.al-share")
    sliders.nth(0).focus()
    page.keyboard.press("End")  # 100, 50, 50
    expect(shown.nth(0)).to_have_text("0.50")
    expect(shown.nth(2)).to_have_text("0.25")
    sliders.nth(1).focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")  # 45: of the sum 195
    expect(shown.nth(1)).to_have_text("0.23")
    expect(sliders.nth(1)).to_have_attribute("aria-valuetext", "0.23")
    assert sum(round(100 * float(text)) for text in shown.all_inner_texts()) == 100
    assert box.locator("td.al-truth").nth(0).inner_text() == ""
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(box.locator("td.al-truth").nth(0)).to_have_text("0.308")
    expect(box.locator("tbody tr").nth(0)).to_contain_text("+0.2")
    expect(box.locator(".al-again")).to_be_focused()


def test_the_summary_has_the_first_guesses(opened):
    for key, guess in (("99.1", 0), ("99.2", None)):
        box = asked(opened, key)
        if guess is None:
            box.get_by_role("textbox").fill("0.26")
        else:
            box.get_by_role("radio").nth(2).check()
        box.locator(".al-commit").press("Enter")
        expect(box.locator(".al-verdict")).to_contain_text("✓")
        expect(box.locator(".al-first-guess")).to_be_visible()
    rows = opened.page.locator(".al-summary tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("B.")
    expect(rows.nth(1)).to_contain_text(re.compile("0\\.3 "), use_inner_text=True)
    total = opened.say["summary.total"].format(right=0, made=3)
    expect(opened.page.locator(".al-total")).to_have_text(total)


def test_nothing_is_revealed_by_run_all(opened):
    folds = opened.page.locator(".jp-OutputArea details")
    expect(folds).to_have_count(4)
    assert opened.page.locator("details[open]").count() == 0
    expect(folds.nth(1).locator("code")).to_be_hidden()
    folds.nth(1).locator("summary").click()
    expect(folds.nth(1).locator("code")).to_have_text('answer = e["weights"]')
    folds.nth(1).locator("summary").click()
    shown = opened.page.locator(".jp-RenderedHTMLCommon b").all_inner_texts()
    assert opened.say["check.not_yet"] in shown
    assert opened.say["check.wrong"] in shown
