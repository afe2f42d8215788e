"""The arithmetic behind one cell, with the real operands."""

from dataclasses import dataclass

import numpy as np

from .digits import fixed, short
from .experiment import Experiment
from .faults import pairs_kept
from .language import say

_READABLE = -2, 10  # a largest entry outside is taken away first: exp would have too few digits, or too many


@dataclass(frozen=True)
class Explanation:
    """lines: the arithmetic as a person would write it; sources: (matrix, row, column), None = all of them."""

    lines: tuple[str, ...]
    sources: tuple[tuple[str, int | None, int | None], ...]


def explain(e: Experiment, name: str, row: int, column: int) -> Explanation:
    """Where the number in ``e[name][row, column]`` comes from, counted from 0.

    Raises ValueError for a matrix or a cell that is not there.
    """
    row, column = e.cell(name, row, column)
    value, (rows, columns) = float(e[name][row, column]), e.labels(name)
    at = f"{name}[{rows[row]}, {columns[column]}]"
    if name in e.inputs:
        return Explanation((f"{at} = {short(value)}", say("explain.input")), ())
    if name in ("Q", "K", "V"):
        return _projection(e, at, value, name, row, column)
    if name == "scores":
        return _dot(at, value, "Q", e["Q"][row], (row, None), "K", e["K"][column], (column, None))
    if name == "scaled":
        return _scaled(e, at, value, row, column)
    if name == "weights":
        return _softmax(e, at, value, row, column)
    V = "K" if e.fault == "V is K" else "V"
    return _dot(at, value, "weights", e["weights"][row], (row, None), V, e[V][:, column], (None, column))


def _projection(e, at, value, name, row, column):
    if name == "V" and e.fault == "V is K":
        lines = f"{at} = K[{row + 1}, {column + 1}]", say("fault.V is K"), f"{_equals(value)} {_number(value)}"
        return Explanation(lines, (("K", row, column),))
    W = "W_Q" if name == "K" and e.fault == "W_K is W_Q" else f"W_{name}"
    return _dot(at, value, "X", e["X"][row], (row, None), W, e[W][:, column], (None, column))


def _dot(at, value, left, a, a_at, right, b, b_at):
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    lines = [
        f"{at} = {_part(left, a_at)} · {_part(right, b_at)}",
        f"{_equals(*a, *b)} {' + '.join(f'{_operand(x)}×{_operand(y)}' for x, y in pairs)}",
    ]
    if len(pairs) > 1:
        products = [x * y for x, y in pairs]
        lines.append(f"{_equals(*products)} {' + '.join(map(_operand, products))}")
    lines.append(f"{_equals(value)} {_number(value)}")
    return Explanation(tuple(lines), ((left, *a_at), (right, *b_at)))


def _scaled(e, at, value, row, column):
    score, d_k = e["scores"][row, column], e["K"].shape[1]
    scale = False if e.fault == "no scaling" else e.scale
    if scale is True:
        root = np.sqrt(d_k)
        how = f"{_operand(score)} ÷ √{d_k} {_equals(root, score)} {_operand(score)} ÷ {_number(root)}"
    elif scale is False:
        how = f"{_operand(score)} ({say('explain.unscaled')})"
    else:
        how = f"{_operand(score)} × {_operand(scale)}"
    return Explanation((f"{at} = {how}", f"{_equals(value)} {_number(value)}"), (("scores", row, column),))


def _softmax(e, at, value, row, column):
    down, late = e.fault == "wrong axis", e.fault == "mask after softmax"
    keep = pairs_kept(e.fault, e.mask, e["scaled"].shape)
    if not keep[row, column] and not late:
        return Explanation((f"{at} = 0.0", say("explain.masked")), (("scaled", row, column),))
    line, here = (np.s_[:, column], row) if down else (np.s_[row], column)
    values, shown = e["scaled"][line], keep[line] | late
    low, high = _READABLE
    largest = values[shown].max()
    shift = 0.0 if low <= largest <= high else largest
    with np.errstate(over="ignore", under="ignore"):
        powers = np.where(shown, np.exp(np.where(shown, values - shift, 0.0)), 0.0)
    one, total = powers[here], powers.sum()
    terms = " + ".join(fixed(p, 4) for p in powers[shown])
    minus = f" - {_operand(shift)}" if shift else ""
    lines = [
        f"exp({_number(values[here])}{minus}) ≈ {fixed(one, 4)}",
        say("explain.column_sum" if down else "explain.row_sum", sum=f"{terms} ≈ {fixed(total, 4)}"),
        f"{at} = {fixed(one, 4)} ÷ {fixed(total, 4)} ≈ {fixed(one / total, 4)}",
    ]
    if shift:
        lines.insert(0, say("explain.shift", largest=_number(shift)))
    if late and not keep[row, column]:
        lines += [say("fault.mask after softmax"), f"{fixed(one / total, 4)} × 0 = {_number(value)}"]
    return Explanation(tuple(lines), (("scaled", None, column) if down else ("scaled", row, None),))


def _part(name, at):
    return f"{name}[{':' if at[0] is None else at[0] + 1}, {':' if at[1] is None else at[1] + 1}]"


def _exact(x):
    """Four decimals say it all, but for the dust of binary addition."""
    return abs(round(float(x), 4) - x) < 1e-12


def _equals(*values):
    return "=" if all(map(_exact, values)) else "≈"


def _number(x):
    return short(x, 4) if _exact(x) else fixed(x, 4)


def _operand(x):
    number = _number(x)
    return f"({number})" if number.startswith("-") else number
