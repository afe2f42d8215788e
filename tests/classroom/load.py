"""A whole class at once, over loopback, with real servers, kernels and websockets.

    sudo python tests/classroom/load.py                  # thirty students, about five minutes; set-up not counted
    sudo python tests/classroom/load.py --students 5

All students sign in at the same moment, start their server, open 07, run all its cells, and then move sliders for a
minute as people do: for five seconds a move a second, then they look for a while, so that always the same number are
moving at once. Prints the table, writes result.json beside this file; exit code 1 where a bar is missed.

Each student also fetches the scripts that JupyterLab's page names, as a browser without a cache would. What a browser
draws is not measured: it runs on the student's own machine.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import psutil

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from client import Kernel, Student  # noqa: E402
from room import Room, impossible  # noqa: E402

NOTEBOOK = "attention/notebooks/{language}/07_playground.ipynb"
TURN = 5.0  # seconds a student moves before the next group does
MOVE = 1.0  # seconds between two moves of one student
BARS = {"all_ready_s": 150, "slider_p95_ms": 250, "memory_most_mb": 300}
MEGABYTE = 1 << 20


@dataclass
class Result:
    """Of one run; times in seconds or milliseconds, memory in megabytes of 2^20 bytes."""

    students: int
    moving_at_once: int
    moving_s: float
    cores: int
    all_ready_s: float = 0
    server_p50_s: float = 0
    server_p95_s: float = 0
    run_all_p50_s: float = 0
    run_all_p95_s: float = 0
    moves: int = 0
    slider_p50_ms: float = 0
    slider_p95_ms: float = 0
    slider_longest_ms: float = 0
    memory_most_mb: float = 0
    memory_mean_mb: float = 0
    memory_shared_out_mb: float = 0
    memory_hub_mb: float = 0
    memory_all_mb: float = 0
    errors: list[str] = field(default_factory=list)

    def missed(self) -> list[str]:
        """The bars this run does not keep, in words."""
        told = [f"{name} = {getattr(self, name):.0f}, at most {most}" for name, most in BARS.items()
                if not getattr(self, name) <= most]
        return told + self.errors

    def table(self) -> str:
        rows = [
            ("students; moving sliders at once", f"{self.students}; {self.moving_at_once}"),
            ("all signed in at once: until all are ready (07 open and run)", f"{self.all_ready_s:.0f} s"),
            ("sign-in to JupyterLab's page, p50 / p95", f"{self.server_p50_s:.0f} s / {self.server_p95_s:.0f} s"),
            ("kernel and Run All of 07, p50 / p95", f"{self.run_all_p50_s:.0f} s / {self.run_all_p95_s:.0f} s"),
            (f"slider to new numbers, {self.moves} moves in {self.moving_s:.0f} s, p50 / p95 / longest",
             f"{self.slider_p50_ms:.0f} ms / {self.slider_p95_ms:.0f} ms / {self.slider_longest_ms:.0f} ms"),
            ("memory of a student (server and one kernel), mean / most",
             f"{self.memory_mean_mb:.0f} MB / {self.memory_most_mb:.0f} MB"),
            ("the same, pages that students share counted once", f"{self.memory_shared_out_mb:.0f} MB"),
            ("memory of hub and proxy", f"{self.memory_hub_mb:.0f} MB"),
            ("memory the machine has less than before", f"{self.memory_all_mb:.0f} MB"),
            ("errors", str(len(self.errors))),
        ]
        lines = [f"| {name} | {value} |" for name, value in [(f"on {self.cores} cores", ""), *rows]]
        return "\n".join([lines[0], "|---|---:|", *lines[1:]])


@dataclass
class Ready:
    student: Student
    kernel: Kernel
    server_s: float
    run_all_s: float


def run(room: Room, students: int, together: int, seconds: float) -> Result:
    """Let ``students`` work, ``together`` of them moving sliders at any time for ``seconds`` seconds."""
    result = Result(students, together, seconds, os.cpu_count() or 1)
    before = len(room.log())
    asyncio.run(_class(room, result))
    complaints = r"^\[[EC] .*|^Traceback .*|.* 5\d\d (?:GET|POST|PUT|DELETE) .*"
    result.errors += sorted(set(re.findall(complaints, room.log()[before:], re.MULTILINE)))
    return result


async def _class(room: Room, result: Result) -> None:
    before = psutil.virtual_memory().available
    students = [room.student(number + 1) for number in range(result.students)]
    try:
        began = time.monotonic()
        come = await asyncio.gather(*(_begin(student, room.language) for student in students), return_exceptions=True)
        result.errors += [f"{student.name}: {ready!r}" for student, ready in zip(students, come, strict=True)
                          if isinstance(ready, BaseException)]
        come = [ready for ready in come if isinstance(ready, Ready)]
        result.all_ready_s = time.monotonic() - began
        result.server_p50_s, result.server_p95_s = _percentiles([ready.server_s for ready in come])
        result.run_all_p50_s, result.run_all_p95_s = _percentiles([ready.run_all_s for ready in come])

        groups = max(1, round(result.students / result.moving_at_once))
        start = time.monotonic() + 1
        moved = await asyncio.gather(*(_move(ready, start, result.moving_s, number % groups, groups)
                                       for number, ready in enumerate(come)), return_exceptions=True)
        result.errors += [repr(times) for times in moved if isinstance(times, BaseException)]
        times = [1000 * seconds for one in moved if not isinstance(one, BaseException) for seconds in one]
        result.moves, result.slider_longest_ms = len(times), max(times, default=float("nan"))
        result.slider_p50_ms, result.slider_p95_ms = _percentiles(times)
        result.errors += [f"{ready.student.name}: the kernel was restarted" for ready in come if ready.kernel.restarts]

        resident, shared_out = zip(*(_memory(student.name) for student in students), strict=True)
        result.memory_most_mb, result.memory_mean_mb = max(resident), float(np.mean(resident))
        result.memory_shared_out_mb = float(np.mean(shared_out))
        result.memory_hub_mb = _hub_memory(room)
        result.memory_all_mb = (before - psutil.virtual_memory().available) / MEGABYTE
    finally:
        await asyncio.gather(*(student.close() for student in students))


async def _begin(student: Student, language: str) -> Ready:
    path = NOTEBOOK.format(language=language)
    began = time.monotonic()
    await student.sign_in()
    await student.start_server()
    await student.fetch_scripts()
    server = time.monotonic() - began
    notebook = await student.read(path)
    kernel = await student.open(path)
    await kernel.run_all(notebook)
    return Ready(student, kernel, server, time.monotonic() - began - server)


async def _move(ready: Ready, start: float, seconds: float, group: int, groups: int) -> list[float]:
    """Move sliders while it is this group's turn; the times to new numbers, which are checked at the end."""
    kernel, chance = ready.kernel, random.Random(ready.student.name)
    panel = kernel.named("Matrices")[0]
    grids = {kernel.models[grid]["frame"]["name"]: [
        reference.removeprefix("IPY_MODEL_") for reference in kernel.models[grid]["sliders"]]
        for grid in kernel.named("MatrixSliders")[:4]}
    values = {slider: kernel.models[slider]["value"] for sliders in grids.values() for slider in sliders}
    times = []
    await asyncio.sleep(start - time.monotonic() + chance.random() * MOVE)
    while (now := time.monotonic() - start) < seconds:
        if int(now / TURN) % groups != group:
            await asyncio.sleep(0.1)
            continue
        slider = chance.choice(list(values))
        values[slider] = chance.choice([step / 10 for step in range(-20, 21) if step / 10 != values[slider]])
        times.append(await kernel.move(slider, values[slider], panel))
        await asyncio.sleep(max(0.0, MOVE * (0.7 + 0.6 * chance.random()) - times[-1]))
    shown = kernel.models[panel]["cells"]["output"]["text"]
    X, W_Q, W_K, W_V = (np.array([values[slider] for slider in grids[name]]) for name in ("X", "W_Q", "W_K", "W_V"))
    wanted = _attention(X.reshape(3, 2), W_Q.reshape(2, 2), W_K.reshape(2, 2), W_V.reshape(2, 2))
    assert np.abs(np.array(shown, dtype=float) - wanted).max() <= 0.00051, (ready.student.name, shown, wanted)
    return times


def _attention(X, W_Q, W_K, W_V):
    powers = np.exp(X @ W_Q @ (X @ W_K).T / np.sqrt(2))
    return powers / powers.sum(axis=1, keepdims=True) @ X @ W_V


def _percentiles(samples: list[float]) -> tuple[float, float]:
    return tuple(float(x) for x in np.percentile(samples, [50, 95])) if samples else (float("nan"), float("nan"))


def _memory(account: str) -> tuple[float, float]:
    """All processes of one account: resident, and with shared pages divided among those who share them; megabytes."""
    full = [process.memory_full_info() for process in psutil.process_iter(["username"])
            if process.info["username"] == account]
    return sum(one.rss for one in full) / MEGABYTE, sum(one.pss for one in full) / MEGABYTE


def _hub_memory(room: Room) -> float:
    own = [process for process in psutil.process_iter(["username", "cmdline"])
           if process.info["username"] == "root" and str(room.folder) in " ".join(process.info["cmdline"] or [])]
    return sum(process.memory_info().rss for process in own) / MEGABYTE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--together", type=int, help="moving at once; a third of the students where it is not said")
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    if reason := impossible():
        sys.exit(reason)
    began = time.monotonic()
    with Room(given.students) as room:
        print(f"set up and started in {time.monotonic() - began:.0f} s", flush=True)
        result = run(room, given.students, given.together or max(1, given.students // 3), given.seconds)
    print(result.table())
    for line in result.missed():
        print(f"MISSED: {line}")
    (HERE / "result.json").write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    return int(bool(result.missed()))


if __name__ == "__main__":
    sys.exit(main())
