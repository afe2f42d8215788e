"""Learning W_Q, W_K and W_V by gradient descent. Numpy only."""

from dataclasses import dataclass

import numpy as np

from .digits import fixed, short
from .experiment import Experiment
from .gradients import backward, squared_error
from .language import say
from .maths import self_attention
from .tasks import Task
from .validate import entry, glimpse, whole, wrong

PROJECTIONS = ("W_Q", "W_K", "W_V")
BATCH = 32  # groups of one step
ENOUGH = 0.95  # the accuracy from which a task counts as learned
_START = 0.3  # standard deviation of the entries of the first matrices
_LOST = 1e3  # a loss that many times the first one is not coming back


@dataclass(frozen=True)
class Measured:
    """After ``step`` steps, on groups never learned from: the loss; the accuracy, how many of the outputs lie nearest
    to what they should mean; and the mean weight on the row that was sought."""

    step: int
    loss: float
    accuracy: float
    weight: float


@dataclass(frozen=True)
class Divergence:
    """Step ``step``, made with this learning rate, took the loss from ``first``, what it was at the beginning, to
    ``loss``, infinite where float64 cannot hold it."""

    step: int
    learning_rate: float
    first: float
    loss: float

    def __str__(self):
        loss = fixed(self.loss) if np.isfinite(self.loss) else say("learning.beyond")
        return say("learning.diverged", step=self.step, rate=short(self.learning_rate), first=fixed(self.first),
                   loss=loss)


class Learner:
    """Three matrices that learn a task by plain stochastic gradient descent, W ← W − learning_rate · ∂loss/∂W.

    Each step takes 32 groups at random (Robbins and Monro 1951; no momentum). The matrices start as small random
    numbers; seed decides these and the order of the groups. learning_rate may be changed at any time.
    ``W``: the matrices by name. ``history``: what :meth:`measure` found. ``diverged``: None, or what happened; the step
    that led there is then undone, so that W stays finite, and :meth:`step` does nothing more.
    Raises ValueError for a learning rate that is not a positive number, or a seed that is not a whole number from 0.
    """

    def __init__(self, task: Task, learning_rate: float | None = None, seed: int = 0):
        self.task, self.seed = task, whole("seed", seed, 0, 2**32 - 1)
        self.learning_rate = task.learning_rate if learning_rate is None else learning_rate
        self._random = np.random.RandomState(self.seed)
        widths = zip(PROJECTIONS, (task.d_k, task.d_k, task.d_v), strict=True)
        d_model = len(task.features)
        self.W = {name: self._random.normal(0, _START, (d_model, width)) for name, width in widths}
        self._before = self.W
        self.steps, self.diverged, self.history = 0, None, []
        self.measure()

    @property
    def learning_rate(self) -> float:
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, value: float):
        rate = entry("learning_rate", value)
        if rate <= 0:
            raise wrong("learning_rate", glimpse(value), say("error.needs_positive"))
        self._learning_rate = rate

    def step(self) -> None:
        """One step downhill, on 32 groups."""
        if self.diverged:
            return
        chosen = self._random.randint(len(self.task.training.X), size=BATCH)
        X, target = self.task.training.X[chosen], self.task.training.target[chosen]
        steps, loss, d_output = self._forward(X, target)
        if self._is_lost(loss):
            return
        d = backward(X, steps, d_output)
        self._before = self.W
        with np.errstate(over="ignore"):
            self.W = {name: W - self.learning_rate * getattr(d, f"d_{name}") for name, W in self.W.items()}
        self.steps += 1

    @property
    def learned(self) -> Measured | None:
        """The first measure with an accuracy of at least 0.95, if there is one."""
        return next((m for m in self.history if m.accuracy >= ENOUGH), None)

    def measure(self) -> Measured:
        """How well it does now, on the groups that are never learned from; the last measure where it diverged."""
        groups = self.task.held_out
        steps, loss, _ = self._forward(groups.X, groups.target)
        if self.diverged or self._is_lost(loss):
            return self.history[-1]
        counted = self.task.counted
        distance = ((steps.output[:, :, None] - groups.choices[:, None]) ** 2).sum(axis=-1)
        found = distance.argmin(axis=-1) == groups.right
        weight = np.take_along_axis(steps.weights, groups.sought[..., None], axis=-1)
        measured = Measured(self.steps, loss, float(found[:, counted].mean()), float(weight[:, counted].mean()))
        if self.history and self.history[-1].step == self.steps:
            self.history.pop()
        self.history.append(measured)
        return measured

    def experiment(self, task: Task | None = None, group: int = 0) -> Experiment:
        """The matrices as they are now, with the rows of a group never learned from, all rounded to two decimals.

        task: another task of the same features, such as a smaller class. group: which of its held-out groups.
        Raises ValueError for a task with other widths, or a group that is not there.
        """
        task = self.task if task is None else task
        if (len(task.features), task.d_k, task.d_v) != (len(self.task.features), self.task.d_k, self.task.d_v):
            raise wrong("task", task.name, self.task.name)
        group = whole("group", group, 0, len(task.held_out.X) - 1)
        W = {name: W.round(2) for name, W in self.W.items()}
        return Experiment(task.held_out.X[group].round(2), **W, mask=task.mask, words=task.words[group],
                          features=task.features)

    def _forward(self, X, target):
        """The steps, the loss and its gradient; a loss of infinity where the numbers no longer fit into float64."""
        try:
            steps = self_attention(X, **self.W, mask=self.task.mask)
        except ValueError:
            return None, np.inf, None
        with np.errstate(over="ignore", invalid="ignore"):
            return steps, *squared_error(steps.output, target, self.task.counted)

    def _is_lost(self, loss) -> bool:
        """Whether the last step led so far away that there is no way back; if so, it is undone and told."""
        first = self.history[0].loss if self.history else loss
        if loss <= _LOST * first:
            return False
        self.diverged = Divergence(self.steps, self.learning_rate, first, loss)
        self.W, self.steps = self._before, self.steps - 1
        return True


def train(task: Task, steps: int | None = None, learning_rate: float | None = None, seed: int = 0,
          every: int = 10) -> Learner:
    """A Learner after ``steps`` steps, measured after every ``every``; it stops early where it diverges.

    steps, learning_rate: those of the task where none is given. Raises ValueError as Learner does.
    """
    learner = Learner(task, learning_rate, seed)
    steps, every = whole("steps", task.steps if steps is None else steps, 0), whole("every", every, 1)
    for step in range(1, steps + 1):
        learner.step()
        if learner.diverged:
            break
        if step % every == 0 or step == steps:
            learner.measure()
    return learner
