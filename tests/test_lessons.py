"""Whatever the lessons predict and ask: texts, truths, solutions, own mistakes, and the cells they stand in."""

import re
from importlib import import_module
from pathlib import Path
from string import Formatter

import nbformat
import numpy as np
import pytest

import attention_lib
from attention_lib import Experiment, check, hint, predict, solution
from attention_lib.exercises import ChoiceExercise, Exercise, FunctionExercise
from attention_lib.filling import fill
from attention_lib.judge_function import fresh
from attention_lib.language import LANGUAGES, chosen, say
from attention_lib.lessons import numbers
from attention_lib.mistakes import NAMES, Sheet
from attention_lib.predictions import Choice, Number, Weights
from attention_lib.verdict import NOT_YET, RIGHT, WRONG

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("language")]

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def everything(table):
    return {key: entry for number in numbers()
            for key, entry in getattr(import_module(f"attention_lib.lessons.l{number}"), table, {}).items()}


PREDICTIONS, EXERCISES = everything("PREDICTIONS"), everything("EXERCISES")
FOLLOWING = [key for key, exercise in EXERCISES.items()
             if isinstance(exercise, Exercise) and exercise.decimals is None and 'e["' in exercise.solution]
FUNCTIONS = [key for key, exercise in EXERCISES.items() if isinstance(exercise, FunctionExercise)]


def named(exercise, e):
    """What a solution may use: e and its matrices by name, n, d_k, numpy and the public names."""
    public = {name: getattr(attention_lib, name) for name in attention_lib.__all__}
    return public | {"np": np, "e": e, "n": len(e["K"]), "d_k": e["K"].shape[1]} | {name: e[name] for name in e.names}


def solved(exercise, e):
    space = named(exercise, e)
    exec(compile(exercise.solution, "<solution>", "exec"), space)
    return space[exercise.name]


def places(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def texts_of(entry):
    names = ("question", "because", "hint", "explanation", "unit")
    texts = [getattr(entry, name, None) for name in names]
    own = [text for text, _ in entry.mistakes if isinstance(text, dict)] if hasattr(entry, "mistakes") else []
    return [text for text in [*texts, *own] if isinstance(text, dict)]


def sheet_of(entry):
    return Sheet.of(Experiment.from_example(entry.example))


def test_keys_belong_to_their_lesson():
    for number in numbers():
        module = import_module(f"attention_lib.lessons.l{number}")
        assert all(re.fullmatch(rf"{number}\.\d+", key) for key in getattr(module, "PREDICTIONS", {}))
        assert all(re.fullmatch(rf"{number}\.[a-z]", key) for key in getattr(module, "EXERCISES", {}))


@pytest.mark.parametrize("key", [*PREDICTIONS, *EXERCISES])
def test_texts_are_there_in_both_languages_with_the_same_places(key):
    entry = (PREDICTIONS | EXERCISES)[key]
    for text in texts_of(entry):
        assert set(text) == set(LANGUAGES)
        for written in text.values():
            assert written.strip() == written
            assert written
            assert written.count("`") % 2 == 0
            assert "**" not in written
            assert "$" not in written
        assert text["zh"] != text["en"] or not re.search("[a-z]{3}", text["en"])
        if getattr(entry, "values", None):
            assert places(text["zh"]) == places(text["en"])
            assert fill(text, entry.values(sheet_of(entry)))
    if isinstance(entry, Choice):
        assert len(entry.options["zh"]) == len(entry.options["en"]) >= 2
        assert all(len(set(options)) == len(options) for options in entry.options.values())


# ---------------------------------------------------------------- predictions

@pytest.mark.parametrize("key", PREDICTIONS)
def test_the_truth_can_be_computed(key):
    asked = PREDICTIONS[key]
    truth = asked.truth(Experiment.from_example(asked.example))
    if isinstance(asked, Choice):
        assert isinstance(truth, int | np.integer)
        assert not isinstance(truth, bool)
        assert 0 <= truth < len(asked.options["zh"])
    elif isinstance(asked, Number):
        assert np.isfinite(float(truth))
        assert asked.tolerance > 0
    else:
        assert isinstance(asked, Weights)
        assert np.isclose(np.sum(truth), 1, rtol=0, atol=1e-12)
        assert np.min(truth) >= 0
        assert len(asked.names(Experiment.from_example(asked.example))) == len(truth)


@pytest.mark.parametrize("key", PREDICTIONS)
def test_the_explanation_has_all_its_numbers_and_the_question_none_to_fill(key):
    asked = PREDICTIONS[key]
    values = asked.values(Experiment.from_example(asked.example)) if asked.values else None
    assert fill(asked.because, values)
    if values is None:
        assert not places(asked.because["en"].replace("{{", "").replace("}}", ""))
    widget = predict(key)
    assert widget.static_text()
    widget.close()


# ---------------------------------------------------------------- exercises

@pytest.mark.parametrize("key", EXERCISES)
def test_the_solution_is_right(key):
    exercise = EXERCISES[key]
    e = Experiment.from_example(exercise.example)
    verdict = check(key, solved(exercise, e), e)
    assert verdict.state == RIGHT, verdict
    if exercise.explanation:
        assert verdict.lines[-1] == fill(exercise.explanation, exercise.values and exercise.values(Sheet.of(e)))


@pytest.mark.parametrize("key", [*FUNCTIONS, *FOLLOWING])
def test_a_solution_is_right_whatever_the_sliders_say(key):
    exercise = EXERCISES[key]
    e = Experiment.from_example(exercise.example)
    e.set_entry(e.inputs[0], 1, 1, -1.3)
    e.set_entry(e.inputs[-1], 0, 1, 0.7)
    verdict = check(key, solved(exercise, e), e)
    assert verdict.state == RIGHT, verdict


@pytest.mark.parametrize("key", EXERCISES)
def test_the_stub_is_not_yet(key):
    exercise = EXERCISES[key]
    e = Experiment.from_example(exercise.example)
    verdict = check(key, ..., e)
    assert verdict.state == NOT_YET
    if isinstance(exercise, FunctionExercise):
        parameters = ", ".join(exercise.arguments) or "*case"
        space = {}
        exec(f"def stub({parameters}):\n    ...", space)
        assert check(key, space["stub"], e).state == NOT_YET
        assert check(key, exercise.solution, e).lines == (say("check.needs_function", name=exercise.name),)
    assert exercise.solution.strip() not in repr(verdict)


@pytest.mark.parametrize("key", EXERCISES)
def test_own_mistakes_are_wrong_and_are_named(key):
    exercise = EXERCISES[key]
    e = Experiment.from_example(exercise.example)
    for text, mistake in exercise.mistakes:
        assert isinstance(text, dict) or text in NAMES
        if isinstance(exercise, FunctionExercise):
            answer = lambda *case, mistake=mistake: mistake(*fresh(case))  # noqa: E731
        else:
            answer = mistake(Sheet.of(e)) if callable(mistake) else mistake
        verdict = check(key, answer, e)
        assert verdict.state == WRONG, (text, verdict)
        told = text[chosen()] if isinstance(text, dict) else say(f"mistake.{text}").split("{")[0]
        assert any(told in line for line in verdict.lines), (told, verdict)


@pytest.mark.parametrize("key", EXERCISES)
def test_hint_and_solution_can_be_shown(key):
    assert repr(hint(key))
    assert repr(solution(key)).endswith(EXERCISES[key].solution.strip())
    assert isinstance(EXERCISES[key], Exercise | FunctionExercise | ChoiceExercise)


# ---------------------------------------------------------------- their cells

def code_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")


@pytest.mark.parametrize("number", numbers())
def test_each_is_asked_in_its_notebook_and_under_its_name(language, number):
    for path in (NOTEBOOKS / language).glob(f"{number}_*.ipynb"):
        code = code_of(path)
        assert sorted(re.findall(r'\bpredict\("([^"]+)"', code)) == sorted(
            key for key in PREDICTIONS if key.startswith(f"{number}."))
        asked = dict(re.findall(r'\bcheck\("([^"]+)",\s*(\w+)', code))
        assert asked == {key: exercise.name for key, exercise in EXERCISES.items() if key.startswith(f"{number}.")}


@pytest.mark.parametrize("number", numbers())
def test_each_ends_with_its_record_of_guesses_and_a_fresh_copy_holds_none(language, number):
    for path in (NOTEBOOKS / language).glob(f"{number}_*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        ids = [cell.id for cell in cells]
        record = cells[ids.index("record")]
        assert ids[ids.index("record") - 1:][:3] == ["record-note", "record", "summary"]
        assert record.source == "predictions_summary()"
        assert [output.data["text/plain"] for output in record.outputs] == [say("summary.none")]
