"""A dragged handle: the page keeps up, keeps still, and ends where the hand let go."""

import pytest
from playwright.sync_api import expect
from steps_again import W_Q, steps
from test_widgets import SETUP, see

BESIDE = 'columns(edit(e, "W_Q"), show(e), heatmap(e))'


@pytest.fixture(scope="module")
def dragged(shared_lab, server):
    return shared_lab.open(server.notebook("drag.ipynb", SETUP.replace("rows,", "heatmap, rows,"), BESIDE)).run_all()


def test_dragging_end_to_end(dragged):
    page, handle = dragged.page, dragged.slider("W_Q, row x₁, column q₁")
    page.evaluate("""() => {
        const area = document.querySelector('.al-panel').closest('.jp-OutputArea');
        const scroller = document.querySelector('.jp-WindowedPanel-outer') ?? document.querySelector('.jp-Notebook');
        window.seen = { heights: [], scrolls: [], shown: new Set(), selections: 0 };
        document.addEventListener('selectionchange', () => window.seen.selections++);
        window.watching = setInterval(() => {
            window.seen.heights.push(area.getBoundingClientRect().height);
            window.seen.scrolls.push(scroller.scrollTop);
            window.seen.shown.add(document.querySelector('.al-matrix[data-matrix="output"] .al-number').textContent);
        }, 20);
    }""")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(61):
        page.mouse.move(x - 50 + 100 * i / 60, y)
        page.wait_for_timeout(10)
    page.mouse.move(x + 30, y)
    page.mouse.up()
    released = float(handle.get_attribute("aria-valuenow"))
    assert released > 0.5
    see(dragged, [[released, 0.2], [0.1, 0.6]])
    page.wait_for_timeout(1000)
    see(dragged, [[released, 0.2], [0.1, 0.6]])  # nothing replays
    seen = page.evaluate("""() => {
        clearInterval(window.watching);
        return { ...window.seen, shown: window.seen.shown.size };
    }""")
    assert min(seen["heights"]) > 100
    assert max(seen["heights"]) - min(seen["heights"]) < 30
    assert len(set(seen["scrolls"])) == 1
    assert seen["shown"] >= 3
    assert seen["selections"] <= 2, "at each of them every code cell measures itself"
    first = steps([[released, 0.2], [0.1, 0.6]])["weights"][0, 0]
    page.wait_for_function("(share) => document.querySelector('.widget-image').outerHTML.includes(share)",
                           arg=f"{first:.2f}")
    page.get_by_role("button", name="Reset W_Q").click()
    see(dragged, W_Q)


def test_the_end_of_an_uneven_range_is_reached(lab, server):
    lab.open(server.notebook("ends.ipynb", SETUP, "e.W_Q = [[0.5, 0.5], [0.5, 0.5]]\n"
                             'columns(edit(e, "W_Q", low=0.4, high=0.7, step=0.05), show(e))')).run_all()
    handle = lab.slider("W_Q, row x₁, column q₁")
    handle.focus()
    lab.page.keyboard.press("End")
    see(lab, [[0.7, 0.5], [0.5, 0.5]])
    expect(handle).to_have_attribute("aria-valuenow", "0.7")
    lab.page.keyboard.press("Home")
    see(lab, [[0.4, 0.5], [0.5, 0.5]])
