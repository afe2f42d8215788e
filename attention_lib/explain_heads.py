"""The arithmetic behind one cell where there are several heads."""

from .explain import Explanation, dot, equals, number, operand, part, scaled_by, shared_out, way
from .language import say
from .multi_head import MultiHead


@way.register
def _(m: MultiHead, at, value, name, row, column):
    if name == "mean":
        return _mean(m, at, value, row, column)
    if name == "merged":
        return _merged(m, at, value, row, column)
    if name == "output":
        return dot(at, value, "merged", m["merged"][row], (row, None), "W_O", m["W_O"][:, column], (None, column))
    if name in ("Q", "K", "V"):
        W = f"W_{name}"
        return dot(at, value, "X", m["X"][row], (row, None), W, m[W][:, column], (None, column))
    return _of_a_head(m, at, value, name, row, column)


def _of_a_head(m, at, value, name, row, column):
    kind, head = m.kind(name), m.head_of(name)
    if kind in ("Q", "K", "V"):
        there = (kind, row, m.columns_of(name).start + column)
        lines = f"{at} = {part(kind, there[1:])} {equals(value)} {number(value)}", say("explain.part", name=kind)
        return Explanation(lines, (there,))
    if kind == "scores":
        Q, K = f"Q_{head}", f"K_{head}"
        return dot(at, value, Q, m[Q][row], (row, None), K, m[K][column], (column, None))
    if kind == "scaled":
        scores = f"scores_{head}"
        lines = scaled_by(at, value, m[scores][row, column], m[f"K_{head}"].shape[1], m.scale)
        if m.hidden(name) is not None and m.hidden(name)[row, column]:
            lines.append(say("explain.masked_next"))
        return Explanation(tuple(lines), ((scores, row, column),))
    if kind == "weights":
        scaled, hidden = f"scaled_{head}", m.hidden(name)
        shown = m[scaled][row] < float("inf") if hidden is None else ~hidden[row]
        return Explanation(tuple(shared_out(at, m[scaled][row], shown, column)), ((scaled, row, None),))
    weights, V = f"weights_{head}", f"V_{head}"
    return dot(at, value, weights, m[weights][row], (row, None), V, m[V][:, column], (None, column))


def _mean(m, at, value, row, column):
    names = [f"weights_{h + 1}" for h in range(m.heads)]
    weights = [m[name][row, column] for name in names]
    lines = (
        f"{at} = ({' + '.join(part(name, (row, column)) for name in names)}) ÷ {m.heads}",
        f"{equals(*weights)} ({' + '.join(map(operand, weights))}) ÷ {m.heads}",
        f"{equals(value)} {number(value)}",
        say("explain.mean"),
    )
    return Explanation(lines, tuple((name, row, column) for name in names))


def _merged(m, at, value, row, column):
    head, inside = divmod(column, m["output_1"].shape[1])
    there = (f"output_{head + 1}", row, inside)
    source = part(there[0], there[1:])
    if not m.keep[head]:
        return Explanation((f"{at} = 0 × {source} = 0.0", say("explain.off", head=head + 1)), (there,))
    return Explanation((f"{at} = {source} {equals(value)} {number(value)}",), (there,))
