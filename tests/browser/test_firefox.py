"""The panels in Firefox: seen, moved by key, hand and field, read, reset."""

import json
import os
import uuid
from pathlib import Path

import numpy as np
import pytest
from firefox import Firefox, find_firefox
from steps_again import steps

CELLS = ("""from attention_lib import Experiment, columns, edit, heatmap, rows, show, start
start("en")
e = Experiment.from_example("我爱你")""", 'rows(columns(edit(e, "W_Q"), show(e)), heatmap(e))')


@pytest.fixture
def firefox(tmp_path):
    if find_firefox() is None:
        if os.environ.get("ATTENTION_BROWSER") == "required":
            pytest.fail("no Firefox found")
        pytest.skip("no Firefox found")
    running = Firefox(tmp_path)
    yield running
    if shots := os.environ.get("ATTENTION_SHOTS"):  # a folder, for a look at the page as the test left it
        running.screenshot(Path(shots) / "firefox.png")
    running.close()


def shown(W):
    """An expression: is the page showing the steps that follow from this W_Q?"""
    wanted = {name: [[f"{x:.3f}".replace("-0.000", "0.000") for x in row] for row in value]
              for name, value in steps(np.array(W)).items()}
    return f"""Object.entries({json.dumps(wanted)}).every(([name, rows]) => {{
        const table = document.querySelector(`.al-panel .al-matrix[data-matrix="${{name}}"]`);
        return table && JSON.stringify(rows) === JSON.stringify([...table.querySelectorAll('tr')].slice(1).map((tr) =>
            [...tr.querySelectorAll('.al-number')].map((n) => n.textContent)));
    }})"""


def middle(firefox, selector):
    return firefox.evaluate(f"""(() => {{
        const box = document.querySelector(`{selector}`).getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")


def test_the_panel_works_in_firefox(firefox, server):
    server.shut_kernels()
    path = server.notebook("firefox.ipynb", *CELLS)
    firefox.goto(f"{server.url}/lab/workspaces/{uuid.uuid4().hex}/tree/{path}?reset&token={server.token}")
    firefox.wait_for("""(() => {
        const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
        return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
    })()""")
    firefox.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    firefox.wait_for("document.querySelectorAll('.al-slot .noUi-handle[aria-label]').length === 4")
    firefox.wait_for(shown([[0.5, 0.2], [0.1, 0.6]]))
    firefox.wait_for("[...document.querySelectorAll('.jp-OutputArea img')].some((i) => i.naturalWidth > 600)")

    handle = "[aria-label='W_Q, row x₁, column q₁']"
    firefox.evaluate(f"void document.querySelector(`{handle}`).focus()")
    firefox.press("ArrowRight")
    firefox.wait_for(shown([[0.6, 0.2], [0.1, 0.6]]))

    field = "[aria-label='W_Q, row x₁, column q₂, type a number']"
    firefox.drag(*middle(firefox, field))
    firefox.type("0.25")
    firefox.press("Enter")
    firefox.wait_for(shown([[0.6, 0.25], [0.1, 0.6]]))

    x, y = middle(firefox, handle)
    firefox.drag(x, y, *((x + 4 * i, y) for i in range(1, 60)))  # far beyond the end
    firefox.wait_for(shown([[2.0, 0.25], [0.1, 0.6]]))

    firefox.drag(*middle(firefox, '.al-panel [data-matrix="Q"] .al-cell'))
    firefox.wait_for("document.querySelector('.al-lines').textContent.includes('= 1.0×2.0 + 0.0×0.1')")

    firefox.drag(*middle(firefox, "[aria-label='Reset W_Q']"))
    firefox.wait_for(shown([[0.5, 0.2], [0.1, 0.6]]))
    assert firefox.evaluate("""[...document.querySelectorAll('.al-panel, .al-edit')]
        .every((panel) => panel.scrollWidth <= panel.clientWidth + 1)""")
