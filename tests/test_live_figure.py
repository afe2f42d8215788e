"""Pictures that follow an experiment, without a browser."""

import asyncio
import gc
import io
import re
import weakref
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest
from IPython.core.events import EventManager, available_events
from ipywidgets.widgets.widget import _instances
from PIL import Image

from attention_lib import Experiment, columns
from attention_lib.figures import Arrows, Bars, Heatmap, Triangle
from attention_lib.widgets import live_figure, quiet
from attention_lib.widgets.base import StaticTwin
from attention_lib.widgets.live_figure import LiveFigure, arrows, bars, heatmap, triangle

MAKERS = {heatmap: Heatmap, arrows: Arrows, triangle: Triangle, bars: Bars}


@pytest.fixture(autouse=True)
def no_loop_but_our_own():
    """A browser test before us may have left its event loop running in this thread."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


def shown(figure):
    return np.asarray(Image.open(io.BytesIO(bytes(figure.image.value))))


def as_drawn(picture):
    return np.asarray(Image.open(io.BytesIO(picture.png())))


@pytest.mark.parametrize("make", MAKERS)
def test_it_shows_the_picture_and_follows(make, e):
    figure = make(e)
    assert isinstance(figure, LiveFigure)
    assert np.array_equal(shown(figure), as_drawn(MAKERS[make](e)))
    height, width, _ = shown(figure).shape
    assert (figure.image.width, figure.image.height) == (str(width), str(height)), "the page keeps its place free"
    before = shown(figure)
    e.set(W_Q=[[2, 0], [-1, 1]], W_V=[[1, 0], [0, 2]])
    assert not np.array_equal(shown(figure), before)
    assert np.array_equal(shown(figure), as_drawn(MAKERS[make](e)))
    figure.close()


@pytest.mark.parametrize("make", MAKERS)
def test_one_change_of_several_inputs_is_one_redraw(make, e):
    figure = make(e)
    sent = []
    figure.image.observe(sent.append, "value")
    e.set(X=[[1, 2], [0, 1], [1, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[2, 0], [1, 1]], W_V=[[1, 0], [0, -1]])
    assert len(sent) == 1
    e.reset()
    assert len(sent) == 2
    figure.close()


@pytest.mark.parametrize("make", MAKERS)
def test_picture_and_alternative_text_are_one_message(make, e, monkeypatch):
    figure = make(e)
    sent = []
    monkeypatch.setattr(figure.image, "send_state", lambda key=None: sent.append(set(key)))
    e.set(W_Q=[[2, 0], [-1, 1]])
    assert len(sent) == 1
    assert "value" in sent[0]
    assert sent[0] <= {"value", "tooltip"}
    figure.close()


def test_alternative_text_is_kept_up_to_date(language, e):
    figure = heatmap(e)
    most = {"zh": "最关注 你（", "en": "looks most at 你 you ("}[language]
    assert e.words[0] in figure.image.tooltip
    assert figure.image.tooltip.count(most) == 2
    e.set(W_Q=[[-2, 0], [0, -2]])
    assert figure.image.tooltip.count(most) == 1
    assert figure.image.description == "", "the page shows no tooltip where there is a description, or none at all"
    figure.close()


def test_quick_moves_are_one_redraw_of_the_newest(e):
    figure = heatmap(e)
    seen = []

    async def drag():
        figure.image.observe(lambda change: seen.append(e["W_Q"][0, 0]), "value")
        for value in np.linspace(-2, 2, 25):
            e.set_entry("W_Q", 0, 0, value)
        assert seen == [], "nothing is drawn while moves come in"
        await asyncio.sleep(0.5)

    asyncio.run(drag())
    assert seen == [2.0]
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_the_first_drawing_waits_for_the_cells_that_were_asked_for(e, monkeypatch):
    shell = SimpleNamespace(events=EventManager(None, available_events))
    monkeypatch.setattr(quiet, "get_ipython", lambda: shell)
    monkeypatch.setattr(quiet, "_GAP", 1.0)  # a loaded machine may sleep ten times as long as it was asked to

    async def run_all():
        begun = heatmap(e)
        before = shown(begun)
        words = begun.image.tooltip
        for _ in range(10):  # more cells, one straight after the other
            await asyncio.sleep(0.02)
            shell.events.trigger("pre_run_cell", None)
            shell.events.trigger("post_run_cell", None)
        during = shown(begun)
        await asyncio.sleep(1.5)
        return begun, words, before, during

    figure, words, before, during = asyncio.run(run_all())
    assert np.array_equal(before, during)
    assert not before.any(), "nothing to be seen, in light and dark"
    assert before.shape == shown(figure).shape, "its place is kept"
    assert words == figure.image.tooltip
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_a_move_before_the_first_drawing_is_in_it(e):
    async def move_at_once():
        figure = heatmap(e)
        e.set_entry("W_Q", 0, 0, -2.0)
        await asyncio.sleep(0.3)
        return figure

    figure = asyncio.run(move_at_once())
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_numbers_go_out_before_the_picture(e):
    figure = heatmap(e)
    order = []

    async def move():
        figure.image.observe(lambda change: order.append("picture"), "value")
        e.observe(lambda change: order.append("numbers"), "steps")  # later than the figure did
        e.set_entry("W_Q", 0, 0, -2.0)
        asyncio.get_running_loop().call_soon(order.append, "idle")
        await asyncio.sleep(0.3)

    asyncio.run(move())
    assert order == ["numbers", "idle", "picture"]
    figure.close()


def test_while_dragging_there_is_a_rest_between_redraws_and_the_last_is_the_newest(e, monkeypatch):
    figure = heatmap(e)
    times = []
    redraw = figure.redraw
    monkeypatch.setattr(figure, "redraw", lambda: (times.append(asyncio.get_running_loop().time()), redraw()))

    async def drag():
        for i in range(60):
            e.set_entry("W_Q", 0, 0, -2 + i / 15)
            await asyncio.sleep(1 / 60)
        await asyncio.sleep(0.3)

    asyncio.run(drag())
    assert 3 <= len(times) < 40, "fewer redraws than moves, but it does follow"
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_a_loop_that_ended_does_not_leave_it_waiting_for_ever(e):
    figure = heatmap(e)

    async def leave():
        e.set_entry("W_Q", 0, 0, -2.0)

    asyncio.run(leave())
    asyncio.run(asyncio.sleep(0))

    async def later():
        e.set_entry("W_Q", 0, 0, -1.0)
        await asyncio.sleep(0.3)

    asyncio.run(later())
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_a_closed_figure_is_not_redrawn(e):
    figure = heatmap(e)
    drawn = []
    figure.picture.png = lambda: drawn.append(1)

    async def close_meanwhile():
        e.set_entry("W_Q", 0, 0, -2.0)
        figure.close()
        await asyncio.sleep(0.1)

    asyncio.run(close_meanwhile())
    e.set_entry("W_Q", 0, 0, 1.0)
    assert drawn == []


@pytest.mark.parametrize("error", [ValueError("weights: got NaN"), ZeroDivisionError("by 0 <b>")])
def test_an_error_is_said_under_the_picture_and_the_next_move_works(language, e, monkeypatch, error):
    figure = heatmap(e)
    assert figure.message == ""
    assert figure.foot is figure.children[-1], "it stands under the picture"
    assert figure.foot.message == ""

    def fail():
        raise error

    monkeypatch.setattr(figure.picture.map, "update", fail)
    e.set_entry("W_Q", 0, 0, -2.0)
    assert str(error) in figure.message
    assert figure.foot.message == figure.message
    if not isinstance(error, ValueError):
        assert {"zh": "出了点问题", "en": "went wrong"}[language] in figure.message
    monkeypatch.undo()
    e.set_entry("W_Q", 0, 0, 2.0)
    assert figure.message == figure.foot.message == ""
    assert np.array_equal(shown(figure), as_drawn(Heatmap(e)))
    figure.close()


def test_words_the_font_lacks_are_told(language):
    e = Experiment(X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2), words=["好", "𓀀"])
    figure = heatmap(e)
    assert "𓀀" in figure.message
    e.set_entry("W_Q", 0, 0, 2.0)
    assert "𓀀" in figure.message
    figure.close()


def test_bars_of_the_chosen_query(language, e):
    figure = bars(e, row=1)
    menu = figure.children[0]
    assert isinstance(menu, ipywidgets.Dropdown)
    assert [label for label, _ in menu.options] == list(e.words)
    assert menu.description == {"zh": "查询", "en": "Query"}[language]
    assert menu.value == 1
    menu.value = 2
    assert np.array_equal(shown(figure), as_drawn(Bars(e, row=2)))
    assert e.words[2] in figure.static_text().splitlines()[0]
    with pytest.raises(ValueError, match="row"):
        bars(e, row=3)
    figure.close()


@pytest.mark.parametrize("make", MAKERS)
def test_reruns_leave_nothing_behind(make, e):
    count = len(_instances)
    for _ in range(3):
        figure = make(e)
        e.set_entry("W_Q", 0, 0, float(np.random.default_rng().integers(-9, 9)) / 10)
        figure.close()
    assert len(_instances) == count
    gone = weakref.ref(figure.picture)
    del figure
    gc.collect()
    assert gone() is None, "the experiment holds on to nothing: the figure and its pixels are freed"


@pytest.mark.parametrize("make", MAKERS)
def test_static_twin_tells_the_same(make, language, e):
    figure = make(e)
    data, _ = figure._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    page, plain = data["text/html"], data["text/plain"]
    numbers = r"-?\d+\.\d+"
    cells = re.findall(numbers, " ".join(re.findall("<td>(.*?)</td>", page)))
    assert cells
    assert cells == re.findall(numbers, plain.split("\n", 2)[2])[-len(cells):]
    assert len({len(cell.split(".")[1]) for cell in cells}) == 1, "fixed decimals"
    assert "<img" not in page
    assert "0x" not in plain
    e.set(W_Q=[[-2, 0], [0, 2]], W_V=[[-1, 0], [0, 2]])
    assert figure._repr_mimebundle_()[0]["text/html"] != page
    figure.close()


def test_static_twin_is_up_to_date_while_a_redraw_waits(e):
    """A cell that changes something and then shows the figure stores the new numbers."""
    figure = triangle(e)

    async def cell():
        e.set(W_V=[[1, 0], [0, 1]], X=[[1, 0], [1, 1], [0, 1]])
        return figure.static_text()

    told, now = asyncio.run(cell()), Triangle(e)
    assert told.startswith(now.summary())
    _, names, _, cells = now.table()
    assert told.splitlines()[2:] == [f"{name}: {'  '.join(row)}" for name, row in zip(names, cells, strict=True)]
    figure.close()


def test_it_goes_into_columns(e):
    figure = heatmap(e)
    both = columns(figure, bars(e))
    assert isinstance(figure, StaticTwin)
    assert figure.static_html() in both.static_html()
    both.close()
    figure.close()


def test_twenty_five_moves_and_no_warning(e, recwarn):
    import matplotlib.pyplot as plt

    figures = [make(e) for make in MAKERS]
    for i in range(25):
        e.set_entry("W_K", 0, 0, i / 10)
    assert [str(w.message) for w in recwarn.list] == []
    assert plt.get_fignums() == []
    for figure in figures:
        figure.close()


def test_rest_after_a_redraw_is_short():
    assert live_figure._LONGEST_REST + live_figure._AFTER_NUMBERS < 0.1, "the released value is seen within 100 ms"
