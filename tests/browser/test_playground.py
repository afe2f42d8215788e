"""Lesson 07 as a class meets it: open, Run All, move, type, reset, ask for the arithmetic; in both languages."""

import pytest
from playwright.sync_api import expect
from steps_again import W_Q, steps

WORDS = {
    "zh": {"slider": "W_Q，x₁ 行，q₁ 列", "field": "W_Q，x₂ 行，q₂ 列，输入数字", "reset": "重置 W_Q",
           "sum": "这一行的和：1.2018 + 1.1934 + 1.1850 ≈ 3.5802"},
    "en": {"slider": "W_Q, row x₁, column q₁", "field": "W_Q, row x₂, column q₂, type a number", "reset": "Reset W_Q",
           "sum": "sum of the row: 1.2018 + 1.1934 + 1.1850 ≈ 3.5802"},
}


def see(lab, W):
    for name, value in steps(W).items():
        lab.wait_shown(name, value)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_playground(lab, language):
    words = WORDS[language]
    lab.open(f"notebooks/{language}/07_playground.ipynb").run_all()
    see(lab, W_Q)

    lab.slider(words["slider"]).focus()
    lab.page.keyboard.press("ArrowRight")
    see(lab, [[0.6, 0.2], [0.1, 0.6]])

    field = lab.field(words["field"])
    field.fill("−１．５")
    field.press("Enter")
    see(lab, [[0.6, 0.2], [0.1, -1.5]])

    lab.page.get_by_role("button", name=words["reset"], exact=True).first.click()
    see(lab, W_Q)
    expect(lab.slider(words["slider"])).to_have_attribute("aria-valuenow", "0.5")

    lab.cell("weights", 0, 0).click()
    told = lab.page.locator(".al-arithmetic:visible .al-lines").first
    expect(told).to_contain_text(words["sum"])

    lab.page.wait_for_function("""() => {
        const image = document.querySelector('img.widget-image, .widget-image img');
        return image && image.complete && image.naturalWidth > 300;
    }""")
    stderr = ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']"
    assert lab.page.locator(f"{stderr}, .al-error:visible").count() == 0
