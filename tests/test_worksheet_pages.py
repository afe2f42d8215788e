"""The pages of the worksheets: what stands where, in both languages and on both papers, and what is in the files."""

import gc
import sys
import time
import warnings
from contextlib import ExitStack
from itertools import combinations, product

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont
from pypdf import PdfReader

from attention_lib import language
from attention_lib.worksheets import letters
from attention_lib.worksheets.__main__ import main, make, students_of, write
from attention_lib.worksheets.class_list import Student
from attention_lib.worksheets.key import draw_key, students_a_page
from attention_lib.worksheets.options import Options, Refused, read
from attention_lib.worksheets.paper import SIZES, Paper
from attention_lib.worksheets.problems import DECIMALS, problem
from attention_lib.worksheets.sheet import draw_sheet, written

KINDS = [*product(("zh", "en"), ("a4", "letter"))]
PEOPLE = [
    Student(1), Student(2, "王伟", "2024001"), Student(3, "阿卜杜热合曼·买买提艾力", "20240000000000000003"),
    Student(4, "Nguyễn Thị Minh Khai Wolfeschlegelsteinhausen", "7 $x$"), Student(5, "$W_Q$ \\ {x}"),
    Student(6, "王" * 60, "9" * 60), Student(999, "Zoë", "№ 1"),
]
ANSWERS = ("Q", "K", "V", "scores", "scaled", "exp", "sums", "weights", "checks", "output")
BLANKS = {
    *(f"{name}[{row},{column}]" for name, columns in {"Q": 2, "K": 2, "V": 2, "scores": 3, "scaled": 3, "exp": 3,
      "weights": 3, "output": 2}.items() for row in range(3) for column in range(columns)),
    *(f"{name}[{row}]" for name in ("sums", "checks", "most") for row in range(3)),
}


@pytest.fixture(scope="module")
def solved():
    return [(student, problem(1, student.sheet)) for student in PEOPLE]


@pytest.fixture(scope="module")
def drawings(solved):
    """Sheets and key of these students, in each language and on each paper."""
    before = language.chosen()
    with ExitStack() as papers:
        made = {kind: drawn(papers, solved, *kind) for kind in KINDS}
        language.choose(before)
        yield made


def drawn(papers, solved, code, size):
    language.choose(code)
    width, height = SIZES[size]
    sheets = papers.enter_context(Paper(width, height, "sheets", code))
    key = papers.enter_context(Paper(height, width, "key", code))
    for student, given in solved:
        draw_sheet(sheets, student, given, 1)
    draw_key(key, solved, 1, 1, 1)
    return sheets, key


def overlapping(marks, kinds, by=0.05):
    """Pairs of marks that share more than ``by`` mm in both directions."""
    marks = [mark for mark in marks if mark.kind in kinds]
    return [(one, other) for one, other in combinations(marks, 2)
            if min(one.x + one.width, other.x + other.width) - max(one.x, other.x) > by
            and min(one.y + one.height, other.y + other.height) - max(one.y, other.y) > by]


@pytest.mark.parametrize(("code", "size"), KINDS)
def test_nothing_leaves_the_page_and_nothing_lies_on_anything_else(drawings, code, size):
    for paper, (across, down) in zip(drawings[code, size], ((14, 5), (11.9, 9)), strict=True):
        for marks in paper.pages:
            assert overlapping(marks, ("words", "blank")) == []
            for mark in marks:
                assert mark.x >= across, mark
                assert mark.x + mark.width <= paper.width - across, mark
                assert mark.y >= down, mark
                assert mark.y + mark.height <= paper.height - down, mark


@pytest.mark.parametrize(("code", "size"), KINDS)
def test_there_is_a_blank_for_every_number_large_enough_to_write_in(drawings, code, size):
    for marks in drawings[code, size][0].pages:
        blanks = [mark for mark in marks if mark.kind == "blank"]
        assert sorted(mark.what for mark in blanks) == sorted(BLANKS)
        assert all(mark.width >= 12 and mark.height >= 8 for mark in blanks)


@pytest.mark.parametrize(("code", "size"), KINDS)
def test_the_blanks_of_a_matrix_stand_as_its_rows_and_columns_do(drawings, code, size):
    language.choose(code)
    marks = drawings[code, size][0].pages[0]
    at = {mark.what: mark for mark in marks if mark.kind == "blank"}
    words = language.say("sheet.words").split()
    for name, columns in {"Q": 2, "scores": 3, "weights": 3, "output": 2}.items():
        rows = [[at[f"{name}[{row},{column}]"] for column in range(columns)] for row in range(3)]
        for row, word in zip(rows, words, strict=True):
            assert len({mark.y for mark in row}) == 1
            assert [mark.x for mark in row] == sorted(mark.x for mark in row)
            beside = [mark for mark in marks if mark.what == word and mark.kind == "words"
                      and row[0].y < mark.y + mark.height / 2 < row[0].y + row[0].height and mark.x < row[0].x]
            assert beside, (name, word)
        assert [row[0].y for row in rows] == sorted(row[0].y for row in rows)


@pytest.mark.parametrize("code", ["zh", "en"])
def test_a_sheet_shows_the_inputs_and_none_of_the_answers(solved, drawings, code):
    language.choose(code)
    for (student, given), marks in zip(solved, drawings[code, "a4"][0].pages, strict=True):
        words = [mark.what for mark in marks if mark.kind == "words"]
        numbers = [word for word in words if word.lstrip("−").replace(".", "", 1).isdigit() and "." in word]
        inputs = [written(x, 1) for name in ("X", "W_Q", "W_K", "W_V") for x in getattr(given, name).ravel()]
        assert numbers == inputs
        assert student.name in words or not student.name
        assert language.say("sheet.number", number=student.sheet) in words
        assert language.say("sheet.foot", seed=1, number=student.sheet) in words


@pytest.mark.parametrize(("code", "size"), KINDS)
def test_the_key_has_every_number_of_every_student_line_by_line(solved, drawings, code, size):
    language.choose(code)
    lines = {}
    for mark in drawings[code, size][1].pages[0]:
        if mark.kind == "words":
            lines.setdefault(round(mark.y + 0.78 * mark.height, 1), []).append(mark)  # by what they stand on
    lines = [[mark.what for mark in sorted(line, key=lambda mark: mark.x)] for _, line in sorted(lines.items())]
    words = language.say("sheet.words").split()
    for student, given in solved:
        start = next(i for i, line in enumerate(lines) if line[0] == language.say("sheet.number", number=student.sheet))
        assert student.name in lines[start] or not student.name
        for row, word in enumerate(words):
            expected = [written(x, DECIMALS[name]) for name in ANSWERS for x in getattr(given, name)[row]]
            assert lines[start + 1 + row] == [word, *expected, f"{word} → {words[given.most[row]]}"]


@pytest.mark.parametrize("size", ["a4", "letter"])
def test_a_page_of_the_key_holds_at_least_eight_students(size):
    width, height = SIZES[size]
    with Paper(height, width, "key", "en") as key:
        assert students_a_page(key) >= 8


def test_a_paper_that_is_never_finished_leaves_no_font_open():
    gc.collect()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        with Paper(100, 100, "", "en"):
            pass
        gc.collect()
    assert [str(warning.message) for warning in told] == []


def options(tmp_path, **changed):
    return Options(**{"language": "en", "paper": "a4", "students": 3, "class_list": None, "seed": 1,
                      "out": tmp_path / "for 班级"} | changed)


def text(page):
    """What is written on a page of a PDF file, without blanks: readers do not agree where they are."""
    return "".join(page.extract_text().replace("\0", "").split())


@pytest.fixture(scope="module")
def forty(tmp_path_factory):
    """Sheets and key for forty, and the seconds it took: its own, whatever else the machine does meanwhile."""
    started = time.process_time()
    paths = make(options(tmp_path_factory.mktemp("forty"), students=40))
    return *paths, time.process_time() - started


def test_forty_students_in_twenty_seconds_with_small_files_and_embedded_fonts(forty):
    sheets, key, seconds = forty
    assert seconds < 20
    assert sheets.stat().st_size < 500_000
    assert key.stat().st_size < 100_000
    for path, pages, (width, height) in ((sheets, 40, SIZES["a4"]), (key, 5, SIZES["a4"][::-1])):
        pdf = PdfReader(path)
        assert len(pdf.pages) == pages
        sides = [float(side) * 25.4 / 72 for side in pdf.pages[0].mediabox[2:]]
        assert sides == pytest.approx([width, height], abs=0.01)
        for font in pdf.pages[0]["/Resources"]["/Font"].values():
            descriptor = font["/DescendantFonts"][0]["/FontDescriptor"]
            assert {"/FontFile2", "/FontFile3"} & set(descriptor), font["/BaseFont"]


def test_a_gbk_list_gives_sheets_and_a_key_with_its_names(tmp_path, capsys):
    path = tmp_path / "名单.csv"
    path.write_bytes("学号,姓名\n01,王伟\n02,李娜\n".encode("gbk"))
    sheets, key = (PdfReader(made) for made in make(options(tmp_path, students=None, class_list=path, language="zh")))
    assert "2 人，从 王伟 到 李娜" in capsys.readouterr().out
    for number, name, page in zip((1, 2), ("王伟", "李娜"), sheets.pages, strict=True):
        given, told = problem(1, number), text(page)
        assert told.startswith(f"手算自注意力第{number}张")
        assert f"{name}0{number}" in told or f"0{number}{name}" in told
        for matrix in ("X", "W_Q", "W_K", "W_V"):
            assert "".join(written(x, 1) for x in getattr(given, matrix).ravel()) in told
        answer = "".join(written(x, 3) for x in given.weights[0])
        assert answer not in told
        assert text(key.pages[0]).index(name) < text(key.pages[0]).index(answer)


def test_the_same_seed_makes_the_same_files_and_sheets_stay_when_the_class_grows(tmp_path, forty, capsys):
    first = [path.read_bytes() for path in make(options(tmp_path, students=2))]
    time.sleep(1.1)  # the files hold no time
    again = make(options(tmp_path, students=2))
    assert [path.read_bytes() for path in again] == first
    small, large = (PdfReader(path).pages[:2] for path in (again[0], forty[0]))
    assert [text(page) for page in small] == [text(page) for page in large]
    assert "Self-attentionbyhandSheet1" in text(small[0])
    told = capsys.readouterr()
    assert all(str(path) in told.out for path in again)
    assert told.err == ""  # no progress bar in a file


def test_another_seed_makes_other_files_under_another_name_and_people_see_a_progress_bar(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    paths = make(options(tmp_path, students=1, seed=7))
    assert [path.name for path in paths] == ["worksheets-seed7.pdf", "worksheets-seed7-key.pdf"]
    assert set(paths[0].parent.iterdir()) == set(paths)
    told = text(PdfReader(paths[0]).pages[0])
    assert "".join(written(x, 1) for x in problem(7, 1).W_Q.ravel()) in told
    assert "seed7,sheet1" in told
    assert "Making sheets: 100%" in capsys.readouterr().err


def a_font(path, characters, **tables):
    """A font file with a square for each of these characters."""
    font = FontBuilder(1000, isTTF=True)
    names = {ord(mark): f"u{ord(mark):X}" for mark in characters}
    pen = TTGlyphPen(None)
    for i, corner in enumerate(((0, 0), (0, 800), (800, 800), (800, 0))):
        (pen.lineTo if i else pen.moveTo)(corner)
    pen.closePath()
    font.setupGlyphOrder([".notdef", *names.values()])
    font.setupCharacterMap(names)
    font.setupGlyf(dict.fromkeys([".notdef", *names.values()], pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys([".notdef", *names.values()], (900, 50)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": path.stem, "styleName": "Regular", "psName": path.stem})
    font.setupOS2(**tables)
    font.setupPost()
    font.save(path)
    return str(path)


@pytest.fixture
def machine(monkeypatch):
    """Sets the font files of this machine."""
    return lambda *paths: monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda: list(paths))


def a_list(tmp_path, *names):
    path = tmp_path / "names.csv"
    path.write_text("\n".join(names) + "\n", encoding="utf-8")
    return options(tmp_path, students=None, class_list=path)


def a_collection(path, characters):
    """Three faces in one file; the second is the one for simplified Chinese."""
    collection = TTCollection()
    collection.fonts = [TTFont(a_font(path.with_name(f"Rare {place}.ttf"), characters)) for place in ("JP", "SC", "TC")]
    collection.save(path)
    for font in collection.fonts:
        font.close()
    return str(path)


def test_a_rare_character_is_drawn_with_a_font_of_this_machine_or_replaced_in_sight(tmp_path, machine, capsys):
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font" * 1000)
    forbidden = a_font(tmp_path / "forbidden.ttf", "㛃堃喆" + "一二三四五", fsType=2)
    machine(str(broken), str(tmp_path / "gone.ttf"), forbidden, a_font(tmp_path / "square.ttf", "堃"),
            a_collection(tmp_path / "rare.ttc", "㛃"))
    assert letters.find({"㛃", "堃", "喆"}) == {"㛃": (tmp_path / "rare.ttc", 1), "堃": (tmp_path / "square.ttf", 0)}
    sheets, key = (PdfReader(path) for path in make(a_list(tmp_path, "张㛃", "李堃", "王\U00020bb7喆", "王伟")))
    told = [text(page) for page in (*sheets.pages, key.pages[0])]
    assert "张㛃" in told[0]
    assert "李堃" in told[1]
    assert "王〓〓" in told[2]
    assert all(name in told[-1] for name in ("张㛃", "李堃", "王〓〓", "王伟"))
    fonts = {font["/BaseFont"].split("+")[1] for page in sheets.pages for font in page["/Resources"]["/Font"].values()}
    assert {"square", "RareSC"} <= fonts
    told = capsys.readouterr().out
    assert 'Line 3, "王\U00020bb7喆": no font of this machine has "\U00020bb7喆". "〓" is printed in its place' in told
    assert told.count("no font of this machine") == 1


def test_no_font_is_looked_for_where_the_shipped_ones_are_enough(monkeypatch):
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda: pytest.fail("looked"))
    assert letters.lacking(["王伟", "Nguyễn", "Łódź", "阿依古丽·买买提", letters.STAND_IN]) == set()
    assert letters.find(set()) == {}
    assert letters.lacking(["张㛃"]) == {"㛃"}


def test_twins_are_told_of(tmp_path, capsys):
    assert [student.name for student in students_of(a_list(tmp_path, "王伟", "王伟"))] == ["王伟 (1)", "王伟 (2)"]
    assert "王伟 (1), 王伟 (2)" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_is_said_and_nothing_is_left_half_done(tmp_path):
    (tmp_path / "sheets.pdf").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path / "sheets.pdf", tmp_path / "file" / "sheets.pdf"):
        with pytest.raises(Refused, match=r"Cannot write .*sheets\.pdf"):
            write(path, b"%PDF")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "sheets.pdf"]


def test_what_is_between_dollars_is_a_formula_and_a_name_never_is():
    with Paper(100, 100, "", "en") as paper:
        paper.new_page()
        runs = list(paper._runs("a $d_k$ √ $√{2}$ $K^T$ $e^{scaled}$"))
        assert [(run.font, run.text) for run in runs] == [
            ("main", "a "), ("slanted", "d"), ("slanted", "k"), ("main", " "), ("more", "√"), ("main", " "),
            ("upright", "√"), ("upright", "2"), ("main", " "), ("slanted", "K"), ("upright", "T"), ("main", " "),
            ("slanted", "e"), ("upright", "scaled")]
        assert [run.text for run in runs if run.root] == ["2"]
        assert [run.text for run in runs if run.up > 0] == ["T", "scaled"]
        assert [run.text for run in runs if run.up < 0] == ["k"]
        assert [(run.font, run.text) for run in paper._runs("$d_k$", literal=True)] == [("main", "$d_k$")]


@pytest.mark.parametrize("code", ["zh", "en"])
def test_help_names_every_option(capsys, code):
    from attention_lib.worksheets.options import _OPTIONS

    assert main(["--language", code, "--help"]) == 0
    told = capsys.readouterr().out
    assert all(option in told for option in _OPTIONS)
    assert ("为每个学生" in told) is (code == "zh")


@pytest.mark.parametrize(("typed", "said"), [
    ([], "Say how many with --students N, or who with --class-list FILE"),
    (["--students", "3", "--class-list", "a.csv"], "one of the two"),
    (["--student", "3"], '"--student 3" is not known here'),
    (["40"], '"40" is not known here'),
    (["--students"], "--students needs a value after it"),
    (["--students", "3", "--out"], "--out needs a value after it"),
    (["--students", "0"], '--students cannot be "0". It takes a whole number from 1 to 999'),
    (["--students", "1000"], "from 1 to 999"),
    (["--students", "4.5"], '"4.5"'),
    (["--students", "3", "--seed", "-1"], '--seed cannot be "-1"'),
    (["--students", "3", "--seed", "x"], '--seed cannot be "x"'),
    (["--students", "3", "--paper", "a3"], '--paper cannot be "a3". There are: a4, letter'),
    (["--students", "3", "--language", "fr"], '--language cannot be "fr". There are: zh, en'),
    (["--class-list", "absent.csv"], "There is no class list"),
])
def test_a_slip_is_told_in_words(capsys, monkeypatch, typed, said):
    monkeypatch.setattr("attention_lib.worksheets.options.user_language", lambda: "en")
    assert main(typed) == 1
    assert said in capsys.readouterr().err


def test_what_is_not_said_is_as_the_help_says(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("attention_lib.worksheets.options.user_language", lambda: "zh")
    wanted = read(["--students", "４０"])
    assert wanted == Options("zh", "a4", 40, None, 1, tmp_path / "worksheets")
    assert read(wanted.arguments()) == wanted
    listed = read(["--class-list", "名单.csv", "--language=en", "--paper", "Letter", "--seed", "7", "--out", "a b"])
    assert listed == Options("en", "letter", None, tmp_path / "名单.csv", 7, tmp_path / "a b")
    assert read(listed.arguments()) == listed
