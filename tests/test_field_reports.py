"""The table of reported faults: complete, and every test it names is there."""

import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = (HERE / "FIELD_REPORTS.md").read_text(encoding="utf-8")
NUMBERS = [
    1, 3, 4, 5, 7, 8, 9, 12, 14, 15, 16, 18, 19, 21, 23, 24, 27, 28, 29, 30, 32, 33, 34, 36, 38, 39, 40, 41,
    42, 44, 45, 47, 48, 49, 50, 52, 54, 55, 56, 58, 59, 61, 62, 63, 65, 66, 67, 69, 70, 71, 72, 74, 75, 77,
    78, 79, 80, 81, 82, 84, 86, 87, 89, 90, 92, 93,
]


def test_every_report_has_its_row():
    assert [int(n) for n in re.findall(r"^\| (\d\d) \|", TABLE, re.MULTILINE)] == NUMBERS


def test_every_test_it_names_is_there():
    there = {name for path in HERE.rglob("test_*.py")
             for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)}
    named = set(re.findall(r"`(test_\w+)`", TABLE))
    assert named - there == set()
    assert len(named) > 50
