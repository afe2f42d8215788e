"""The arithmetic behind one cell, with the real operands."""

from dataclasses import dataclass

import numpy as np

from .digits import fixed, short
from .experiment import Experiment
from .language import say
from .maths import causal_mask


@dataclass(frozen=True)
class Explanation:
    """lines: the arithmetic as a person would write it; sources: (matrix, row, column), None = all of them."""

    lines: tuple[str, ...]
    sources: tuple[tuple[str, int | None, int | None], ...]


def explain(e: Experiment, name: str, row: int, column: int) -> Explanation:
    """Where the number in ``e[name][row, column]`` comes from. IndexError for a cell that is not there."""
    value = e[name][row, column]
    at = f"{name}[{e.labels(name)[0][row]}, {e.labels(name)[1][column]}]"
    if name in e.inputs:
        return Explanation((f"{at} = {short(value)}", say("explain.input")), ())
    if name in ("Q", "K", "V"):
        return _projection(e, at, name, row, column)
    if name == "scores":
        return _dot(at, "Q", e["Q"][row], (row, None), "K", e["K"][column], (column, None))
    if name == "scaled":
        return _scaled(e, at, row, column)
    if name == "weights":
        return _softmax(e, at, row, column)
    return _dot(at, "weights", e["weights"][row], (row, None), "V", e["V"][:, column], (None, column))


def _projection(e, at, name, row, column):
    if name == "V" and e.fault == "V is K":
        return Explanation((f"{at} = K[{row + 1}, {column + 1}] = {_number(e['K'][row, column])}", say("fault.V is K")),
                           (("K", row, column),))
    W = "W_Q" if name == "K" and e.fault == "W_K is W_Q" else f"W_{name}"
    return _dot(at, "X", e["X"][row], (row, None), W, e[W][:, column], (None, column))


def _dot(at, left, a, a_at, right, b, b_at):
    products = [x * y for x, y in zip(a, b, strict=True)]
    terms = " + ".join(f"{_operand(x)}×{_operand(y)}" for x, y in zip(a, b, strict=True))
    total = float(np.dot(a, b))
    lines = [f"{at} = {_part(left, a_at)} · {_part(right, b_at)}", f"= {terms}"]
    if len(products) > 1:
        lines.append(f"{_equals(*products)} {' + '.join(map(_operand, products))}")
    lines.append(f"{_equals(total)} {_number(total)}")
    return Explanation(tuple(lines), ((left, *a_at), (right, *b_at)))


def _scaled(e, at, row, column):
    score, scaled, d_k = e["scores"][row, column], e["scaled"][row, column], e["K"].shape[1]
    scale = False if e.fault == "no scaling" else e.scale
    if scale is True:
        how = f"{_operand(score)} ÷ √{d_k} {_equals(np.sqrt(d_k), score)} {_operand(score)} ÷ {_number(np.sqrt(d_k))}"
    elif scale is False:
        how = f"{_operand(score)}  ({say('explain.unscaled')})"
    else:
        how = f"{_operand(score)} × {_operand(float(scale))}"
    return Explanation((f"{at} = {how}", f"{_equals(scaled)} {_number(scaled)}"), (("scores", row, column),))


def _softmax(e, at, row, column):
    down = e.fault == "wrong axis"
    scaled, line = (e["scaled"].T, column) if down else (e["scaled"], row)
    here = row if down else column
    values, keep = scaled[line], _keep(e, down)[line]
    source = ("scaled", None, column) if down else ("scaled", row, None)
    if e.fault != "mask after softmax":
        if not keep[here]:
            return Explanation((f"{at} = 0", say("explain.masked")), (("scaled", row, column),))
        values = values[keep]
        here = int(np.sum(keep[:here]))
    shift = values.max() if abs(values).max() > 20 else 0.0  # keep exp(…) small enough to print
    powers = np.exp(values - shift)
    inside = f"{_number(values[here])} - {_operand(shift)}" if shift else _number(values[here])
    lines = [
        f"exp({inside}) ≈ {fixed(powers[here], 4)}",
        f"{say('explain.column_sum' if down else 'explain.row_sum')}: "
        f"{' + '.join(fixed(p, 4) for p in powers)} ≈ {fixed(powers.sum(), 4)}",
        f"{at} = {fixed(powers[here], 4)} ÷ {fixed(powers.sum(), 4)} ≈ {fixed(powers[here] / powers.sum(), 4)}",
    ]
    if e.fault == "mask after softmax" and not keep[here]:
        lines += [f"× 0 = 0  ({say('fault.mask after softmax')})"]
    return Explanation(tuple(lines), (source,))


def _keep(e, transposed):
    shape = e["scaled"].shape
    keep = np.ones(shape, dtype=bool) if e.mask is None else e.mask
    if e.fault == "mask after softmax" and e.mask is None and shape[0] == shape[1]:
        keep = causal_mask(shape[0])
    return keep.T if transposed else keep


def _part(name, at):
    return f"{name}[{':' if at[0] is None else at[0] + 1}, {':' if at[1] is None else at[1] + 1}]"


def _exact(x):
    return abs(round(x, 4) - x) < 1e-12


def _equals(*values):
    return "=" if all(map(_exact, values)) else "≈"


def _number(x):
    return short(x, 4) if _exact(x) else fixed(x, 4)


def _operand(x):
    return f"({_number(x)})" if x < 0 and _number(x).startswith("-") else _number(x)
