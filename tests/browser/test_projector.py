"""Projector mode at 1920 × 1080: large, whole, usable, and kept until somebody leaves it."""

from pathlib import Path

import pytest
from lab import fresh_page
from playwright.sync_api import expect
from steps_again import steps

SETUP = """from attention_lib import *
start("zh")
e = Experiment.from_example("我爱你")
projector_button()"""
ON = "document.body.classList.contains('al-projector')"
SIZES = "(all) => all.map((el) => parseFloat(getComputedStyle(el).fontSize))"


def wait_sizes(those, hold):
    """Wait until a condition on the ``sizes`` of their letters holds."""
    those.page.wait_for_function(f"(those) => {{ const sizes = ({SIZES})(those); return {hold}; }}",
                                 arg=those.element_handles())


@pytest.fixture
def wall(browser, server):
    with fresh_page(browser, server, viewport={"width": 1920, "height": 1080}) as lab:
        yield lab


def see(lab, W):
    for name, value in steps(W).items():
        lab.wait_shown(name, value)


def test_the_playground_on_the_wall(wall, server):
    page = wall.page
    wall.open(server.notebook("wall.ipynb", SETUP, "playground(e)")).run_all()
    wall.command("application:toggle-left-area")
    page.wait_for_selector("img.widget-image")
    width = page.locator("img.widget-image").evaluate("(image) => image.clientWidth * (image.currentCSSZoom ?? 1)")
    button = page.get_by_role("button", name="大屏模式", exact=True)
    expect(button).to_have_attribute("aria-pressed", "false")
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    wait_sizes(page.locator(".al-number, .al-field"), "Math.min(...sizes) >= 28")
    page.wait_for_timeout(500)  # until what is laid out anew has its place

    assert min(page.locator(".al-label, .al-title, .al-option, .al-preset").evaluate_all(SIZES)) >= 20
    grown = page.locator("img.widget-image").evaluate("(image) => image.getBoundingClientRect().width")
    assert grown > 1.2 * width
    cut, wide, high, room = page.evaluate("""() => {
        const all = (selector) => [...document.querySelectorAll(selector)];
        const overflows = (el) => el.scrollWidth > el.clientWidth + 1;
        const boxes = all('.al-edit, .al-panel').map((el) => el.getBoundingClientRect());
        return [
            all('.al-label, .al-title b, .al-number, .al-cell, .al-reset, .al-button, .al-option').filter((el) =>
                getComputedStyle(el).display !== 'inline' && overflows(el)).map((el) => el.textContent),
            all('.jp-OutputArea-output').filter(overflows).map((el) => [el.scrollWidth, el.clientWidth]),
            Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top)),
            document.querySelector('.jp-WindowedPanel-outer').clientHeight,
        ];
    }""")
    assert (cut, wide) == ([], [])
    assert high <= room, "all sliders and all steps in sight at once"

    code = page.locator(".jp-CodeCell").nth(1).locator(".jp-InputArea-editor")
    expect(code).to_be_hidden()
    heading = page.locator(".jp-CodeCell > .jp-Cell-inputWrapper").nth(1)
    heading.click(position={"x": 40, "y": 10})
    expect(code).to_be_visible()
    heading.click(position={"x": 40, "y": 10})
    expect(code).to_be_hidden()
    page.keyboard.press("Enter")
    expect(code).to_be_visible()
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()

    wall.slider("W_Q，x₁ 行，q₁ 列").focus()
    page.keyboard.press("ArrowRight")
    see(wall, [[0.6, 0.2], [0.1, 0.6]])


def test_it_lasts_until_it_is_left(wall, server):
    page = wall.page
    other = server.notebook("other.ipynb", SETUP, 'edit(e, "W_Q")', 'show(e, "scores")')
    wall.open(server.notebook("call.ipynb", SETUP, "projector()", 'show(e, "scores")')).run_all()
    page.wait_for_function(f"() => {ON}")
    page.reload()
    wall.ready()
    page.wait_for_function(f"() => {ON}")  # a panel of the kernel that is still there brings it back
    wall.run_all()
    page.wait_for_function(f"() => {ON}")
    wall.command("docmanager:open", {"path": other})
    # After a reload JupyterLab goes back, once, to the notebook that the address names.
    page.wait_for_function("""(path) => {
        const shell = window.jupyterapp.shell;
        const panel = [...shell.widgets('main')].find((widget) => widget.context?.path === path);
        const there = panel && shell.currentWidget === panel && panel.sessionContext.session?.kernel?.status === 'idle';
        window.stays = there ? (window.stays ?? 0) + 1 : 0;
        if (panel && shell.currentWidget !== panel) shell.activateById(panel.id);
        return window.stays > 5;
    }""", arg=other, polling=300)
    wall.run_all()
    numbers = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .al-number")
    expect(numbers).to_have_count(9)
    wait_sizes(numbers, "Math.min(...sizes) >= 28")
    off = page.get_by_role("button", name="退出大屏模式")
    off.press("Space")
    expect(off).to_be_hidden()
    wait_sizes(numbers, "Math.max(...sizes) < 20")
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").evaluate("(el) => el.scrollTo(0, 0)")
    button = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").get_by_role("button", name="大屏模式", exact=True)
    expect(button).to_have_attribute("aria-pressed", "false")
    wall.run_all()
    assert not page.evaluate(ON)


def test_a_page_of_slides_is_lent_the_module_ipywidgets_asks_for(browser):
    page = browser.new_page()
    page.add_script_tag(path=Path(__file__).parents[2] / "labextension" / "static" / "remoteEntry.js")
    lent, kept = page.evaluate("""async () => {
        const extension = window._JUPYTERLAB['attention-lesson'];
        const slides = {}, lab = { '@jupyterlab/console': 'its own' };
        extension.init(slides);
        extension.init(lab);
        const [version] = Object.values(slides['@jupyterlab/console']);
        return [(await version.get())(), lab['@jupyterlab/console']];
    }""")
    page.close()
    assert "IConsoleTracker" in lent
    assert kept == "its own"
