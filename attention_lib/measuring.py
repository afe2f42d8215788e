"""A measurement in a process of its own: what measures is alone with its thread, and the kernel stays free."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator

from traitlets import Dict, HasTraits, Int

from .growing import FITTED, REPEATS, SIZES, WAYS, fitted_exponent
from .validate import one_of

# Threads of BLAS that wait for each other make small products a hundred times slower where a computer is busy.
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS")} | {
    "VECLIB_MAXIMUM_THREADS": "1"}


class Measurements(HasTraits):
    """Extra memory and time of attention for n = 128, 256 … up to ``largest``, in one way or several.

    found: (way, n) → (bytes, seconds), replaced as a whole by each new finding, so that observers hear of it.
    Seconds are the least of those measured so far.
    """

    found = Dict()
    largest = Int(4096)

    def __init__(self, *ways: str, largest: int = 4096):
        for way in ways:
            if way not in tuple(WAYS):
                raise one_of("growth", way, WAYS)
        super().__init__(largest=largest)
        self.ways = ways or ("plain",)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(n for n in SIZES if n <= self.largest)

    @property
    def slices(self) -> int:
        """How many findings :meth:`run` has."""
        return len(self.ways) * len(self.sizes) * REPEATS

    def run(self) -> Iterator[tuple[str, int] | None]:
        """Measure anew. Gives way and n of each finding, and None where there is nothing new yet: wait a little.

        Closing this generator ends the process. Raises RuntimeError where the process fails.
        """
        self.found = {}
        for line in _lines("-P", "-m", f"{__package__}.growing", str(self.largest), *self.ways):
            if line is None:
                yield None
                continue
            way, n, memory, seconds = json.loads(line)
            best = min(seconds, self.found.get((way, n), (0, seconds))[1])
            self.found = self.found | {(way, n): (memory, best)}
            yield way, n

    def costs(self, way: str, what: str) -> tuple[list[int], list[float]]:
        """The n measured so far and what they cost; what: "memory" in bytes or "time" in seconds."""
        which = ("memory", "time").index(what)
        pairs = [(n, self.found[way, n][which]) for n in self.sizes if (way, n) in self.found]
        return [n for n, _ in pairs], [cost for _, cost in pairs]

    def exponent(self, way: str, what: str) -> float | None:
        """The p of cost ∝ nᵖ through the largest n measured, at most FITTED of them; None for fewer than two."""
        n, cost = (values[-FITTED:] for values in self.costs(way, what))
        return fitted_exponent(n, cost) if len(n) > 1 else None


def _lines(*arguments):
    """What another Python prints, line by line as it comes; None while there is none."""
    child = subprocess.Popen([sys.executable, *arguments], env=os.environ | ONE_THREAD, encoding="utf-8",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    arrived = queue.SimpleQueue()

    def read():  # reading waits, so it is done in a thread
        for line in child.stdout:
            arrived.put(line)
        arrived.put("")

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        while line := _next(arrived):
            yield line.strip() or None
        complaint = child.stderr.read()
        if child.wait():
            raise RuntimeError(complaint.strip().splitlines()[-1] if complaint.strip() else f"exit {child.returncode}")
    finally:
        child.kill()
        child.wait()
        reader.join()
        child.stdout.close()
        child.stderr.close()


def _next(arrived):
    try:
        return arrived.get_nowait()
    except queue.Empty:
        return "\n"
