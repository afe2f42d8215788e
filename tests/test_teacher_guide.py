"""The teacher's guides: every number in them is computed, every answer is checked, both languages claim the same."""

import re
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from files import ROOT, all_notebooks
from guide_moves import claim, wrong_in
from guide_notebook import Notebook
from guide_text import courses, lessons, path, planned
from prose import words
from terms import faults

from attention_lib import Experiment, MultiHead
from attention_lib.language import LANGUAGES, choose, texts
from attention_lib.predictions import LETTERS, Choice
from attention_lib.scaling import random_scores
from attention_lib.verdict import NOT_YET, RIGHT
from attention_lib.widgets.scaling_lab import POWERS
from attention_lib.widgets.temperature import STEPS

NUMBERS = sorted({notebook.name[:2] for notebook in all_notebooks()})
GUIDES = {language: {lesson.number: lesson for lesson in lessons(language)} for language in LANGUAGES}
_NOTEBOOKS = {}
pytestmark = pytest.mark.usefixtures("language")

# Words of the page that the guides quote.
QUOTED = ("doctor.all_well", "predict.commit", "predict.again", "predict.truth", "edit.reset", "check.not_yet")

both = pytest.mark.parametrize("number", sorted(GUIDES["en"]))


def notebook(number, language):
    if (number, language) not in _NOTEBOOKS:
        _NOTEBOOKS[number, language] = Notebook(number, language)
    return _NOTEBOOKS[number, language]


def guide(language):
    return path(language).read_text(encoding="utf-8")


def test_every_lesson_has_its_part(language):
    assert list(GUIDES[language]) == NUMBERS


@both
def test_the_minutes_of_a_plan_are_those_of_the_lesson(number, language):
    plan, lesson = GUIDES[language][number].plan, notebook(number, language)
    assert sum(plan.values()) == lesson.minutes
    assert [section for section in plan if section not in ("start", "end")] == list(lesson.calls)
    heading = re.search(rf"^## {number} · .*\n\n(\d+)", guide(language), re.MULTILINE)
    assert int(heading[1]) == lesson.minutes


def test_the_minutes_of_a_course_add_up(language):
    assert [(minutes, len(classes)) for minutes, classes in courses(language)] == [(45, 3), (90, 2)]
    for minutes, classes in courses(language):
        for rows in classes:
            assert sum(row[-1] for row in rows) == minutes, rows
            for lesson, sections, own in rows:
                if lesson in GUIDES[language]:
                    assert planned(sections, GUIDES[language][lesson].plan, language) == own, (lesson, sections)
                else:
                    assert sections == "–"


@both
def test_every_move_gives_what_is_printed(number, language):
    moves = GUIDES[language][number].moves
    assert len(moves) >= 3
    assert [wrong for move in moves for wrong in wrong_in(move, notebook(number, language))] == []


@both
def test_whatever_is_edited_is_found(number, language):
    """Each printed number made another one; another start, another thing watched, another section."""
    for move in GUIDES[language][number].moves:
        edited = [replace(move, watch=move.watch[:-1]), replace(move, section="9")]
        edited += [replace(move, becomes=_other(move.becomes, match.end() - 1))
                   for match in re.finditer(r"\d+\.\d+", move.becomes)]
        if not re.search(r"\d", move.becomes):
            edited.append(replace(move, becomes="0.123 → 0.123"))
        if "→" in move.to and move.moved != "d_k":  # the lab may start anywhere
            edited.append(replace(move, to=f"7{move.to}"))
        assert [other for other in edited if not wrong_in(other, notebook(number, language))] == []


def _other(text, at):
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1:]}"


@both
def test_every_prediction_turns_out_as_printed(number, language):
    printed = GUIDES[language][number].predictions
    asked = _content(number, "PREDICTIONS")
    assert list(printed) == list(asked)
    for key, prediction in asked.items():
        truth = prediction.truth(Experiment.from_example(prediction.example))
        told = LETTERS[truth] if isinstance(prediction, Choice) else prediction.told(truth)
        assert printed[key] == told, key


@both
def test_every_answer_passes_its_check(number, language):
    answers = GUIDES[language][number].answers
    assert list(answers) == list(_content(number, "EXERCISES"))
    for key, code in answers.items():
        assert notebook(number, language).verdict(key, code).state == RIGHT, key
        assert notebook(number, language).verdict(key, "pass").state == NOT_YET, key


def _content(number, name):
    return getattr(import_module(f"attention_lib.lessons.l{number}"), name)


@both
def test_both_languages_claim_the_same(number):
    here, there = (GUIDES[language][number] for language in LANGUAGES)
    assert (here.plan, list(here.predictions), here.answers) == (there.plan, list(there.predictions), there.answers)
    claims = []
    for language in LANGUAGES:
        choose(language)
        claims.append([claim(move, notebook(number, language)) for move in GUIDES[language][number].moves])
    assert claims[0] == claims[1]


def test_the_courses_of_both_languages_are_the_same():
    assert [[[minutes for *_, minutes in rows] for rows in classes] for _, classes in courses("zh")] == [
        [[minutes for *_, minutes in rows] for rows in classes] for _, classes in courses("en")]


def test_sums_in_the_prose_are_right(language):
    sums = re.findall(r"`([\d.+*/() −-]+) = ([\d.]+)`", guide(language))
    assert len(sums) >= 3
    for terms, total in sums:
        decimals = len(total.partition(".")[2])
        assert f"{eval(terms.replace('−', '-')):.{decimals}f}" == total, terms


@both
def test_no_number_in_the_prose_is_made_up(number, language):
    """Each stands in the lesson, its questions and explanations, or the table of moves, or in a sum that is tested."""
    lesson = GUIDES[language][number]
    prose = re.sub(r"```python.*?```|`[^`]* = [\d.]+`", "", lesson.text, flags=re.DOTALL)
    cells = notebook(number, language).cells
    content_of = (ROOT / "attention_lib" / "lessons" / f"l{number}.py").read_text(encoding="utf-8")
    known = f"{lesson.moves} {lesson.predictions} {cells} {content_of}"
    assert set(re.findall(r"\d+\.\d+", prose)) - set(re.findall(r"\d+\.\d+", known)) == set()


# ---------------------------------------------------------------- what is set the faster class

def test_an_can_never_be_first():
    e = Experiment.from_example("classroom")
    random = np.random.RandomState(0)
    for _ in range(50):
        e.set(W_Q=random.uniform(-2, 2, (2, 2)), W_K=random.uniform(-2, 2, (2, 2)))
        np.testing.assert_allclose(e["scores"][:, 1], e["scores"][:, [0, 2]].mean(axis=1), rtol=0, atol=1e-12)


def test_each_recipe_sums_to_one():
    assert Experiment.from_example("我爱你")["X"].sum(axis=1).tolist() == [1, 1, 1]


def test_two_words_that_look_at_each_other():
    e = Experiment.from_example("我爱你")
    e.set(W_Q=[[2, 2], [-2, -2]], W_K=[[-2, -2], [2, 2]])
    assert e["weights"][0, 2] > 0.99
    assert e["weights"][2, 0] > 0.99


def test_the_first_power_of_two_with_a_largest_weight_above_nine_tenths():
    assert next(d_k for d_k in POWERS if random_scores().measure(d_k)["none"].largest > 0.9) == 128


def test_the_first_temperature_with_more_than_one_half():
    scaled = Experiment.from_example("我爱你")["scaled"][2]
    over = [T for T in STEPS if np.exp(scaled[2] / T) / np.exp(scaled / T).sum() > 0.5]
    assert max(over) == 0.16
    np.testing.assert_allclose(scaled / (1 / 2**0.5), scaled * 2**0.5, rtol=1e-15)


def test_nobody_looks_at_itself_nor_ahead():
    e = Experiment.from_example("我爱你")
    e.mask = ~np.eye(3, dtype=bool) & np.tri(3, dtype=bool)
    assert e["weights"].sum(axis=1).round(12).tolist() == [0, 1, 1]


def test_heads_that_are_off_compute_all_the_same():
    m = MultiHead.from_example()
    m.keep = [False, False]
    assert not m["merged"].any()
    assert not m["output"].any()
    assert m["output_1"].all()
    assert m["output_2"].all()


# ---------------------------------------------------------------- the text

def test_what_is_quoted_from_the_page_reads_so_there(language):
    assert [key for key in QUOTED if texts(language)[key] not in guide(language)] == []


def test_links_lead_somewhere(language):
    targets = re.findall(r"\]\(([^)#\s]+)", guide(language))
    assert targets
    assert [target for target in targets if not (path(language).parent / target).exists()] == []


def test_the_guides_are_linked_where_teachers_look(language):
    name = path(language).name
    assert f"docs/{name}" in (ROOT / "README.md").read_text(encoding="utf-8")
    first = "".join(cell["source"] for cell in notebook("00", language).cells)
    link = re.search(rf"\(([^()]*{re.escape(name)})\)", first)[1]
    assert (ROOT / "notebooks" / language / link).resolve() == path(language).resolve()


def test_it_is_written_in_the_words_of_the_lessons(language):
    text = guide(language)
    assert faults(text, language) == []
    if language == "en":
        assert re.findall("[，。；：？！（）、]", words(text)) == []
