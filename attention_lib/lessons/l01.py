"""Predictions and exercises of lesson 01: finding someone in a classroom."""

import numpy as np

from ..exercises import Exercise
from ..maths import self_attention
from ..predictions import Choice

ENOUGH = 0.4  # the share asked for in exercise b


def _moved(e, name, entry, value):
    """The steps of e with one entry of one W changed."""
    inputs = {W: np.array(e[W]) for W in ("X", "W_Q", "W_K", "W_V")}
    inputs[name][entry] = value
    return self_attention(**inputs)


def _what_moves(e, name, entry):
    """Which of labels, words and shares change when that entry does."""
    before, after = _moved(e, name, entry, e[name][entry]), _moved(e, name, entry, e[name][entry] + 1.0)
    return tuple(not np.allclose(before[step], after[step]) for step in ("K", "V", "weights"))


PREDICTIONS = {
    "01.1": Choice(
        question={
            "zh": "小林给三个人的分数是：小林 0.260，小安 0.250，小宁 0.240。小林会听谁说？",
            "en": "Lin scores the three students: Lin 0.260, An 0.250, Ning 0.240. To whom does Lin listen?",
        },
        options={
            "zh": ("只听分数最高的", "每个人都听，分数高的多听一点", "分数差不多，所以听的完全一样多"),
            "en": ("only to the one with the highest score", "to everyone, a little more where the score is higher",
                   "to everyone exactly alike, the scores are so close"),
        },
        truth=lambda e: 2 if np.ptp(e["weights"][0]) < 1e-9 else int((e["weights"][0] > 0).all()),
        because={
            "zh": "份额是 {weights}：都在三分之一上下，但不相等，分数越高份额越大。"
                  "没有人的份额是 0。",
            "en": "The shares are {weights}: all close to one third, yet not equal; "
                  "a higher score gets a larger share. Nobody gets 0.",
        },
        values=lambda e: {"weights": e["weights"][0]},
        example="classroom",
    ),
    "01.2": Choice(
        question={
            "zh": "只动 `W_Q`，教室里什么会变？",
            "en": "You move nothing but `W_Q`. What changes in the classroom?",
        },
        options={
            "zh": ("同学们的标签", "同学们说的话", "听谁多、听谁少"),
            "en": ("the labels of the students", "what the students say", "how much each of them is heard"),
        },
        truth=lambda e: _what_moves(e, "W_Q", (0, 1)).index(True),
        because={
            "zh": "标签是 X W_K，话是 X W_V，式子里都没有 `W_Q`。变的是查询，于是分数和份额跟着变。",
            "en": "Labels are X W_K and words are X W_V; neither has `W_Q` in it. "
                  "The queries change, and with them the scores and the shares.",
        },
        example="classroom",
    ),
    "01.3": Choice(
        question={
            "zh": "动 `W_K`，改写大家的标签。同学们说的话会变吗？小林听到的会变吗？",
            "en": "You move `W_K` and so rewrite the labels. Does what the students say change? "
                  "Does what Lin hears change?",
        },
        options={
            "zh": ("都变", "话不变，小林听到的变", "话变，小林听到的不变", "都不变"),
            "en": ("both change", "what they say stays, what Lin hears changes",
                   "what they say changes, what Lin hears stays", "neither changes"),
        },
        truth=lambda e: {(True, True): 0, (False, True): 1, (True, False): 2, (False, False): 3}[
            _what_moves(e, "W_K", (1, 0))[1:]],
        because={
            "zh": "话是 X W_V，与 `W_K` 无关。标签变了，分数和份额就变了；同样的话按新的份额混合，听到的也就变了。",
            "en": "What they say is X W_V and does not depend on `W_K`. New labels give new scores and new shares; "
                  "the same words, mixed by new shares, sound different to Lin.",
        },
        example="classroom",
    ),
}


def smallest_for_enough(e):
    """The least W_Q[sport, q₂] a slider can reach with which the first gives the last a share of 0.4; NaN if none."""
    for value in np.arange(-20, 21) / 10:
        if _moved(e, "W_Q", (0, 1), value).weights[0, 2] >= ENOUGH:
            return value
    return np.nan


def _share_at(e, value):
    return _moved(e, "W_Q", (0, 1), value).weights[0, 2]


EXERCISES = {
    "01.a": Exercise(
        answer=lambda e: e["output"][0],
        hint={
            "zh": "每个人的话乘上他的份额，再把三行加起来。一行数乘一个矩阵，用 `@` 正好就是这件事。",
            "en": "Multiply what each student says by the share, then add up the three rows. "
                  "A row of numbers times a matrix, written with `@`, does just that.",
        },
        solution='w, V = e["weights"][0], e["V"]\nanswer = w @ V',
        explanation={
            "zh": "小林听到的是 {heard}：三个人的话混在一起，每个人占自己的一份。",
            "en": "Lin hears {heard}: a blend of what the three say, each by their share.",
        },
        values=lambda e: {"heard": e["output"][0]},
        mistakes=(
            ({"zh": "这是平均：每个人听得一样多，份额没有用上。",
              "en": "That is the plain average: everyone is heard alike, and the shares are not used."},
             lambda e: e["V"].mean(axis=0)),
            ({"zh": "份额乘好了，还没有把三个人的加起来。",
              "en": "The shares are multiplied in; the three rows are still to be added up."},
             lambda e: e["weights"][0][:, None] * e["V"]),
            ({"zh": "这是把三个人的话直接加起来，没有按份额。",
              "en": "That adds up what the three say, without the shares."},
             lambda e: e["V"].sum(axis=0)),
        ),
        example="classroom",
    ),
    "01.b": Exercise(
        answer=smallest_for_enough,
        hint={
            "zh": "往大了拖，看小宁的份额一点点上升。差一步不到 0.4，再走一步就过了，过的那个数就是答案。",
            "en": "Drag it up and watch Ning's share rise. One step is still below 0.4, the next is past it: "
                  "take that one.",
        },
        solution="answer = 1.7",
        explanation={
            "zh": "差一步的时候份额是 {before}，再走一步是 {after}，过了 0.4。",
            "en": "One step earlier the share is {before}; now it is {after}, past 0.4.",
        },
        values=lambda e: {
            "before": _share_at(e, smallest_for_enough(e) - 0.1), "after": _share_at(e, smallest_for_enough(e)),
        },
        mistakes=(
            ({"zh": "还差一点：这时小宁的份额不到 0.4。",
              "en": "Almost: here Ning's share is still below 0.4."},
             lambda e: smallest_for_enough(e) - 0.1),
            *(({"zh": "这样份额确实超过了 0.4，但还不是最小的：再小一点试试。",
                "en": "That gives more than 0.4, but it is not the smallest: try a little less."},
               lambda e, value=value: value) for value in (1.8, 1.9, 2.0)),
            ({"zh": "这是份额。问的是滑块要到多少。",
              "en": "That is the share. The question is where the slider must stand."}, lambda e: ENOUGH),
        ),
        example="classroom",
    ),
    "01.c": Exercise(
        answer=lambda e: np.ones(2) @ e["W_K"],
        hint={
            "zh": "标签是本人乘上 `W_K`：一行数乘一个矩阵，用 `@`。",
            "en": "A label is the person times `W_K`: a row of numbers times a matrix, with `@`.",
        },
        solution="x, W_K = np.array([1.0, 1.0]), e.W_K\nanswer = x @ W_K",
        explanation={
            "zh": "[1.0, 1.0] 把 `W_K` 的两行加在一起，得到 {label}。",
            "en": "[1.0, 1.0] adds the two rows of `W_K`, which gives {label}.",
        },
        values=lambda e: {"label": np.ones(2) @ e["W_K"]},
        mistakes=(
            ({"zh": "左右反了，这是 `W_K @ x`；标签是 `x @ W_K`。",
              "en": "Left and right are exchanged: that is `W_K @ x`; a label is `x @ W_K`."},
             lambda e: e["W_K"] @ np.ones(2)),
            ({"zh": "这是小宁要说的话，用的是 `W_V`。标签用 `W_K`。",
              "en": "That is what Ning would say, made with `W_V`. A label is made with `W_K`."},
             lambda e: np.ones(2) @ e["W_V"]),
            ({"zh": "这是小宁的查询，用的是 `W_Q`。标签用 `W_K`。",
              "en": "That is Ning's query, made with `W_Q`. A label is made with `W_K`."},
             lambda e: np.ones(2) @ e["W_Q"]),
            ({"zh": "`*` 是逐个相乘，还没有相加。要用 `@`。",
              "en": "`*` multiplies entry by entry and adds nothing up. Use `@`."},
             lambda e: np.ones(2) * e["W_K"]),
        ),
        example="classroom",
    ),
}
