"""The arithmetic behind one cell, with the real operands."""

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from . import digits
from .digits import fixed, short
from .experiment import Experiment
from .faults import pairs_kept
from .formulas import scale_of
from .language import say
from .maths import softmax

_DECIMALS = 4
_READABLE = -2, 10  # a largest entry outside is taken away first: exp would have too few digits, or too many


@dataclass(frozen=True)
class Explanation:
    """lines: the arithmetic as a person would write it; sources: (matrix, row, column), None = all of them."""

    lines: tuple[str, ...]
    sources: tuple[tuple[str, int | None, int | None], ...]


def explain(e, name: str, row: int, column: int) -> Explanation:
    """Where the number in ``e[name][row, column]`` comes from, counted from 0.

    Raises ValueError for a matrix or a cell that is not there.
    """
    row, column = e.cell(name, row, column)
    value, (rows, columns) = float(e[name][row, column]), e.labels(name)
    at = f"{name}[{rows[row]}, {columns[column]}]"
    if name in e.inputs:
        return Explanation((f"{at} = {short(value)}", say("explain.input")), ())
    return way(e, at, value, name, row, column)


@singledispatch
def way(e, at: str, value: float, name: str, row: int, column: int) -> Explanation:
    """How ``value`` is computed in ``e``; ``at`` is what the cell is called. Each kind of experiment has a way."""
    raise TypeError(type(e).__name__)


@way.register
def _(e: Experiment, at, value, name, row, column):
    if name in ("Q", "K", "V"):
        return _projection(e, at, value, name, row, column)
    if name == "scores":
        return dot(at, value, "Q", e["Q"][row], (row, None), "K", e["K"][column], (column, None))
    if name == "scaled":
        return _scaled(e, at, value, row, column)
    if name == "weights":
        return _softmax(e, at, value, row, column)
    V = "K" if e.fault == "V is K" else "V"
    return dot(at, value, "weights", e["weights"][row], (row, None), V, e[V][:, column], (None, column))


def _projection(e, at, value, name, row, column):
    if name == "V" and e.fault == "V is K":
        lines = f"{at} = K[{row + 1}, {column + 1}]", say("fault.V is K"), f"{equals(value)} {number(value)}"
        return Explanation(lines, (("K", row, column),))
    W = "W_Q" if name == "K" and e.fault == "W_K is W_Q" else f"W_{name}"
    return dot(at, value, "X", e["X"][row], (row, None), W, e[W][:, column], (None, column))


def dot(at, value, left, a, a_at, right, b, b_at) -> Explanation:
    """A dot product written out: ``a``, at ``a_at`` of the matrix ``left``, times ``b``, at ``b_at`` of ``right``."""
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    lines = [
        f"{at} = {part(left, a_at)} · {part(right, b_at)}",
        f"{equals(*a, *b)} {' + '.join(f'{operand(x)}×{operand(y)}' for x, y in pairs)}",
    ]
    if len(pairs) > 1:
        products = [x * y for x, y in pairs]
        lines.append(f"{equals(*products)} {' + '.join(map(operand, products))}")
    lines.append(f"{equals(value)} {number(value)}")
    return Explanation(tuple(lines), ((left, *a_at), (right, *b_at)))


def scaled_by(at, value, score, d_k, scale) -> list[str]:
    """A score divided by √d_k, or whatever else ``scale`` says, written out."""
    if scale is True:
        root = np.sqrt(d_k)
        how = f"{operand(score)} ÷ √{d_k} {equals(root, score)} {operand(score)} ÷ {number(root)}"
    elif scale is False:
        how = f"{operand(score)} ({say('explain.unscaled')})"
    else:
        how = f"{operand(score)} × {operand(scale)}"
    return [f"{at} = {how}", f"{equals(value)} {number(value)}"]


def _scaled(e, at, value, row, column):
    lines = scaled_by(at, value, e["scores"][row, column], e["K"].shape[1], scale_of(e))
    if e.fault != "mask after softmax" and not pairs_kept(e.fault, e.mask, e["scaled"].shape)[row, column]:
        lines.append(say("explain.masked_next"))
    return Explanation(tuple(lines), (("scores", row, column),))


def _softmax(e, at, value, row, column):
    down, late = e.fault == "wrong axis", e.fault == "mask after softmax"
    kept = pairs_kept(e.fault, e.mask, e["scaled"].shape)
    line, here = (np.s_[:, column], row) if down else (np.s_[row], column)
    lines = shared_out(at, e["scaled"][line], kept[line] | late, here, down)
    if late and not kept[row, column]:
        before = softmax(e["scaled"][line])[here]
        lines += [say("fault.mask after softmax"), f"{fixed(before, 4)} × 0 = {number(value)}"]
    return Explanation(tuple(lines), (("scaled", None, column) if down else ("scaled", row, None),))


def shared_out(at: str, values: np.ndarray, shown: np.ndarray, here: int, down: bool = False) -> list[str]:
    """Softmax of one row (a column, where ``down``) written out for its entry ``here``; shown: what is not hidden."""
    if not shown.any():
        return [f"{at} = 0.0", say("explain.masked_column" if down else "explain.masked_row")]
    low, high = _READABLE
    largest = values[shown].max()
    shift = 0.0 if low <= largest <= high else largest
    with np.errstate(over="ignore", under="ignore"):
        powers = np.where(shown, np.exp(np.where(shown, values - shift, 0.0)), 0.0)
    one, total = powers[here], powers.sum()
    terms = " + ".join(fixed(p, 4) for p in powers[shown]) + f" ≈ {fixed(total, 4)}" * int(shown.sum() > 1)
    minus = f" - {operand(shift)}" if shift else ""
    share = f"{fixed(one, 4)} ÷ {fixed(total, 4)} ≈ {fixed(one / total, 4)}"
    lines = [
        f"exp({number(values[here])}{minus}) ≈ {fixed(one, 4)}" if shown[here] else say("explain.masked"),
        say("explain.column_sum" if down else "explain.row_sum", sum=terms),
        f"{at} = {share if shown[here] else f'0 ÷ {fixed(total, 4)} = 0.0'}",
    ]
    return [say("explain.shift", largest=number(shift)), *lines] if shift else lines


def part(name, at):
    return f"{name}[{':' if at[0] is None else at[0] + 1}, {':' if at[1] is None else at[1] + 1}]"


def equals(*values):
    return digits.equals(*values, decimals=_DECIMALS)


def number(x):
    return short(x, _DECIMALS) if digits.exact(x, _DECIMALS) else fixed(x, _DECIMALS)


def operand(x):
    text = number(x)
    return f"({text})" if text.startswith("-") else text
