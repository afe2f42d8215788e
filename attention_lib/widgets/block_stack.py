"""The same block several times over: how large and how different the words are after each."""

from ..block import size, unlikeness
from ..digits import fixed
from ..language import say
from ..validate import glimpse, whole, wrong
from ..whole_block import WholeBlock
from .block_flow import told_off
from .boxes import Box, Boxes, Table, numbers_table, slider
from .matrices import round_limit

MOST = 12
_ON = dict.fromkeys(("norm_1", "norm_2", "residual_1", "residual_2"), True)
WAYS = {
    "post": _ON | {"norm_first": False}, "pre": _ON | {"norm_first": True},
    "no_norm": _ON | {"norm_1": False, "norm_2": False},
    "no_residual": _ON | {"residual_1": False, "residual_2": False, "norm_first": False},
}


class BlockStack(Boxes):
    """A knob for the number of blocks; the words after the last, two measures after each, and other ways beside it."""

    def __init__(self, block: WholeBlock, blocks: int):
        if not isinstance(block, WholeBlock):
            raise wrong("block_stack", glimpse(block), say("block.needs_block"))
        self.block = block
        super().__init__(slider("blocks", say("stack.blocks"), whole("blocks", blocks, 1, MOST), 1, MOST))
        self.follow(block, self.refresh, "steps")

    def describe(self):
        b, n = self.block, self["blocks"]
        found = b.stacked(n)
        rows, columns = b.labels("output")
        words = numbers_table(rows, columns, found[-1], round_limit(abs(found[-1]).max()))
        starts = [say("stack.start"), *(say("stack.after", block=k) for k in range(1, n + 1))]
        marks = [["now" if k == n else ""] * 2 for k in range(n + 1)]
        boxes = [
            Box("output", say("stack.output", blocks=n), tables=[words]),
            Box("along", say("stack.along"), tables=[_measured(starts, found, marks)]),
            Box("beside", say("stack.beside", blocks=n), words=[say("block.meaning")], tables=[
                _measured([say(f"stack.way.{way}") for way in WAYS], [self._end(**way) for way in WAYS.values()])]),
        ]
        return say("stack.told", blocks=n, parts=told_off(b)), boxes

    def _end(self, **switches):
        """The words after the last block, None where they are too large for the computer."""
        try:
            return self.block.stacked(self["blocks"], **switches)[-1]
        except ValueError:
            return None


def _measured(rows, states, marks=None):
    text = [[say("stack.too_large"), "–"] if state is None else [fixed(size(state)), fixed(unlikeness(state))]
            for state in states]
    return Table(rows, [say("block.size"), say("block.unlikeness")], text, marks=marks)


def block_stack(block: WholeBlock, blocks: int = 6) -> BlockStack:
    """``blocks`` times the same block, 1 to 12, as its switches stand; beside it: post-norm, pre-norm, no norms, no
    residuals.

    Size is the root mean square, difference is :func:`unlikeness`. A real model has weights of its own in every block.
    Raises ValueError for what is no WholeBlock, and for a number of blocks there is not.
    """
    return BlockStack(block, blocks)
