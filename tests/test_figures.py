"""The pictures: by their artists, and by their pixels."""

import io
import itertools
import logging
import os
import subprocess
import sys
import warnings

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from attention_lib import EXAMPLES, Experiment, MultiHead, causal_mask, style
from attention_lib.figures import Arrows, Bars, Heatmap, Triangle, geometry, save_heatmap
from attention_lib.figures.head_maps import HeadMaps
from attention_lib.figures.stamps import Stamp
from attention_lib.language import choose
from attention_lib.png import encode_png

PICTURES = (Heatmap, Arrows, Triangle, Bars)
CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
WORDS = ("我", "爱", "你")


@pytest.fixture(params=["zh", "en"])
def language(request):
    choose(request.param)
    return request.param


@pytest.fixture
def clean(caplog):
    """Nothing is warned of, and nothing is written to a log of matplotlib, such as a missing glyph."""
    caplog.set_level(logging.WARNING, logger="matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    assert [r.getMessage() for r in caplog.records if r.name.startswith("matplotlib")] == []


@pytest.fixture
def only_our_fonts(monkeypatch):
    """A machine with no font but the one we ship and the ones that come with matplotlib."""
    style.register_font()
    manager = style.fontManager
    ours = [f for f in manager.ttflist if f.fname == str(style.FONT) or f.fname.startswith(matplotlib.get_data_path())]
    assert {f.name for f in ours} >= set(style.FAMILY)
    monkeypatch.setattr(manager, "ttflist", ours)
    manager._findfont_cached.cache_clear()
    yield
    manager._findfont_cached.cache_clear()


def pixels(picture):
    return np.asarray(Image.open(io.BytesIO(picture.png())))


def texts(picture):
    """All texts of a picture that are seen, ticks included, each with its extent in pixels."""
    picture.png()
    renderer = picture.figure.canvas.get_renderer()
    for text in picture.figure.findobj(matplotlib.text.Text):
        shown = text.get_visible() and text.get_text().strip()
        if shown and (text.axes is None or text.axes.axison or text in text.axes.texts):
            yield text, text.get_window_extent(renderer)


def inside(picture, box):
    return (box.min >= 0).all() and (box.max <= picture.figure.bbox.size).all()


def one_hot(rows):
    """An experiment whose weights are ``rows`` to the last bit: exp(−1000) is 0."""
    return Experiment(Q=1000 * np.asarray(rows, float), K=np.eye(3), V=np.eye(3)[:, :2], words=WORDS, scale=False)


# ------------------------------------------------------------------------------------------------ heat map


def test_heatmap_is_the_one_of_the_lesson(language):
    picture = Heatmap(Experiment.from_example("three tokens"))
    ax = picture.ax
    assert tuple(picture.figure.get_size_inches()) == (6.5, 5.5)
    assert picture.map.mesh.get_cmap().name == "YlOrRd"
    assert picture.map.mesh.get_clim() == (0, 1)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["K:w1", "K:w2", "K:w3"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Q:w1", "Q:w2", "Q:w3"]
    assert [[number.get_text() for number in row] for row in picture.map.numbers] == [
        ["0.26", "0.49", "0.24"], ["0.38", "0.25", "0.37"], ["0.28", "0.46", "0.26"]]
    expected = [[0.2616848924, 0.4944950704, 0.2438200373], [0.3800805707, 0.2451761800, 0.3747432493],
                [0.2767039367, 0.4636528315, 0.2596432319]]
    assert np.allclose(picture.map.mesh.get_array(), expected, rtol=0, atol=1e-10)
    says, formula = ax.get_title().split("\n")
    assert formula == "softmax(QKᵀ/√dₖ)V"
    names = {"zh": ("每行之和为 1", "Key（谁被看）", "Query（谁在看）", "注意力权重"),
             "en": ("rows sum to 1", "Key (who is looked at)", "Query (who looks)", "Attention weight")}[language]
    assert names[0] in says
    assert names[1] in ax.get_xlabel()
    assert names[2] in ax.get_ylabel()
    bar, = [a for a in picture.figure.axes if a is not ax]
    assert bar.get_ylabel() == names[3]
    assert bar.get_ylim() == (0, 1)


def test_heatmap_rows_are_queries_from_top_to_bottom():
    picture = Heatmap(one_hot(CYCLE))
    image = pixels(picture)[..., :3]
    height = len(image)
    dark, light = (np.round(255 * np.array(matplotlib.colormaps["YlOrRd"](end)))[:3] for end in (1.0, 0.0))
    for q, k in itertools.product(range(3), range(3)):
        x, y = picture.ax.transData.transform((k + 0.2, q + 0.2))
        assert np.array_equal(image[height - int(y), int(x)], dark if CYCLE[q, k] else light), (q, k)
    places = {t.get_text(): picture.ax.transData.transform((0.5, y))[1]
              for t, y in zip(picture.ax.get_yticklabels(), picture.ax.get_yticks(), strict=True)}
    assert places["Q:我"] > places["Q:爱"] > places["Q:你"]


def test_heatmap_changes_colour_after_a_uniform_start():
    e = Experiment(Q=np.zeros((3, 2)), K=np.eye(3)[:, :2], V=np.eye(3)[:, :2])
    picture = Heatmap(e)
    x, y = picture.ax.transData.transform((0.2, 0.2))
    before = pixels(picture)[-int(y), int(x)]
    assert np.allclose(picture.map.mesh.get_array(), 1 / 3)
    e.set_entry("Q", 0, 0, 2.0)
    after = pixels(picture)[-int(y), int(x)]
    assert picture.map.mesh.get_clim() == (0, 1)
    assert before.astype(int).sum() - after.astype(int).sum() > 30, "a larger weight is darker"


def test_heatmap_title_is_true_when_rows_do_not_sum_to_1(language):
    e = Experiment.from_example("我爱你")
    picture = Heatmap(e)
    first = picture.ax.get_title()
    e.fault = "wrong axis"
    assert picture.update(), "a new title needs a new background"
    assert picture.ax.get_title() != first
    assert {"zh": "不是 1", "en": "not every row sums to 1"}[language] in picture.ax.get_title()
    e.set(fault=None, scale=False)
    picture.update()
    assert picture.ax.get_title().endswith("\nsoftmax(QKᵀ)V")
    e.scale = 0.25
    picture.update()
    assert picture.ax.get_title().endswith("\nsoftmax(QKᵀ × 0.25)V")


def test_hidden_pairs_are_hatched_and_told(language):
    e = Experiment.from_example("我爱你")
    picture = Heatmap(e)
    plain, words = pixels(picture), {"zh": "被掩码遮住", "en": "hidden by the mask"}[language]
    assert words not in picture.alt()
    assert "⊘" not in str(picture.table())
    e.mask = causal_mask(3)
    assert picture.update(), "the legend and the title are in the background"
    image, high = pixels(picture)[..., :3].astype(int), plain.shape[0]
    for q, k in itertools.product(range(3), range(3)):
        left, below = map(int, picture.ax.transData.transform((k + 0.05, q + 0.95)))
        right, above = map(int, picture.ax.transData.transform((k + 0.95, q + 0.75)))
        strip = image[high - above:high - below, left:right]  # below the number
        assert (len(np.unique(strip.reshape(-1, 3), axis=0)) > 1) == (k > q), (q, k)
    assert words in picture.alt()
    caption, _, _, cells = picture.table()
    assert caption.endswith(f"⊘ {words}")
    assert [[cell.endswith(" ⊘") for cell in row] for row in cells] == (~causal_mask(3)).tolist()
    assert all(artist.get_visible() for artist in picture.legend)
    assert picture.legend[-1].get_text() == words
    e.mask = None
    assert np.array_equal(pixels(picture), plain)


def test_hidden_pairs_of_heads_are_hatched():
    m = MultiHead.from_example()
    m.mask = causal_mask(3)
    picture = HeadMaps(m)
    for one in picture.maps:
        at = one.hatching.get_path().vertices
        cells = {(int(y), int(x)) for x, y in at.reshape(-1, 2, 2).mean(axis=1)}
        assert cells == {(0, 1), (0, 2), (1, 2)}
    assert sum(cell.endswith(" ⊘") for row in picture.table()[3] for cell in row) == 9


def test_heatmap_refuses_a_hole(monkeypatch):
    e = Experiment.from_example("我爱你")
    picture = Heatmap(e)
    monkeypatch.setattr(type(e), "__getitem__", lambda self, name: np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="weights"):
        picture.png()
    monkeypatch.undo()
    e.set_entry("W_Q", 0, 0, 2.0)
    assert np.array_equal(pixels(picture), pixels(Heatmap(e))), "after an error the whole picture is drawn anew"


def test_save_heatmap_makes_folder_and_file(tmp_path, language):
    e = Experiment.from_example("three tokens")
    path = save_heatmap(e, tmp_path / "图 folder" / "figures")
    assert path == tmp_path / "图 folder" / "figures" / "fig_ai_attention.png"
    image = Image.open(path)
    assert image.size == (975, 825)
    corner = np.asarray(image.convert("RGBA"))[0, 0]
    assert tuple(corner) == (255, 255, 255, 255)
    assert save_heatmap(e, str(path.parent)) == path, "a second time, and given as text"


def test_saved_cells_have_numbers_and_colours(tmp_path):
    image = np.asarray(Image.open(save_heatmap(one_hot(CYCLE), tmp_path)).convert("RGB")).astype(int)
    picture = Heatmap(one_hot(CYCLE))
    for q, k in itertools.product(range(3), range(3)):
        left, bottom = picture.ax.transData.transform((k + 0.1, q + 0.9)) * 1.5
        right, top = picture.ax.transData.transform((k + 0.9, q + 0.1)) * 1.5
        cell = image[825 - int(top):825 - int(bottom), int(left):int(right)]
        assert (np.ptp(cell, axis=(0, 1)) > 100).all(), "a number is read upon the colour"


# ------------------------------------------------------------------------------------------------ arrows


def test_arrows_lead_to_the_rows(language):
    e = Experiment.from_example("我爱你")
    picture = Arrows(e)
    assert [panel.name for panel in picture.panels] == ["X", "Q", "K", "V"]
    for panel in picture.panels:
        assert np.array_equal(np.c_[panel.quiver.U, panel.quiver.V], e[panel.name])
        assert [label.get_text() for label in panel.labels.stamps if label.get_visible()] == list(e.words)
    assert len({panel.ax.get_xlim() + panel.ax.get_ylim() for panel in picture.panels}) == 1, "one scale for all"
    assert [panel.ax.get_title().split()[1] for panel in picture.panels] == ["X", "Q", "K", "V"]
    for panel in picture.panels[1:]:
        assert np.array_equal([path[1] for path in panel.ghosts.get_segments()], e["X"]), "X stays visible behind"


def test_arrow_heads_are_where_the_numbers_say():
    """A pixel just inside the tip of each arrow has its colour; just beyond it, not."""
    e = Experiment(Q=[[2.0, 0.0], [0.0, -2.0]], K=[[1.0, 1.0], [-1.0, 1.0]], V=[[1.0, 0.0], [0.0, 1.0]])
    picture = Arrows(e)
    image = pixels(picture)[..., :3]
    for i, row in enumerate(e["Q"]):
        colour = np.round(255 * np.array(matplotlib.colors.to_rgb(style.WORDS[i])))
        near, beyond = (picture.panels[0].ax.transData.transform(row * f).astype(int) for f in (0.95, 1.03))
        assert np.array_equal(image[len(image) - near[1], near[0]], colour)
        assert not np.array_equal(image[len(image) - beyond[1], beyond[0]], colour)


def test_arrows_follow_every_change():
    e = Experiment.from_example("我爱你")
    picture = Arrows(e)
    for name, matrix in (("W_Q", [[-2, 0], [0, 2]]), ("W_V", [[0, 0], [0, 0]]), ("X", [[9, -9], [0, 0], [1, 1]])):
        e.set(**{name: matrix})
        picture.update()
        for panel in picture.panels:
            assert np.array_equal(np.c_[panel.quiver.U, panel.quiver.V], e[panel.name])
    assert picture.panels[0].ax.get_xlim()[0] < -9


def test_arrows_say_what_they_cannot_draw(language):
    e = Experiment(X=np.eye(3), W_Q=np.ones((3, 2)), W_K=np.ones((3, 2)), W_V=np.ones((3, 4)))
    picture = Arrows(e)
    said = [" ".join(t.get_text() for t in panel.ax.texts) for panel in picture.panels if not panel.flat]
    assert [panel.name for panel in picture.panels if not panel.flat] == ["X", "V"]
    assert "X" in said[0]
    assert "3" in said[0]
    assert "4" in said[1]
    assert all(len(panel.ghosts.get_segments()) == 0 for panel in picture.panels if panel.flat)
    e.set_entry("W_Q", 0, 0, 2.0)
    picture.png()


def test_arrows_of_faults_have_true_titles():
    e = Experiment.from_example("我爱你")
    picture = Arrows(e)
    e.fault = "V is K"
    assert picture.update()
    assert picture.panels[3].ax.get_title().endswith("V = K")
    e.fault = "W_K is W_Q"
    picture.update()
    assert picture.panels[2].ax.get_title().endswith("K = X W_Q")


# ------------------------------------------------------------------------------------------------ triangle


def test_triangle_has_the_outputs_inside(language):
    e = Experiment.from_example("three tokens")
    picture = Triangle(e)
    parts = picture.parts
    assert np.array_equal(np.c_[parts.marks[0][0].get_data()], e["V"])
    for points in parts.marks[1]:
        assert np.array_equal(np.c_[points.get_data()], e["output"])
    assert [label.get_text() for label in parts.output_labels.stamps if label.get_visible()] == list(e.words)
    assert [label.get_text() for label in parts.corner_labels.stamps if label.get_visible()] == ["V:w1", "V:w2", "V:w3"]
    assert {tuple(corner) for corner in parts.shapes[0].get_xy()} == {tuple(row) for row in e["V"]}
    assert not geometry.outside(geometry.hull(e["V"]), e["output"]).any()


def test_triangle_enlarges_until_the_outputs_part():
    e = Experiment.from_example("我爱你")
    picture = Triangle(e)
    picture.png()
    at = picture.parts.zoom.transData.transform(e["output"])
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(at, 2)) > 25, "pixels between neighbours"
    box = picture.parts.zoom.bbox
    assert all(box.contains(*point) for point in at)
    low, high = picture.parts.whole.get_xlim()
    left, right = picture.parts.zoom.get_xlim()
    assert "20" in picture.parts.zoom.get_title()
    assert (high - low) / (right - left) == pytest.approx(20, abs=1e-9)
    assert [t.get_text() for t in picture.parts.ends[:2]] == [f"{left:.3f}", f"{right:.3f}"]


def test_triangle_of_one_hot_weights_needs_no_zoom():
    e = one_hot(CYCLE)
    picture = Triangle(e)
    assert np.array_equal(np.c_[picture.parts.marks[1][0].get_data()], [[0, 1], [0, 0], [1, 0]]), "a look-up in V"
    assert not picture.parts.window.get_visible()
    assert np.allclose(picture.parts.zoom.get_xlim(), picture.parts.whole.get_xlim())


def test_triangle_tells_when_it_is_flat_or_left(language):
    e = Experiment.from_example("我爱你")  # 爱 lies halfway between the others
    picture = Triangle(e)
    assert {"zh": "线段", "en": "on one line"}[language] in picture.note.get_text()
    e.fault = "mask after softmax"
    picture.update()
    assert {"zh": "跑出", "en": "Not every output"}[language] in picture.heading.get_text()
    assert {"zh": "不是 1", "en": "do not sum to 1"}[language] in picture.note.get_text()
    e.set(fault=None, X=[[1, 0], [2, 2], [0, 1]])
    picture.update()
    assert {"zh": "三角形里", "en": "inside the triangle"}[language] in picture.heading.get_text()
    more = Triangle(Experiment.from_sentence("one two three four"))
    assert {"zh": "凸包", "en": "convex hull"}[language] in more.heading.get_text()


def test_triangle_says_that_it_cannot_be_drawn(language):
    e = Experiment.from_sentence("one two", width=3)
    picture = Triangle(e)
    assert any("3" in t.get_text() and "2" in t.get_text() for t in picture.figure.texts) or language == "zh"
    assert any("V" in t.get_text() and "3" in t.get_text() for t in picture.figure.texts)
    e.reset()
    picture.png()


# ------------------------------------------------------------------------------------------------ bars


def test_bars_are_the_three_moves(language):
    e = Experiment.from_example("我爱你")
    picture = Bars(e, row=2)
    scaled, powers, shares = ([bar.get_width() for bar in panel.bars] for panel in picture.panels)
    assert np.allclose(scaled, [0.1555634919, 0.2333452378, 0.3111269837], rtol=0, atol=1e-10)
    assert np.allclose(powers, np.exp([0.1555634919, 0.2333452378, 0.3111269837]), rtol=0, atol=1e-9)
    assert np.allclose(shares, [0.3077677972, 0.3326621264, 0.3595700764], rtol=0, atol=1e-10)
    assert [number.get_text() for number in picture.panels[2].numbers] == ["0.308", "0.333", "0.360"]
    assert [total.get_text().split()[-1] for total in picture.sums] == ["3.796", "1.000"]
    assert [t.get_text() for t in picture.panels[0].ax.get_yticklabels()] == [f"K:{word}" for word in e.words]
    assert picture.panels[2].ax.get_xlim() == Bars(e, row=0).panels[2].ax.get_xlim(), "shares are always 0 … 1"


def test_bars_take_the_maximum_away_only_where_it_is_large():
    e = Experiment(Q=[[1.0]], K=[[8.0], [-7.0]], V=[[1.0], [2.0]], words=["w"])
    assert Bars(e).values()[1] == pytest.approx(np.exp([8, -7]), rel=1e-14)
    e.K = [[800.0], [-700.0]]
    picture = Bars(e)
    assert picture.values()[1].tolist() == [1.0, 0.0]
    assert "800.000" in picture.panels[1].ax.get_title()
    e.K = [[9.3], [9.3]]
    assert picture.update()
    assert [n.get_text() for n in picture.panels[1].numbers] == ["1.09e+04"] * 2


def test_bars_of_masked_keys(language):
    e = Experiment.from_example("我爱你")
    e.mask = causal_mask(3)
    picture = Bars(e, row=0)
    masked = {"zh": "被遮住", "en": "masked"}[language]
    assert [n.get_text() for n in picture.panels[0].numbers] == ["0.184", masked, masked]
    assert [n.get_text() for n in picture.panels[2].numbers] == ["1.000", "0.000", "0.000"]
    e.fault = "mask after softmax"
    picture.update()
    assert [n.get_text() for n in picture.panels[0].numbers] == ["0.184", "0.177", "0.170"]
    assert picture.sums[1].get_text().endswith(" 0.336"), "a row that sums to less than 1 shows it"
    e.set(mask=np.zeros((3, 3), dtype=bool), fault=None)
    picture.png()
    assert [bar.get_width() for bar in picture.panels[2].bars] == [0, 0, 0]


@pytest.mark.parametrize("row", [-1, 3, 1.5, "0", None])
def test_bars_refuse_a_row_that_is_not_there(row):
    with pytest.raises(ValueError, match="row"):
        Bars(Experiment.from_example("我爱你"), row=row)


# ------------------------------------------------------------------------------------------------ all pictures


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_nothing_is_missing_with_only_our_fonts(kind, example, language, only_our_fonts, clean):
    e = Experiment.from_example(example)
    picture = kind(e)
    picture.png()
    for name in e.inputs:
        e.set(**{name: -9 * e[name]})  # negative numbers, new ticks
        picture.png()
    picture.save(io.BytesIO())


def test_log_and_negative_ticks_are_clean(only_our_fonts, clean):
    with style.drawing():
        figure = matplotlib.figure.Figure()
        matplotlib.backends.backend_agg.FigureCanvasAgg(figure)
        log, linear = figure.subplots(2)
        log.loglog([1e-3, 1e4], [1e-8, 1e8])
        linear.plot([-2, 2], [-1e-9, 1e12])
        linear.set_title("注意力 $QK^T/\\sqrt{d_k}$ ᵀ ₖ √ q₁")
        figure.canvas.draw()
    assert any("-3" in t.get_text() for t in log.get_xticklabels())


def test_a_missing_glyph_would_be_found(only_our_fonts):
    """The guard above guards: without the shipped font the same pictures warn."""
    with style.drawing(), matplotlib.rc_context({"font.family": "DejaVu Sans"}):
        figure = matplotlib.figure.Figure()
        matplotlib.backends.backend_agg.FigureCanvasAgg(figure)
        figure.text(0.5, 0.5, "我爱你")
        with pytest.warns(UserWarning, match="missing"):
            figure.canvas.draw()


@pytest.mark.parametrize("kind", PICTURES)
def test_words_no_font_has_get_a_label(kind, language, clean):
    e = Experiment(X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), words=["好", "𓀀"])
    picture = kind(e)
    picture.png()
    assert "𓀀" in picture.notice()
    seen = "".join(t.get_text() for t, _ in texts(picture))
    assert "w2" in seen
    assert "𓀀" not in seen
    assert kind(Experiment.from_example("我爱你")).notice() == ""


@pytest.mark.parametrize("kind", PICTURES)
def test_words_are_never_formulas(kind, clean):
    e = Experiment(X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), words=["$\\frac", "a$b$\n_^"])
    kind(e).png()
    kind(e).save(io.BytesIO())


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_texts_neither_overlap_nor_leave_the_picture(kind, example, language):
    picture = kind(Experiment.from_example(example))
    boxes = [(text.get_text(), box) for text, box in texts(picture)]
    assert [said for said, box in boxes if not inside(picture, box)] == []
    for (a, box), (b, other) in itertools.combinations(boxes, 2):
        over = matplotlib.transforms.Bbox.intersection(box, other)
        assert over is None or min(over.size) < 2, f"{a!r} upon {b!r}"


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_any_number_of_words_fits(kind, n, language, clean):
    e = Experiment.from_sentence(" ".join(f"extraordinary{i}" for i in range(n)), width=2, seed=1)
    picture = kind(e)
    assert [text.get_text() for text, box in texts(picture) if not inside(picture, box)] == []


@pytest.mark.parametrize("kind", PICTURES)
def test_what_moves_is_drawn_as_if_drawn_anew(kind):
    e = Experiment.from_example("我爱你")
    picture = kind(e)
    picture.png()
    for value in (0.4, -0.7, 1.9):
        e.set_entry("W_Q", 0, 1, value)
        e.set_entry("W_V", 1, 0, -value)
        assert np.array_equal(pixels(picture), pixels(kind(e)))


@pytest.mark.parametrize("kind", PICTURES)
def test_the_learners_settings_are_left_alone_and_leave_us_alone(kind):
    e = Experiment.from_example("我爱你")
    picture = kind(e)
    before = dict(matplotlib.rcParams)
    picture.png()
    picture.save(io.BytesIO())
    assert dict(matplotlib.rcParams) == before
    e.set(W_Q=[[9, -9], [4, 0]], W_V=[[-3, 2], [1, 8]])
    expected = pixels(kind(e))
    odd = {"font.family": "monospace", "font.size": 30, "axes.facecolor": "black", "text.color": "white",
           "xtick.labelsize": 30, "xtick.color": "white", "ytick.labelcolor": "white", "figure.facecolor": "black",
           "axes.titlesize": 40, "lines.linewidth": 9}
    with matplotlib.rc_context(odd):
        assert np.array_equal(pixels(picture), expected), "redrawn"
        assert np.array_equal(pixels(kind(e)), expected), "made"


@pytest.mark.parametrize("kind", PICTURES)
def test_paper_is_opaque_and_texts_are_read(kind, language):
    picture = kind(Experiment.from_example("我爱你"))
    image = pixels(picture)
    assert (image[..., 3] == 255).all()
    assert (image[[0, 0, -1, -1], [0, -1, 0, -1]] == 255).all()
    for text, box in texts(picture):
        part = image[len(image) - int(box.y1) - 1:len(image) - int(box.y0), int(box.x0):int(box.x1) + 1, :3]
        colours, counts = np.unique(part.reshape(-1, 3), axis=0, return_counts=True)
        behind = colours[counts.argmax()] / 255
        assert style.contrast(text.get_color(), behind) >= 4.5, text.get_text()


def test_cells_are_read_at_every_weight():
    for weight in np.linspace(0, 1, 101):
        shade = matplotlib.colormaps[style.SHADES](weight)
        assert style.contrast(style.readable_on(shade), shade) >= 4.5, weight
    assert style.contrast("black", "white") == pytest.approx(21)
    assert style.contrast("#777777", "white") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("kind", PICTURES)
def test_pyplot_knows_nothing_of_it(kind, clean):
    import matplotlib.pyplot as plt

    e = Experiment.from_example("我爱你")
    picture = kind(e)
    for i in range(25):
        e.set_entry("W_K", 0, 0, i / 10)
        picture.png()
    assert plt.get_fignums() == []


def test_library_never_imports_pyplot():
    script = ("import sys\nfrom attention_lib.figures import *\n"
              "print('matplotlib.figure' in sys.modules, 'matplotlib.pyplot' in sys.modules)")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


def test_matplotlib_is_loaded_when_a_figure_is_asked_for():
    script = ("import sys\nfrom attention_lib import *\nstart('en')\ne = Experiment.from_example('我爱你')\n"
              "columns(edit(e), show(e))\nprint('matplotlib' in sys.modules)\n"
              "heatmap(e)\nprint('matplotlib' in sys.modules)")
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_a_home_that_cannot_be_written_is_no_news(tmp_path):
    """Nothing on stderr, where nbval and a learner would see it, though matplotlib finds no place for its cache."""
    home = tmp_path / "file"
    home.write_text("a file is no folder", encoding="utf-8")
    taken = ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    env = {k: v for k, v in os.environ.items() if k not in taken} | {"HOME": str(home), "USERPROFILE": str(home)}
    script = ("from attention_lib import Experiment\nfrom attention_lib.figures import Heatmap\n"
              "print(len(Heatmap(Experiment.from_example('我爱你')).png()) > 1000)")
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", script], env=env, capture_output=True, text=True,
                         encoding="utf-8", check=True)
    assert (run.stdout.strip(), run.stderr) == ("True", "")
    plain = subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=env, capture_output=True,
                           text=True, encoding="utf-8", check=True)
    assert "matplotlib" in plain.stderr.lower(), "matplotlib by itself does complain"


def test_words_and_numbers_go_with_every_picture(language):
    e = Experiment.from_example("我爱你")
    rows = {Heatmap: 3, Arrows: 3, Triangle: 6, Bars: 3}
    for kind, n in rows.items():
        picture = kind(e)
        caption, labels, columns, cells = picture.table()
        assert caption
        assert len(labels) == len(cells) == n
        assert all(len(row) == len(columns) for row in cells)
        assert picture.summary()
        assert e.words[0] in picture.alt() or kind is Triangle
    assert Heatmap(e).table()[3][0] == ["0.34", "0.33", "0.33"]
    assert Arrows(e).table()[3][2] == ["(0.00, 1.00)", "(0.10, 0.60)", "(0.20, 0.70)", "(0.30, 0.90)"]
    assert Triangle(e).table()[3][3] == ["0.551", "0.498"]
    assert Bars(e, row=1).table()[3][2] == ["0.240", "1.272", "0.345"]
    assert "0.34" in Heatmap(e).summary()
    e.Q if "Q" in e.inputs else e.set(W_Q=np.zeros((2, 2)))
    alike = {"zh": "一样关注（各 0.33）", "en": "looks at all alike (0.33 each)"}[language]
    assert alike in Heatmap(e).summary()


# ------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize("text", ["0.33", "-1.25", "(0.551, 0.498)", "我", "Q:爱 love", "Ning", "q₁", "√dₖ", " ", ""])
@pytest.mark.parametrize("ha", ["left", "center", "right"])
@pytest.mark.parametrize("va", ["baseline", "bottom", "center", "top"])
def test_a_stamp_is_where_the_text_would_be(text, ha, va):
    drawn = []
    for kind in (matplotlib.text.Text, Stamp):
        with style.drawing():
            figure = matplotlib.figure.Figure((3, 1), dpi=100)
            matplotlib.backends.backend_agg.FigureCanvasAgg(figure)
            figure.add_artist(kind(0.5, 0.5, text, fontsize=19, ha=ha, va=va, transform=figure.transFigure))
            figure.canvas.draw()
        drawn.append(255 - np.asarray(figure.canvas.buffer_rgba())[..., 0].astype(int))
    real, stamp = drawn
    assert stamp.sum() == pytest.approx(real.sum(), rel=0.02), "as much ink"
    if real.any():
        centres = [np.array([np.average(i, weights=image) for i in np.indices(image.shape)]) for image in drawn]
        assert np.abs(centres[0] - centres[1]).max() < 1.01, "within a pixel"


def test_a_halo_keeps_letters_readable_upon_lines():
    with style.drawing():
        figure = matplotlib.figure.Figure((2, 1), dpi=100, facecolor="#ff0000")
        matplotlib.backends.backend_agg.FigureCanvasAgg(figure)
        figure.add_artist(Stamp(0.5, 0.5, "我", fontsize=19, ha="center", va="center", halo=3,
                                transform=figure.transFigure))
        figure.canvas.draw()
    image = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    inked = image.sum(axis=-1) < 150
    beside = np.roll(inked, 3, axis=1) & ~inked
    assert inked.any()
    assert not (image[beside] == (255, 0, 0)).all(axis=-1).any()


def test_png_is_read_back_as_it_was():
    random = np.random.default_rng(0)
    for shape in ((1, 1, 4), (7, 3, 4), (550, 650, 4)):
        image = random.integers(0, 256, shape, dtype=np.uint8)
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(encode_png(image)))), image)


points = st.lists(st.tuples(*[st.integers(-50, 50).map(lambda n: n / 10)] * 2), min_size=1, max_size=12)


@settings(max_examples=100)
@given(points)
def test_hull_holds_all_and_is_no_larger(given_points):
    from scipy.spatial import ConvexHull, QhullError

    corners = geometry.hull(given_points)
    assert not geometry.outside(corners, given_points).any()
    assert set(map(tuple, corners)) <= set(given_points)
    try:
        independent = ConvexHull(given_points)
    except (QhullError, ValueError):  # fewer than three, or on a line
        assert len(corners) <= 2
        return
    x, y = corners.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(independent.volume, rel=1e-12)


@settings(max_examples=100)
@given(points, st.lists(st.floats(0, 1), min_size=12, max_size=12), st.floats(0.01, 3))
def test_mixtures_are_inside_and_what_is_beyond_is_outside(given_points, weights, far):
    corners, rows = geometry.hull(given_points), np.array(given_points)
    shares = np.array(weights[:len(rows)]) + 1e-3
    mixture = shares / shares.sum() @ rows
    assert not geometry.outside(corners, [mixture]).any()
    top = rows[rows[:, 1].argmax()]
    assert geometry.outside(corners, np.add(top, [[0, far]])).all()


@settings(max_examples=200)
@given(st.floats(1e-6, 1e9))
def test_axes_end_at_round_numbers(x):
    end = geometry.round_up(x)
    assert x * (1 - 1e-9) <= end <= 2.5 * x * (1 + 1e-9)
    assert f"{end:.0e}"[0] in "125"
    assert end == pytest.approx(float(f"{end:.0e}"), rel=1e-12)


def test_labels_keep_clear_of_each_other_and_of_points():
    random = np.random.default_rng(1)
    for _ in range(20):
        at = random.uniform(50, 350, (4, 2))
        sizes = np.tile((40.0, 16.0), (4, 1))
        centres = geometry.place(at, sizes, at - at.mean(axis=0), 6, (0, 0, 400, 400))
        boxes = np.hstack([centres - sizes / 2, centres + sizes / 2])
        for a, b in itertools.combinations(boxes, 2):
            assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
        own = np.abs(centres - at) < sizes / 2
        assert not own.all(axis=1).any(), "no label lies on its own point"
        assert (boxes >= 0).all()
        assert (boxes <= 400).all()


def test_a_label_without_room_is_left_out():
    at = np.full((9, 2), 50.0)
    centres = geometry.place(at, np.tile((60.0, 16.0), (9, 1)), np.ones((9, 2)), 4, (0, 0, 100, 100))
    placed = centres[np.isfinite(centres).all(axis=1)]
    assert 2 <= len(placed) < 9
    assert np.isnan(centres).any(axis=1).sum() == 9 - len(placed)
    for a, b in itertools.combinations(placed, 2):
        assert abs(a[0] - b[0]) >= 60 or abs(a[1] - b[1]) >= 16


def test_shipped_font_has_what_it_promises():
    charmap = style.get_font(str(style.FONT)).get_charmap()
    places = itertools.product(range(0xB0, 0xF8), range(0xA1, 0xFF))
    gb2312 = {bytes(place).decode("gb2312", "ignore") for place in places} - {""}
    assert len(gb2312) == 6763
    assert not [mark for mark in gb2312 if ord(mark) not in charmap]
    punctuation = "，。、；：？！“”‘’（）《》【】—…·￥～"
    assert not [mark for mark in punctuation + "×÷±−≈≠≤≥∞∑→←↑↓⇒" if ord(mark) not in charmap]
    assert all(code in charmap for code in range(0x20, 0x7F))
    assert style.FONT.stat().st_size < 1_600_000
    assert style.get_font(str(style.FONT)).family_name == style.FAMILY[0]
    licence = (style.FONT.parent / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert "Reserved Font Name 'Source'" in licence
    assert not any(name in style.FAMILY[0] for name in ("Source", "Noto")), "reserved, and a trademark"


def test_every_word_of_the_figures_can_be_drawn():
    from attention_lib.language import texts as all_texts

    for language in ("zh", "en"):
        for key, said in all_texts(language).items():
            if key.startswith(("figure.", "name.")):
                assert style.undrawable([said]) == (), key
