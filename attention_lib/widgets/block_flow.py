"""One whole block as a flow of boxes: the numbers after each part, and a switch for each."""

import numpy as np

from ..block import size, unlikeness
from ..digits import fixed
from ..language import say
from ..validate import glimpse, wrong
from ..whole_block import POSITIONS, WholeBlock
from .boxes import Box, Boxes, Table, button, menu, numbers_table, switch
from .matrices import round_limit

ORDERS = "post", "pre"  # what norm_first is, False and True
STEPS = {"norm_1": "normed_1", "attention": "attended", "residual_1": "added_1", "norm_2": "normed_2",
         "feed_forward": "fed", "residual_2": "added_2"}
_POST = "attention", "residual_1", "norm_1", "feed_forward", "residual_2", "norm_2"
_PRE = "norm_1", "attention", "residual_1", "norm_2", "feed_forward", "residual_2"
_SHOWN = 5e-4  # a change that three decimals show


class BlockFlow(Boxes):
    """Bound to the switches, the positions and the numbers of a block; what the last change changed is marked."""

    def __init__(self, block: WholeBlock):
        if not isinstance(block, WholeBlock):
            raise wrong("block_flow", glimpse(block), say("block.needs_block"))
        self.block, self._before = block, None
        super().__init__(
            menu("order", say("block.order"), [say(f"block.order.{order}") for order in ORDERS]),
            menu("positions", say("controls.positions"), [say(f"controls.positions.{kind}") for kind in POSITIONS]),
            button("reset", say("block.reset"), False),
            *(switch(name, say(f"block.part.{name}"), box=name, brief=say("boxes.on")) for name in STEPS),
        )
        self.follow(block, self._changed, "steps")

    def settle(self):
        b, knobs = self.block, self._knobs
        knobs["order"].value, knobs["positions"].value = int(b.norm_first), POSITIONS.index(b.positions)
        for name in STEPS:
            knobs[name].value = getattr(b, name)
        knobs["reset"].value = not all(getattr(b, name) for name in STEPS)

    def turn(self, **values):
        for name in values:
            self[name]
        values = {name: self._knobs[name].allow(value) for name, value in values.items()}
        if "order" in values:
            values["norm_first"] = bool(values.pop("order"))
        if "positions" in values:
            values["positions"] = POSITIONS[values["positions"]]
        self.block.set(**values)

    def press(self, _name):
        self.block.set(**dict.fromkeys(STEPS, True))

    def _changed(self, change):
        self._before = change.old
        self.refresh()

    def describe(self):
        b = self.block
        names = _PRE if b.norm_first else _POST
        title = say("block.input.placed" if b.positions != "none" else "block.input")
        boxes = [Box("placed", title, b.formula("placed"), [self._numbers("placed")])]
        boxes += [self._box(name) for name in names]
        return told_off(b), [*boxes, self._outcome()]

    def _box(self, name):
        b, matrix = self.block, STEPS[name]
        on = getattr(b, name)
        heard = f"attention({b.source('heard')})" if name == "attention" and on else b.formula(matrix)
        if name == "feed_forward" and on:
            heard = f"ReLU({b.source('read')} W_1 + b_1) W_2 + b_2"
        return Box(name, say(f"block.part.{name}"), f"{matrix} = {heard}", [self._numbers(matrix)],
                   words=[] if on else [say(f"block.off.{name.rstrip('_12')}")], mark="" if on else "crossed",
                   follows=True)

    def _numbers(self, name):
        b = self.block
        values, old = b[name], None if self._before is None else self._before[name]
        marks = None if old is None else [["now" if moved else "" for moved in row]
                                          for row in np.abs(values - old) > _SHOWN]
        rows, columns = b.labels(name)
        return numbers_table(rows, columns, values, round_limit(np.abs(values).max()), marks=marks)

    def _outcome(self):
        """How large and how different the words are, going in, half way, and coming out."""
        b = self.block
        names = "placed", b.source("middle"), "output"
        text = [[fixed(measure(b[name])) for measure in (size, unlikeness)] for name in names]
        table = Table([say(f"block.at.{at}") for at in ("input", "middle", "output")],
                      [say("block.size"), say("block.unlikeness")], text)
        words = [say("block.meaning"), *(say(f"block.effect.{effect}") for effect in effects(b))]
        note = f"output = {b.source('output')}"
        return Box("outcome", say("block.outcome"), note, [table], words=words, follows=True)


def told_off(b: WholeBlock) -> str:
    """Where the norms are, and which parts are off, in a sentence or two."""
    off = [say(f"block.part.{name}") for name in STEPS if not getattr(b, name)]
    parts = say("block.told.off", parts=say("list.comma").join(off)) if off else say("block.told.all")
    return say(f"block.told.{ORDERS[b.norm_first]}", parts=parts)


def effects(b: WholeBlock) -> list[str]:
    """What the switches that are off do to the output: the keys of the sentences."""
    halves = (b.attention, b.residual_1), (b.feed_forward, b.residual_2)
    if not all(said or kept for said, kept in halves):
        return ["nothing"]
    held = (b.norm_1 or b.norm_2) if b.norm_first else b.norm_2
    seen = {"attention": b.attention, "residual": b.residual_1 and b.residual_2, "feed_forward": b.feed_forward,
            "norm": held}
    return [effect for effect, on in seen.items() if not on]


def block_flow(block: WholeBlock) -> BlockFlow:
    """A block as a flow of boxes with their numbers, a switch for each part, the order of norms, and positions.

    Sizes are root mean squares; how different the words are is measured as in :func:`unlikeness`.
    Raises ValueError for what is no WholeBlock.
    """
    return BlockFlow(block)
