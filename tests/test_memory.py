"""An afternoon of sliders: memory and widgets stay where they are."""

import gc

import ipywidgets
import psutil

from attention_lib import Experiment, classroom, columns, edit, show


def test_ten_thousand_moves_leave_no_trace():
    e = Experiment.from_example("我爱你")
    page = columns(edit(e), show(e), classroom(e))
    sliders = [slider for grid in page.children[0].children for slider in grid.sliders]
    assert len(sliders) == 18

    def move(times):
        for i in range(times):
            sliders[i % 18].value = round(-2 + (i * 7 % 41) / 10, 1)
        gc.collect()
        return psutil.Process().memory_info().rss, len(ipywidgets.widgets.widget._instances)

    before, widgets = move(1_000)  # warm up: caches of formatted texts, numpy's own
    after, widgets_after = move(10_000)
    assert widgets_after == widgets
    assert after - before <= 5e6
    page.close()
