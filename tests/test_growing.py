"""What n words cost: the counted and the measured numbers, and the panel that measures them."""

import asyncio
import math
import re
import sys
import time

import numpy as np
import pytest

from attention_lib import fitted_exponent, growth_lab
from attention_lib.growing import REPEATS, SIZES, WAYS, best_of, extra_memory, measure, plain_attention, random_inputs
from attention_lib.language import LANGUAGES, choose
from attention_lib.measuring import Measurements
from attention_lib.online import blockwise_attention
from attention_lib.widgets.growth import mebibytes
from attention_lib.widgets.progress import Progress


def test_the_exponent_is_the_slope_of_the_logarithms():
    n = [100, 200, 400, 800]
    assert fitted_exponent(n, [3 * x**2 for x in n]) == pytest.approx(2, abs=1e-12)
    assert fitted_exponent(n, [0.1 * x**1.5 for x in n]) == pytest.approx(1.5, abs=1e-12)
    assert fitted_exponent(n, [7.0] * 4) == pytest.approx(0, abs=1e-12)
    # least squares by hand: slope = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²
    cost = [1.0, 5.0, 11.0, 90.0]
    x, y = [math.log(v) for v in n], [math.log(v) for v in cost]
    mx, my = math.fsum(x) / 4, math.fsum(y) / 4
    slope = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / math.fsum((a - mx) ** 2 for a in x)
    assert fitted_exponent(n, cost) == pytest.approx(slope, abs=1e-12)


def test_extra_memory_counts_what_is_held_at_once_but_not_the_output():
    def way(x):
        first = np.empty(60_000)
        del first
        second, third = np.empty(30_000), np.empty(20_000)
        return np.zeros(50_000) + len(second) + len(third)

    # 240 000 and 160 000 bytes beside the output, once the first 480 000 are gone
    assert extra_memory(way, None) == pytest.approx(400_000, abs=5_000)


def test_extra_memory_while_somebody_else_traces():
    import tracemalloc

    tracemalloc.start()
    try:
        kept = np.empty(1_000_000)
        assert extra_memory(plain_attention, *random_inputs(256)) == pytest.approx(4 * 256**2, rel=0.05)
        assert tracemalloc.is_tracing()
        assert tracemalloc.get_traced_memory()[0] >= kept.nbytes
    finally:
        tracemalloc.stop()


def test_the_best_of_as_many_runs_as_there_is_time_for(monkeypatch):
    lengths, clock = iter([0.02, 0.005, 0.004, 0.03, 0.001]), [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def way():
        clock[0] += next(lengths)

    assert best_of(0.05, way) == pytest.approx(0.004, abs=1e-12)  # after 0.059 s there is no time for a fifth run
    assert best_of(0, way) == pytest.approx(0.001, abs=1e-12)


def test_slices_and_their_findings():
    found = list(measure(("plain", "blockwise"), SIZES[:2]))
    assert [(way, n) for way, n, _, _ in found] == [
        (way, n) for n in (128, 256) for way in ("plain", "blockwise") for _ in range(REPEATS)]
    assert all(seconds > 0 for *_, seconds in found)
    plain = {n: memory for way, n, memory, _ in found if way == "plain"}
    assert plain[256] == pytest.approx(4 * 256**2, rel=0.03)


def test_blocks_cost_little_memory_and_no_more_time_than_twice_the_plain_way():
    inputs = random_inputs(2048)
    memory = [extra_memory(WAYS[way], *inputs) for way in ("plain", "blockwise")]
    assert memory[0] / memory[1] > 9
    # where other processes take its cores away, any one run may be slow
    ratios = []
    for _ in range(8):
        ratios.append(best_of(0, blockwise_attention, *inputs) / best_of(0, plain_attention, *inputs))
        if min(ratios) < 2:
            break
    assert min(ratios) < 2


def test_a_measurement_in_a_process_of_its_own():
    found = Measurements("blockwise", "plain", largest=256)
    heard = []
    found.observe(lambda change: heard.append(len(change.new)), "found")
    findings = []
    for finding in found.run():
        findings += [finding] * (finding is not None)
        time.sleep(0.005)
    assert len(findings) == found.slices == 2 * 2 * REPEATS
    assert heard[-1] == 4
    assert set(found.found) == {(way, n) for way in ("blockwise", "plain") for n in (128, 256)}
    assert found.found["plain", 256][0] == pytest.approx(4 * 256**2, rel=0.03)
    assert found.costs("plain", "memory") == ([128, 256], [found.found["plain", n][0] for n in (128, 256)])
    assert found.exponent("plain", "memory") == pytest.approx(2, abs=0.05)
    assert Measurements().exponent("plain", "time") is None


def test_the_process_ends_with_the_generator(monkeypatch):
    import subprocess

    children = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: children.append(real(*a, **k)) or children[-1])
    run = Measurements("plain", largest=8192).run()
    next(run)
    run.close()
    assert children[0].poll() is not None


def test_a_process_that_fails_says_why(monkeypatch):
    lab = growth_lab(largest=1024).lab
    monkeypatch.setattr(sys, "executable", sys.executable)
    monkeypatch.setitem(__import__("os").environ, "PYTHONHOME", "/nowhere")
    lab.press("start")
    assert "RuntimeError" in lab.message
    assert lab["start"]
    assert not lab["cancel"]
    assert lab.progress == {}


def wait(lab, what):
    async def until():
        for _ in range(2000):
            if what():
                return True
            await asyncio.sleep(0.01)
        return False

    return until()


def test_measuring_lets_the_kernel_breathe_and_can_be_cancelled():
    async def learner():
        growth = growth_lab("plain", largest=1024)
        lab = growth.lab
        lab._handle_custom_msg({"turn": ["start", True]}, [])
        assert lab["cancel"]
        assert not lab["start"]
        assert await wait(lab, lambda: lab.progress and len(lab.measurements.found) > 1)
        assert 0 < lab.progress["share"] < 1
        assert re.match(r"\d+/20 \[", lab.progress["text"])
        lab._handle_custom_msg({"turn": ["cancel", True]}, [])
        assert await wait(lab, lambda: not lab.progress)
        assert lab.told.startswith("Cancelled.")
        assert lab["start"]
        assert not lab["cancel"]
        before = dict(lab.measurements.found)
        assert 0 < len(before) <= 4
        await asyncio.sleep(0.3)
        assert lab.measurements.found == before
        assert lab.message == ""
        lab.press("start")
        lab.press("start")  # once is enough
        assert await wait(lab, lambda: lab["start"])
        assert len(lab.measurements.found) == 4
        assert lab.told.startswith("Measured on this computer")
        growth.close()

    asyncio.run(learner())


def test_closing_the_panel_ends_the_measurement():
    async def learner():
        growth = growth_lab("plain", largest=8192)
        growth.lab.press("start")
        assert await wait(growth.lab, lambda: growth.lab.measurements.found)
        growth.close()
        await asyncio.sleep(0.2)
        assert all(task.done() for task in asyncio.all_tasks() if task is not asyncio.current_task())

    asyncio.run(learner())


def test_the_panel_shows_what_was_found():
    growth = growth_lab("plain", "blockwise", largest=1024)
    lab = growth.lab
    lab.measurements.found = {("plain", 128): (65_536, 0.0015), ("plain", 256): (262_144, 0.006),
                              ("blockwise", 128): (32_768, 0.001), ("blockwise", 256): (32_768, 0.004)}
    measured, fitted = lab.boxes
    assert measured["tables"][0]["text"][:3] == [
        ["16 384", "0.062 MiB", "1.50 ms", "0.031 MiB", "1.00 ms"],
        ["65 536", "0.250 MiB", "6.00 ms", "0.031 MiB", "4.00 ms"],
        ["262 144", "—", "—", "—", "—"],
    ]
    assert fitted["tables"][0]["text"] == [["2.00", "0.00"], ["2.00", "2.00"]]
    picture = growth.children[1].picture
    assert picture.table()[3] == fitted["tables"][0]["text"]
    for panel, what in zip(picture.panels.values(), ("memory", "time"), strict=True):
        labels = [text.get_text() for text in panel.ax.get_legend().get_texts()]
        assert labels[0] == "plain: p = 2.00"
        points = panel.points["plain"].get_xydata()
        assert np.allclose(points, [[128, 0.0625], [256, 0.25]] if what == "memory" else [[128, 1.5], [256, 6]])
        line = panel.lines["plain"].get_xydata()  # through both points, for there are only two
        assert np.allclose(line, points)
    assert bytes(growth.children[1].image.value).startswith(b"\x89PNG")


def test_mebibytes():
    assert [mebibytes(x * 2**20) for x in (0.0123, 1.0, 64, 255.6)] == ["0.012 MiB", "1.0 MiB", "64.0 MiB", "256 MiB"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twin_holds_no_measured_time(language):
    choose(language)
    growth = growth_lab("plain", "blockwise")
    text, html = growth.static_text(), growth.static_html()
    assert "16 777 216" in text
    assert "64.0 MiB" in text
    assert not re.search(r"\d (ms|毫秒)", text + html)
    assert text == growth_lab("plain", "blockwise").static_text()


@pytest.mark.parametrize(("ways", "options"), [(("quick",), {}), ((), {"largest": 100}), ((), {"largest": 128})])
def test_what_there_is_not_is_refused(ways, options):
    with pytest.raises(ValueError, match="needs one of"):
        growth_lab(*ways, **options)


def test_progress_tells_share_and_text():
    told = []
    bar = Progress(4, lambda share, text: told.append((share, text)))
    for _ in range(4):
        time.sleep(0.11)
        bar.update()
    bar.close()
    assert told[-1][0] == 1
    assert told[-1][1].startswith("4/4 [")
    assert [share for share, _ in told] == sorted(share for share, _ in told)
