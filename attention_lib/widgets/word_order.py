"""Words that can be put into another order, with and without positions, and what each of them gets."""

from html import escape

from traitlets import Dict, List, Unicode

from ..digits import fixed
from ..experiment import Experiment
from ..language import say
from ..validate import one_of
from ..word_order import POSITIONS, WordOrder
from .base import front_end, remember
from .layout import Columns, Whole
from .matrices import show
from .panel import Panel
from .sentence import SentenceField

_NOTHING = 1e-9  # a difference that is only rounding


class OrderOfWords(Panel):
    """The words as cards that can be dragged, or moved with arrows, and a line that says whether it matters."""

    _esm = front_end("word_order.js", "word_order.css")
    saving = ""
    frame = Dict().tag(sync=True)
    cards = List().tag(sync=True)  # {word, place, itself: its place as written, left, right: its buttons}
    told = Unicode().tag(sync=True)
    differs = Unicode().tag(sync=True)  # "yes" where order counts, "no" where not, "" where nothing has moved

    def __init__(self, experiment: WordOrder):
        self.experiment = experiment
        super().__init__(frame={part: say(f"order.{part}") for part in ("legend", "written", "reversed", "hint")})
        self._refresh()
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def choose(self, name: str) -> None:
        """"written" or "reversed"."""
        n = len(self.experiment.written)
        orders = {"written": range(n), "reversed": range(n - 1, -1, -1)}
        if name not in tuple(orders):
            raise one_of("order", name, orders)
        self.experiment.order = tuple(orders[name])

    def step(self, itself: int, by: int) -> None:
        """Move the word with this place as written by some places, at most to an end; wherever it is by now."""
        order = self.experiment.order
        if itself not in order:
            raise one_of("order", itself, order)
        place = order.index(itself)
        self.experiment.move(place, min(max(place + by, 0), len(order) - 1))

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if "step" in content:
                self.step(*content["step"])
            else:
                self.choose(content["order"])

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            o = self.experiment
            self.cards = [{"word": word, "itself": o.order[place], "place": say("order.place", place=place + 1),
                           "left": say("order.left", word=word), "right": say("order.right", word=word)}
                          for place, word in enumerate(o.words)]
            off = abs(o["change"]).max(axis=1)
            if o.order == tuple(range(len(o.order))):
                self.differs, self.told = "", say("order.as_written")
            elif off.max() < _NOTHING:
                self.differs, self.told = "no", say("order.same", off=fixed(off.max()))
            else:
                word = o.written[int(off.argmax())]
                self.differs, self.told = "yes", say("order.differs", word=word, off=fixed(off.max()))

    def static_html(self) -> str:
        return "".join(f"<div>{escape(line)}</div>" for line in self._lines())

    def static_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self):
        return f"{self.frame['legend']}{say('list.colon')}{'  '.join(self.experiment.words)}", self.told


class Positions(Panel):
    """How a word is told where it stands: radio buttons for POSITIONS."""

    _esm = front_end("controls.js", "controls.css")
    saving = ""
    frames = List(Dict()).tag(sync=True)
    chosen = Dict().tag(sync=True)

    def __init__(self, experiment: WordOrder):
        self.experiment = experiment
        options = [{"key": key, "label": say(f"controls.positions.{key}")} for key in POSITIONS]
        super().__init__(frames=[{"name": "positions", "legend": say("controls.positions"), "options": options}])
        self._refresh()
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def choose(self, key: str) -> None:
        """Set one of POSITIONS; ValueError in words where it does not fit."""
        self.experiment.positions = key

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            self.choose(content["choose"][1])

    def _refresh(self, _change=None):
        key = self.experiment.positions
        self.chosen = {"positions": {"key": key, "told": [say(f"controls.positions.told.{key}")], "broken": ""}}

    def static_html(self) -> str:
        return f"<div>{escape(self.static_text())}</div>"

    def static_text(self) -> str:
        key = self.experiment.positions
        name, told = say(f"controls.positions.{key}"), say(f"controls.positions.told.{key}")
        return f"{say('controls.positions')}{say('list.colon')}{name}  {told}"


class OrderLab(Whole):
    """Cards, positions and live matrices of one sentence; a typed sentence takes its place."""

    def __init__(self, experiment: Experiment, *names: str):
        self.names = names
        super().__init__(SentenceField(self.take))
        self._show(experiment)

    def take(self, text: str) -> None:
        """Go on with a typed sentence; ValueError in words for one that does not fit, and all stays as it was."""
        self._show(Experiment.from_sentence(text), self.experiment.positions)

    def _show(self, experiment, positions="none"):
        made = WordOrder(experiment)
        made.positions = positions
        self.experiment = made
        old = self.children[1:]
        numbers = show(made, *self.names)  # made first, so it is the first to reach the page
        self.children = [self.children[0], OrderOfWords(made), Positions(made), Columns(numbers)]
        self.close_all(old)


def order_lab(experiment: Experiment | None = None, *names: str) -> OrderLab:
    """Put the words of a sentence into another order, and see what each of them gets, without and with positions.

    experiment: with inputs X, W_Q, W_K, W_V; without one, the example 我爱你. names: the matrices of a WordOrder to
    show; without any: placed, weights, output, change. ``order_lab(…).experiment`` is the WordOrder in use.
    Raises ValueError for an experiment without X.
    """
    experiment = Experiment.from_example("我爱你") if experiment is None else experiment
    return OrderLab(experiment, *(names or ("placed", "weights", "output", "change")))
