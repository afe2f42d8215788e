"""How many students fit on one machine: ``python tests/classroom/fits.py`` writes that part of docs/classroom.*.md.

The figures are those of the load test (``result.json`` beside this file, written by ``load.py``); where it has not run,
the bars that it must keep. Standard library only.
"""

import json
import re
from dataclasses import dataclass
from math import ceil
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULT = HERE / "result.json"
CLASSES = (10, 30, 60, 100)
SYSTEM_GIB = 2  # for Debian, the hub and its proxy
SPARE = 2  # times what a student took: further notebooks stay open


@dataclass(frozen=True)
class Figures:
    """Of the load test; memory in megabytes of 2^20 bytes. As they stand here: its bars."""

    students: int = 30
    cores: int = 2
    moving_at_once: int = 10
    all_ready_s: float = 150
    slider_p95_ms: float = 250
    memory_most_mb: float = 300
    errors: int = 0
    measured: bool = False

    def machine(self, students: int) -> tuple[int, int]:
        """Cores and GiB for a class: as many students a core as measured, memory for each with ``SPARE``."""
        cores = max(2, ceil(students * self.cores / self.students))
        return cores, SYSTEM_GIB + ceil(students * SPARE * self.memory_most_mb / 1024)


def figures() -> Figures:
    """Those of the last load test, else its bars."""
    if not RESULT.exists():
        return Figures()
    told = json.loads(RESULT.read_text(encoding="utf-8"))
    names = ("students", "cores", "moving_at_once", "all_ready_s", "slider_p95_ms", "memory_most_mb")
    return Figures(*(told[name] for name in names), errors=len(told["errors"]), measured=True)


WORDS = {
    "en": {
        True: "Measured with real servers and kernels on {cores} cores:",
        False: "Not measured yet on this copy; these are the limits that the load test must keep on {cores} cores:",
        "head": "| {students} students, {moving} of them moving sliders at any time | |",
        "rows": ("| all sign in at once: until lesson 07 is open and run for everybody | {ready:.0f} s |",
                 "| slider to new numbers, 95 of 100 moves within | {slider:.0f} ms |",
                 "| most memory of one student, with one notebook | {memory:.0f} MB |", "| errors | {errors} |"),
        "so": "What we advise from that: as many students a core, twice the memory, and {system} GiB for the system.",
        "classes": "| students at once | cores | memory |",
    },
    "zh": {
        True: "在 {cores} 核的机器上用真实的服务器和内核实测：",
        False: "这一份还没有实测，以下是负载测试在 {cores} 核上必须达到的限度：",
        "head": "| {students} 名学生，任何时刻有 {moving} 人在拖滑块 | |",
        "rows": ("| 同时登录，到人人都打开并运行完 07 课 | {ready:.0f} 秒 |",
                 "| 拖动滑块到新数字出现，100 次里有 95 次不超过 | {slider:.0f} 毫秒 |",
                 "| 打开一个笔记本时，占内存最多的那名学生 | {memory:.0f} MB |", "| 错误 | {errors} |"),
        "so": "由此建议：每核的学生数照此计算，每人的内存加倍，另留 {system} GiB 给系统。",
        "classes": "| 同时上课的学生 | 核 | 内存 |",
    },
}


def part(language: str, figures: Figures) -> str:
    """The measured figures, and the machines for classes of some sizes."""
    words = WORDS[language]
    lines = [words[figures.measured].format(cores=figures.cores), "",
             words["head"].format(students=figures.students, moving=figures.moving_at_once), "|---|---:|"]
    lines += [row.format(ready=figures.all_ready_s, slider=figures.slider_p95_ms, memory=figures.memory_most_mb,
                         errors=figures.errors) for row in words["rows"]]
    lines += ["", words["so"].format(system=SYSTEM_GIB), "", words["classes"], "|---:|---:|---:|"]
    lines += ["| {} | {} | {} GiB |".format(students, *figures.machine(students)) for students in CLASSES]
    return "\n".join(lines)


def page(language: str, figures: Figures) -> str:
    """The guide of a language with that part as these figures give it."""
    text = (ROOT / "docs" / f"classroom.{language}.md").read_text(encoding="utf-8")
    return re.sub(r"(?s)(<!-- fits.py -->\n).*(<!-- end -->)", lambda at: f"{at[1]}{part(language, figures)}\n{at[2]}",
                  text)


def main() -> None:
    for language in WORDS:
        (ROOT / "docs" / f"classroom.{language}.md").write_text(page(language, figures()), encoding="utf-8",
                                                                newline="\n")
    print(part("en", figures()))


if __name__ == "__main__":
    main()
