"""The arithmetic behind one cell of a whole block."""

import numpy as np

from .block import EPSILON
from .digits import fixed
from .explain import Explanation, dot, equals, number, operand, part, shared_out, way
from .explain_order import placed_at
from .language import say
from .whole_block import WholeBlock


@way.register
def _(b: WholeBlock, at, value, name, row, column):
    if b.head_of(name):
        return _weights(b, at, name, row, column)
    if name == "placed":
        return _placed(b, at, value, row, column)
    if name == "merged":
        return _merged(b, at, value, row, column)
    if name == "attended":
        spoken = dot(at, value, "merged", b["merged"][row], (row, None), "W_O", b["W_O"][:, column], (None, column))
        return spoken if b.attention else _silent(at)
    if name == "hidden":
        return _hidden(b, at, value, row, column)
    if name == "fed":
        return _with_bias(b, at, "hidden", "2", row, column, value) if b.feed_forward else _silent(at)
    if name in ("added_1", "added_2"):
        return _added(b, at, value, name[-1], row, column)
    if name in ("normed_1", "normed_2"):
        return _normed(b, at, value, name[-1], row, column)
    return _handed_on(at, value, b.source("output"), row, column)


def _handed_on(at, value, source, row, column, why=None):
    lines = (f"{at} = {part(source, (row, column))} {equals(value)} {number(value)}",)
    return Explanation((*lines, say(why)) if why else lines, ((source, row, column),))


def _silent(at):
    return Explanation((f"{at} = 0.0", say("block.explain.silent")), ())


def _placed(b, at, value, row, column):
    if b.positions == "none":
        return _handed_on(at, value, "X", row, column)
    x, d = b["X"][row, column], b["X"].shape[1]
    lines = placed_at(at, part("X", (row, column)), x, value, row, column, d)
    return Explanation(lines, (("X", row, column),))


def _weights(b, at, name, row, column):
    scaled, hidden = b.steps["scaled"][b.head_of(name) - 1][row], b.hidden(name)
    shown = np.ones(len(scaled), dtype=bool) if hidden is None else ~hidden[row]
    lines = say("block.explain.scaled", numbers=", ".join(map(number, scaled)))
    return Explanation((lines, *shared_out(at, scaled, shown, column)), ())


def _merged(b, at, value, row, column):
    head, inside = divmod(column, b.steps["V"].shape[-1])
    weights, V = f"weights_{head + 1}", b.steps["V"][head]
    told = dot(at, value, weights, b[weights][row], (row, None), f"V_{head + 1}", V[:, inside], (None, inside))
    return Explanation(told.lines, told.sources[:1])


def _with_bias(b, at, left, layer, row, column, total):
    """One number of ``left`` W + b, written out as far as the sum, which is ``total``."""
    W, bias = f"W_{layer}", float(b[f"b_{layer}"][0, column])
    here, down = b[left][row], b[W][:, column]
    products = float(here @ down)
    told = dot("", products, left, here, (row, None), W, down, (None, column))
    lines = (
        f"{at} = {part(left, (row, None))} · {part(W, (None, column))} + {part(f'b_{layer}', (0, column))}",
        *told.lines[1:],
        f"{equals(products, bias)} {operand(products)} + {operand(bias)}",
        f"{equals(total)} {number(total)}",
    )
    return Explanation(lines, (*told.sources, (f"b_{layer}", 0, column)))


def _hidden(b, at, value, row, column):
    left = b.source("read")
    before = float(b[left][row] @ b["W_1"][:, column] + b["b_1"][0, column])
    told = _with_bias(b, "x", left, "1", row, column, before)
    last = f"{at} = max(0, {number(before)}) {equals(before, value)} {number(value)}"
    return Explanation((*told.lines, last), told.sources)


def _added(b, at, value, half, row, column):
    left, said = (b.source("middle"), "fed") if half == "2" else (b.entrance, "attended")
    if not (b.residual_1 if half == "1" else b.residual_2):
        return _handed_on(at, value, said, row, column, "block.explain.not_added")
    x, y = b[left][row, column], b[said][row, column]
    lines = (f"{at} = {part(left, (row, column))} + {part(said, (row, column))}",
             f"{equals(x, y)} {operand(x)} + {operand(y)}", f"{equals(value)} {number(value)}")
    return Explanation(lines, ((left, row, column), (said, row, column)))


def _normed(b, at, value, half, row, column):
    left = b.source(f"norm_{half}")
    if not (b.norm_1 if half == "1" else b.norm_2):
        return _handed_on(at, value, left, row, column, "block.explain.not_normed")
    values = b[left][row]
    mean, spread = float(values.mean()), float(np.sqrt(values.var() + EPSILON))
    gain, shift = (float(b[f"{name}_{half}"][0, column]) for name in ("gain", "shift"))
    lines = [
        say("block.explain.mean", numbers=" + ".join(map(operand, values)), n=len(values), mean=fixed(mean, 4)),
        say("block.explain.spread", variance=fixed(values.var(), 4), root=fixed(spread, 4)),
        f"{at} ≈ ({number(values[column])} - {operand(mean)}) ÷ {fixed(spread, 4)} ≈ "
        f"{fixed((values[column] - mean) / spread, 4)}",
    ]
    if (gain, shift) != (1, 0):
        lines.append(f"× {operand(gain)} + {operand(shift)} {equals(value)} {number(value)}")
    sources = [(left, row, None)] + [(f"{name}_{half}", 0, column) for name in ("gain", "shift")]
    return Explanation(tuple(lines), tuple(sources))
