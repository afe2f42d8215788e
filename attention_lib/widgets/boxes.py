"""Panels of one kind: knobs above, boxes with small tables below, all said in Python."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
from traitlets import Dict, List, Unicode

from ..digits import fixed
from ..language import say
from ..validate import one_of, whole
from .base import front_end, remember, table_html, table_text
from .panel import Panel


@dataclass
class Knob:
    """A slider over whole numbers (low … high), a menu (options: its texts, value: an index), a switch, or a button
    (value: whether it can be pressed).

    box: the box in whose head it stands; above all boxes otherwise. told: value → the text beside a slider.
    brief: what the page shows of a switch whose box already says the rest of its label.
    """

    name: str
    label: str
    kind: str
    value: int | bool
    low: int = 0
    high: int = 1
    options: Sequence[str] = ()
    box: str = ""
    told: object = str
    brief: str = ""

    def allow(self, value):
        """``value``, or ValueError where the knob cannot be turned to it."""
        if self.kind in ("range", "choice"):
            return whole(self.label, value, self.low, self.high)
        if not isinstance(value, bool):
            raise one_of(self.label, value, (True, False))
        return value


def slider(name: str, label: str, value: int, low: int, high: int, told=str) -> Knob:
    return Knob(name, label, "range", value, low, high, told=told)


def menu(name: str, label: str, options: Sequence[str], value: int = 0) -> Knob:
    return Knob(name, label, "choice", value, 0, len(options) - 1, options)


def switch(name: str, label: str, value: bool = True, box: str = "", brief: str = "") -> Knob:
    return Knob(name, label, "check", value, box=box, brief=brief)


def button(name: str, label: str, value: bool = True) -> Knob:
    return Knob(name, label, "button", value)


@dataclass
class Table:
    """A small table of texts.

    shade: −1 … 1 for each cell, None for no colour. marks: "now", "kept", "later", "wrong" or "" for each.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    text: list[list[str]]
    shade: list | None = None
    marks: list | None = None
    caption: str = ""


@dataclass
class Box:
    """A box by its name. mark: "now", "off", or "crossed" for a part that is switched off. note: a formula.
    lines: arithmetic; words: sentences under it. follows: it gets what the box before it hands on.
    """

    name: str
    title: str
    note: str = ""
    tables: list[Table] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    mark: str = ""
    follows: bool = False


def numbers_table(rows, columns, values, limit=1.0, decimals=3, marks=None, caption="") -> Table:
    """A table of numbers, coloured on a scale from −limit to limit; −∞ is no colour."""
    values = np.asarray(values)
    text = [[fixed(x, decimals) if np.isfinite(x) else "−∞" for x in row] for row in values]
    shade = [[round(float(x) / limit, 3) if np.isfinite(x) else None for x in row] for row in values]
    return Table(list(rows), list(columns), text, shade, marks, caption)


class Boxes(Panel):
    """Base of panels with knobs and boxes. Subclasses give :meth:`describe`; they may settle knobs that hang together.

    ``panel["step"]`` is what a knob stands at; :meth:`turn` turns knobs, checked together and shown once.
    """

    _esm = front_end("boxes.js", "boxes.css")
    knobs = List(Dict()).tag(sync=True)
    turned = Dict().tag(sync=True)  # name -> {value, low, high, text}
    boxes = List(Dict()).tag(sync=True)
    told = Unicode().tag(sync=True)
    progress = Dict().tag(sync=True)  # share (0 … 1), text, name; empty where nothing is under way

    def __init__(self, *knobs: Knob):
        self._knobs = {knob.name: knob for knob in knobs}
        self.settle()
        super().__init__(knobs=[_frame(knob) for knob in knobs])
        self._show()
        self.on_msg(self._on_page)
        remember(self)

    def __getitem__(self, name: str):
        if name not in tuple(self._knobs):
            raise one_of(type(self).__name__, name, self._knobs)
        return self._knobs[name].value

    def turn(self, **values) -> None:
        """Turn knobs by name; ValueError for a knob or a value there is not, and then nothing turns."""
        for name in values:
            self[name]
        values = {name: self._knobs[name].allow(value) for name, value in values.items()}
        for name, value in values.items():
            self._knobs[name].value = value
        self.settle()
        self._show()

    def settle(self) -> None:
        """Bring knobs that hang together in order, before anything is shown."""

    def press(self, name: str) -> None:
        """What a button does; subclasses with buttons say it."""
        raise NotImplementedError

    def describe(self) -> tuple[str, list[Box]]:
        """A sentence, and the boxes as the knobs stand now."""
        raise NotImplementedError

    def in_print(self) -> dict:
        """Where knobs stand in the static twin: as they are, but where a panel goes step by step it shows its end."""
        return {}

    def refresh(self, _change=None) -> None:
        """Show what has changed elsewhere."""
        with self.guard():
            self.settle()
            self._show()

    def _show(self):
        told, boxes = self.describe()
        with self.hold_sync():
            self.told, self.boxes = told, [_plain(box) for box in boxes]
            self.turned = {name: _state(knob) for name, knob in self._knobs.items()}

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            name, value = content["turn"]
            self[name]  # refuses what is no knob
            if self._knobs[name].kind == "button":
                self.press(name)
            else:
                self.turn(**{name: value})

    def static_html(self) -> str:
        head, boxes = self._printed()
        parts = [f"<div>{escape(line)}</div>" for line in head]
        for box in boxes:
            parts.append(f"<div>{escape(_title(box))}</div>")
            parts += [table_html(*_plain_table(table)) for table in box.tables]
            parts += [f"<div>{escape(line)}</div>" for line in (*box.lines, *box.words)]
        return "".join(parts)

    def static_text(self) -> str:
        head, boxes = self._printed()
        parts = ["\n".join(head)]
        for box in boxes:
            parts.append("\n".join([_title(box), *(table_text(*_plain_table(t)) for t in box.tables),
                                    *box.lines, *box.words]))
        return "\n\n".join(parts)

    def _printed(self):
        """Lines of knobs and the sentence, and the boxes, with the knobs where they are in print."""
        before = {name: knob.value for name, knob in self._knobs.items()}
        try:
            for name, value in self.in_print().items():
                self._knobs[name].value = value
            told, boxes = self.describe()
            head = [f"{knob.label}{say('list.colon')}{_says(knob)}" for knob in self._knobs.values()
                    if knob.kind != "button"]
        finally:
            for name, value in before.items():
                self._knobs[name].value = value
        return head + [told] * bool(told), boxes


def _frame(knob):
    names = {"back": say("boxes.back", name=knob.label), "next": say("boxes.next", name=knob.label)}
    return {"name": knob.name, "label": knob.label, "kind": knob.kind, "options": list(knob.options), "box": knob.box,
            "brief": knob.brief, "named": f"{knob.label}{say('list.colon')}{knob.brief}", **names}


def _state(knob):
    return {"value": knob.value, "low": knob.low, "high": knob.high, "text": _says(knob)}


def _says(knob):
    if knob.kind in ("check", "button"):
        return say("boxes.on" if knob.value else "boxes.off")
    return knob.options[knob.value] if knob.options else knob.told(knob.value)


def _plain(box):
    return vars(box) | {"tables": [vars(table) for table in box.tables]}


def _title(box):
    return " ".join(filter(None, (box.title, box.note)))


def _plain_table(table):
    return table.caption, table.rows, table.columns, table.text
