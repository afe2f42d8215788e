"""The kernel goes, the page says so, Run All brings everything back; a saved notebook keeps its numbers."""

import json
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect
from steps_again import W_Q, steps
from test_widgets import PANEL, SETUP, see

GONE = "The kernel has stopped. To go on, choose Kernel → Restart Kernel and Run All Cells."


def wait_gone(lab):
    lab.page.wait_for_function("""(gone) => {
        const lines = [...document.querySelectorAll('.al-edit .al-error, .al-panel .al-error')];
        return lines.length === 2 && lines.every((line) => !line.hidden && line.textContent === gone);
    }""", arg=GONE, polling=100)


@pytest.mark.parametrize("end", ["culled", "restarted"])
def test_a_stopped_kernel_is_told_and_running_all_restores(lab, server, end):
    lab.open(server.notebook(f"{end}.ipynb", SETUP, PANEL)).run_all()
    if end == "culled":
        for kernel in server.api("kernels"):
            server.api(f"kernels/{kernel['id']}", "DELETE")
    else:
        lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    wait_gone(lab)
    lab.page.wait_for_timeout(4000)  # JupyterLab takes a moment to notice that the session went with its kernel
    lab.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:restart-run-all'); }")
    accept = lab.page.locator(".jp-Dialog .jp-mod-accept")  # asked only where there is still a kernel to lose
    with suppress(TimeoutError):
        accept.click(timeout=4000)
    lab.page.wait_for_function("() => [...document.querySelectorAll('.al-error')].every((line) => line.hidden)")
    lab.all_run()
    lab.page.wait_for_function("() => document.querySelectorAll('.al-panel').length === 1")
    lab.slider("W_Q, row x₁, column q₁").focus()
    lab.page.keyboard.press("ArrowRight")
    see(lab, [[0.6, 0.2], [0.1, 0.6]])
    expect(lab.page.locator(".al-error:visible")).to_have_count(0)
    lab.complaints.clear()  # what JupyterLab says of the kernel that went is expected


def test_a_saved_notebook_shows_its_numbers_without_a_kernel(lab, server):
    lab.open(server.notebook("saved.ipynb", SETUP, PANEL)).run_all()
    see(lab, W_Q)
    lab.command("docmanager:save")
    saved = json.loads((server.root / "saved.ipynb").read_text(encoding="utf-8"))
    html = "".join(saved["cells"][1]["outputs"][0]["data"]["text/html"])
    assert f"{steps(W_Q)['output'][0, 0]:.3f}" in html
    lab.open("saved.ipynb")  # a new page, a new kernel that has run nothing
    lab.page.wait_for_function("() => /0.551/.test(document.querySelector('.jp-OutputArea-output').innerText)")
    text = lab.page.locator(".jp-OutputArea-output").first.inner_text()
    assert "0.551" in text
    assert "0.498" in text
    assert "weights" in text
    assert "Error displaying widget" not in lab.page.locator(".jp-Notebook").inner_text()
    lab.run_all()
    see(lab, W_Q)
    lab.complaints.clear()  # ipywidgets notes the missing models in the console


def test_an_untrusted_copy_is_readable(lab, server):
    source = next((server.root / "notebooks" / "zh").glob("03_*.ipynb"))
    lab.open(f"notebooks/zh/{source.name}")
    text = lab.page.evaluate("""async () => {
        const panel = window.jupyterapp.shell.currentWidget;
        const all = [];
        for (const cell of panel.content.widgets) {
            await panel.content.scrollToCell(cell);
            await cell.ready;
            await new Promise((done) => setTimeout(done, 30));
            all.push(cell.node.innerText);
        }
        return all.join('\\n');
    }""")
    for number in ("0.260", "0.250", "0.240", "0.340", "0.440"):
        assert number in text
    assert "注意力分数" in text
    assert "Error displaying widget" not in text
