"""The playground: everything on one experiment, one redraw of each view for a change, and nothing left behind."""

import gc

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

from attention_lib import Experiment, causal_mask, experiment_code, from_code, playground, share
from attention_lib.language import LANGUAGES, choose, say
from attention_lib.state import present
from attention_lib.widgets.controls import Controls
from attention_lib.widgets.matrices import Matrices
from attention_lib.widgets.presets import Presets
from attention_lib.widgets.share import Share

SECOND = [[0.2616848924, 0.4944950704, 0.2438200373], [0.3800805707, 0.2451761800, 0.3747432493],
          [0.2767039367, 0.4636528315, 0.2596432319]]


def walk(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from walk(child)


def part(panel, kind):
    found = [widget for widget in walk(panel) if isinstance(widget, kind)]
    assert len(found) == 1
    return found[0]


def listen(panel):
    """What each widget of ``panel`` sends to the page from now on."""
    sent = {}
    for widget in walk(panel):
        def send(message, buffers=None, widget=widget):
            sent.setdefault(widget, []).append(message)
        widget._send = send
        widget.comm = widget.comm or object()
    return sent


def test_it_holds_every_input_and_every_step():
    panel = playground()
    assert panel.experiment["X"].tolist() == [[1, 0], [0.5, 0.5], [0, 1]]
    sliders = [slider for widget in walk(panel) for slider in getattr(widget, "sliders", ())]
    assert len(sliders) == 18
    assert part(panel, Matrices).names == ("Q", "K", "V", "scores", "scaled", "weights", "output")
    for kind in (Presets, Controls, Share):
        part(panel, kind)
    panel.close()


def test_the_three_tokens_have_no_projections():
    panel = playground(Experiment.from_example("three tokens"))
    assert np.allclose(panel.experiment["weights"], SECOND, rtol=0, atol=6e-11)
    sliders = [slider for widget in walk(panel) for slider in getattr(widget, "sliders", ())]
    assert len(sliders) == 18
    assert "W_Q" not in panel.static_text()
    panel.close()


def test_any_sentence_and_shape():
    for e in (Experiment.from_sentence("the cat sat on the mat", width=8, seed=3),
              Experiment.from_sentence("好", width=1),
              Experiment(Q=np.ones((2, 3)), K=np.ones((5, 3)), V=np.ones((5, 4)))):
        panel = playground(e)
        assert panel.experiment is e
        assert panel.static_html()
        panel.close()


@pytest.mark.parametrize("move", ["preset", "reset", "switch", "code"])
def test_one_move_is_one_recompute_and_at_most_one_message_to_each_view(move):
    panel = playground()
    e = panel.experiment
    e.set(W_Q=np.ones((2, 2)), scale=False)
    heard = []
    e.observe(heard.append, "steps")
    sent = listen(panel)
    {"preset": lambda: part(panel, Presets).choose("look-up"), "reset": part(panel, Presets).reset,
     "switch": lambda: part(panel, Controls).choose("mask", "causal"),
     "code": lambda: part(panel, Share).use("8XR801QZ2DW6")}[move]()
    assert len(heard) == 1
    own = {widget: messages for widget, messages in sent.items() if type(widget).__module__.startswith("attention_lib")}
    updates = {type(widget).__name__: len([m for m in messages if m["method"] == "update"])
               for widget, messages in own.items()}
    assert updates.pop("Share") <= 1 + (move == "code")  # the new code, and that it is open
    assert updates["Matrices"] == 1
    assert max(updates.values()) == 1
    panel.close()


def test_a_slider_moves_every_view():
    panel = playground()
    grid = next(widget for widget in walk(panel) if getattr(widget, "name", "") == "W_Q")
    assert part(panel, Share).code == "1JGBQRV"
    grid.sliders[0].value = 0.6
    assert part(panel, Matrices).cells["Q"]["text"] == [["0.600", "0.200"], ["0.350", "0.400"], ["0.100", "0.600"]]
    assert part(panel, Presets).active == ""
    assert part(panel, Share).code == "8XR801QZ2DW6"
    panel.close()


def test_closing_leaves_nothing_behind():
    playground().close()
    gc.collect()
    before = len(_instances)
    for _ in range(20):
        playground().close()
    assert len(_instances) == before


def test_closing_stops_listening():
    e = Experiment.from_example("我爱你")
    panel = playground(e)
    text = part(panel, Controls).chosen
    matrices, shared = part(panel, Matrices), part(panel, Share)
    cells, code = matrices.cells, shared.code
    panel.close()
    e.set(scale=False, mask=causal_mask(3))
    assert text["mask"]["key"] == "none"
    assert (matrices.cells, shared.code) == (cells, code)


def test_a_thousand_moves_make_no_widget():
    panel = playground()
    grids = [widget for widget in walk(panel) if getattr(widget, "sliders", None)]
    picture = next(widget for widget in walk(panel) if hasattr(widget, "picture"))
    picture.close()  # drawing is timed elsewhere
    before = len(_instances)
    for i in range(1000):
        slider = grids[i % len(grids)].sliders[i % 4]
        slider.value = (i % 40 - 20) / 10
    assert len(_instances) == before
    panel.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_twin_holds_those_of_all_parts(language):
    choose(language)
    panel = playground()
    text, html = panel.static_text(), panel.static_html()
    for inside in (say("preset.identity"), say("controls.mask"), "W_V", "0.551", "1JGBQRV", say("name.output")):
        assert inside in text
        assert inside in html
    panel.close()


def test_sharing_between_languages():
    choose("zh")
    theirs = Experiment.from_example("我爱你")
    theirs.set(mask=causal_mask(3), scale=0.25, fault="V is K")
    theirs.set_entry("W_K", 1, 1, -1.2)
    code = experiment_code(theirs)
    choose("en")
    mine = Experiment.from_example("我爱你")
    panel = share(mine)
    panel._on_page(panel, {"open": f" {code.lower()} \n"}, [])
    assert (panel.message, panel.told) == ("", say("share.done"))
    for name in mine.names:
        assert np.array_equal(mine[name], theirs[name])
    assert panel.code == code
    assert experiment_code(from_code(panel.code)) == code
    mine.reset()
    assert panel.told == ""


def test_a_wrong_code_changes_nothing_and_says_so():
    e = Experiment.from_example("我爱你")
    panel = share(e)
    for code in ("", "1JGBQRW", "1JGBQR", "hello!"):
        panel._on_page(panel, {"open": code}, [])
        assert panel.message
        assert panel.told == ""
        assert panel.code == "1JGBQRV"
    panel._on_page(panel, {"open": "8XR801QZ2DW6"}, [])
    assert panel.message == ""
    assert e["W_Q"][0, 0] == 0.6


def test_a_code_of_other_sizes_gives_the_line_that_opens_it():
    e = Experiment.from_example("我爱你")
    before = present(e)
    other = Experiment.from_sentence("dog bites man now")
    panel = share(e)
    panel._on_page(panel, {"open": experiment_code(other)}, [])
    assert f'e = from_code("{experiment_code(other)}")' in panel.message
    assert "X 4×2" in panel.message
    assert "X 3×2" in panel.message
    assert all(np.array_equal(before[name], present(e)[name]) for name in e.inputs)


def test_a_code_with_other_words_sets_the_numbers_and_says_so():
    e = Experiment.from_example("我爱你")
    other = Experiment.from_sentence("dog bites man")
    panel = share(e)
    panel._on_page(panel, {"open": experiment_code(other)}, [])
    assert np.array_equal(e["X"], other["X"])
    assert "dog, bites, man" in panel.told
    assert "from_code(" in panel.told
    panel._on_page(panel, {"open": experiment_code(Experiment.from_example("three tokens"))}, [])
    assert panel.told == ""


def test_the_code_in_the_twin():
    panel = share(Experiment.from_example("我爱你"))
    assert panel.static_text() == "State code: 1JGBQRV"
    assert "<code>1JGBQRV</code>" in panel.static_html()
