"""Pictures to keep, as a teacher gets them: pressed in a real page, downloaded, opened."""

import io
import re
import xml.etree.ElementTree as ET

import by_hand
import pytest
from PIL import Image
from pixels import furthest_apart
from playwright.sync_api import expect

SVG = "{http://www.w3.org/2000/svg}"
SETUP = """from attention_lib import *
start("{language}")
e = Experiment.from_example("我爱你")
own = Experiment.from_sentence("我 喜欢 𠮷 龘", seed=1)
own.fault = "wrong axis"
masked = Experiment.from_sentence("我 喜欢 𠮷 龘", seed=1)
masked.mask = causal_mask(4)"""
CELLS = ('rows(edit(e, "W_Q"), show(e, "scaled", "weights"))', "columns(classroom(own), heatmap(own))",
         "scaling_lab()", "temperature(e)",
         "show(masked, 'weights')", "e.focus = ('weights', 1, 2)")
ASIDE = ".al-reset, .al-close, .al-save { visibility: hidden }"
NAMES = {"zh": ("保存图片", "把这一块存为 {}", "全部存为 {}"),
         "en": ("Save picture", "Save this panel as {}", "Save all panels as {}")}


@pytest.fixture(scope="module", params=["zh"])  # its words in English: tests/test_saving.py
def page(request, server, shared_lab):
    setup = SETUP.format(language=request.param)
    opened = shared_lab.open(server.notebook(f"saving {request.param}.ipynb", setup, *CELLS)).run_all()
    opened.language = request.param
    opened.page.wait_for_selector(".al-foot .al-save-open")
    opened.page.wait_for_function("() => document.querySelectorAll('.al-lit').length > 0")
    return opened


def save(lab, panel, kind, everything=False, keys=False, which=0):
    """Press the button of a panel, then a choice; the file's name and its bytes."""
    button, this, every = NAMES[lab.language]
    bar = lab.page.locator(panel).nth(which).locator("> .al-save")
    opens = bar.get_by_role("button", name=button, exact=True)
    if opens.get_attribute("aria-expanded") == "false":
        if keys:
            opens.focus()
            lab.page.keyboard.press("Enter")
        else:
            opens.click()
    choice = bar.get_by_role("button", name=(every if everything else this).format(kind), exact=True)
    choice.wait_for()
    with lab.page.expect_download() as download:
        if keys:
            lab.page.keyboard.press("Tab")
            expect(choice, "the choices are next in the order of Tab").to_be_focused()
            lab.page.keyboard.press("Enter")
        else:
            choice.click()
    expect(opens, "put away when done").to_have_attribute("aria-expanded", "false")
    return download.value.suggested_filename, download.value.path().read_bytes()


def written(svg):
    return [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]


def test_matrices_have_the_numbers_of_now_and_go_by_keyboard(page):
    handle = page.page.get_by_role("slider").first
    handle.focus()
    for _ in range(12):
        page.page.keyboard.press("ArrowLeft")
    Q = [[-0.7, 0.2], [-0.3, 0.4], [0.1, 0.6]]
    steps = by_hand.attention(Q, [[0.4, 0.3], [0.3, 0.5], [0.2, 0.7]], [[0.8, 0.1], [0.55, 0.5], [0.3, 0.9]])
    page.wait_shown("weights", steps["weights"])
    name, file = save(page, ".al-panel", "PNG", keys=True)
    assert name == "attention-scaled-weights.png"
    image = Image.open(io.BytesIO(file))
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.5)
    name, file = save(page, ".al-panel", "SVG")
    assert name == "attention-scaled-weights.svg"
    assert file.count(b"<foreignObject") == file.count(b"<image") == 0
    svg = ET.fromstring(file)
    assert image.size == tuple(round(float(svg.get(side)) * 300 / 96) for side in ("width", "height"))
    texts = written(file)
    for matrix in ("scaled", "weights"):
        start = texts.index(matrix)
        numbers = [t for t in texts[start:] if re.fullmatch(r"-?\d\.\d{3}", t)]
        for row in steps[matrix]:
            for x in row:
                assert f"{x:.3f}".replace("-0.000", "0.000") in numbers, (matrix, x)
    assert texts.count("1.000") == 3, "sums of rows"
    assert {"我", "爱", "你"} <= {text[0] for text in texts}
    assert {"zh": "注意力权重", "en": "attention weights"}[page.language] in texts


def test_a_slider_grid(page):
    name, file = save(page, ".al-edit", "SVG")
    assert name == "attention-W_Q-sliders.svg"
    fields = page.page.locator(".al-edit .al-field").evaluate_all("all => all.map((field) => field.value)")
    assert [t for t in written(file) if re.fullmatch(r"-?\d\.\d+", t)] == fields
    assert not {"重置", "Reset"} & set(written(file)), "no button on a picture"


@pytest.mark.parametrize(("host", "which"), [(".al-panel", 0), (".al-panel", 1), (".al-classroom", 0), (".al-edit", 0),
                                             (".al-tool:has(.al-lab)", 0), (".al-tool:has(.al-temperature)", 0)])
def test_a_picture_is_what_is_seen(page, host, which):
    """Drawn by the browser again, the SVG has everywhere the colours of the page."""
    panel = page.page.locator(host).nth(which)
    panel.scroll_into_view_if_needed()
    _, file = save(page, host, "SVG", which=which)
    svg = ET.fromstring(file)
    left, top, width, height = map(float, svg.get("viewBox").split())
    box = panel.bounding_box()
    clip = {"x": box["x"] + left + 12, "y": box["y"] + top + 12, "width": width - 24, "height": height - 24}
    seen = Image.open(io.BytesIO(page.page.screenshot(clip=clip, style=ASIDE)))
    sheet = page.page.context.new_page()
    sheet.set_viewport_size({"width": int(width), "height": int(height)})
    sheet.set_content(f'<body style="margin: 0">{file.decode()}')
    kept = Image.open(io.BytesIO(sheet.screenshot(clip={"x": 12, "y": 12, "width": width - 24, "height": height - 24})))
    sheet.close()
    if which:
        assert len(list(svg.iter(f"{SVG}polygon"))) > 50, "what the mask hides is hatched"
    assert furthest_apart(seen, kept) < 40  # letters lie between dots by half a dot; one number missing makes 60


def test_all_panels_together_with_the_figure_as_lines(page):
    name, file = save(page, ".al-classroom", "SVG", everything=True)
    assert name == "attention-panels.svg"
    texts = written(file)
    assert {"我", "喜欢", "𠮷", "龘"} <= set(texts)
    root = ET.fromstring(file)
    assert not list(root.iter(f"{SVG}image"))
    assert len(list(root.iter(f"{SVG}use"))) > 100, "letters of the heat map, as outlines"
    shades = {rect.get("fill") for rect in root.iter(f"{SVG}rect")}
    assert "#b71c1c" in shades, "the sum that is not 1 is marked"
    ids = [el.get("id") for el in root.iter() if el.get("id")]
    assert len(ids) == len(set(ids))
    name, file = save(page, ".al-foot", "PNG", everything=True)
    assert name == "attention-panels.png"
    assert Image.open(io.BytesIO(file)).size == tuple(round(float(root.get(s)) * 300 / 96) for s in ("width", "height"))


def test_the_figure_alone_is_the_one_of_the_kernel(page):
    name, file = save(page, ".al-foot", "PNG")
    assert name == "attention-heatmap.png"
    assert Image.open(io.BytesIO(file)).size == (1950, 1650)
    name, file = save(page, ".al-foot", "SVG")
    assert name == "attention-heatmap.svg"
    title = ET.fromstring(file).find(f"{SVG}title").text
    assert {"zh": "注意力权重的热图", "en": "Heat map"}[page.language] in title


def test_in_the_dark_theme_the_paper_is_white_all_the_same(page):
    light = [save(page, panel, "SVG") for panel in (".al-panel", ".al-classroom", ".al-edit")]
    page.theme("dark")
    try:
        dark = [save(page, panel, "SVG") for panel in (".al-panel", ".al-classroom", ".al-edit")]
        assert page.page.evaluate("() => document.body.dataset.jpThemeLight") == "false", "the page itself stays dark"
    finally:
        page.theme("light")
    assert dark == light


def test_what_goes_wrong_is_said_under_the_panel(page):
    page.page.evaluate("() => { window.toBlob = HTMLCanvasElement.prototype.toBlob;"
                       "HTMLCanvasElement.prototype.toBlob = () => { throw new Error('no room'); }; }")
    button, this, _ = NAMES[page.language]
    try:
        bar = page.page.locator(".al-panel > .al-save").first
        bar.get_by_role("button", name=button).click()
        bar.get_by_role("button", name=this.format("PNG")).click()
        line = page.page.locator(".al-panel > .al-error").first
        line.wait_for()
        assert "no room" in line.inner_text()
        assert {"zh": "图片没有存成", "en": "could not be saved"}[page.language] in line.inner_text()
    finally:
        page.page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = window.toBlob; }")
    save(page, ".al-panel", "PNG")
    page.page.wait_for_function("() => document.querySelector('.al-panel > .al-error').hidden")
