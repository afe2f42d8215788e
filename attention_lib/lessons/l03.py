"""Predictions and exercises of lesson 03: scores."""

import numpy as np

from ..exercises import ChoiceExercise, Exercise, FunctionExercise
from ..predictions import Choice

PREDICTIONS = {
    "03.1": Choice(
        question={
            "zh": "“我”的查询是 [0.5, 0.2]，“你”的键是 [0.2, 0.7]。“我”看“你”，得到的分数是什么？",
            "en": "The query of 我 (I) is [0.5, 0.2], the key of 你 (you) is [0.2, 0.7]. "
                  "我 looks at 你: what is the score?",
        },
        options={"zh": ("1.6", "0.24", "两个数：0.10 和 0.14"), "en": ("1.6", "0.24", "two numbers: 0.10 and 0.14")},
        truth=lambda e: (1.6, 0.24).index(round(float(e["scores"][0, 2]), 2)),
        because={
            "zh": "先相乘：0.5×0.2 = 0.10，0.2×0.7 = 0.14；再相加，得到一个数 0.24。"
                  "1.6 是把四个数全加在一起，没有相乘。",
            "en": "Multiply: 0.5×0.2 = 0.10 and 0.2×0.7 = 0.14. Then add: one number, 0.24. "
                  "1.6 is all four numbers added up, with no product.",
        },
    ),
    "03.2": Choice(
        question={
            "zh": "看“爱”这一行。“爱”给谁的分数最高？",
            "en": "Take the row of 爱 (love). To whom does 爱 give the highest score?",
        },
        options={"zh": ("我", "爱（自己）", "你"), "en": ("我 I", "爱 love (itself)", "你 you")},
        truth=lambda e: int(e["scores"][1].argmax()),
        because={
            "zh": "三个分数是 {scores}，最高的在“你”那一列。一个词不一定最关注自己。",
            "en": "The three scores are {scores}; the highest stands in the column of 你. "
                  "A word need not look most at itself.",
        },
        values=lambda e: {"scores": e["scores"][1]},
    ),
    "03.3": Choice(
        question={
            "zh": "w1 看 w3，分数是 0.00。反过来，w3 看 w1 呢？",
            "en": "w1 looks at w3 with a score of 0.00. And the other way round, w3 looking at w1?",
        },
        options={
            "zh": ("也是 0.00，因为是同一对", "是另一个数", "1 − 0.00 = 1.00"),
            "en": ("0.00 as well, it is the same pair", "a different number", "1 − 0.00 = 1.00"),
        },
        truth=lambda e: 0 if np.isclose(e["scores"][2, 0], e["scores"][0, 2]) else 1,
        because={
            "zh": "是 {back}。两次用的是不同的查询和不同的键：一次是 w1 的查询配 w3 的键，一次是 w3 的查询配 w1 的键。",
            "en": "It is {back}. The two use different queries and different keys: "
                  "once the query of w1 with the key of w3, once the query of w3 with the key of w1.",
        },
        values=lambda e: {"back": e["scores"][2, 0]},
        example="three tokens",
    ),
}


STEPS_OF_THE_SLIDER = np.arange(-20, 21) / 10


def first_row(e, value):
    """The scores of the first word if W_Q[x₁, q₂] were ``value``."""
    W_Q = np.array(e["W_Q"])
    W_Q[0, 1] = value
    return e["X"][0] @ W_Q @ e["K"].T


def smallest_to_turn(e):
    """The least W_Q[x₁, q₂] a slider can reach with which the first word scores the last one highest; NaN if none."""
    for value in STEPS_OF_THE_SLIDER:
        row = first_row(e, value)
        if row[2] > row[:2].max() + 1e-9:
            return value
    return np.nan


EXERCISES = {
    "03.a": Exercise(
        answer=lambda e: e["scores"][1, 2],
        decimals=2,
        hint={
            "zh": "“爱”是在看的，所以取 `Q` 的“爱”行；“你”是被看的，所以取 `K` 的“你”行。对应相乘，再相加。",
            "en": "爱 is the one that looks, so take row 爱 of `Q`. 你 is looked at, so take row 你 of `K`. "
                  "Multiply place by place, then add.",
        },
        solution='answer = e["Q"][1] @ e["K"][2]',
        explanation={
            "zh": "{q1}×{k1} + {q2}×{k2} {equals} {score}。",
            "en": "{q1}×{k1} + {q2}×{k2} {equals} {score}.",
        },
        values=lambda e: {
            "q1": e["Q"][1, 0], "q2": e["Q"][1, 1], "k1": e["K"][2, 0], "k2": e["K"][2, 1], "score": e["scores"][1, 2],
            "equals": "=" if np.allclose(e["scores"][1, 2], np.round(e["scores"][1, 2], 3), rtol=0, atol=1e-9) else "≈",
        },
        mistakes=(
            ({"zh": "这是两个乘积，还没有加起来。", "en": "Those are the two products, not added up yet."},
             lambda e: e["Q"][1] * e["K"][2]),
            ({"zh": "这是把四个数全加起来了。点积要先相乘，再相加。",
              "en": "That is all four numbers added up. A dot product multiplies first, then adds."},
             lambda e: e["Q"][1].sum() + e["K"][2].sum()),
            ({"zh": "这是“爱”看自己的分数。被看的是“你”，要取 `K` 的“你”行。",
              "en": "That is 爱 looking at itself. 你 is looked at, so take row 你 of `K`."},
             lambda e: e["scores"][1, 1]),
        ),
    ),
    "03.b": FunctionExercise(
        name="my_scores",
        arguments=("Q", "K"),
        answer="scores",
        cases=(
            (((1.0, 0.0), (0.2, 1.0)), ((0.1, 1.0), (1.0, 0.2), (0.0, 1.0))),
            (((1.0, 2.0, 0.0), (0.0, 1.0, -1.0)), ((3.0, 1.0, 1.0), (1.0, 0.0, 2.0), (0.0, 1.0, 1.0), (2.0, 2.0, 0.0))),
        ),
        hint={
            "zh": "矩阵乘法写作 `@`，转置写作 `.T`。要的是 `Q` 的每一行与 `K` 的每一行做点积。",
            "en": "A matrix product is written `@`, a transpose `.T`. "
                  "What you want is the dot product of each row of `Q` with each row of `K`.",
        },
        solution="def my_scores(Q, K):\n    return Q @ K.T",
    ),
    "03.c": Exercise(
        answer=smallest_to_turn,
        hint={
            "zh": "从 0.2 往上走，每走一步都看 `scores` 的“我”行：哪一列最大？",
            "en": "Go up from 0.2 and at each step look at row 我 of `scores`: which column is largest?",
        },
        solution="answer = 0.3",
        explanation={
            "zh": "差一步的时候，“我”行是 {before}；再走一步变成 {after}，“你”超过了另外两个。",
            "en": "One step earlier row 我 is {before}; now it is {after}, and 你 has passed the other two.",
        },
        values=lambda e: {
            "before": first_row(e, smallest_to_turn(e) - 0.1), "after": first_row(e, smallest_to_turn(e)),
        },
        mistakes=(
            ({"zh": "这是开始时的值，那时“我”最关注的还是“我”自己。",
              "en": "That is where it starts, and there 我 still looks most at itself."}, lambda e: 0.2),
            ({"zh": "在 0.25 三个分数刚好一样高，还分不出先后，而且滑块一步是 0.1。",
              "en": "At 0.25 all three scores are equal, so none is highest yet; and the slider moves by 0.1."},
             lambda e: 0.25),
            *(({"zh": "这样确实做到了，但还不是最小的：再小一点试试。",
                "en": "That does it, but it is not the smallest: try a little less."}, lambda e, value=value: value)
              for value in STEPS_OF_THE_SLIDER[24:]),
        ),
    ),
    "03.d": ChoiceExercise(
        answer=(5, 7),
        ordered=True,
        hint={
            "zh": "行是查询，列是键。谁在看？谁被看？`d_k` 在相乘相加时已经用掉了。",
            "en": "Rows are queries, columns are keys. Who looks, and who is looked at? "
                  "`d_k` is used up in the adding.",
        },
        solution="answer = (5, 7)",
        explanation={
            "zh": "5 个查询，7 个键，一共 35 个分数。`d_k` 只管每个点积有几项，不进入形状。",
            "en": "5 queries, 7 keys, 35 scores. `d_k` only says how many products each score adds up; "
                  "it is not in the shape.",
        },
        mistakes=(
            ({"zh": "行列反了。译文在看，是查询，占行；原文被看，是键，占列。",
              "en": "Rows and columns are exchanged. The translation looks, so its words are the queries, the rows."},
             (7, 5)),
            ({"zh": "这是 `Q` 的形状。分数表的列是键，一共 7 个。",
              "en": "That is the shape of `Q`. The columns of the scores are the keys, and there are 7."}, (5, 4)),
            ({"zh": "这是 `K` 的形状。分数表的行是查询，一共 5 个。",
              "en": "That is the shape of `K`. The rows of the scores are the queries, and there are 5."}, (7, 4)),
        ),
    ),
}
