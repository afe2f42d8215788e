"""The arithmetic behind one cell where words change places."""

import numpy as np

from .explain import Explanation, dot, equals, number, operand, part, scaled_by, shared_out, way
from .language import say
from .positions import BASE, angles
from .word_order import WordOrder


@way.register
def _(o: WordOrder, at, value, name, row, column):
    if name == "placed":
        return _placed(o, at, value, row, column)
    if name in ("Q", "K") and o.positions == "rotary":
        return _turned(o, at, value, name, row, column)
    if name in ("Q", "K", "V"):
        W = f"W_{name}"
        return dot(at, value, "placed", o["placed"][row], (row, None), W, o[W][:, column], (None, column))
    if name == "scores":
        return dot(at, value, "Q", o["Q"][row], (row, None), "K", o["K"][column], (column, None))
    if name == "scaled":
        lines = scaled_by(at, value, o["scores"][row, column], o["K"].shape[1], True)
        if o.hidden(name) is not None and o.hidden(name)[row, column]:
            lines.append(say("explain.masked_next"))
        return Explanation(tuple(lines), (("scores", row, column),))
    if name == "weights":
        shown = np.ones(len(o.words), dtype=bool) if o.mask is None else o.mask[row]
        return Explanation(tuple(shared_out(at, o["scaled"][row], shown, column)), (("scaled", row, None),))
    if name == "output":
        return dot(at, value, "weights", o["weights"][row], (row, None), "V", o["V"][:, column], (None, column))
    return _change(o, at, value, row, column)


def _placed(o, at, value, row, column):
    word = o.order[row]
    source, x = ("X", word, column), o["X"][word, column]
    if o.positions != "sinusoidal":
        return Explanation((f"{at} = {part('X', source[1:])} {equals(value)} {number(value)}",), (source,))
    return Explanation(placed_at(at, part("X", source[1:]), x, value, row, column, o["X"].shape[1]), (source,))


def placed_at(at, source, x, value, place, column, d) -> tuple[str, ...]:
    """A number with its sinusoidal position, written out; place and column are counted from 0, d are the columns."""
    pair, wave = column // 2, "cos" if column % 2 else "sin"
    slow = "" if pair == 0 else f" ÷ {BASE:g}^({2 * pair}/{d})"
    return (
        f"{at} = {source} + {wave}({place}{slow})",
        f"{equals(x, value)} {operand(x)} + {operand(value - x)}",
        f"{equals(value)} {number(value)}",
    )


def _turned(o, at, value, name, row, column):
    first = column - column % 2
    pair, d = first // 2, o[name].shape[1]
    x, y = o.turned(name)[row, first:first + 2]
    angle = float(angles(np.array([row]), d)[0, pair])
    sign, left, right = ("+", "sin", "cos") if column % 2 else ("-", "cos", "sin")
    terms = [x * getattr(np, left)(angle), y * getattr(np, right)(angle)]
    lines = (
        say("explain.before_turning", name=name, x=number(x), y=number(y)),
        say("explain.angle", place=row, angle=number(angle)),
        f"{at} = {operand(x)}×{left}({number(angle)}) {sign} {operand(y)}×{right}({number(angle)})",
        f"{equals(*terms)} {operand(terms[0])} {sign} {operand(terms[1])}",
        f"{equals(value)} {number(value)}",
    )
    return Explanation(lines, (("placed", row, None), (f"W_{name}", None, first), (f"W_{name}", None, first + 1)))


def _change(o, at, value, row, column):
    place = o.order.index(row)
    now = o["output"][place, column]
    lines = (
        say("explain.change", word=o.written[row], place=place + 1, was=row + 1),
        f"{at} {equals(now, now - value)} {number(now)} - {operand(now - value)}",
        f"{equals(value)} {number(value)}",
    )
    return Explanation(lines, (("output", place, column),))
