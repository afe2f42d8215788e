"""Class lists as spreadsheets and people save them, and what is said of a bad one: which line, and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lib import language
from attention_lib.worksheets.class_list import read_class
from attention_lib.worksheets.options import Refused

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def listed(tmp_path):
    """What is read from a file with this content."""
    def read(content, name="class.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return read_class(path)

    return read


def told(students):
    return [(student.number, student.name) for student in students]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_name_a_line_in_any_of_these_encodings(listed, encoding, end):
    students = listed(end.join(("姓名", "王伟", "李娜", "阿依古丽·买买提", "")), encoding=encoding)
    assert told(students) == [("", "王伟"), ("", "李娜"), ("", "阿依古丽·买买提")]
    assert [student.sheet for student in students] == [1, 2, 3]
    assert [student.line for student in students] == [2, 3, 4]


def test_a_rare_character_survives_gb_18030(listed):
    assert told(listed("张㛃\n李堃\n王喆\n", encoding="gb18030")) == [("", "张㛃"), ("", "李堃"), ("", "王喆")]


@pytest.mark.parametrize("content", [
    "学号,姓名\n07,王伟\n08,李娜\n", "姓名,学号\n王伟,07\n李娜,08\n", "07,王伟\n08,李娜", "王伟,07\n李娜,08",
    "Student ID;Name\n07;王伟\n08;李娜\n", "07\t王伟\n08\t李娜\n", "07，王伟\n08，李娜\n",
    "07,王伟,,\n08,李娜,\n,,\n\n", '"07","王伟"\n"08"," 李娜 "\n', "学号,姓名\n 07 ,\u3000王伟\u200b\n08,李娜",
    "姓名（必填）,学号\n王伟,07\n李娜,08\n",
])
def test_numbers_and_names_in_either_order_and_any_separator(listed, content):
    assert told(listed(content)) == [("07", "王伟"), ("08", "李娜")]


def test_a_heading_is_known_by_its_words_and_is_not_needed(listed):
    assert told(listed("Name\nZoe\n")) == told(listed("Zoe\n")) == [("", "Zoe")]
    assert told(listed("Namaka\nZoe\n"))[0] == ("", "Namaka")


def test_a_comma_inside_quotation_marks_is_part_of_the_name(listed):
    assert told(listed('"Smith, John"\n"O\'Neil ""Tip"""\n')) == [("", "Smith, John"), ("", 'O\'Neil "Tip"')]


def test_accents_in_two_pieces_become_one_character(listed):
    assert told(listed("Jose\u0301\n")) == [("", "Jos\u00e9")]


def test_the_same_name_twice_is_told_apart_unless_the_numbers_do_it(listed):
    students = listed("王伟\n李娜\n王伟\n")
    assert [student.name for student in students] == ["王伟 (1)", "李娜", "王伟 (2)"]
    assert [student.twin for student in students] == [True, False, True]
    assert told(listed("1,王伟\n2,王伟\n")) == [("1", "王伟"), ("2", "王伟")]


def test_a_number_may_be_missing(listed):
    assert told(listed("学号,姓名\n1,王伟\n,李娜\n")) == [("1", "王伟"), ("", "李娜")]


BAD = {
    "an empty file": (b"", r"class\.csv has no names in it"),
    "only a mark": (b"\xef\xbb\xbf", "has no names"),
    "blank lines": (b"\n \n,,\n", "has no names"),
    "only a heading": ("姓名\n".encode(), "has no names"),
    "a heading without names": ("学号\n1\n".encode(), 'line 1: a heading, but no column is called "name"'),
    "an empty line between": ("王伟\n\n李娜\n".encode(), "line 2: the name is missing"),
    "a number without a name": ("1,王伟\n2,\n3,李娜\n".encode(), "line 2: the name is missing"),
    "too many columns": ("学号,姓名,性别\n1,王伟,男\n".encode(), r"line 1: 3 columns \(学号 \| 姓名 \| 性别\)"),
    "too many in one line": ("1,王伟\n2,李娜,女\n".encode(), "line 2: 3 columns"),
    "a comma in a name": (b"Zoe\nSmith, John\n", 'line 2: two columns, "Smith" and "John", but neither looks like'),
    "a lone quotation mark": ('王伟\n"李娜\n张敏\n'.encode(), "line 2: a quotation mark without its partner"),
    "Latin-1 at the end of a line": ("Zoe\nJosé\n".encode("latin-1"), "line 2: neither UTF-8 nor GBK"),
    "Latin-1 in a word": ("Zoe\nAnn\nMüller\n".encode("latin-1"), "line 3: neither UTF-8 nor GBK"),
    "UTF-8 cut in the middle": ("王伟\n李娜".encode()[:-1], "line 2: neither UTF-8 nor GBK"),
    "half of UTF-16": ("王".encode("utf-16")[:3], "line 1: neither"),
    "a workbook": (b"PK\x03\x04\x14\0", "spreadsheet's own file, not CSV"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1", "spreadsheet's own file, not CSV"),
    "a binary file": (b"abc\ndef\n\0\x01", "line 3: this is not text"),
    "a bell": (b"Zoe\nA\x07nn\n", r'line 2: "A\\x07nn" does not look like a name'),
    "dashes for a name": (b"Zoe\n---\n", 'line 2: "---" does not look like a name'),
    "half a surrogate pair": ("Zoe\nA\ue000\n".encode(), r'line 2: "A\\ue000" does not look'),
    "a whole paragraph": (b"Zoe\n" + b"long " * 30, "line 2: .* is too long; a name has at most 60"),
    "a whole town": ("王伟\n".encode() * 1000, "line 1000: too many students; at most 999"),
    "a huge file": (b"a" * 1_000_001, "is too large for a class list"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_in_words_that_name_the_line(listed, kind):
    content, said = BAD[kind]
    with pytest.raises(Refused, match=said):
        listed(content)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(Refused, match=r"There is no class list .*absent\.csv"):
        read_class(tmp_path / "absent.csv")
    with pytest.raises(Refused, match="is a folder"):
        read_class(tmp_path)


def test_it_is_said_in_the_chosen_language(listed, monkeypatch):
    monkeypatch.setattr(language, "_chosen", "zh")
    with pytest.raises(Refused, match="第 2 行没有姓名"):
        listed("王伟\n\n李娜\n")


@settings(max_examples=60)
@given(content=st.one_of(st.binary(max_size=60), st.text(max_size=40).map(str.encode),
                         st.text("王a1,;\t\"\n\r ，é", max_size=25).map(lambda text: text.encode("gb18030"))))
def test_any_file_gives_names_or_a_refusal_in_words(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    try:
        students = read_class(path)
    except Refused as refused:
        told = str(refused)
    else:
        told = str(path)
        assert students
        assert all(student.name.strip() and "\n" not in student.name for student in students)
        assert [student.sheet for student in students] == [*range(1, len(students) + 1)]
    assert str(path) in told
