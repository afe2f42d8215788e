"""Predictions and exercises of lesson 02: from X to Q, K and V."""

import numpy as np

from ..exercises import ChoiceExercise, Exercise
from ..maths import self_attention
from ..predictions import Choice, Number

D_MODEL, D_K = 512, 64  # the base model of Vaswani et al. 2017, section 3.2.2


def _rows_that_move(e, row, column):
    """For Q, K and V: the rows that change when one entry of X does."""
    inputs = {name: np.array(e[name]) for name in ("X", "W_Q", "W_K", "W_V")}
    before = self_attention(**inputs)
    inputs["X"][row, column] += 1.0
    after = self_attention(**inputs)
    return {step: np.flatnonzero(abs(after[step] - before[step]).max(axis=1) > 1e-9).tolist() for step in "QKV"}


def _which_move(e):
    moved = _rows_that_move(e, 1, 0)
    if moved == {"Q": [1], "K": [1], "V": [1]}:
        return 1
    return 0 if moved["Q"] and not moved["K"] + moved["V"] else 2


def with_one_matrix(e):
    """The scores when W_K is W_Q."""
    return self_attention(e["X"], e["W_Q"], e["W_Q"], e["W_V"]).scores


def _what_holds(e):
    scores = with_one_matrix(e)
    if np.allclose(scores, scores.T):
        return 1
    return 2 if (scores.argmax(axis=1) == np.arange(len(scores))).all() else 0


PREDICTIONS = {
    "02.1": Choice(
        question={
            "zh": "“我”是 [1, 0]，`W_Q` 是 [[0.5, 0.2], [0.1, 0.6]]。“我”的查询是什么？",
            "en": "我 (I) is [1, 0], `W_Q` is [[0.5, 0.2], [0.1, 0.6]]. What is the query of 我?",
        },
        options={"zh": ("[0.5, 0.1]", "[0.5, 0.2]", "[1, 0]"), "en": ("[0.5, 0.1]", "[0.5, 0.2]", "[1, 0]")},
        truth=lambda e: ([0.5, 0.1], [0.5, 0.2], [1.0, 0.0]).index(np.round(e["Q"][0], 6).tolist()),
        because={
            "zh": "[1, 0] 取 `W_Q` 的第 1 行一份、第 2 行零份，所以是 [0.5, 0.2]。"
                  "[0.5, 0.1] 是第 1 列，那是把矩阵转置了。",
            "en": "[1, 0] takes row 1 of `W_Q` once and row 2 not at all: [0.5, 0.2]. "
                  "[0.5, 0.1] is column 1, so the matrix was transposed.",
        },
    ),
    "02.2": Choice(
        question={
            "zh": "动一动 `X` 里“爱”这一行的一个数，`Q`、`K`、`V` 会怎样？",
            "en": "You move one number in row 爱 (love) of `X`. What happens to `Q`, `K` and `V`?",
        },
        options={
            "zh": ("只有 `Q` 变", "三个都变，各变“爱”这一行", "三个都变，每一行都变"),
            "en": ("only `Q` changes", "all three change, each in row 爱", "all three change, in every row"),
        },
        truth=_which_move,
        because={
            "zh": "`Q`、`K`、`V` 都由 `X` 算出，所以都变；投影一行一行地做，别的词用不到“爱”这一行。",
            "en": "`Q`, `K` and `V` are all made from `X`, so all change. "
                  "A projection works row by row, and the other words do not use row 爱.",
        },
    ),
    "02.3": Choice(
        question={
            "zh": "如果 `W_K` 就是 `W_Q`，分数表会有什么特点？",
            "en": "If `W_K` is `W_Q`, what becomes true of the table of scores?",
        },
        options={
            "zh": ("没有什么特别", "对称：“甲看乙”等于“乙看甲”", "每个词都最关注自己"),
            "en": ("nothing in particular", "it is symmetric: “a looks at b” equals “b looks at a”",
                   "each word looks most at itself"),
        },
        truth=_what_holds,
        because={
            "zh": "查询和键成了同一行数，两个方向是同一个点积。例如“我”看“爱”是 {there}，“爱”看“我”也是 {back}。"
                  "但“爱”给“你”的是 {you}，给自己只有 {itself}，并不最关注自己。",
            "en": "Query and key are then the same row, so both directions are the same dot product: "
                  "我 looks at 爱 with {there}, 爱 at 我 with {back}. "
                  "Yet 爱 gives {you} to 你 and only {itself} to itself.",
        },
        values=lambda e: dict(zip(("there", "back", "you", "itself"),
                                  with_one_matrix(e)[[0, 1, 1, 1], [1, 0, 2, 1]], strict=True)),
    ),
    "02.4": Number(
        question={
            "zh": "真实的模型里 d_model = 512，d_k = 64。合成的 M 里有多少个数？是 `W_Q` 与 `W_K` 加起来的几倍？",
            "en": "Take the sizes of a real model, d_model = 512 and d_k = 64. "
                  "The merged M holds how many times as many numbers as `W_Q` and `W_K` together?",
        },
        truth=lambda e: D_MODEL * D_MODEL / (2 * D_MODEL * D_K),
        because={
            "zh": "M 有 512 × 512 = 262,144 个数；两个窄矩阵有 2 × 512 × 64 = 65,536 个。合成一个，反而大得多。",
            "en": "M holds 512 × 512 = 262,144 numbers; the two thin matrices hold 2 × 512 × 64 = 65,536. "
                  "One merged matrix is much the larger.",
        },
        tolerance=0.005,
        unit={"zh": "倍", "en": "times"},
        decimals=1,
    ),
}

EXERCISES = {
    "02.a": Exercise(
        answer="K",
        hint={
            "zh": "和 `Q = X @ W_Q` 一样，换一个矩阵。",
            "en": "As `Q = X @ W_Q`, with another matrix.",
        },
        solution="X, W_K = e.X, e.W_K\nanswer = X @ W_K",
        explanation={
            "zh": "例如“爱”的键是 {love}。换掉的只是矩阵，做法和算 `Q` 时一样。",
            "en": "The key of 爱, for one, is {love}. Only the matrix is another; the way is the same as for `Q`.",
        },
        values=lambda e: {"love": e["K"][1]},
    ),
    "02.b": ChoiceExercise(
        answer=[0, 2],
        hint={
            "zh": "再动一遍上面的两块面板，看哪些矩阵标出了旧值。",
            "en": "Move things in the two panels above once more and see which matrices show old values.",
        },
        solution="answer = [0, 2]",
        explanation={
            "zh": "Q、K、V 是同一个 `X` 的三个样子；值不是键，所以 `W_K` 碰不到 `V`，`W_V` 碰不到 `weights`。",
            "en": "Q, K and V are three sides of one `X`. The value is not the key, so `W_K` does not reach `V` "
                  "and `W_V` does not reach `weights`.",
        },
        mistakes=(
            ({"zh": "少了一个。`weights` 由 `Q` 和 `K` 算出，里面有 `W_V` 吗？",
              "en": "One is missing. `weights` comes from `Q` and `K`; is `W_V` in there?"}, [0]),
            ({"zh": "少了一个。`Q`、`K`、`V` 都从 `X` 来。",
              "en": "One is missing. `Q`, `K` and `V` all come from `X`."},
             [2]),
            ({"zh": "1 不对：`V = X W_V`，式子里没有 `W_K`。", "en": "1 is not true: `V = X W_V` has no `W_K` in it."},
             [0, 1, 2]),
            ({"zh": "3 不对：输入只有一个 `X`。", "en": "3 is not true: there is one input, `X`."}, [0, 2, 3]),
        ),
    ),
    "02.c": ChoiceExercise(
        answer=2000,
        hint={
            "zh": "一个矩阵有几行几列，就有行数 × 列数那么多个数。这里有两个矩阵。",
            "en": "A matrix holds rows × columns numbers. There are two matrices.",
        },
        solution="answer = 2 * 100 * 10",
        explanation={
            "zh": "2 × 100 × 10 = 2000 个；合成的 M 要 100 × 100 = 10000 个。",
            "en": "2 × 100 × 10 = 2000; the merged M would need 100 × 100 = 10000.",
        },
        mistakes=(
            ({"zh": "这只是其中一个矩阵。", "en": "That is only one of the two matrices."}, 1000),
            ({"zh": "这是合成的 M 的个数。问的是分开的两个窄矩阵。",
              "en": "That is how many the merged M holds. The question is about the two thin ones."}, 10000),
            ({"zh": "这是两个 `(d_k, d_k)` 矩阵的个数。`W_Q` 的行数是 d_model。",
              "en": "That would be two matrices of shape `(d_k, d_k)`. `W_Q` has d_model rows."}, 200),
        ),
    ),
}
