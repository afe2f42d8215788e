"""Slides: the rule is kept in every lesson, no slide says too much, and nbconvert makes them."""

import re
import unicodedata
from itertools import pairwise

import bs4
import nbformat
import pytest
import slides
from files import all_notebooks
from nbconvert import SlidesExporter
from store import VIEW

every_notebook = pytest.mark.parametrize(
    "path", all_notebooks(), ids=[f"{path.parent.name}-{path.stem}" for path in all_notebooks()])
LINES, LOOKED_UP = 15, 20  # of 90 letters, a Chinese character being two; in map and summary one looks things up
WIDTH = 90


def lesson(path):
    return nbformat.read(path, as_version=4)


def kind(cell):
    return cell.metadata["slideshow"]["slide_type"]


def on_slides(notebook):
    """The cells of each slide, in order; what is skipped is on none."""
    found = []
    for cell in notebook.cells:
        if kind(cell) in ("slide", "subslide"):
            found.append([])
        if kind(cell) != "skip":
            found[-1].append(cell)
    return found


def lines(text):
    wide = [sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in line)
            for line in text.splitlines() if line.strip() and not re.fullmatch(r"[|\\s:-]+", line)]
    return sum(-(-width // WIDTH) for width in wide)


@every_notebook
def test_every_cell_is_marked_by_the_rule(path):
    notebook = lesson(path)
    assert [kind(cell) for cell in notebook.cells] == slides.kinds(notebook.cells)
    assert notebook.metadata["rise"] == {"scroll": True}


@every_notebook
def test_no_slide_says_too_much(path):
    notebook = lesson(path)
    assert kind(notebook.cells[0]) == "slide"
    for cells in on_slides(notebook):
        said = sum(lines(cell.source) for cell in cells)
        assert said <= (LOOKED_UP if cells[0].id in ("map", "summary") else LINES), cells[0].id


@every_notebook
def test_what_belongs_together_is_on_one_slide(path):
    notebook = lesson(path)
    for before, cell in pairwise(notebook.cells):
        if cell.id.startswith("try"):
            assert (before.id[:5], kind(before), kind(cell)) == ("panel", "subslide", "fragment")
        if cell.id.startswith("check"):
            assert kind(cell) == "-", cell.id
            assert kind(before) in ("slide", "subslide"), before.id
        if cell.cell_type == "code" and "start(" in cell.source:
            assert kind(cell) == "skip"


@every_notebook
def test_nbconvert_makes_them_with_the_numbers_in_place_of_widgets(path):
    notebook = lesson(path)
    html, _ = SlidesExporter().from_notebook_node(notebook)
    page = bs4.BeautifulSoup(html, "html.parser")
    made = [section for section in page.select(".slides section") if not section.find("section")]
    assert len(made) == len(on_slides(notebook))
    assert page.find("script", type=VIEW) is None
    for section, cells in zip(made, on_slides(notebook), strict=True):
        twins = [output.data["text/html"] for cell in cells if cell.cell_type == "code" for output in cell.outputs
                 if VIEW in output.get("data", {})]
        for twin in twins:
            words = bs4.BeautifulSoup(twin, "html.parser").get_text(" ", strip=True)
            assert words in section.get_text(" ", strip=True), cells[0].id
    assert "start(" not in page.select_one(".slides").get_text()


def test_the_tool_marks_a_notebook_and_marks_it_once(tmp_path, capsys):
    path = tmp_path / "zh" / "一.ipynb"
    path.parent.mkdir()
    source = lesson(all_notebooks()[1])
    for cell in source.cells:
        cell.metadata.clear()
    nbformat.write(source, path)
    slides.main([str(path)])
    once = path.read_bytes()
    slides.main([str(path)])
    assert path.read_bytes() == once
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == ["marked", "as it was"]
    assert [kind(cell) for cell in lesson(path).cells] == [kind(cell) for cell in lesson(all_notebooks()[1]).cells]
