"""Training in a real page: the loss falls while another panel works, pause holds, a divergence is told in words."""

import re

from playwright.sync_api import expect

SETUP = """from attention_lib import Experiment, columns, edit, find_student, rows, show, start, training
start("en")
e = Experiment.from_example("我爱你")"""
PANEL = 'rows(training(find_student()), columns(edit(e, "W_V"), show(e, "V")))'
NUMBERS = "() => [...document.querySelectorAll('.al-training .al-now')].map((n) => Number(n.textContent))"


def test_training_beside_everything_else(lab, server):
    lab.open(server.notebook("training.ipynb", SETUP, PANEL)).run_all()
    page = lab.page
    panel = page.get_by_role("region", name="Task: find the student who is asked for")
    go, told, steps = panel.locator(".al-go"), panel.get_by_role("status"), panel.locator(".al-steps")
    expect(go).to_have_text("Start")
    loss, accuracy, weight = page.evaluate(NUMBERS)
    assert (loss, accuracy) == (0.574, 0.105)

    go.focus()
    page.keyboard.press("Enter")
    expect(go).to_have_text("Pause")
    lab.slider("W_V, row x₁, column v₁").press("ArrowRight")  # another panel, meanwhile
    lab.wait_shown("V", [[0.9, 0.1], [0.6, 0.5], [0.3, 0.9]])
    expect(told).to_have_text(re.compile("Accuracy 0.95 was reached after 137 steps"))
    assert "steps a second" in panel.locator(".al-speed").inner_text() or go.inner_text() != "Pause"
    go.click()
    expect(go).to_have_text("Go on")
    at = steps.inner_text()
    page.wait_for_timeout(400)
    assert steps.inner_text() == at
    now = page.evaluate(NUMBERS)
    assert now[0] < 0.1
    assert now[1] >= 0.95
    assert now[2] > weight
    points = panel.locator("polyline.al-line-loss").get_attribute("points").split()
    assert len(points) > 20
    assert float(points[-1].split(",")[1]) > float(points[0].split(",")[1])  # down on the page

    rate = panel.get_by_role("slider", name="Learning rate η")
    for _ in range(3):
        rate.press("ArrowRight")
    expect(rate).to_have_attribute("aria-valuetext", "η = 5.0")
    panel.get_by_role("button", name="Start over").click()
    expect(steps).to_have_text("step 0 of 600")
    panel.get_by_role("button", name="One step").click()
    expect(steps).to_have_text("step 1 of 600")
    go.click()
    expect(told).to_have_text(re.compile("Step 18 diverged: with a learning rate of 5.0 the loss went from 0.574"))
    expect(go).to_be_disabled()
    assert not re.search("nan|infinity", panel.inner_text(), re.IGNORECASE)
