"""Training, live: the loss falls, matrices and weights form, and everything else on the page goes on working."""

import asyncio
import threading
import time
from html import escape
from itertools import count

import numpy as np
from traitlets import Dict

from ..digits import fixed, short
from ..language import say
from ..learning import ENOUGH, PROJECTIONS, Learner
from ..tasks import Task
from ..validate import one_of, whole
from .base import front_end, remember, table_html, table_text
from .matrices import round_limit
from .panel import Panel
from .progress import Progress

RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # the steps of the slider
SEEDS = 21  # 0 … 20
PRESSES = ("start", "pause", "step", "restart")
_FRAME, _SLICE = 0.1, 0.05  # seconds from picture to picture, and how many of them the kernel may spend learning
_STEPS_A_FRAME = 10  # no more, or there would be nothing to watch
_DRAWN = 240  # points of a curve
_TOP = 1.25  # times the first loss: the upper end of its axis
_SHOWN = ("weights", *PROJECTIONS)


class Training(Panel):
    """A Learner at work: curves of its loss and accuracy, its matrices, the weights of one group, and its controls.

    It learns in the event loop of the kernel, up to 50 ms of every 100, so that pause, sliders and other panels are
    heard meanwhile; where there is no event loop, ``start`` learns to the end before it returns.
    """

    _esm = front_end("training.js", "training.css")
    frame = Dict().tag(sync=True)  # what stays: words and labels
    shown = Dict().tag(sync=True)  # what moves: one message for each picture

    def __init__(self, task: Task, learning_rate: float | None = None, seed: int = 0):
        self.task = task
        self._lock = threading.RLock()  # JupyterLab lets a button be handled in another thread than a cell
        self._loop = _running_loop()
        self._run = None  # a token of the run that is under way; a run that no longer holds it ends
        self._begin(learning_rate, seed)
        super().__init__(frame=self._frame(), shown=self._shown())
        self.on_msg(self._on_page)
        remember(self)

    @property
    def running(self) -> bool:
        return self._run is not None

    @property
    def learning_rate(self) -> float:
        """Of the steps to come; any positive number, ValueError otherwise."""
        return self.learner.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: float):
        with self._lock:
            self.learner.learning_rate = value
            self._draw()

    def start(self) -> None:
        """Go on learning, for as many steps as the task takes; after the last of them, for as many again."""
        with self._lock:
            if self.running or self.learner.diverged:
                return
            if self._bar.n >= self._bar.total:
                self._bar.total += self.task.steps
            self._bar.unpause()
            self._run = run = object()
            self._draw()
        if self._loop is None or self._loop.is_closed():
            while self._slice(run):
                pass
        else:
            self._loop.call_soon_threadsafe(self._set_off, run)

    def pause(self) -> None:
        """Stop after the step that is under way."""
        with self._lock:
            self._run = None
            self._draw()

    def step(self) -> None:
        """One step downhill, and pause."""
        with self._lock:
            self._run = None
            if not self.learner.diverged:
                self._bar.total = max(self._bar.total, self._bar.n + 1)
                self._bar.unpause()
                self.learner.step()
                self.learner.measure()
                self._bar.update()
            self._draw()

    def restart(self, seed: int | None = None) -> None:
        """Back to small random matrices: the same again, or those of another seed (a whole number from 0)."""
        with self._lock:
            self._run = None
            self._begin(self.learner.learning_rate, self.learner.seed if seed is None else seed)
            self._draw()

    def close(self):
        """Stop learning, too."""
        self._run = None
        if self.__dict__.get("_bar") is not None:  # there is none where the learner was refused
            self._bar.close()
        super().close()

    def _begin(self, learning_rate, seed):
        self.learner, self._bar = Learner(self.task, learning_rate, seed), None
        self._bar = Progress(self.task.steps, self._on_progress, every=0.9 * _FRAME)

    def _set_off(self, run):
        self._task = self._loop.create_task(self._learn(run))  # kept, for the loop itself holds it only weakly

    async def _learn(self, run):
        while True:
            began = time.monotonic()
            if not self._slice(run):
                return
            await asyncio.sleep(max(_FRAME - (time.monotonic() - began), _FRAME - _SLICE))

    def _slice(self, run) -> bool:
        """Some steps of this run, and a picture; whether the run goes on."""
        with self._lock:
            if self._run is not run or self.comm is None:
                return False
            with self.guard():
                end, before = time.monotonic() + _SLICE, self._bar.n
                for done in count(1):
                    self.learner.step()
                    self.learner.measure()
                    last = self.learner.diverged or before + done >= self._bar.total
                    if last or done == _STEPS_A_FRAME or time.monotonic() > end:
                        break
                if last:
                    self._run = None
                self._bar.update(done)  # draws where it is time to
                if last:
                    self._draw()
                return not last
            self._run = None  # something went wrong, and is told
            self._draw()
            return False

    def _on_progress(self, _share, _text):
        if self._bar is not None:  # tqdm tells of a bar before it is made
            self._draw()

    def _draw(self):
        if self.comm is not None:
            self.shown = self._shown()

    def _on_page(self, _widget, content, _buffers):
        with self.guard(), self._lock:
            if "press" in content:
                if content["press"] not in PRESSES:
                    raise one_of("press", content["press"], PRESSES)
                getattr(self, content["press"])()
            elif "rate" in content:
                self.learning_rate = RATES[whole("rate", content["rate"], 0, len(RATES) - 1)]
            elif "seed" in content:
                self.restart(whole("seed", content["seed"], 0, SEEDS - 1))

    def _frame(self):
        e, task = self.learner.experiment(), self.task
        rows = np.flatnonzero(task.counted)
        words = ("start", "go_on", "pause", "step", "restart", "progress", "rate", "seed", "loss", "accuracy", "weight",
                 "steps")
        return {
            "words": {key: say(f"training.{key}") for key in words},
            "title": say(f"training.{task.name}"), "marked": say(f"training.{task.name}.marked"),
            "chance": task.chance, "enough": ENOUGH,
            "chanceText": say("training.chance", chance=short(task.chance, 3)), "enoughText": short(ENOUGH),
            "rates": [short(rate) for rate in RATES], "seeds": SEEDS,
            "matrices": [
                {"name": name, "title": say(f"name.{name}"), "shape": str(e[name].shape),
                 "rows": list(e.labels(name)[0]), "columns": list(e.labels(name)[1]),
                 "marks": [[int(i), int(task.held_out.sought[0, i])] for i in rows] if name == "weights" else [],
                 "hidden": (~task.mask).tolist() if name == "weights" and task.mask is not None else None}
                for name in _SHOWN
            ],
        }

    def _shown(self):
        learner, now = self.learner, self.learner.history[-1]
        total = learner.diverged.step if learner.diverged else self._bar.total
        e = learner.experiment()
        limit = round_limit(max(np.abs(e[name]).max() for name in PROJECTIONS))  # one scale of colours for all three
        return {
            "running": self.running, "over": bool(learner.diverged),
            "go": "pause" if self.running else "go_on" if learner.steps else "start",
            "rate": int(np.argmin(np.abs(np.log(RATES) - np.log(learner.learning_rate)))),
            "rateText": f"η = {short(learner.learning_rate)}", "seed": learner.seed, "seedText": str(learner.seed),
            "done": learner.steps / self._bar.total,
            "progress": say("training.of", step=learner.steps, total=self._bar.total),
            "speed": _speed(self._bar) if self.running else "",
            "numbers": [fixed(now.loss), fixed(now.accuracy), fixed(now.weight)],
            "told": self._told(), "wrong": bool(learner.diverged),
            "first": self._first(), "curves": self._curves(total), "last": str(total),
            "cells": {name: _cells(e[name], *((0, 1) if name == "weights" else (-limit, limit))) for name in _SHOWN},
        }

    def _told(self) -> str:
        """What state the training is in, in a sentence."""
        learner = self.learner
        if learner.diverged:
            return f"{learner.diverged}{say('training.after_divergence')}"
        if learner.steps == 0 and not self.running:
            return say("training.ready")
        if learner.learned:
            return say("training.learned", step=learner.learned.step, enough=short(ENOUGH))
        if learner.steps >= self._bar.total:
            return say("training.not_learned", enough=short(ENOUGH))
        return say("training.running" if self.running else "training.paused")

    def _first(self):
        """The loss at the beginning: its text, and where it stands on the axis."""
        return [fixed(self.learner.history[0].loss), 1 / _TOP]

    def _curves(self, total):
        """Points of the curves, as shares of the width and of the height."""
        learner = self.learner
        top = _TOP * learner.history[0].loss
        points = [m for i, m in enumerate(learner.history) if i % (1 + len(learner.history) // _DRAWN) == 0]
        points += [learner.history[-1]] * (points[-1] is not learner.history[-1])
        loss = [(m.step, m.loss / top) for m in points]
        if learner.diverged:
            loss.append((learner.diverged.step, np.inf))
        curves = {"loss": loss, "accuracy": [(m.step, m.accuracy) for m in points],
                  "weight": [(m.step, m.weight) for m in points]}
        return {name: [[round(step / total, 4), round(float(min(y, 1.0)), 4)] for step, y in line]
                for name, line in curves.items()}

    def static_html(self) -> str:
        lines = "".join(f"<div>{escape(line)}</div>" for line in self._lines())
        return lines + "".join(table_html(*table) for table in self._tables())

    def static_text(self) -> str:
        return "\n\n".join(["\n".join(self._lines()), *(table_text(*table) for table in self._tables())])

    def _lines(self):
        words, shown, colon = self.frame["words"], self.shown, say("list.colon")
        yield self.frame["title"]
        yield f"{words['rate']}{colon}{shown['rateText']}"
        yield f"{words['seed']}{colon}{shown['seedText']}"
        yield f"{words['progress']}{colon}{shown['progress']}"
        for name, number in zip(("loss", "accuracy", "weight"), shown["numbers"], strict=True):
            beside = f" · {self.frame['chanceText']}" if name == "accuracy" else ""
            yield f"{words[name]}{colon}{number}{beside}"
        yield shown["told"]

    def _tables(self):
        for matrix in self.frame["matrices"]:
            caption = " ".join((matrix["name"], matrix["title"], matrix["shape"]))
            yield caption, matrix["rows"], matrix["columns"], self.shown["cells"][matrix["name"]]["text"]


def _cells(values, low, high):
    """Texts and colours of a matrix, and the ends of its scale of colours."""
    return {"text": [[fixed(x, 2) for x in row] for row in values],
            "shade": [[round(float(x) / high, 3) for x in row] for row in values],
            "limits": [f"{low:g}", f"{high:g}"]}


def _speed(bar) -> str:
    """Steps a second and the time left, in words; nothing before the first step."""
    now = bar.format_dict
    if not now["rate"]:
        return ""
    left = bar.format_interval(max(now["total"] - now["n"], 0) / now["rate"])
    return say("training.speed", rate=f"{now['rate']:.0f}", left=left)


def _running_loop():
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def training(task: Task, learning_rate: float | None = None, seed: int = 0) -> Training:
    """Training of W_Q, W_K and W_V on a task, live: start, pause, one step, restart, learning rate and seed.

    task: such as ``find_student()`` or ``copy_previous()``. learning_rate: that of the task where none is given.
    ``training(…).learner`` is the Learner. Raises ValueError for a learning rate or seed that is none.
    """
    return Training(task, learning_rate, seed)
