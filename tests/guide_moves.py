"""The moves of the teacher's guides, made as a learner makes them: on the panels of the notebook, by their labels."""

import re
from dataclasses import dataclass, replace
from functools import cache

import by_hand
import numpy as np
from guide_notebook import Notebook
from guide_text import Move

from attention_lib import (
    block_flow,
    classroom,
    controls,
    decoding,
    head_switches,
    mask_switches,
    one_pass_softmax,
    presets,
    scaling_lab,
    temperature,
)
from attention_lib.digits import fixed, parse
from attention_lib.language import texts
from attention_lib.maths import STEPS
from attention_lib.moments import MaskMoments
from attention_lib.multi_head import MultiHead
from attention_lib.whole_block import STAGES, WholeBlock
from attention_lib.widgets.block_flow import ORDERS
from attention_lib.widgets.block_flow import STEPS as PARTS
from attention_lib.widgets.controls import GROUPS
from attention_lib.widgets.edit import MatrixSliders
from attention_lib.widgets.word_order import OrderLab, OrderOfWords, Positions
from attention_lib.word_order import POSITIONS, WordOrder

WORDS = {
    "en": {"stays": "stays", "sums": "row sums of {name}", "row": "{name}, row {row}",
           "column": "{name}, column {column}", "box": "“{box}”, row {row}"},
    "zh": {"stays": "不变", "sums": "{name} 各行的和", "row": "{name}，{row} 行", "column": "{name}，{column} 列",
           "box": "“{box}”，{row} 行"},
}
UNMOVED = "—"
# Which matrices a panel shows of the experiment it is given; the others name them.
SHOWN = {"classroom": ("Q", "K", "V", "scores", "weights", "output"), "triangle": ("V", "output"),
         "bars": ("scaled", "weights"), "heatmap": ("weights",), "temperature": ("weights",),
         "block_flow": tuple(name for name in STAGES if name != "hidden"),
         "mask_lab": ("scaled", "weights", "output"), "before_or_after": ("before", "renormalised", "after")}
MASKS = ("mask_switches", "mask_lab")  # the panels with a grid of switches
USUAL = ("all", "causal", "padding", "both")
# Panels of knobs and boxes: the text of each knob → its panel and its name; the boxes whose rows can be watched.
KNOBS = {"decoding.word": ("decoding", "word"), "one_pass.query": ("one_pass_softmax", "row"),
         "one_pass.size": ("one_pass_softmax", "size"), "one_pass.step": ("one_pass_softmax", "step")}
BOXES = {"decoding.cost": ("decoding", "cost"), "decoding.attention": ("decoding", "attention"),
         "one_pass.running": ("one_pass_softmax", "running"), "one_pass.result": ("one_pass_softmax", "result")}
MAKERS = {"decoding": decoding, "one_pass_softmax": one_pass_softmax}
SWITCH = {True: "✓", False: "✕"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Step:
    """One thing to move: on a panel of ``kind``, given the experiment ``name``. at: what of it, without words."""

    kind: str
    name: str
    at: tuple
    start: str
    end: str
    options: dict


def wrong_in(move: Move, notebook: Notebook) -> list[str]:
    """What a row has wrong, in words; nothing where all of it is so. Numbers must read as on the page."""
    try:
        before, after = watched(replace(move, becomes=""), notebook)
    except (ValueError, KeyError, AssertionError) as error:
        return [f"{move}: {error!r}"]
    said = move.becomes.replace("−", "-")
    if said == WORDS[notebook.language]["stays"]:
        same = np.allclose(before.astype(float), after.astype(float), rtol=0, atol=1e-12)
        return [] if same else [f"{move}: is {on_page(after)}"]
    pairs = zip(reversed(said.split("→")), (after, before), strict=False)
    return [f"{move}: is {on_page(value)}" for text, value in pairs if _NUMBER.findall(text) != on_page(value)]


def claim(move: Move, notebook: Notebook) -> tuple:
    """A row without its language: where, what, how far, and what it becomes."""
    moved = [(step.kind, step.name, step.at, step.start, step.end) for step in _steps(move, notebook)]
    stays = move.becomes == WORDS[notebook.language]["stays"]
    return move.section, moved, _place(move, notebook), "stays" if stays else _NUMBER.findall(move.becomes)


@cache
def watched(move: Move, notebook: Notebook) -> tuple[np.ndarray, np.ndarray]:
    """The numbers a row watches, before and after it, compared with those worked out by hand.

    Raises ValueError for what is not on the page, AssertionError where the page and the hand disagree.
    """
    _reachable(move, notebook)
    kind, *place = _place(move, notebook)
    if kind == "lab":
        step, = _steps(move, notebook)
        return tuple(np.array(_measured(int(d_k), *place)) for d_k in (step.start, step.end))
    if kind == "box":
        return _boxed(move, notebook, *place), _boxed(move, notebook, *place, moved=True)
    return _numbers(move, notebook, *place), _numbers(move, notebook, *place, moved=True)


def on_page(values) -> list[str]:
    return [str(x) if isinstance(x, str) else fixed(x) for x in np.ravel(values)]


def _numbers(move, notebook, name, row, column, moved=False):
    e = _live(move, notebook)
    for step in _steps(move, notebook) if moved else ():
        _make(step, e)
    for step, values in _by_hand(e).items():
        np.testing.assert_allclose(e[step], values, rtol=1e-12, atol=1e-12, err_msg=step)
    values = _moment(e, name) if name in MaskMoments.derived else e[name]
    if isinstance(e, WordOrder) and isinstance(row, int) and name != "change":
        row = e.order.index(row)  # the row of the same word, wherever it stands now
    return values.sum(axis=1) if row == "sums" else values[row, column]


def _live(move, notebook):
    """What a row is about as it stands on the page before anything moves: an experiment, or its words in an order."""
    e = notebook.fresh(_name(move, notebook))
    for _, names, _ in notebook.panels(move.section, "order_lab"):
        ordered = WordOrder(e)
        for lab in notebook.space.values():
            if isinstance(lab, OrderLab) and lab.names == names:
                ordered.positions = lab.experiment.positions
        return ordered
    return e


def _by_hand(e):
    """The steps of an experiment in plain Python, or from the formulas of lesson 09."""
    if isinstance(e, MultiHead):
        return _heads_by_hand(e)
    if isinstance(e, WholeBlock):
        return _block_by_hand(e)
    if isinstance(e, WordOrder):
        now, written = (_order_by_hand(e, order) for order in (e.order, range(len(e.order))))
        back = np.array(now["output"])[np.argsort(e.order)]
        return now | {"change": back - np.array(written["output"])}
    inputs = {matrix: e[matrix] for matrix in e.inputs}
    compute = by_hand.self_attention if "X" in inputs else by_hand.attention
    return {step: values for step, values in compute(**inputs, mask=e.mask, scale=e.scale, fault=e.fault).items()
            if step in STEPS}


def _heads_by_hand(e):
    QKV = [np.split(e["X"] @ e[name], e.heads, axis=1) for name in ("W_Q", "W_K", "W_V")]
    heads = [by_hand.attention(*parts) for parts in zip(*QKV, strict=True)]
    found = {f"{step}_{h + 1}": head[step] for h, head in enumerate(heads) for step in ("weights", "output")}
    merged = np.hstack([np.array(head["output"]) * on for head, on in zip(heads, e.keep, strict=True)])
    mean = np.mean([head["weights"] for head in heads], axis=0)
    return found | {"mean": mean, "merged": merged, "output": merged @ e["W_O"]}


def _block_by_hand(e):
    """The formulas of lesson 12, each part as its switch stands."""
    def norm(x, half):
        if not getattr(e, f"norm_{half}"):
            return x
        mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-5) * e[f"gain_{half}"] + e[f"shift_{half}"]

    def attend(x):
        QKV = [np.split(x @ e[name], e.heads, axis=1) for name in ("W_Q", "W_K", "W_V")]
        said = [by_hand.attention(*parts)["output"] for parts in zip(*QKV, strict=True)]
        return np.hstack(said) @ e["W_O"] * e.attention

    def feed(x):
        return (np.maximum(x @ e["W_1"] + e["b_1"], 0) @ e["W_2"] + e["b_2"]) * e.feed_forward

    X, pre = e["X"], e.norm_first
    attended = attend(norm(X, 1) if pre else X)
    added_1 = X * e.residual_1 + attended
    middle = added_1 if pre else norm(added_1, 1)
    fed = feed(norm(middle, 2) if pre else middle)
    added_2 = middle * e.residual_2 + fed
    return {"attended": attended, "added_1": added_1, "normed_1": norm(X, 1) if pre else middle, "fed": fed,
            "added_2": added_2, "output": added_2 if pre else norm(added_2, 2)}


def _order_by_hand(e, order):
    """Two columns, one pair: positions are sin and cos of the place, or a turn by the place in the complex plane."""
    placed, places = np.array([e["X"][i] for i in order]), np.arange(len(order))
    if e.positions == "sinusoidal":
        placed = placed + np.transpose([np.sin(places), np.cos(places)])
    Q, K, V = (placed @ e[name] for name in ("W_Q", "W_K", "W_V"))
    if e.positions == "rotary":
        turned = [(A[:, 0] + 1j * A[:, 1]) * np.exp(1j * places) for A in (Q, K)]
        Q, K = (np.transpose([z.real, z.imag]) for z in turned)
    return {"placed": placed} | by_hand.attention(Q, K, V)


def _boxed(move, notebook, kind, box, words, moved=False):
    """Row of a box as it is printed there, compared with numbers worked out by hand; empty where it is not there."""
    e = notebook.fresh(_name(move, notebook))
    panel = MAKERS[kind](e)
    for step in _steps(move, notebook) if moved else ():
        if step.kind in MAKERS:
            panel.turn(**{step.at[0]: int(step.end)})
        else:
            _make(step, e)
    found, = (found for found in panel.describe()[1] if found.name == box)
    rows = [text for table in found.tables[:1] for label, text in zip(table.rows, table.text, strict=True)
            if _words_in(label, e) == words]
    for texts_of_row in rows:
        expected = _boxed_by_hand(e, box, words, panel)
        assert [float(text) for text in texts_of_row] == [
            round(x, len(text.partition(".")[2])) for x, text in zip(expected, texts_of_row, strict=True)], box
    return np.array(rows[0] if rows else [])


def _boxed_by_hand(e, box, words, panel):
    """What stands in the row of the newest of ``words``, from the formulas of the lesson."""
    last = words[-1]
    X, *W = (e[name] for name in ("X", "W_Q", "W_K", "W_V"))
    if box == "cost":
        t, (d, d_k), d_v = last + 1, e["W_K"].shape, e["W_V"].shape[1]
        once = d * (2 * d_k + d_v) + t * (d_k + d_v)
        return [once, t * once, t]
    if box == "attention":
        return by_hand.self_attention(X, *W, mask=np.tri(len(X)))["weights"][last][: last + 1]
    steps = by_hand.self_attention(X, *W)
    if box == "result":
        return steps["output"][last]
    read, V = np.array(steps["scaled"][panel["row"]])[: last + 1], np.array(steps["V"])[: last + 1]
    powers = np.exp(read - read.max())
    return [read.max(), powers.sum(), *powers @ V]


def _words_in(text, e):
    return tuple(i for i, word in enumerate(e.words) if word.split()[0] in text)


def _moment(e, name):
    """Weights with the mask put in before softmax or after it; shared out anew they are those of before."""
    fault = "mask after softmax" if name == "after" else None
    values = MaskMoments(e)[name]
    mask = np.ones(values.shape) if e.mask is None else e.mask
    by_hand_too = by_hand.attention(e["Q"], e["K"], e["V"], mask=mask, fault=fault)["weights"]
    np.testing.assert_allclose(values, by_hand_too, rtol=1e-12, atol=1e-12, err_msg=name)
    return values


def _make(step, e):
    if step.kind == "edit":
        MatrixSliders(e, step.at[0], **step.options).type(*step.at[1:], step.end)
    elif step.kind == "temperature":
        temperature(e, **step.options).type(step.end)
    elif step.kind == "controls":
        controls(e, step.at[0]).choose(*step.at)
    elif step.kind == "presets":
        presets(e).choose(*step.at)
    elif step.kind == "classroom":
        classroom(e).seeker = step.at[0]
    elif step.kind == "mask":
        mask_switches(e).choose(*step.at)
    elif step.kind == "head":
        head_switches(e).toggle(*step.at)
        assert SWITCH[e.keep[step.at[0]]] == step.end, step
    elif step.kind == "block":
        knob, = step.at
        block_flow(e).turn(**{knob: int(step.end) if knob == "order" else step.end == SWITCH[True]})
    elif step.kind == "order":
        OrderOfWords(e).choose(*step.at)
    elif step.kind == "positions":
        Positions(e).choose(*step.at)
    elif step.kind == "mask length":
        mask_switches(e).set_length(int(step.end))
    elif step.kind == "mask pair":
        switches = mask_switches(e)
        switches.toggle(*step.at)
        assert SWITCH[switches.allowed[step.at[0]][step.at[1]]] == step.end, step


def _measured(d_k, scaling, measure):
    lab = scaling_lab(d_k=d_k)
    return getattr(lab.scores.measure(lab.d_k)[scaling], measure)


def _reachable(move, notebook):
    """ValueError where a row starts from another number than the page, or watches what its section does not show."""
    for step in _steps(move, notebook):
        at = _stands(step, notebook)
        if at is not None and at != (step.start if isinstance(at, str) else parse(step.start)):
            raise ValueError(f"starts at {at}, not {step.start}")
    kind, name, *_ = _place(move, notebook)
    shown = {matrix for panel in (*SHOWN, "show", "edit", "order_lab", "playground")
             for e, names, _ in notebook.panels(move.section, panel) if e == _name(move, notebook)
             for matrix in SHOWN.get(panel) or names or notebook.space[e].names}
    if kind == "matrix" and name not in shown:
        raise ValueError(f"section {move.section} does not show {name}")


def _stands(step, notebook):
    """Where a slider or switch stands before it is moved; None for what is neither, or may start anywhere."""
    if step.kind == "edit":
        return notebook.fresh(step.name)[step.at[0]][step.at[1:]]
    if step.kind == "temperature":
        return temperature(notebook.fresh(step.name), **step.options).T
    if step.kind in MAKERS and step.start:
        return MAKERS[step.kind](notebook.fresh(step.name))[step.at[0]]
    if step.kind == "head":
        return SWITCH[notebook.fresh(step.name).keep[step.at[0]]]
    if step.kind == "block" and step.start:
        return SWITCH[getattr(notebook.fresh(step.name), step.at[0])]
    if step.kind == "mask length":
        return mask_switches(notebook.fresh(step.name)).length
    if step.kind == "mask pair":
        row, column = step.at
        return SWITCH[mask_switches(notebook.fresh(step.name)).allowed[row][column]]
    return None


def _name(move, notebook):
    """The name of the one experiment a row is about."""
    steps = _steps(move, notebook)
    shown = {name for kind in ("show", "before_or_after", "order_lab", "playground")
             for name, *_ in notebook.panels(move.section, kind)}
    name, = {step.name for step in steps} if steps else shown
    return name


def _steps(move, notebook):
    if move.moved == UNMOVED:
        return []
    parts, ends = (re.split(r"\s*[;；]\s*", text) for text in (move.moved, move.to))
    return [_step(part, end, move.section, notebook) for part, end in zip(parts, ends, strict=True)]


def _step(text, to, section, notebook):
    said = texts(notebook.language)
    start, _, end = (part.strip() for part in to.replace("−", "-").rpartition("→"))
    if text in (said["temperature.legend"], "d_k"):
        kind = "scaling_lab" if text == "d_k" else "temperature"
        name, _, options = notebook.panels(section, kind)[0]
        return Step(kind, name, (), start, end, options)
    if text == said["classroom.seeker"]:
        name, *_ = notebook.panels(section, "classroom")[0]
        return Step("classroom", name, (_index(end, notebook.space[name].words),), "", "", {})
    groups = {said[f"controls.{group}"]: ("controls", group) for group in GROUPS} | {
        said["preset.legend"]: ("presets", "preset")}
    if text in groups:
        kind, group = groups[text]
        name, = (name for panel in (kind, "playground") for name, names, _ in notebook.panels(section, panel)
                 if panel == "playground" or group in (names or GROUPS))
        prefix = f"{kind}.{group}." if kind == "controls" else "preset."
        key, = (key.removeprefix(prefix) for key, label in said.items()
                if key.startswith(prefix) and f"“{label}”" == end)
        return Step(kind, name, (group, key) if kind == "controls" else (key,), "", "", {})
    for key, (kind, knob) in KNOBS.items():
        if text == said[key]:
            (name, *_), = notebook.panels(section, kind)
            end = end if start else str(_index(end.strip("“”"), notebook.space[name].words))
            return Step(kind, name, (knob,), start, end, {})
    for made_on in (_on_mask, _of_heads_or_order, _of_block):
        if found := made_on(text, start, end, section, notebook):
            return found
    matrix, row, column = _cell(said["edit.slider"], text)
    (name, options), = ((name, options) for panel in ("edit", "playground")
                        for name, names, options in notebook.panels(section, panel)
                        if matrix in (names or notebook.space[name].inputs))
    rows, columns = notebook.space[name].labels(matrix)
    return Step("edit", name, (matrix, _index(row, rows), _index(column, columns)), start, end, options)


def _of_heads_or_order(text, start, end, section, notebook):
    """The switch of a head, a button for the order of the words, or the choice of positions; None for none of them."""
    said = texts(notebook.language)
    if head := re.fullmatch(re.escape(said["heads.switch"]).replace(r"\{head\}", r"(\d+)"), text):
        (name, *_), = notebook.panels(section, "head_switches")
        return Step("head", name, (int(head[1]) - 1,), start, end, {})
    choices = {"order.legend": ("order", {key: said[f"order.{key}"] for key in ("written", "reversed")}),
               "controls.positions": ("positions", {key: said[f"controls.positions.{key}"] for key in POSITIONS})}
    for legend, (kind, options) in choices.items():
        if text == said[legend]:
            (name, *_), = notebook.panels(section, "order_lab")
            key, = (key for key, label in options.items() if f"“{label}”" == end)
            return Step(kind, name, (key,), "", "", {})
    return None


def _of_block(text, start, end, section, notebook):
    """The switch of a part of a block, or where its norms stand; None for neither of them."""
    said = texts(notebook.language)
    part = next((name for name in PARTS if text == said[f"block.part.{name}"]), None)
    if part is None and text != said["block.order"]:
        return None
    (name, *_), = notebook.panels(section, "block_flow")
    if part:
        return Step("block", name, (part,), start, end, {})
    key, = (str(i) for i, order in enumerate(ORDERS) if f"“{said[f'block.order.{order}']}”" == end)
    return Step("block", name, ("order",), "", key, {})


def _on_mask(text, start, end, section, notebook):
    """A button, the slider or a switch of the grid that says who may look at whom; None for what is none of them."""
    said = texts(notebook.language)
    pair = re.fullmatch(re.escape(said["mask.pair"]).replace(r"\{query\}", "(.+)").replace(r"\{key\}", "(.+)"), text)
    if text not in (said["mask.legend"], said["mask.length"]) and not pair:
        return None
    name, = (name for kind in MASKS for name, *_ in notebook.panels(section, kind))
    if text == said["mask.legend"]:
        key, = (key for key in USUAL if f"“{said[f'mask.{key}']}”" == end)
        return Step("mask", name, (key,), "", "", {})
    if text == said["mask.length"]:
        return Step("mask length", name, (), start, end, {})
    words = notebook.space[name].labels("weights")
    return Step("mask pair", name, tuple(map(_index, pair.groups(), words)), start, end, {})


def _place(move, notebook):
    """What a row watches, without words: ("lab", scaling, measure) or ("matrix", name, row, column)."""
    said, words = texts(notebook.language), WORDS[notebook.language]
    for measure in ("deviation", "largest", "gradient"):
        for scaling in ("none", "root", "d_k"):
            if move.watch == f"“{said[f'controls.scaling.{scaling}']}”{said['list.comma']}{said[f'lab.{measure}']}":
                return "lab", scaling, measure
    e = _live(move, notebook)
    for key, box in BOXES.items():
        before, after = words["box"].format(box=said[key], row="\0").split("\0")
        if move.watch.startswith(before) and move.watch.endswith(after):
            if not (found := _words_in(move.watch.removeprefix(before), e)):
                raise ValueError(f"{move.watch!r} names no row")
            return "box", *box, found
    for form in (said["edit.slider"], words["row"], words["column"], words["sums"], "{name}"):
        if found := _cell(form, move.watch):
            name, row, column = found
            rows, columns = e.labels("weights" if name in MaskMoments.derived else name)
            row = "sums" if form == words["sums"] else _index(row, rows)
            return "matrix", name, row, _index(column, columns)
    raise ValueError(f"nothing is called {move.watch!r}")


def _cell(form, text):
    """(name, row, column) of a text made from ``form``, None for what the form does not say; None where it is not."""
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(form).replace(r"\ ", " "))
    match = re.fullmatch(pattern.replace("(?P<name>.+?)", r"(?P<name>\w+)"), text)
    return match and tuple(match.groupdict().get(part) for part in ("name", "row", "column"))


def _index(text, labels):
    """The place of a label, whose first word is enough (我 for 我 I); everything for None."""
    if text is None:
        return slice(None)
    for i, label in enumerate(labels):
        if text in (label, label.split()[0]):
            return i
    raise ValueError(f"{text!r} is none of {labels}")
