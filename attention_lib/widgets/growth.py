"""What n words cost, measured live: a table and a log–log plot that grow while the kernel stays free."""

import asyncio
import time

from .. import figures
from ..digits import fixed
from ..growing import BLOCK, FITTED, REPEATS, SIZES, D
from ..language import say
from ..measuring import Measurements
from ..validate import one_of
from .boxes import Box, Boxes, Table, button, menu
from .layout import Columns
from .live_figure import LiveFigure
from .progress import Progress

_PAUSE = 0.03  # seconds between two looks at what the measuring process has found
_OFFERED = SIZES[3:]  # 1024 … 8192


class GrowthLab(Boxes):
    """Buttons to measure and to cancel, a menu for the largest n, what was measured, and the fitted exponents."""

    def __init__(self, measurements: Measurements):
        self.measurements, self._task, self._said = measurements, None, say("growth.idle")
        sizes = list(map(str, _OFFERED))
        super().__init__(
            button("start", say("growth.start")),
            button("cancel", say("growth.cancel"), False),
            menu("largest", say("growth.largest"), sizes, _OFFERED.index(measurements.largest)),
        )
        self.follow(measurements, self.refresh, "found")

    def settle(self):
        running = self._task is not None
        self._knobs["start"].value, self._knobs["cancel"].value = not running, running
        if not running:
            self.measurements.largest = _OFFERED[self["largest"]]

    def press(self, name: str) -> None:
        """Start measuring, or cancel it."""
        if name == "cancel":
            self.cancel()
        elif self._task is None:
            self.start()
        self.settle()
        self._show()

    def start(self) -> None:
        """Measure in another process and show what it finds as it comes; without an event loop, wait for the end."""
        looks = self._looks()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._task = looks
            for _ in looks:
                time.sleep(_PAUSE)
        else:
            self._task = loop.create_task(self._run(looks))

    def cancel(self) -> None:
        """Stop; what was measured stays."""
        if self._task is not None:
            self._task = None
            self._said = say("growth.cancelled")

    async def _run(self, looks):
        for _ in looks:
            await asyncio.sleep(_PAUSE)

    def _looks(self):
        yield  # the button is answered before the first look
        task, findings = self._task, self.measurements.run()
        bar = Progress(self.measurements.slices, self._tell)
        with self.guard():
            try:
                self._said = say("growth.begun")
                for finding in findings:
                    if self._task is not task:
                        return
                    if finding is not None:
                        bar.update()
                        self._said = say("growth.running", n=finding[1], way=say(f"growth.way.{finding[0]}"))
                        self.told = self._told()
                    yield
                self._said = say("growth.done")
            except RuntimeError:
                self._said = say("growth.idle")
                raise
            finally:
                findings.close()
                bar.close()
                if self._task in (task, None):  # no new one has begun meanwhile
                    self._task, self.progress = None, {}
        self.settle()
        self._show()

    def _tell(self, share, text):
        self.progress = {"share": share, "text": text, "name": say("growth.progress")}

    def close(self):
        self.cancel()
        super().close()

    def _told(self):
        size = 4 * self.measurements.largest**2
        return f"{self._said} {say('growth.needs', memory=mebibytes(size))}"

    def describe(self):
        found = self.measurements
        columns, rows = [say("growth.scores")], []
        for way in found.ways:
            columns += [say(f"growth.{what}", way=say(f"growth.way.{way}")) for what in ("memory", "time")]
        for n in found.sizes:
            rows.append([f"{n * n:,}".replace(",", " ")])
            for way in found.ways:
                memory, seconds = found.found.get((way, n), (None, None))
                rows[-1] += ["—", "—"] if memory is None else [mebibytes(memory), _milliseconds(seconds)]
        table = Table([f"n = {n}" for n in found.sizes], columns, rows)
        exponents = [[_exponent(found.exponent(way, what)) for way in found.ways] for what in ("memory", "time")]
        fit = Table([say(f"growth.exponent.{what}") for what in ("memory", "time")],
                    [say(f"growth.way.{way}") for way in found.ways], exponents)
        words = [say("growth.note", repeats=REPEATS)]
        if "blockwise" in found.ways:
            words.append(say("growth.blocks", block=BLOCK))
        return self._told(), [
            Box("measured", say("growth.caption", d=D), tables=[table], words=words),
            Box("fitted", say("growth.exponent", points=FITTED), tables=[fit]),
        ]


class Growth(Columns):
    """The laboratory beside its plot; closing it closes both."""

    def __init__(self, measurements: Measurements):
        self.lab = GrowthLab(measurements)
        super().__init__(self.lab, LiveFigure(figures.GrowthPicture(measurements)))

    def close(self):
        for child in self.children:
            child.close()
        super().close()


def mebibytes(size: float) -> str:
    """Bytes as MiB, 2²⁰ bytes each, with three digits or so."""
    size = size / 2**20
    return f"{fixed(size, 3 if size < 1 else 1 if size < 100 else 0)} MiB"


def _milliseconds(seconds):
    value = 1000 * seconds
    return say("growth.milliseconds", value=fixed(value, 2 if value < 10 else 0))


def _exponent(p):
    return "—" if p is None else fixed(p, 2)


def growth_lab(*ways: str, largest: int = 4096) -> Growth:
    """Extra memory and time of attention against n, measured live; nothing is measured before the button is pressed.

    ways: any of "plain" (the whole table of scores) and "blockwise"; "plain" where none is named.
    largest: 1024, 2048, 4096 or 8192, the largest n to begin with. Raises ValueError for others.
    """
    if largest not in _OFFERED:
        raise one_of("largest", largest, _OFFERED)
    return Growth(Measurements(*ways, largest=largest))
