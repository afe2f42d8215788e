"""Lesson 11 in the page: words one by one, softmax block by block, and a measurement that can be stopped."""

from playwright.sync_api import expect

SETUP = """from attention_lib import Experiment, decoding, growth_lab, one_pass_softmax, rows, start
start("en")
e = Experiment.from_example("我爱你")"""


def test_step_by_step_and_measured(lab, server):
    cells = SETUP, "rows(one_pass_softmax(e), decoding(e))", "growth_lab()"
    lab.open(server.notebook("growing.ipynb", *cells)).run_all()
    page = lab.page
    further = page.get_by_role("button", name="Blocks read: one further")
    for _ in range(3):
        further.press("Enter")
    running = page.locator('[data-box="running"] tr').last.locator("td")
    expect(running).to_have_text(["0.3111", "2.7811", "1.4936", "1.4482"])
    expect(page.locator('[data-box="result"]')).to_contain_text("0.5370")
    slider = page.get_by_role("slider", name="Newest word")
    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "你 you, 3 of 3")
    expect(page.locator('[data-box="cost"] tr').nth(3).locator("td")).to_have_text(["24", "72", "3.00"])
    page.get_by_role("button", name="Measure").click()
    expect(page.locator('[data-box="measured"] tr').nth(1)).to_contain_text("0.06")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. What was measured before stays.")).to_be_visible()
    expect(page.get_by_role("button", name="Measure")).to_have_attribute("aria-disabled", "false")
