"""How many nodes a class needs: ``python classroom/kubernetes/size.py`` writes the tables of docs/kubernetes.*.md anew,
and the guarantees in values.yaml.

The figures are those of the load test (``tests/classroom/result.json``, written by ``python tests/classroom/load.py``);
where it has not run, the bars that it must keep. Standard library only.
"""

import json
import re
from dataclasses import dataclass
from math import ceil
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULT = ROOT / "tests" / "classroom" / "result.json"
SIZES = (100, 1_000, 10_000)
GIBIBYTE = 1024  # megabytes of 2^20 bytes, as the load test counts them


@dataclass(frozen=True)
class Figures:
    """Of the load test: a class of ``students`` on ``cores`` cores, and the most memory (MB) that one student took."""

    students: int = 30
    cores: int = 2
    memory_most_mb: float = 300
    measured: bool = False

    @property
    def memory(self) -> int:
        """Megabytes guaranteed to a student: the most that one took, rounded up to tens."""
        return ceil(self.memory_most_mb / 10) * 10

    @property
    def cpu(self) -> float:
        """Cores guaranteed to a student: all of the machine's, divided by the class; rounded up to hundredths."""
        return ceil(self.cores / self.students * 100) / 100


@dataclass(frozen=True)
class Node:
    """A machine of the cluster, and what of it is left for students (memory in MB)."""

    cores: float = 8
    memory: float = 32 * GIBIBYTE
    kept_cores: float = 0.5  # for the system and Kubernetes
    kept_memory: float = 4 * GIBIBYTE
    pods: int = 110  # Kubernetes' own limit
    kept_pods: int = 10

    def students(self, figures: Figures) -> int:
        """How many students fit on one."""
        return min(int((self.memory - self.kept_memory) // figures.memory),
                   int((self.cores - self.kept_cores) / figures.cpu + 1e-9), self.pods - self.kept_pods)


@dataclass(frozen=True)
class Size:
    """What ``students`` need who all work at the same time."""

    students: int
    hubs: int
    nodes: int  # with students on them, one of them spare
    storage_gib: int


HUB_STUDENTS = 2_000  # at most on one hub, which is a single process
SPARE = 1  # node that may fail without anybody waiting
STORAGE_GIB = 1  # of a student's home


def size(students: int, figures: Figures, node: Node = Node()) -> Size:
    """Hubs and nodes for ``students`` at once; ValueError where there are none."""
    if students < 1:
        raise ValueError(f"students must be at least 1, not {students}")
    return Size(students, ceil(students / HUB_STUDENTS), ceil(students / node.students(figures)) + SPARE,
                students * STORAGE_GIB)


def figures() -> Figures:
    """Those of the last load test, else its bars."""
    if not RESULT.exists():
        return Figures()
    told = json.loads(RESULT.read_text(encoding="utf-8"))
    return Figures(told["students"], told["cores"], told["memory_most_mb"], measured=True)


WORDS = {
    "en": {
        True: "Measured: {students} students on {cores} cores, "
              "at most {memory:.0f} MB for one (server and one kernel).",
        False: "Not measured yet on this copy; these are the bars that the load test must keep: {students} students on "
               "{cores} cores, at most {memory:.0f} MB for one (server and one kernel).",
        "per": "Guaranteed to each student: {memory} MB and {cpu:.2f} cores. "
               "One node ({cores:.0f} cores, {gib:.0f} GiB) holds {fit} students.",
        "head": "| students at once | hubs | nodes for students | nodes for hubs and proxies | homes |",
    },
    "zh": {
        True: "实测：{cores} 核的一台机器上有 {students} 名学生，"
              "每人（服务器加一个内核）最多占 {memory:.0f} MB 内存。",
        False: "这一份还没有实测，以下是负载测试必须达到的上限：{cores} 核的一台机器上 {students} 名学生，"
               "每人（服务器加一个内核）最多 {memory:.0f} MB 内存。",
        "per": "为每名学生保证 {memory} MB 内存和 {cpu:.2f} 个核。"
               "一个节点（{cores:.0f} 核，{gib:.0f} GiB）容纳 {fit} 名学生。",
        "head": "| 同时上课的学生 | hub 数 | 学生节点 | hub 与代理的节点 | 学生的硬盘 |",
    },
}


def table(language: str, figures: Figures, node: Node = Node()) -> str:
    words = WORDS[language]
    lines = [words[figures.measured].format(students=figures.students, cores=figures.cores,
                                            memory=figures.memory_most_mb), "",
             words["per"].format(memory=figures.memory, cpu=figures.cpu, cores=node.cores, gib=node.memory / GIBIBYTE,
                                 fit=node.students(figures)), "", words["head"], "|---:|---:|---:|---:|---:|"]
    for students in SIZES:
        one = size(students, figures, node)
        lines.append(f"| {students:,} | {one.hubs} | {one.nodes} | {one.hubs} | {one.storage_gib:,} GiB |")
    return "\n".join(lines)


def page(language: str, figures: Figures) -> str:
    """The page of a language with its table as these figures give it."""
    text = (ROOT / "docs" / f"kubernetes.{language}.md").read_text(encoding="utf-8")
    return re.sub(r"(?s)(<!-- size.py -->\n).*(<!-- end -->)", lambda at: f"{at[1]}{table(language, figures)}\n{at[2]}",
                  text)


def values(figures: Figures) -> str:
    """values.yaml with the guarantees that these figures give; JupyterHub's M is 2^20 bytes, too."""
    text = (HERE / "values.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(memory:\n    guarantee: )\S+", rf"\g<1>{figures.memory}M", text)
    return re.sub(r"(cpu:\n    guarantee: )\S+", rf"\g<1>{figures.cpu}", text)


def main() -> None:
    taken = figures()
    for language in WORDS:
        (ROOT / "docs" / f"kubernetes.{language}.md").write_text(page(language, taken), encoding="utf-8", newline="\n")
    (HERE / "values.yaml").write_text(values(taken), encoding="utf-8", newline="\n")
    print(table("en", taken))


if __name__ == "__main__":
    main()
