"""A heat map for each head, and one for their mean, which is none."""

import numpy as np

from .. import style
from ..digits import fixed, marked
from ..language import say
from .heatmap import HeatmapAxes
from .picture import Picture

_WIDE, _HIGH = 3.0, 3.1  # inches of one map
_MOST_BESIDE = 3


class HeadMaps(Picture):
    """The weights (n, n) of every head of a MultiHead on a scale from 0 to 1; the last map is labelled as a mean."""

    def __init__(self, experiment):
        maps = experiment.heads + 1
        self.across = min(_MOST_BESIDE, maps)
        self.down = -(-maps // self.across)
        self.size = (_WIDE * self.across + 0.2, _HIGH * self.down + 0.45)
        super().__init__(experiment)

    def build(self):
        m = self.experiment
        wide, high = self.size
        self.figure.suptitle(say("figure.heads.title", heads=m.heads), x=0.5, y=1 - 0.1 / high, va="top",
                             fontsize=style.TITLE)
        self.maps = []
        labels = style.readable(m.words)
        for i, name in enumerate(self.names()):
            down, across = divmod(i, self.across)
            left, bottom = 0.75 + across * _WIDE, high - 0.5 - (down + 1) * _HIGH + 0.75
            ax = self.figure.add_axes((left / wide, bottom / high, (_WIDE - 0.9) / wide, (_HIGH - 1.2) / high))
            one = HeatmapAxes(ax, _One(m, name), lambda name=name: self._title(name))
            small = style.fitting(labels, (_WIDE - 1.0) * 72 / len(labels), 11)
            ax.set_xticks(np.arange(len(labels)) + 0.5, labels, fontsize=small)
            ax.set_yticks(np.arange(len(labels)) + 0.5, labels, fontsize=min(11, small * 1.2))
            ax.set_xlabel(say("figure.heatmap.key"), fontsize=11)
            ax.set_ylabel(say("figure.heatmap.query") if across == 0 else "", fontsize=11)
            self.maps.append(one)
        self.moving = [artist for one in self.maps for artist in one.moving]

    def names(self):
        return [*(f"weights_{h + 1}" for h in range(self.experiment.heads)), "mean"]

    def update(self):
        changed = [one.update() for one in self.maps]
        return any(changed)

    def summary(self):
        return say("figure.heads.summary")

    def table(self):
        m = self.experiment
        rows, cells = [], []
        for name in self.names():
            rows += [f"{self._title(name)}, Q:{word}" for word in m.words]
            cells += marked([[fixed(w, 2) for w in line] for line in m[name]], m.hidden(name))
        return say("figure.heads.title", heads=m.heads), rows, [f"K:{word}" for word in m.words], cells

    def _title(self, name):
        m = self.experiment
        if name == "mean":
            return say("figure.heads.mean")
        head = m.head_of(name)
        return say("figure.heads.head" if m.keep[head - 1] else "figure.heads.off", head=head)


class _One:
    """One matrix of weights as the heat map wants to see it."""

    def __init__(self, m, name):
        self.m, self.name, self.words, self.key_words = m, name, m.words, m.key_words

    def __getitem__(self, _name):
        return self.m[self.name]

    def hidden(self, _name):
        return self.m.hidden(self.name)
