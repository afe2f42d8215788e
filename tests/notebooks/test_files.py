"""Each notebook of the lesson, as a file: valid, run in order, free of noise, its Markdown rendered as it was meant."""

import re
import warnings

import nbformat
import pytest
from files import LANGUAGES, all_notebooks, read, shown
from prose import pipes_in_tables, stray_asterisks, words
from terms import wrong_typing, wrong_words

every_notebook = pytest.mark.parametrize(
    "path", all_notebooks(), ids=[f"{path.parent.name}-{path.stem}" for path in all_notebooks()])
NOISE = {
    "an address": r"\b0x[0-9a-fA-F]{6,}",
    "the repr of a NumPy number": r"\bnp\.(float|int|bool)\d*_?\(",
    "a traceback": r"Traceback \(most recent call last\)",
    "a long float": r"\d\.\d{12,}",
    "a minus zero": r"(?<![\w.])-0\.?0*(?![\d.])",
    "a path of somebody's machine": r"(/home/|/Users/|/root/|/tmp/|[A-Z]:\\)",
}


def outputs(path):
    for cell in read(path)["cells"]:
        for output in cell.get("outputs", ()):
            yield cell["id"], output


def markdown(path):
    return [(cell["id"], cell["source"]) for cell in read(path)["cells"] if cell["cell_type"] == "markdown"]


def test_all_lessons_are_there():
    names = {path.stem for path in all_notebooks()}
    assert [name[:2] for name in sorted(names)] == [f"{number:02}" for number in range(len(names))]
    assert {"00_start", "07_playground"} <= names
    assert len(all_notebooks()) == len(names) * len(LANGUAGES)


@every_notebook
def test_valid_without_a_warning_and_ids_unique(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) >= (4, 5)
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids))


@every_notebook
def test_only_kernel_and_slides_are_named_and_no_widget_state_is_kept(path):
    assert read(path)["metadata"] == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "rise": {"scroll": True},
    }
    assert all(set(cell["metadata"]) <= {"tags", "jupyter", "slideshow"} for cell in read(path)["cells"])


@every_notebook
def test_every_code_cell_was_run_in_order(path):
    code = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


@every_notebook
def test_no_output_escapes_the_comparison(path):
    """nbval compares neither what is tagged nor commented away; pairs.py finds such comments."""
    tags = {tag for cell in read(path)["cells"] for tag in cell["metadata"].get("tags", ())}
    assert not any(tag.startswith("nbval") or tag == "raises-exception" for tag in tags)


@every_notebook
def test_outputs_are_free_of_errors_and_noise(path):
    found = []
    for cell, output in outputs(path):
        if output["output_type"] == "error" or output.get("name") == "stderr":
            found.append((cell, output["output_type"], output.get("name")))
        found += [(cell, what) for what, pattern in NOISE.items()
                  for text in shown(output).values() if re.search(pattern, text)]
    assert found == []


@every_notebook
def test_every_widget_has_its_static_twin(path):
    for cell, output in outputs(path):
        data = output.get("data", {})
        if "application/vnd.jupyter.widget-view+json" in data:
            assert "<" in "".join(data["text/html"]), cell
            assert not re.match(r"\w+\(", "".join(data["text/plain"])), cell


@every_notebook
def test_code_uses_no_front_end_that_may_be_missing(path):
    for cell in read(path)["cells"]:
        if cell["cell_type"] == "code":
            assert not re.search(r"%matplotlib\s+(widget|ipympl|notebook)|ipympl", cell["source"]), cell["id"]


@every_notebook
def test_the_language_is_chosen_in_the_first_code_cell(path):
    first = next(cell["source"] for cell in read(path)["cells"] if cell["cell_type"] == "code")
    assert f'start("{path.parent.name}")' in first


@every_notebook
def test_no_asterisks_are_shown(path):
    assert [(cell, stray) for cell, text in markdown(path) for stray in stray_asterisks(text)] == []


@every_notebook
def test_tables_stay_tables(path):
    assert [(cell, piece) for cell, text in markdown(path) for piece in pipes_in_tables(text)] == []


@every_notebook
def test_one_word_for_each_thing(path):
    language = path.parent.name
    assert [(cell, wrong) for cell, text in markdown(path) for wrong in wrong_words(words(text), language)] == []


@pytest.mark.parametrize("path", [path for path in all_notebooks() if path.parent.name == "zh"],
                         ids=lambda path: path.stem)
def test_chinese_is_typed_as_chinese(path):
    assert [(cell, wrong) for cell, text in markdown(path) for wrong in wrong_typing(words(text))] == []


@pytest.mark.parametrize("path", [path for path in all_notebooks() if path.parent.name == "en"],
                         ids=lambda path: path.stem)
def test_english_has_no_chinese_punctuation(path):
    assert [(cell, mark) for cell, text in markdown(path) for mark in re.findall("[，。；：？！（）、“”]", words(text))
            if mark not in "“”"] == []


@pytest.mark.parametrize(("text", "language", "wrong"), [
    ("把注意力得分除以它", "zh", ["注意力得分 → 注意力分数"]),
    ("拖动滑块，注意力分数会变", "zh", []),
    ("您看", "zh", ["您 → 你"]),
    ("the heatmap of self attention", "en", ["self attention → self-attention", "heatmap → heat map"]),
    ("the heat map of self-attention", "en", []),
])
def test_other_words_for_the_same_thing_are_found(text, language, wrong):
    assert wrong_words(text, language) == wrong


@pytest.mark.parametrize(("text", "found"), [
    ("注意力,权重", True), ("第1步", True), ("查询Q", True), ("结束.", True),
    ("三行。", False), ("第 1 步，查询 Q", False),
])
def test_half_width_marks_and_missing_spaces_are_found(text, found):
    assert bool(wrong_typing(text)) is found
