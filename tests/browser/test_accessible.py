"""Everybody can read it and work it: axe-core over all widgets, both themes, narrow pages and large type."""

import re

import pytest
from lab import THEMES, fresh_page

import attention_lib

ALL = """from attention_lib import *
start("{language}")
e = Experiment.from_example("我爱你")
from attention_lib.lessons.l03 import PREDICTIONS"""
PANELS = ("playground(e)", 'predict("03.1")', "temperature(e)", "scaling_lab()",
          "rows(arrows(e), triangle(e), bars(e))",
          'check("03.a", ...)', "rows(projector_button(), predictions_summary())")
LATER = ("rows(mask_lab(e), before_or_after(e))", 'rows(head_switches(m), show(m, "merged"), head_maps(m))',
         'order_lab(e, "weights", "change")', "position_map(6, 4)", "training(find_student())",
         "rows(one_pass_softmax(e), decoding(e), growth_lab())", "rows(block_flow(b), block_stack(b))")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_axe_finds_nothing_serious(lab, server, language, theme):
    lab.open(server.notebook(f"axe-{language}.ipynb", ALL.format(language=language), f"rows({', '.join(PANELS[:-2])})",
                             *PANELS[-2:])).run_all()
    buttons = lab.page.locator(".al-save-open")
    for i in range(buttons.count()):
        buttons.nth(i).click()
        lab.page.locator(".al-save-choices").nth(i).wait_for(state="attached")
    lab.theme(theme)
    assert lab.axe() == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_axe_finds_nothing_serious_in_the_panels_of_later_lessons(lab, server, language):
    setup = "m, b = MultiHead.from_example(), WholeBlock.from_example()"
    lab.open(server.notebook(f"axe-later-{language}.ipynb", ALL.format(language=language), setup, *LATER)).run_all()
    for theme in THEMES:
        lab.theme(theme)
        assert lab.axe() == [], theme


def test_every_panel_is_looked_at():
    panels = {name for name, home in attention_lib._HOME.items() if home.startswith("widgets.")}
    looked_at = set(re.findall(r"\w+", " ".join((*PANELS, *LATER))))
    parts = {"presets", "controls", "edit", "show", "classroom", "heatmap", "share", "mask_switches"}  # of those
    no_panels = {"rows", "columns", "projector"}
    assert panels <= looked_at | parts | no_panels


@pytest.mark.parametrize(("width", "zoom"), [(1024, 1), (1366, 1), (1920, 1), (1280, 2)])
def test_nothing_is_cut_and_no_panel_scrolls_sideways(browser, server, width, zoom):
    # A browser zoom of 200 % is a page of half the width, drawn at twice the size.
    size = {"width": width // zoom, "height": 1200 // zoom}
    with fresh_page(browser, server, viewport=size, device_scale_factor=zoom) as lab:
        lab.open(server.notebook(f"narrow-{width}-{zoom}.ipynb", ALL.format(language="zh"),
                                 "columns(edit(e), show(e))", "playground(e)")).run_all()
        if zoom > 1:
            lab.command("application:toggle-left-area")
        lab.page.wait_for_timeout(1500)
        wide, cut, short = lab.page.evaluate("""() => {
            const all = (selector) => [...document.querySelectorAll(selector)];
            const overflows = (el) => el.scrollWidth > el.clientWidth + 1;
            const outputs = all('.jp-OutputArea-output').filter((o) => o.querySelector('.al-edit, .al-tool'));
            const labels = all('.al-label, .al-title b, .al-number, .al-reset');
            const tracks = all('.al-edit .noUi-base').map((track) => track.getBoundingClientRect().width);
            return [
                outputs.filter(overflows).map((o) => [o.scrollWidth, o.clientWidth]),
                labels.filter((l) => getComputedStyle(l).display !== 'inline' && overflows(l))
                    .map((l) => l.textContent),
                tracks.filter((width) => width < 60),
            ];
        }""")
        assert (wide, cut, short) == ([], [], [])
