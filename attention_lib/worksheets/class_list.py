"""A class list: one name a line, or a student number and a name, as spreadsheets save them."""

import csv
import io
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from ..language import say
from .options import MOST_STUDENTS, Refused

_HEADINGS = {  # of the columns; in Chinese a part of it is enough, as in 姓名（必填）
    "name": re.compile(r".*(姓名|名字).*|学生|(student |full )?names?|student"),
    "number": re.compile(r".*学号.*|编号|序号|座号|考号|(student )?(number|no\.?|id)|nr\.?|#"),
}
_SEPARATORS = ",;\t，；"
_LONGEST = 60  # characters of a name or number
_LARGEST = 1_000_000  # bytes of a file
_WORKBOOKS = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # .xlsx and .ods, .xls
_LATIN = r"[A-Za-z]"


@dataclass(frozen=True)
class Student:
    """sheet: counted from 1; name "" where it is to be written by hand; number as the class list has it, or "";
    line: of the class list; twin: whether another student has the same name and number."""

    sheet: int
    name: str = ""
    number: str = ""
    line: int = 0
    twin: bool = False


def read_class(path: Path) -> list[Student]:
    """The students of a CSV file in its order; students of the same name and number get "(1)", "(2)" after the name.

    UTF-8 with or without a mark at its start, GBK (also GB 18030), or UTF-16 with a mark. Separated by commas,
    semicolons or tabs; the first line may be a heading. Raises Refused, which names the line, for anything else.
    """
    text = _decoded(path, _bytes(path))
    lines = _rows(path, text)
    if not lines:
        raise Refused(say("class_list.empty", path=path))
    roles = [_role(cell) for cell in lines[0][1]]
    heading = any(roles)
    if heading and "name" not in roles:
        raise Refused(say("class_list.no_name_column", path=path, line=lines[0][0]))
    for line, cells in lines:
        if len(cells) > 2:
            raise Refused(say("class_list.columns", path=path, line=line, n=len(cells), cells=" | ".join(cells)[:80]))
    people = lines[heading:]
    if not people:
        raise Refused(say("class_list.empty", path=path))
    if len(people) > MOST_STUDENTS:
        raise Refused(say("class_list.many", path=path, line=people[MOST_STUDENTS][0], most=MOST_STUDENTS))
    at = roles.index("name") if heading else _name_column(path, people)
    students = []
    for sheet, (line, cells) in enumerate(people, 1):
        name, number = (*cells, "")[:2][::-1] if at else (*cells, "")[:2]
        _check(path, line, name)
        students.append(Student(sheet, name, number[:_LONGEST], line))
    return _told_apart(students)


def _bytes(path):
    if not path.exists():
        raise Refused(say("class_list.no_file", path=path))
    if path.is_dir():
        raise Refused(say("class_list.folder", path=path))
    try:
        if path.stat().st_size > _LARGEST:
            raise Refused(say("class_list.large", path=path))
        return path.read_bytes()
    except OSError as error:
        raise Refused(say("class_list.unreadable", path=path, error=error.strerror)) from None


def _decoded(path, data):
    if data.startswith(_WORKBOOKS):
        raise Refused(say("class_list.workbook", path=path))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ("utf-16",)
    elif b"\0" in data:
        raise Refused(say("class_list.binary", path=path, line=_line(data[:data.index(b"\0")])))
    else:
        encodings = ("utf-8-sig", "gb18030")  # GB 18030 holds all of GBK
    reached = 0
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            reached = max(reached, error.start)
            continue
        if encoding == "gb18030" and (odd := _looks_garbled(text)):
            raise Refused(say("class_list.encoding", path=path, line=_line(text[:odd.start()])))
        return text
    raise Refused(say("class_list.encoding", path=path, line=_line(data[:reached])))


def _looks_garbled(text):
    """A letter such as é in some other encoding, read as GBK with the letter after it: a rare character among Latin."""
    for match in re.finditer(rf"(?<={_LATIN})[\u4e00-\u9fff]|[\u4e00-\u9fff](?={_LATIN})", text):
        try:
            match[0].encode("gb2312")
        except UnicodeEncodeError:
            return match
    return None


def _line(before):
    """The line, counted from 1, that what comes after ``before`` is in."""
    return len(re.split(r"\r\n|\r|\n", before if isinstance(before, str) else before.decode("latin-1")))


def _rows(path, text):
    """(line, cells) of each row, cells neat, empty cells at its end left out; lines of nothing only at the end."""
    text = text.lstrip("\ufeff")
    beginning = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(_SEPARATORS, key=beginning.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, empty, line = [], None, 1
    try:
        for cells in reader:
            cells = [_neat(cell) for cell in cells]
            while cells and not cells[-1]:
                cells.pop()
            if not cells:
                empty = empty or line
            elif empty:
                raise Refused(say("class_list.no_name", path=path, line=empty))
            else:
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error:
        raise Refused(say("class_list.quotes", path=path, line=line)) from None
    return rows


def _neat(cell):
    """One kind of blank, single; no invisible marks; é as one character."""
    kept = "".join(mark for mark in unicodedata.normalize("NFC", cell) if unicodedata.category(mark) != "Cf")
    return " ".join(kept.split())


def _role(cell):
    return next((role for role, heading in _HEADINGS.items() if heading.fullmatch(cell.casefold())), None)


def _name_column(path, people):
    """Without a heading: of one column, that one; of two, the one with fewer digits, and the other has the numbers."""
    pairs = [(line, cells) for line, cells in people if len(cells) == 2]
    first, second = (sum(_has_digit(cells[column]) for _, cells in pairs) for column in (0, 1))
    names = int(bool(pairs) and first >= second)
    for line, cells in pairs:
        if cells[1 - names] and not _has_digit(cells[1 - names]):
            raise Refused(say("class_list.no_number", path=path, line=line, one=cells[0], other=cells[1]))
    return names


def _has_digit(text):
    return any(map(str.isdigit, text))


def _check(path, line, name):
    if not name:
        raise Refused(say("class_list.no_name", path=path, line=line))
    if len(name) > _LONGEST:
        raise Refused(say("class_list.long", path=path, line=line, most=_LONGEST, name=name[:20]))
    if not any(map(str.isalnum, name)) or any(unicodedata.category(mark) in ("Cc", "Cs", "Co", "Cn") for mark in name):
        raise Refused(say("class_list.not_a_name", path=path, line=line, name=ascii(name)[1:-1]))


def _told_apart(students):
    often, seen, told = Counter((student.name, student.number) for student in students), Counter(), []
    for student in students:
        who = student.name, student.number
        seen[who] += 1
        told.append(replace(student, name=f"{student.name} ({seen[who]})", twin=True) if often[who] > 1 else student)
    return told
