"""The classroom picture without a browser: what it says is what the steps say."""

import json
import re
import string
from pathlib import Path

import by_hand
import numpy as np
import pytest

import attention_lib
from attention_lib import EXAMPLES, FAULTS, Experiment, classroom, show, start
from attention_lib.language import LANGUAGES
from attention_lib.widgets import classroom as module

HERE = Path(attention_lib.__file__).parent


def uneven():
    """Two seekers, five students, keys of length 4, values of length 3."""
    return Experiment(
        Q=[[1.0, 0.5, 0.0, 0.25], [-0.3, 2.0, 1.0, -1.0]], K=np.arange(20).reshape(5, 4) / 10 - 1,
        V=np.arange(15).reshape(5, 3) / 7 - 1, mask=[[1, 1, 0, 1, 1], [0, 1, 1, 0, 1]], words=["Ada", "Bo"],
    )


def twelve():
    return Experiment.from_sentence("the quick brown fox jumps over the lazy dog and runs away", width=8, seed=3)


def every_experiment():
    for name in EXAMPLES:
        yield pytest.param(lambda name=name: Experiment.from_example(name), id=name)
    yield pytest.param(uneven, id="two seekers, five students")
    yield pytest.param(twelve, id="twelve students, width 8")
    yield pytest.param(lambda: Experiment.from_sentence("alone"), id="one student")
    yield pytest.param(lambda: Experiment(Q=[[0, 1]], K=[[1, 0]] * 3, V=[[-2]] * 3, mask=[[0, 0, 0]]), id="all hidden")
    for fault in FAULTS:
        yield pytest.param(lambda fault=fault: with_fault(fault), id=fault)
    yield pytest.param(lambda: Experiment(**EXAMPLES["我爱你"].inputs, scale=-0.5), id="scale −0.5")
    yield pytest.param(lambda: Experiment(**EXAMPLES["我爱你"].inputs, mask=np.tri(3) == 1), id="causal")


def with_fault(fault):
    experiment = Experiment.from_example("我爱你")
    experiment.fault = fault
    return experiment


EXPERIMENTS = list(every_experiment())


def independent(experiment):
    """All steps from 50-digit arithmetic."""
    steps = by_hand.self_attention if "X" in experiment.inputs else by_hand.attention
    inputs = {name: experiment[name] for name in experiment.inputs}
    return steps(**inputs, mask=experiment.mask, scale=experiment.scale, fault=experiment.fault)


def numbers(text):
    """The numbers in a text such as [0.500, -0.200]."""
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def nearly(got, exact):
    """Three decimals of exactly these values, and no negative zero."""
    return np.allclose(got, np.array(exact, dtype=float), rtol=0, atol=0.0005 + 1e-12) and not any(
        x == 0 and np.signbit(x) for x in got)


def updates(widget):
    """Record the state messages to the page from now on."""
    sent = []
    widget._send = lambda message, buffers=None: sent.append(message)
    widget.comm = widget.comm or object()
    return sent


@pytest.mark.parametrize("make", EXPERIMENTS)
def test_the_picture_says_what_the_steps_say(make):
    experiment = make()
    exact = independent(experiment)
    for seeker in range(len(experiment.words)):
        scene = classroom(experiment, seeker).scene
        assert scene["name"] == experiment.words[seeker]
        assert nearly(numbers(scene["query"]), exact["Q"][seeker])
        assert nearly(numbers(scene["output"]), exact["output"][seeker])
        assert nearly([float(scene["total"])], [sum(exact["weights"][seeker])])
        assert scene["wrong"] == (abs(sum(exact["weights"][seeker]) - 1) > 1e-9)
        assert [one["name"] for one in scene["students"]] == list(experiment.key_words)
        for j, one in enumerate(scene["students"]):
            assert nearly(numbers(one["key"]), exact["K"][j])
            assert nearly(numbers(one["value"]), exact["V"][j])
            assert nearly([float(one["score"]), float(one["weight"])],
                          [exact["scores"][seeker][j], exact["weights"][seeker][j]])
            assert abs(one["share"] - float(exact["weights"][seeker][j])) <= 0.00005 + 1e-12
            assert one["percent"] == f"{float(one['weight']) * 100:.1f} %"
            assert one["itself"] == (experiment.words == experiment.key_words and seeker == j)


@pytest.mark.parametrize("make", EXPERIMENTS)
def test_the_same_texts_as_the_matrices(make):
    experiment = make()
    cells = show(experiment, "Q", "K", "scores", "weights", "output").cells
    for seeker in range(len(experiment.words)):
        scene = classroom(experiment, seeker).scene
        rows = {name: cells[name]["text"][seeker] for name in ("Q", "scores", "weights", "output")}
        assert scene["query"] == f"[{', '.join(rows['Q'])}]"
        assert scene["output"] == f"[{', '.join(rows['output'])}]"
        assert [one["score"] for one in scene["students"]] == rows["scores"]
        assert [one["weight"] for one in scene["students"]] == rows["weights"]
        assert [one["key"] for one in scene["students"]] == [f"[{', '.join(row)}]" for row in cells["K"]["text"]]


def test_the_numbers_of_the_lesson(e):
    scene = classroom(e).scene
    assert scene["query"] == "[0.500, 0.200]"
    assert [one["key"] for one in scene["students"]] == ["[0.400, 0.300]", "[0.300, 0.500]", "[0.200, 0.700]"]
    assert [one["value"] for one in scene["students"]] == ["[0.800, 0.100]", "[0.550, 0.500]", "[0.300, 0.900]"]
    assert [one["score"] for one in scene["students"]] == ["0.260", "0.250", "0.240"]
    assert [one["weight"] for one in scene["students"]] == ["0.336", "0.333", "0.331"]
    assert [one["percent"] for one in scene["students"]] == ["33.6 %", "33.3 %", "33.1 %"]
    assert (scene["equals"], scene["output"], scene["total"], scene["wrong"]) == ("≈", "[0.551, 0.498]", "1.000", False)
    assert [pane["line"] for pane in scene["board"]] == [
        "x = [1.0, 0.0] → q = [0.500, 0.200]",
        "k(我 I) = [0.400, 0.300]",
        "q · k(我 I) = 0.500×0.400 + 0.200×0.300 = 0.260",
        "我 I: 0.260 ÷ √2 ≈ 0.184 → softmax → 0.336",
        "q = [0.500, 0.200] → [0.551, 0.498]",
    ]
    assert [pane["formulas"] for pane in scene["board"]] == [
        ["Q = X W_Q"], ["K = X W_K"], ["scores = Q Kᵀ"],
        ["weights = softmax(scores / √d_k)", "V = X W_V", "output = weights V"], ["output = softmax(Q Kᵀ / √d_k) V"],
    ]


def test_given_numbers_look_as_they_were_given_and_long_ones_are_rounded():
    tokens = classroom(Experiment.from_example("three tokens")).scene
    assert (tokens["query"], tokens["students"][2]["value"]) == ("[1.0, 0.0]", "[0.2, 0.5]")
    assert tokens["board"][0]["formulas"] == ["Q is given"]
    assert classroom(uneven()).scene["students"][1]["value"] == "[-0.571, -0.429, -0.286]"


def test_features_have_their_names_on_the_board():
    people = Experiment.from_example("classroom")
    assert classroom(people, 1).scene["board"][0]["line"] == "sport 0.5, music 0.5 → q = [0.300, 0.400]"


def test_exact_sums_have_an_equals_sign():
    exact = Experiment(Q=[[1.0]], K=[[2.0], [2.0]], V=[[1.0], [2.0]])
    assert classroom(exact).scene["equals"] == "="
    assert classroom(exact).scene["output"] == "[1.500]"


def test_it_follows_the_experiment(e):
    picture = classroom(e)
    e.set_entry("W_Q", 0, 0, 1.0)
    assert picture.scene["query"] == "[1.000, 0.200]"
    assert picture.scene["students"][0]["score"] == "0.460"
    e.reset()
    assert picture.scene == classroom(e).scene


def test_another_seeker(e):
    picture = classroom(e, 2)
    assert (picture.scene["seeker"], picture.scene["query"]) == (2, "[0.100, 0.600]")
    picture.seeker = 1
    assert picture.scene["output"] == "[0.544, 0.509]"
    assert [one["itself"] for one in picture.scene["students"]] == [False, True, False]
    picture._handle_custom_msg({"seeker": 0}, [])
    assert (picture.seeker, picture.scene["seeker"], picture.message) == (0, 0, "")


@pytest.mark.parametrize("bad", [3, -1, 1.0, True, "我", None, np.nan, [0]])
def test_a_seeker_that_is_not_there_is_refused_in_words(e, bad):
    with pytest.raises(ValueError, match=r"^seeker: got .*; needs a whole number from 0 to 2$"):
        classroom(e, bad)
    picture = classroom(e, 1)
    with pytest.raises(ValueError, match=r"^seeker: "):
        picture.seeker = bad
    assert (picture.seeker, picture.scene["seeker"]) == (1, 1)
    picture._handle_custom_msg({"seeker": bad}, [])
    assert picture.message.startswith("seeker: ")
    picture._handle_custom_msg({"seeker": 2}, [])
    assert (picture.seeker, picture.message) == (2, "")


@pytest.mark.parametrize("bad", [0, 5, "5", True, None, "none", 1.5, np.array([1, 2]), []])
def test_a_step_that_is_not_there_is_refused_in_words(e, bad):
    with pytest.raises(ValueError, match=r"^step: got .*; needs one of 1, 2, 3, 4, 'all'$"):
        classroom(e, step=bad)


def test_steps(e):
    assert classroom(e).step == "all"
    assert classroom(e, step=3).step == 3
    picture = classroom(e, step=np.int64(2))
    assert type(picture.step) is int
    picture.set_state({"step": "all"})  # as the page sends it
    assert picture.step == "all"


def test_who_is_hidden():
    scene = classroom(uneven(), 1).scene
    assert [bool(one["mark"]) for one in scene["students"]] == [True, False, False, True, False]
    assert [one["weight"] for one in scene["students"]][::3] == ["0.000", "0.000"]
    assert scene["students"][0]["told"][0] == "k₁ hidden by the mask"
    late = classroom(with_fault("mask after softmax"), 0).scene  # causal where none is given
    assert [one["mark"] for one in late["students"]] == ["", "hidden by the mask", "hidden by the mask"]
    assert late["wrong"]
    assert late["total"] == "0.336"


def test_a_faint_student_is_not_a_hidden_one():
    faint = classroom(Experiment(Q=[[100.0]], K=[[100.0], [-100.0]], V=[[1.0], [2.0]])).scene["students"][1]
    assert (faint["weight"], faint["share"], faint["mark"]) == ("0.000", 0.0, "")


def test_faults_are_named_and_the_formula_is_the_one_used():
    board = {fault: [pane["formulas"] for pane in classroom(with_fault(fault)).scene["board"]] for fault in FAULTS}
    assert board["no scaling"][3][0] == "weights = softmax(scores)"
    assert board["wrong axis"][4] == ["output = softmax(Q Kᵀ / √d_k, axis=0) V"]
    assert board["mask after softmax"][4] == ["output = (softmax(Q Kᵀ / √d_k) × mask) V"]
    assert board["V is K"][3][1] == "V = K"
    assert board["V is K"][4] == ["output = softmax(Q Kᵀ / √d_k) K"]
    assert board["W_K is W_Q"][1] == ["K = X W_Q"]
    for fault in FAULTS:
        picture = classroom(with_fault(fault))
        assert picture.scene["note"]
        assert picture.scene["note"] in picture.static_text()
    assert classroom(Experiment.from_example("我爱你")).scene["note"] == ""


def test_the_line_of_numbers_tells_how_the_weight_came_about(e):
    picture = classroom(e, 2)

    def line(step):
        return picture.scene["board"][step - 1]["line"]

    assert line(4) == "你 you: 0.440 ÷ √2 ≈ 0.311 → softmax → 0.360"
    e.scale = -0.5
    assert line(4) == "我 I: 0.220 × (-0.5) = -0.110 → softmax → 0.352"
    e.scale = False
    assert line(4) == "你 you: 0.440 → softmax → 0.371"
    e.set(scale=True, mask=[[1, 1, 1], [1, 1, 1], [1, 1, 0]])
    e.focus = ("weights", 2, 2)
    assert line(4) == "你 you: 0.440 ÷ √2 ≈ 0.311 → mask → 0.000"
    e.fault = "mask after softmax"
    assert line(4) == "你 you: 0.440 ÷ √2 ≈ 0.311 → softmax → × 0 = 0.000"
    e.set_entry("X", 2, 1, -1.0)
    assert line(3) == "q · k(你 you) = (-0.100)×(-0.200) + (-0.600)×(-0.700) = 0.440"


def test_focus_outlines_a_student_and_a_click_sets_it(e):
    picture = classroom(e, 1)
    assert picture.scene["focus"] is None
    for name in ("scores", "scaled", "weights"):
        e.focus = (name, 1, 2)
        assert picture.scene["focus"] == 2
    for elsewhere in (("weights", 0, 2), ("Q", 1, 1), ("output", 1, 0), None):
        e.focus = elsewhere
        assert picture.scene["focus"] is None
    picture._handle_custom_msg({"student": 0}, [])
    assert e.focus == ("weights", 1, 0)
    assert picture.scene["board"][2]["line"].startswith("q · k(我 I) = ")
    picture.seeker = 0
    assert picture.scene["focus"] is None
    picture._handle_custom_msg({"student": None}, [])
    assert e.focus is None
    picture._handle_custom_msg({"student": 3}, [])
    assert picture.message == "student: got 3; needs a whole number from 0 to 2"
    assert e.focus is None


def test_one_message_a_change(e):
    picture = classroom(e)
    sent = updates(picture)
    changes = [
        lambda: e.set(W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]]),
        lambda: e.set(mask=np.tri(3) == 1, scale=False),
        lambda: setattr(e, "fault", "wrong axis"),
        e.reset,
        lambda: setattr(picture, "seeker", 2),
        lambda: setattr(e, "focus", ("scores", 2, 0)),
        lambda: picture._handle_custom_msg({"student": 1}, []),
        lambda: picture._handle_custom_msg({"seeker": 0}, []),
        lambda: picture._handle_custom_msg({"seeker": 9}, []),
        lambda: picture._handle_custom_msg({"seeker": 1}, []),  # the complaint goes together with the change
        lambda: setattr(picture, "step", 2),
    ]
    for number, change in enumerate(changes):
        sent.clear()
        change()
        assert [message["method"] for message in sent] == ["update"], number
    assert set(sent[-1]["state"]) == {"step"}
    sent.clear()
    e.focus = ("K", 0, 0)  # nothing in the picture changes
    e.set(W_Q=e["W_Q"])
    picture.seeker = 1
    assert sent == []


def test_an_error_is_said_and_the_next_move_works(e, monkeypatch):
    picture = classroom(e)

    def broken(*_):
        raise RuntimeError("chalk")

    monkeypatch.setattr(module, "draw", broken)
    e.set_entry("X", 0, 0, 0.5)
    assert "RuntimeError: chalk" in picture.message
    monkeypatch.undo()
    e.set_entry("X", 0, 0, 0.25)
    assert picture.message == ""
    assert picture.scene == classroom(e).scene


def test_closing_ends_the_listening(e):
    before = {name: len(handlers) for name, of_type in e._trait_notifiers.items() for handlers in of_type.values()}
    picture = classroom(e)
    scene = picture.scene
    picture.close()
    picture.close()
    e.set_entry("X", 0, 0, 0.5)
    assert picture.scene == scene
    after = {name: len(handlers) for name, of_type in e._trait_notifiers.items() for handlers in of_type.values()}
    assert {name: count for name, count in after.items() if count} == before


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("make", EXPERIMENTS)
def test_static_twin(make, language):
    start(language)
    experiment = make()
    picture = classroom(experiment, len(experiment.words) - 1)
    html, text = picture.static_html(), picture.static_text()
    bundle, _ = picture._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert (bundle["text/html"], bundle["text/plain"]) == (html, text)
    assert html.count("<table>") == html.count("</table>") == 2
    scene = picture.scene
    for one in scene["students"]:
        line = next(row for row in text.splitlines() if row.startswith(f"{one['name']}: ") and one["value"] in row)
        shown = [one[part] for part in ("key", "score", "weight", "value")]
        assert re.sub(r" \(.*\)", "", line) == f"{one['name']}: {'  '.join(shown)}"
        cells = "".join(f"<td>{cell}</td>" for cell in shown)
        assert cells in re.sub(r" \([^)]*\)</td>", "</td>", html)
    blend = " + ".join(f"{one['weight']} × {one['value']}" for one in scene["students"])
    assert f"output = {blend} {scene['equals']} {scene['output']}" in text
    assert text.splitlines()[-1] == f"{scene['name']}: {'  '.join(scene['output'][1:-1].split(', '))}"
    assert ("听到的" in text) == (language == "zh")


def test_names_are_escaped():
    experiment = Experiment(Q=[[1.0]], K=[[1.0]], V=[[1.0]], words=["<b>&"])
    assert "<b>&" not in classroom(experiment).static_html()
    assert "&lt;b&gt;&amp;" in classroom(experiment).static_html()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_can_be_heard(e, language):
    start(language)
    scene = classroom(e).scene
    assert len(scene["summary"]) == 4
    for earlier, later in zip(scene["summary"], scene["summary"][1:], strict=False):
        assert later.startswith(earlier)
        assert later != earlier
    assert "0.260" not in scene["summary"][1]
    assert "0.260" in scene["summary"][2]
    assert "0.336" not in scene["summary"][2]
    assert "0.336" in scene["summary"][3]
    one = scene["students"][1]
    assert all(one[part] in " ".join(one["told"]) for part in ("name", "key", "score", "weight", "value"))


def test_what_stays_is_in_the_chosen_language():
    frames = {}
    for language in LANGUAGES:
        start(language)
        frames[language] = classroom(Experiment.from_example("我爱你")).frame
    assert [step["value"] for step in frames["zh"]["steps"]] == [1, 2, 3, 4, "all"]
    assert [step["text"] for step in frames["zh"]["steps"]] == ["1 想", "2 看", "3 比", "4 听", "全部"]
    assert frames["en"]["steps"][3]["text"] == "4 Listen"
    assert all(word.strip() for frame in frames.values() for word in frame["words"].values())
    assert frames["zh"]["words"].keys() == frames["en"]["words"].keys()
    assert frames["en"]["same"]
    assert not classroom(uneven()).frame["same"]


def test_both_languages_have_the_same_texts():
    zh, en = (json.loads((HERE / "text" / lang / "classroom.json").read_text(encoding="utf-8")) for lang in LANGUAGES)
    assert list(zh) == list(en)
    for key in zh:
        fields = [{name for _, name, _, _ in string.Formatter().parse(text[key]) if name} for text in (zh, en)]
        assert fields[0] == fields[1], key


def test_the_page_only_displays():
    script = (HERE / "widgets" / "classroom.js").read_text(encoding="utf-8")
    for unwanted in ("innerHTML", "outerHTML", "insertAdjacent", "toFixed", "eval(", "http:", "https:"):
        assert unwanted not in script.replace("http://www.w3.org/2000/svg", ""), unwanted
    words = set(re.findall(r"\bwords\.(\w+)", script))
    assert words == set(classroom(Experiment.from_example("我爱你")).frame["words"])
