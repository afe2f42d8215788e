"""Pictures to keep: the files of the figures, and what a panel sends when its button is pressed."""

import io
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from functools import cache

import by_hand
import matplotlib
import numpy as np
import pytest
from matplotlib.font_manager import get_font
from PIL import Image
from pixels import furthest_apart, means

import attention_lib as lib
from attention_lib import Experiment, columns, edit, playground, show, style
from attention_lib.faults import FAULTS
from attention_lib.figures import Arrows, Bars, Heatmap, Triangle
from attention_lib.widgets.live_figure import arrows, bars, heatmap, triangle

MAKERS = {heatmap: Heatmap, arrows: Arrows, triangle: Triangle, bars: Bars}
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


@cache
def letters():
    found = {}
    for name in style.FAMILY:
        font = get_font(matplotlib.font_manager.fontManager.findfont(name))
        found |= {f"#{font.postscript_name}-{glyph:x}": chr(code) for code, glyph in font.get_charmap().items()}
    return found


def glyphs(file):
    """What is written in an SVG of matplotlib, one text after the other, read back from the outlines it uses."""
    written = []
    for group in ET.fromstring(file).iter(f"{SVG}g"):
        found = "".join(letters().get(use.get(LINK), "") for use in group.findall(f"{SVG}use"))
        if found:
            written.append(found.replace("\u00a0", " "))  # a space has two code points in these fonts
    return written


def pressed(widget, asked, **more):
    """What a widget sends back when the page asks for a picture: its answer, and the file that came with it."""
    sent = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._handle_custom_msg({"picture": asked, **more}, [])
    (answer, files), = sent
    assert answer["answers"] == asked
    return answer, files[0] if files else None


# ------------------------------------------------------------------------------------------------ figures


def test_the_letters_of_a_file_are_read_back(e):
    """The helper above reads: words, numbers, signs of both fonts."""
    written = glyphs(Heatmap(e).file("svg"))
    assert [f"Q:{word}" for word in e.words] == [text for text in written if text.startswith("Q:")]
    assert "softmax(QKᵀ/√dₖ)V" in "".join(written)


@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_heat_map_to_keep_has_the_numbers_of_now(e, language, fault):
    figure = heatmap(e)
    e.set(W_Q=[[2, -1], [0.3, 1.7]], W_K=[[-0.5, 2], [1, 0.25]], fault=fault)
    _, file = pressed(figure.foot, "svg")
    X, W_Q, W_K, W_V = (by_hand.decimals(e[name]) for name in ("X", "W_Q", "W_K", "W_V"))
    Q, K, V = (by_hand.product(X, W) for W in (W_Q, W_Q if fault == "W_K is W_Q" else W_K, W_V))
    weights = by_hand.attention(Q, K, V, fault=fault)["weights"]
    numbers = [text for text in glyphs(file) if re.fullmatch(r"\d\.\d\d", text)]
    assert numbers == [f"{w:.2f}" for row in weights for w in row]
    broken = fault in ("wrong axis", "mask after softmax")
    title = {"zh": ("每行之和为 1", "不是 1"), "en": ("(rows sum to 1)", "(not every row sums to 1)")}[language][broken]
    assert title in "".join(glyphs(file))
    figure.close()


@pytest.mark.parametrize("make", MAKERS)
def test_svg_is_drawn_with_lines_and_nothing_else(make, e, language):
    figure = make(e)
    _, file = pressed(figure.foot, "svg")
    root = ET.fromstring(file)
    kinds = {element.tag.removeprefix(SVG) for element in root.iter() if element.tag.startswith(SVG)}
    assert kinds <= {"svg", "title", "metadata", "defs", "style", "g", "path", "use", "clipPath", "rect"}
    width, height = figure.picture.size
    assert [root.get("width"), root.get("height")] == [f"{72 * x:g}pt" for x in (width, height)]
    assert root.find(f"{SVG}title").text == figure.picture.summary()
    seen = {"zh": "[\u4e00-\u9fff]", "en": "[a-z]"}[language]
    assert re.search(seen, "".join(glyphs(file))), "letters are outlines: they need no font to be read"
    described = [el.text for el in root.iter() if el.tag.endswith("description")]
    assert described == [figure.picture.alt()]
    figure.close()


@pytest.mark.parametrize("make", MAKERS)
def test_png_is_for_print(make, e):
    figure = make(e)
    _, file = pressed(figure.foot, "png")
    image = Image.open(io.BytesIO(file))
    assert image.format == "PNG"
    assert image.size == tuple(round(300 * x) for x in figure.picture.size)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.01)
    assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)
    assert image.info["Description"] == figure.picture.alt()
    figure.close()


@pytest.mark.parametrize("kind", MAKERS.values())
def test_a_file_shows_what_the_page_shows(kind, e):
    """At the dots of the page, but for the edges of letters: nothing that moves is left out."""
    picture = kind(e)
    into = io.BytesIO()
    page = Image.open(io.BytesIO(picture.png()))
    picture.save(into, dpi=100)
    assert np.ptp(means(np.asarray(page.convert("RGB")), 8)) > 50, "it is no empty sheet that is compared"
    assert furthest_apart(page, Image.open(into)) < 40


@pytest.mark.parametrize("kind", MAKERS.values())
def test_saving_leaves_the_picture_of_the_page_as_it_was(kind, e):
    picture = kind(e)
    picture.png()
    e.fault = "wrong axis"  # another title: the background that is kept is out of date
    picture.file("png")
    picture.file("svg")
    assert picture.png() == kind(e).png()


def test_sums_under_the_bars_are_saved(e):
    written = glyphs(Bars(e, row=1).file("svg"))
    scaled = by_hand.attention(*(e[name].tolist() for name in "QKV"))["scaled"][1]
    assert f"{sum(float(np.exp(x)) for x in scaled):.3f}" in " ".join(written)


def test_the_same_picture_is_the_same_file(e):
    assert Heatmap(e).file("svg") == Heatmap(e).file("svg")


@pytest.mark.parametrize("kind", MAKERS.values())
def test_any_words_make_a_good_file(kind, language):
    words = ["𓀀", "a\x01b", "\ud800", "<&>--", "龘"]
    rows = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]]
    e = Experiment(Q=rows, K=rows, V=rows, words=words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = kind(e)
        written = "".join(glyphs(picture.file("svg")))
        Image.open(io.BytesIO(picture.file("png"))).load()
    if kind in (Heatmap, Bars):  # the others write words upon lines, each letter drawn twice
        assert "w1" in written
        assert "w3" in written
        assert "𓀀" not in written


def test_a_sentence_of_one_s_own(language):
    e = Experiment.from_sentence("我 喜欢 你", seed=4)
    figure = heatmap(e)
    written = glyphs(figure.drawn("svg"))
    assert [text for text in written if text.startswith("Q:")] == ["Q:我", "Q:喜欢", "Q:你"]
    figure.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_titles_of_broken_bars_are_inside_the_picture(fault, language, e):
    e.fault = fault
    picture = Bars(e)
    renderer = picture.figure.canvas.get_renderer()
    for panel in picture.panels:
        box = panel.ax.title.get_window_extent(renderer)
        assert box.x0 >= 0
        assert box.x1 <= picture.figure.bbox.width


# ------------------------------------------------------------------------------------------------ the button


def test_an_error_while_saving_is_said_under_the_figure(language, e, monkeypatch):
    figure = heatmap(e)
    monkeypatch.setattr(figure.picture, "file", lambda kind: 1 / 0)
    answer, file = pressed(figure.foot, "svg")
    assert answer["failed"]
    assert file is None
    assert {"zh": "出了点问题", "en": "went wrong"}[language] in figure.foot.message
    monkeypatch.undo()
    pressed(figure.foot, "svg")
    assert figure.foot.message == ""
    answer, _ = pressed(figure.foot, "pdf")
    assert answer["failed"]
    assert "'pdf'" in figure.foot.message
    figure.close()


def test_a_notice_about_words_stays_after_saving(language):
    e = Experiment(X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), words=["好", "𓀀"])
    figure = heatmap(e)
    pressed(figure.foot, "png")
    assert "𓀀" in figure.foot.message
    figure.close()


def test_what_the_page_could_not_do_is_said_under_the_panel(language, e):
    panel = show(e, "weights")
    answer, _ = pressed(panel, "report", error="Error: no room")
    assert answer["failed"]
    said = {"zh": "图片没有存成（Error: no room）。", "en": "The picture could not be saved (Error: no room)."}
    assert panel.message == said[language]
    pressed(panel, "report", error="")
    assert panel.message == ""
    panel.close()


def test_a_panel_sends_how_to_draw_only_when_asked(language, e):
    panel = show(e, "Q", "weights")
    opening = str(panel.get_state())
    assert "class Drawing" not in opening
    answer, _ = pressed(panel, "code")
    assert "class Drawing" in answer["code"]
    assert answer["stem"] == "attention-Q-weights"
    assert all(answer["words"].values())
    assert panel.saving in opening
    panel.close()


def test_other_messages_go_where_they_went(e):
    panel = show(e, "weights")
    panel._handle_custom_msg({"focus": ["weights", 0, 1]}, [])
    assert e.focus == ("weights", 0, 1)
    panel.close()


def test_files_have_names_that_any_machine_can_keep(e):
    made = [show(e), show(e, "weights"), show(e, "Q", "K", "V"), edit(e, "W_Q"), lib.classroom(e), lib.scaling_lab(),
            lib.temperature(e), heatmap(e).foot, bars(e).foot, lib.before_or_after(e)]
    stems = [panel.file_stem() for panel in made]
    assert stems == ["attention-matrices", "attention-weights", "attention-Q-K-V", "attention-W_Q-sliders",
                     "attention-classroom", "attention-scaling-lab", "attention-temperature", "attention-heatmap",
                     "attention-bars", "attention-before-renormalised-after"]
    assert all(re.fullmatch(r"[\w-]+", stem, re.ASCII) for stem in stems)


def test_switches_have_no_button(e):
    for panel in (lib.controls(e), lib.presets(e), lib.share(e)):
        assert not panel.get_state().get("saving")
        panel.close()


def test_a_figure_has_no_more_widgets_than_a_picture_and_a_line(e):
    before = set(style_free_widgets())
    figure = heatmap(e)
    assert len(set(style_free_widgets()) - before) == 6, "box, image, foot, and a layout of each"
    figure.close()


def style_free_widgets():
    from ipywidgets.widgets.widget import _instances
    return _instances


def test_a_playground_has_a_button_for_each_picture(e):
    board = playground(e)

    def panels(group):
        for child in group.children:
            yield from panels(child) if hasattr(child, "children") else [child]

    kinds = [type(panel).__name__ for panel in panels(board) if panel.has_trait("saving") and panel.saving]
    assert kinds == ["MatrixSliders"] * 4 + ["Matrices", "Classroom", "_Foot"]
    board.close()


def test_matplotlib_waits_until_a_figure_is_asked_for():
    program = """
import sys
from attention_lib import Experiment, edit, show, start
start("en")
e = Experiment.from_example("我爱你")
panel = show(e)
edit(e)
panel.send = lambda *sent: None
panel._handle_custom_msg({"picture": "code"}, [])
assert "matplotlib" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_columns_keep_the_twins_they_had(e):
    figure = heatmap(e)
    both = columns(show(e, "weights"), figure)
    assert both.static_html().count("<table>") == 2
    both.close()
    figure.close()
