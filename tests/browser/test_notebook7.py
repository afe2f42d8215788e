"""The same panels in Jupyter Notebook 7, the page with one notebook and no side bars."""

import numpy as np
import pytest
from lab import Lab, Server
from steps_again import steps

pytest.importorskip("notebook", reason="Jupyter Notebook 7 is not installed")

CELLS = ("""from attention_lib import Experiment, columns, edit, heatmap, rows, show, start
start("zh")
e = Experiment.from_example("我爱你")""", 'rows(columns(edit(e, "W_Q"), show(e)), heatmap(e))')


@pytest.fixture
def page(browser, tmp_path):
    server = Server(tmp_path, application="notebook")
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    try:
        lab = Lab(server, context.new_page())
        lab.page.goto(f"{server.url}/notebooks/{server.notebook('seven.ipynb', *CELLS)}?token={server.token}")
        lab.ready()
        before = list(lab.complaints)  # its own, about its settings
        yield lab.run_all()
        assert lab.complaints == before
    finally:
        context.close()
        server.close()


def see(lab, W_Q):
    for name, value in steps(np.array(W_Q)).items():
        lab.wait_shown(name, value)


def test_the_panel_works_in_notebook_7(page):
    see(page, [[0.5, 0.2], [0.1, 0.6]])
    page.slider("W_Q，x₁ 行，q₁ 列").focus()
    page.page.keyboard.press("ArrowRight")
    see(page, [[0.6, 0.2], [0.1, 0.6]])
    field = page.field("W_Q，x₁ 行，q₂ 列，输入数字")
    field.fill("0.25")
    field.press("Enter")
    see(page, [[0.6, 0.25], [0.1, 0.6]])
    page.cell("Q", 0, 0).click()
    page.page.wait_for_function("() => document.querySelector('.al-lines').innerText.includes('= 1.0×0.6 + 0.0×0.1')")
    page.page.wait_for_function("""() => [...document.querySelectorAll('.jp-OutputArea img')]
        .some((i) => i.naturalWidth > 600)""")
    page.page.get_by_role("button", name="重置 W_Q").click()
    see(page, [[0.5, 0.2], [0.1, 0.6]])
