"""Training on the page: it runs beside everything else, stops when told, and shows no number that is none."""

import asyncio
import json
import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from attention_lib import copy_previous, find_student, train, training
from attention_lib.language import LANGUAGES, choose, say
from attention_lib.widgets.training import RATES, SEEDS

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def task():
    return find_student()


@pytest.fixture(scope="module")
def short_task(task):
    return replace(task, steps=150)


async def until(condition, seconds=10):
    """Wait until the condition holds; fail where it does not in that time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def tasks_learning():
    return [t for t in asyncio.all_tasks() if "Training._learn" in repr(t)]


def strict(panel):
    """What is sent to the page, as strict JSON: no NaN, no Infinity."""
    return json.dumps(panel.shown, allow_nan=False)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_twin_is_the_same_each_time_and_has_no_times(task, code):
    choose(code)
    panel = training(task)
    text, html = panel.static_text(), panel.static_html()
    assert text == training(task).static_text()
    for part in (say("training.find_student"), say("training.ready"), "η = 0.5", "0.574", "0.105", "W_Q", "0.29",
                 say("training.of", step=0, total=600)):
        assert part in text
        assert part in html
    assert panel.shown["speed"] == ""
    panel.close()


def test_without_an_event_loop_it_learns_to_the_end(short_task):
    panel = training(short_task)
    panel.start()
    assert not panel.running
    assert panel.learner.steps == 150
    same = train(short_task)
    assert all(np.array_equal(panel.learner.W[name], same.W[name]) for name in same.W)
    assert panel.learner.history[-1] == same.history[-1]
    assert panel.shown["told"] == say("training.learned", step=panel.learner.learned.step, enough="0.95")
    assert panel.learner.learned.step == 137
    assert panel.shown["done"] == 1
    assert panel.shown["go"] == "go_on"
    panel.close()


def test_others_are_heard_while_it_learns_and_pictures_are_few(task):
    async def run():
        panel = training(task)
        drawn, waits = [], []
        panel.observe(lambda change: drawn.append(time.monotonic()), "shown")
        start = time.monotonic()
        panel.start()
        assert panel.running
        while panel.running and time.monotonic() - start < 1.5:
            before = time.monotonic()
            await asyncio.sleep(0)
            waits.append(time.monotonic() - before)
            await asyncio.sleep(0.005)
        panel.pause()
        seconds = time.monotonic() - start
        assert panel.learner.steps > 20
        assert np.median(waits) < 0.02
        assert 3 <= len(drawn) <= 12 * seconds + 3
        assert panel.shown["speed"] == ""
        panel.close()

    asyncio.run(run())


def test_it_gets_to_95_percent_in_ten_seconds(task):
    async def run():
        panel = training(task)
        panel.start()
        await until(lambda: panel.learner.learned, 10)
        assert panel.shown["told"]
        panel.close()

    asyncio.run(run())


def test_pause_step_and_going_on(task):
    async def run():
        panel = training(task)
        panel.start()
        await until(lambda: panel.learner.steps >= 10)
        assert panel.shown["go"] == "pause"
        assert "steps a second" in panel.shown["speed"] or panel.learner.steps < 30
        panel.pause()
        at = panel.learner.steps
        await asyncio.sleep(0.3)
        assert panel.learner.steps == at
        assert tasks_learning() == []
        panel.step()
        assert panel.learner.steps == at + 1
        assert panel.shown["progress"] == f"step {at + 1} of 600"
        panel.start()
        await until(lambda: panel.learner.steps > at + 5)
        panel.step()
        assert not panel.running
        panel.close()

    asyncio.run(run())


def test_starting_twice_and_starting_over_leave_one_task(task):
    async def run():
        panel = training(task)
        panel.start()
        panel.start()
        await asyncio.sleep(0.05)
        assert len(tasks_learning()) == 1
        for _ in range(3):
            panel.restart()
            assert not panel.running
            panel.start()
        await asyncio.sleep(0.3)
        assert len(tasks_learning()) == 1
        panel.restart(seed=4)
        assert (panel.learner.seed, panel.learner.steps, panel.shown["seedText"]) == (4, 0, "4")
        await until(lambda: not tasks_learning(), 2)
        panel.close()

    asyncio.run(run())


def test_a_closed_panel_stops(task):
    async def run():
        panel = training(task)
        panel.start()
        await until(lambda: panel.learner.steps >= 10)
        panel.close()
        at = panel.learner.steps
        await until(lambda: not tasks_learning(), 2)
        assert panel.learner.steps == at

    asyncio.run(run())


def test_a_button_may_be_handled_in_another_thread(task):
    async def run():
        panel = training(task)
        for press, running in (("start", True), ("pause", False), ("start", True)):
            thread = threading.Thread(target=panel._on_page, args=(panel, {"press": press}, []))
            thread.start()
            while thread.is_alive():
                await asyncio.sleep(0.01)
            assert panel.running is running
            assert panel.message == ""
        await until(lambda: panel.learner.steps >= 20)
        await until(lambda: len(tasks_learning()) == 1, 2)  # that of the first start sleeps out its picture
        panel.close()

    asyncio.run(run())


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_divergence_is_told_in_words_and_shows_no_nan(short_task, code):
    choose(code)
    panel = training(short_task, learning_rate=5.0)
    panel.start()
    assert not panel.running
    shown = panel.shown
    assert (shown["over"], shown["wrong"]) == (True, True)
    assert shown["told"].startswith(str(panel.learner.diverged))
    assert say("training.after_divergence") in shown["told"]
    assert "665.733" in shown["told"]
    text = strict(panel) + panel.static_text()
    assert "nan" not in text.lower()
    assert "inf" not in text.lower().replace("infin", "")
    assert shown["curves"]["loss"][-1] == [1.0, 1.0]  # out at the top, at the right end
    assert all(0 <= x <= 1 and 0 <= y <= 1 for line in shown["curves"].values() for x, y in line)
    at = panel.learner.steps
    panel.start()
    panel.step()
    assert panel.learner.steps == at
    panel.learning_rate = 0.5
    panel.restart()
    assert (panel.shown["over"], panel.shown["wrong"]) == (False, False)
    panel.start()
    assert panel.learner.learned
    panel.close()


def test_all_steps_without_success_is_told_and_going_on_adds_as_many(short_task):
    panel = training(short_task, learning_rate=0.01)
    panel.start()
    assert panel.shown["told"] == say("training.not_learned", enough="0.95")
    panel.learning_rate = 1.0
    panel.start()
    assert panel.learner.steps == 300
    assert panel.shown["progress"] == "step 300 of 300"
    assert panel.shown["told"] != say("training.not_learned", enough="0.95")
    assert len(panel.shown["curves"]["loss"]) <= 300
    strict(panel)
    panel.step()
    assert panel.shown["progress"] == "step 301 of 301"
    panel.close()


def test_what_is_shown_is_the_experiment(task):
    panel = training(task)
    for _ in range(5):
        panel.step()
    e = panel.learner.experiment()
    for matrix in panel.frame["matrices"]:
        name = matrix["name"]
        text = panel.shown["cells"][name]["text"]
        assert text == [[f"{x:.2f}".replace("-0.00", "0.00") for x in row] for row in e[name]]
        assert (matrix["rows"], matrix["columns"]) == tuple(map(list, e.labels(name)))
    assert panel.frame["matrices"][0]["marks"] == [[i, int(j)] for i, j in enumerate(task.held_out.sought[0])]
    now = panel.learner.history[-1]
    assert panel.shown["numbers"] == [f"{now.loss:.3f}", f"{now.accuracy:.3f}", f"{now.weight:.3f}"]
    first = panel.learner.history[0].loss
    assert panel.shown["first"] == [f"{first:.3f}", 0.8]
    steps, heights = zip(*panel.shown["curves"]["loss"], strict=True)
    assert np.allclose(steps, [k / 600 for k in range(6)], rtol=0, atol=5e-5)
    assert np.allclose(heights, [m.loss / (1.25 * first) for m in panel.learner.history], rtol=0, atol=5e-5)
    panel.close()


def test_the_previous_word_hides_what_comes_later():
    panel = training(copy_previous())
    weights = panel.frame["matrices"][0]
    assert weights["marks"] == [[i, i - 1] for i in range(1, 7)]
    assert weights["hidden"] == [[j > i for j in range(7)] for i in range(7)]
    assert panel.frame["chanceText"] == "chance 0.25"
    panel.close()


def test_the_sliders(task):
    panel = training(task)
    panel._on_page(panel, {"rate": RATES.index(2.0)}, [])
    assert (panel.learning_rate, panel.shown["rateText"]) == (2.0, "η = 2.0")
    panel._on_page(panel, {"seed": 7}, [])
    assert (panel.learner.seed, panel.learning_rate) == (7, 2.0)
    panel.learning_rate = 0.07
    assert RATES[panel.shown["rate"]] == 0.05
    assert list(RATES) == sorted(RATES)
    assert math.isclose(RATES[0] * 2000, RATES[-1])
    panel.close()


@pytest.mark.parametrize("content", [{"press": "fly"}, {"rate": 99}, {"rate": "x"}, {"seed": SEEDS}, {"seed": -1}])
def test_what_the_page_cannot_mean_is_refused_in_words(task, content):
    panel = training(task)
    before = panel.shown
    panel._on_page(panel, content, [])
    assert "needs" in panel.message
    assert panel.shown == before
    panel._on_page(panel, {"press": "step"}, [])
    assert panel.message == ""
    assert panel.learner.steps == 1
    panel.close()


def test_an_error_on_the_way_is_told_and_ends_the_run(task, monkeypatch):
    panel = training(task)

    def fail():
        raise ZeroDivisionError("too bad")

    monkeypatch.setattr(panel.learner, "step", fail)
    panel.start()
    assert "too bad" in panel.message
    assert not panel.running
    panel.restart()
    panel.step()
    assert panel.learner.steps == 1
    panel.close()


@pytest.mark.parametrize("make", [lambda t: training(t, learning_rate=0), lambda t: training(t, seed=-1)])
def test_bad_numbers_are_refused(task, make):
    with pytest.raises(ValueError, match="needs"):
        make(task)
