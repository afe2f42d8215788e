"""``python -m attention_lib.worksheets``: two PDF files, the sheets and their answer key."""

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from .. import language
from ..language import say
from ..machine import plain_console
from .class_list import Student, read_class
from .letters import STAND_IN, find, lacking
from .options import Options, Refused, read, wants_help


def main(arguments: list[str] | None = None) -> int:
    """Read the options and make the files; 0 when all is well, else 1 after saying why not."""
    plain_console()
    arguments = sys.argv[1:] if arguments is None else arguments
    if wants_help(arguments):
        print(say("worksheets.help"))
        return 0
    try:
        make(read(arguments))
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + say("command.interrupted"), file=sys.stderr)
        return 130
    return 0


def make(options: Options) -> tuple[Path, Path]:
    """Write both files and say where; returns their paths. Raises Refused in words."""
    language.choose(options.language)
    students = students_of(options)
    from .key import draw_key, students_a_page
    from .paper import SIZES, Paper
    from .problems import problem
    from .sheet import draw_sheet

    width, height = SIZES[options.paper]
    with (Paper(width, height, say("sheet.title"), options.language) as sheets,
          Paper(height, width, say("key.title"), options.language) as key):
        students = printable(students, sheets, key)
        solved = []
        for student in tqdm(students, desc=say("worksheets.progress"), disable=None):
            solved.append((student, problem(options.seed, student.sheet)))
            draw_sheet(sheets, *solved[-1], options.seed)
        a_page = students_a_page(key)
        parts = [solved[i:i + a_page] for i in range(0, len(solved), a_page)]
        for page, part in enumerate(parts, 1):
            draw_key(key, part, options.seed, page, len(parts))
        paths = [options.out / f"worksheets-seed{options.seed}{end}.pdf" for end in ("", "-key")]
        for paper, path in zip((sheets, key), paths, strict=True):
            write(path, paper.finished())
    print(say("worksheets.wrote", sheets=len(sheets.pages), path=paths[0]))
    print(say("worksheets.wrote_key", pages=len(key.pages), path=paths[1]))
    print(say("worksheets.print"))
    return tuple(paths)


def students_of(options: Options) -> list[Student]:
    """Who gets a sheet; says what was read from a class list. Raises Refused in words."""
    if options.class_list is None:
        return [Student(sheet) for sheet in range(1, options.students + 1)]
    students = read_class(options.class_list)
    print(say("worksheets.read", n=len(students), first=students[0].name, last=students[-1].name))
    if twins := [student.name for student in students if student.twin]:
        print(say("worksheets.twins", names=", ".join(twins)))
    return students


def printable(students: list[Student], *papers) -> list[Student]:
    """The students with names that these papers can print; says which character of which name is replaced."""
    missing = lacking(text for student in students for text in (student.name, student.number))
    found = find(missing)
    for paper in papers:
        paper.borrow(found)
    missing -= found.keys()
    instead = str.maketrans(dict.fromkeys(missing, STAND_IN))
    for student in students:
        if marks := "".join(dict.fromkeys(mark for mark in student.name + student.number if mark in missing)):
            print(say("worksheets.stand_in", line=student.line, name=student.name, marks=marks, stand_in=STAND_IN))
    return [replace(student, name=student.name.translate(instead), number=student.number.translate(instead))
            for student in students]


def write(path: Path, data: bytes) -> None:
    """All of the file or nothing: what was there stays until the new one is complete. Raises Refused in words."""
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise Refused(say("worksheets.cannot_write", path=path, error=error.strerror)) from None


if __name__ == "__main__":
    sys.exit(main())
