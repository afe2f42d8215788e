"""Pictures in a real page: there once, with a name, and they follow."""

import pytest

SETUP = "from attention_lib import Experiment, edit, start\nfrom attention_lib.widgets import live_figure as f\n"
EXAMPLE = "e = Experiment.from_example('我爱你')"
KINDS = ("heatmap", "arrows", "triangle", "bars")


@pytest.fixture(scope="module", params=["zh", "en"])
def page(request, server, shared_lab):
    cells = (f"{SETUP}start('{request.param}')\n{EXAMPLE}", "edit(e, 'W_Q')", *(f"f.{kind}(e)" for kind in KINDS))
    name = server.notebook(f"figures {request.param}.ipynb", *cells)
    opened = shared_lab.open(name).run_all()
    opened.language = request.param
    opened.page.wait_for_function("n => document.querySelectorAll('img.widget-image').length === n", arg=len(KINDS))
    return opened


def pictures(lab):
    return lab.page.evaluate("""() => [...document.querySelectorAll('img.widget-image')].map((i) => {
        const output = i.closest('.jp-OutputArea-output');
        return {name: i.title, source: i.src, wide: i.clientWidth, high: i.clientHeight, natural: i.naturalWidth,
                room: output.clientWidth, needed: output.scrollWidth};
    })""")


def test_each_is_there_once_with_its_name(page):
    found = pictures(page)
    assert len(found) == len(KINDS)
    for picture in found:
        assert picture["natural"] >= 600
        assert picture["high"] > 300
        assert "我" in picture["name"] or "V" in picture["name"]
        assert picture["needed"] <= picture["room"], "no scrollbar"
    assert page.page.get_by_role("img", name={"zh": "热图", "en": "Heat map"}[page.language]).count() == 1
    assert page.page.get_by_role("combobox", name={"zh": "查询", "en": "Query"}[page.language]).count() == 1


def test_they_follow_a_slider_in_their_place(page):
    before = pictures(page)
    handle = page.page.get_by_role("slider").first
    handle.focus()
    for _ in range(8):
        page.page.keyboard.press("ArrowLeft")
    page.page.wait_for_function("""(before) => [...document.querySelectorAll('img.widget-image')].every((i, n) =>
        i.src !== before[n].source && i.complete && i.naturalWidth)""", arg=before)
    first = before[0]["name"]
    page.page.wait_for_function("old => document.querySelector('img.widget-image').title !== old", arg=first)
    after = pictures(page)
    assert [(p["wide"], p["high"]) for p in after] == [(p["wide"], p["high"]) for p in before]


def test_menu_of_bars_chooses_the_query(page):
    assert {"zh": "“我”", "en": '"我 I"'}[page.language] in pictures(page)[3]["name"]
    page.page.get_by_role("combobox", name={"zh": "查询", "en": "Query"}[page.language]).select_option(index=2)
    page.page.wait_for_function("query => document.querySelectorAll('img.widget-image')[3].title.includes(query)",
                                arg={"zh": "“你”", "en": '"你 you"'}[page.language])


def test_a_rerun_shows_one_picture(page):
    for _ in range(2):
        page.run_all()
        page.page.wait_for_function("n => document.querySelectorAll('img.widget-image').length === n", arg=len(KINDS))
