"""Handouts: every lesson as one page that loads nothing, its formulas drawn, its widgets as numbers; and as PDF."""

import re
import shutil
import sys
from pathlib import Path

import bs4
import nbformat
import pytest

from attention_lib import command, language
from attention_lib.handout import __main__ as handout
from attention_lib.handout import options
from attention_lib.handout.mathml import mathml
from attention_lib.handout.page import VIEW, Look, page
from attention_lib.machine import find_browser

LESSONS = [(side, path) for side in ("zh", "en") for path in sorted((options.NOTEBOOKS / side).glob("*.ipynb"))]
every_lesson = pytest.mark.parametrize(("side", "path"), LESSONS, ids=[f"{side}-{path.stem}" for side, path in LESSONS])
LOADS = ("src", "srcset", "data", "poster", "background", "xlink:href", "action")


@pytest.fixture(autouse=True)
def english(monkeypatch):
    for module in (options, command):
        monkeypatch.setattr(module, "user_language", lambda: "en")


def words(html):
    return bs4.BeautifulSoup(html, "html.parser").get_text(" ", strip=True)


@every_lesson
def test_a_page_loads_nothing_and_runs_nothing(side, path):
    language.choose(side)
    html = page(path, side, Look(linked=frozenset({"01_classroom"})))
    soup = bs4.BeautifulSoup(html, "html.parser")
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    assert soup.find(["script", "link", "iframe", "object", "embed", "base"]) is None
    for tag in soup.find_all(True):
        assert not [name for name in LOADS if not str(tag.get(name, "data:")).startswith("data:")], tag
    style = soup.style.get_text()
    assert "@import" not in style
    assert all(place.startswith('"data:') for place in re.findall(r"url\((.*?)\)", style))
    for link in soup.find_all("a"):
        assert link["href"] == "01_classroom.html"
    assert soup.html["lang"].startswith(side)


@every_lesson
def test_everything_of_the_lesson_is_on_the_page(side, path):
    language.choose(side)
    html = page(path, side, Look())
    soup, notebook = bs4.BeautifulSoup(html, "html.parser"), nbformat.read(path, as_version=4)
    text = soup.get_text(" ", strip=True)
    assert soup.title.get_text() == notebook.cells[0].source.splitlines()[0].lstrip("# ")
    assert "$" not in soup.body.get_text()
    formulas = sum(len(re.findall(r"\$\$.+?\$\$|\$.+?\$", cell.source, re.DOTALL)) for cell in notebook.cells
                   if cell.cell_type == "markdown")
    assert len(soup.find_all("math")) == formulas
    for cell in notebook.cells:
        if "remove-cell" in cell.metadata.get("tags", ()):
            continue
        if cell.cell_type == "code":
            assert "".join(cell.source.split()) in "".join(text.split()), cell.id
        for output in cell.get("outputs", ()):
            if VIEW in output.get("data", {}):
                assert words(output.data["text/html"]) in text, cell.id
    assert VIEW not in html


def test_code_solutions_and_the_projector_button():
    start, lesson = options.NOTEBOOKS / "en" / "00_start.ipynb", options.NOTEBOOKS / "en" / "05_softmax.ipynb"
    assert "Projector mode" not in words(page(start, "en", Look()))
    assert "In front of a class" not in words(page(start, "en", Look()))
    whole, bare = page(lesson, "en", Look()), page(lesson, "en", Look(code=False))
    assert "np.exp(scaled)" in words(whole).replace(" ", "")
    assert "np.exp(scaled)" not in words(bare).replace(" ", "")
    assert "0.336" in words(bare)
    assert "<details>" in whole
    assert "Not yet" not in words(whole)
    opened = page(lesson, "en", Look(solutions=True))
    assert "<details>" not in opened
    assert len(re.findall('<details open(="")?>', opened)) == whole.count("<details>") > 4


@pytest.mark.parametrize(("tex", "parts"), [
    (r"\frac{QK^\top}{\sqrt{d_k}}", ["<mfrac>", "<msup>", "<msqrt>", "<msub>"]),
    (r"\sum_{j=1}^{n} w_{ij}", ["<munderover>" , "&#x02211;"]),
    (r"(3, 2) \xrightarrow{W_Q} Q", ['<mo stretchy="true">&#x2192;</mo>', "<mover>"]),
])
def test_formulas_are_drawn(tex, parts):
    drawn = mathml(tex, block=True)
    assert [part for part in parts if part not in drawn] == []
    assert 'display="block"' in drawn


@pytest.mark.parametrize("tex", [r"\nosuchcommand{x}", r"\frac"])
def test_a_formula_that_cannot_be_drawn_is_named(tex):
    with pytest.raises(ValueError, match=re.escape(tex[:8])):
        mathml(tex)


def test_a_formula_of_a_learner_that_cannot_be_drawn_stands_as_typed(tmp_path):
    cells = [nbformat.v4.new_markdown_cell(r"# Mine $\nosuch<b>$ and $x^2$")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "mine.ipynb")
    html = page(tmp_path / "mine.ipynb", "en", Look())
    assert r"<code>\nosuch&lt;b&gt;</code>" in html
    assert html.count("<math") == 1


@pytest.mark.parametrize(("typed", "names"), [
    (["5"], ["05_softmax"]), (["05", "05_softmax"], ["05_softmax"]), (["07", "01_classroom.ipynb"],
                                                                     ["07_playground", "01_classroom"]),
])
def test_lessons_are_named_by_number_or_name(typed, names):
    assert [path.stem for path in options.read(typed).lessons] == names


def test_what_was_typed_is_read_once_and_again():
    typed = ["--language", "zh", "--pdf", "--paper", "LETTER", "--no-code", "--solutions", "--out", "some where", "5"]
    wanted = options.read(typed)
    assert (wanted.language, wanted.paper) == ("zh", "letter")
    assert (wanted.pdf, wanted.code, wanted.solutions) == (True, False, True)
    assert wanted.out == Path("some where").absolute()
    assert options.read(wanted.arguments()) == wanted
    assert len(options.read([]).lessons) == len(LESSONS) // 2


@pytest.mark.parametrize(("typed", "said"), [
    (["99"], "There is no lesson \"99\""), (["--paper", "a3"], "\"--paper a3\" is not understood"),
    (["--language"], "not understood"), (["--pfd"], "not understood"),
])
def test_a_slip_is_told_before_anything_is_installed(monkeypatch, capsys, typed, said):
    monkeypatch.setattr(command, "prepare", lambda files: pytest.fail("installed"))
    assert command.main(["handout", *typed]) == 1
    assert said in capsys.readouterr().err


def test_the_command_hands_on_what_was_typed(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(command, "prepare", lambda files: ran.append(files))
    monkeypatch.setattr(command, "run", lambda python, *line: ran.append(line) or 0)
    assert command.main(["handout", "3", "--out", "x"]) == 0
    assert ran == [command.LEARNER, ("attention_lib.handout", "03_scores", "--language", "en", "--paper", "a4", "--out",
                                     str(Path("x").absolute()))]
    assert command.main(["handout", "--help", "--language", "zh"]) == 0
    assert "--solutions" in capsys.readouterr().out


def test_without_a_browser_the_pages_are_there_and_it_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(handout, "find_browser", lambda: None)
    assert handout.main(["00", "--pdf", "--out", str(tmp_path / "注意力")]) == 1
    assert [path.name for path in (tmp_path / "注意力").iterdir()] == ["00_start.html"]
    assert "lacks Chromium" in capsys.readouterr().err


def test_a_browser_that_prints_nothing_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(handout, "find_browser", lambda: shutil.which("false") or sys.executable)
    assert handout.main(["00", "--pdf", "--out", str(tmp_path)]) == 1
    assert "made no PDF" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert handout.main(["00", "--out", str(tmp_path / "file")]) == 1
    assert "--out" in capsys.readouterr().err


@pytest.mark.skipif(find_browser() is None, reason="no browser to print with")
@pytest.mark.parametrize(("side", "paper", "size"), [("zh", "a4", (595, 842)), ("en", "letter", (612, 792))])
def test_the_pdf_has_the_lesson_on_the_paper_asked_for(tmp_path, side, paper, size):
    pypdf = pytest.importorskip("pypdf")
    assert handout.main(["05", "--pdf", "--language", side, "--paper", paper, "--out", str(tmp_path)]) == 0
    pdf = pypdf.PdfReader(tmp_path / "05_softmax.pdf")
    assert 5 <= len(pdf.pages) <= 12
    assert {tuple(round(float(n)) for n in sheet.mediabox[2:]) for sheet in pdf.pages} == {size}
    text = "".join(sheet.extract_text() for sheet in pdf.pages)
    assert {"zh": "把分数变成份额", "en": "from scores to shares"}[side] in text
    assert "0.336" in text
    assert str(tmp_path) not in text
    assert not [note for sheet in pdf.pages for note in sheet.get("/Annots", ())]
