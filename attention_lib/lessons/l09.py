"""Predictions and exercises of lesson 09: heads, and the order of words."""

import numpy as np

from ..exercises import ChoiceExercise, FunctionExercise
from ..experiment import Experiment
from ..head_mistakes import ATTEND, SPLIT
from ..heads import multi_head_attention, split_heads
from ..multi_head import MultiHead
from ..position_mistakes import SINUSOIDAL
from ..positions import rotary, sinusoidal_positions
from ..predictions import Choice
from ..word_order import WordOrder

_FIRST_HEAD = ([[0, 1], [2, 3], [4, 5]], [[0, 1], [4, 5], [8, 9]], [[0, 2], [4, 6], [8, 10]])


def _mean_row():
    """How the action shares out its attention, averaged over the heads."""
    return MultiHead.from_example()["mean"][1]


def _without(head):
    m = MultiHead.from_example()
    m.keep = [h != head for h in range(m.heads)]
    return m["output"]


def _turned_round(positions):
    """What each word of 我爱你 gets more in 你爱我, as a table of words and columns."""
    o = WordOrder(Experiment.from_example("我爱你"))
    o.set(order=(2, 1, 0), positions=positions)
    return o["change"]


def _far_apart(first, second):
    """The score of two fixed words at two places, with rotary positions."""
    q, k = rotary([[1.0, 0.5]], [first]), rotary([[0.3, 0.8]], [second])
    return float((q @ k.T)[0, 0])


PREDICTIONS = {
    "09.1": Choice(
        question={
            "zh": "三个词，每个词四个数：[0, 1, 2, 3]、[4, 5, 6, 7]、[8, 9, 10, 11]。分给两个头，第一个头得到哪些数？",
            "en": "Three words with four numbers each: [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]. "
                  "Split between two heads, which numbers does the first head get?",
        },
        options={
            "zh": tuple(map(str, _FIRST_HEAD)),
            "en": tuple(map(str, _FIRST_HEAD)),
        },
        truth=lambda e: [split_heads(np.arange(12).reshape(3, 4), 2)[0].astype(int).tolist() == like
                         for like in _FIRST_HEAD].index(True),
        because={
            "zh": "每个头都要看到全部三个词，所以按列分：第一个头拿前两列，第二个头拿后两列。",
            "en": "Every head has to see all three words, so it is the columns that are split: "
                  "the first two for the first head, the last two for the second.",
        },
    ),
    "09.2": Choice(
        question={
            "zh": "“喝”在头 1 里的权重是 0.164、0.673、0.164，在头 2 里是 0.673、0.164、0.164。"
                  "只看两个头的平均，会以为“喝”在看谁？",
            "en": "The weights of “drinks” are 0.164, 0.673, 0.164 in head 1 and 0.673, 0.164, 0.164 in head 2. "
                  "Who does it seem to look at if you see only their mean?",
        },
        options={
            "zh": ("主要看自己", "同样看“猫”和自己", "三个词同样看"),
            "en": ("mostly at itself", "at “cat” and at itself alike", "at all three alike"),
        },
        truth=lambda e: _mostly(_mean_row()),
        because={
            "zh": "平均是 {mean}。哪个头都不是这样看的：一个专看自己，一个专看“猫”。平均把两件事搅成了一件。",
            "en": "The mean is {mean}. Neither head looks like that: one looks at itself, the other at “cat”. "
                  "The mean stirs two things into one.",
        },
        values=lambda e: {"mean": _mean_row()},
    ),
    "09.3": Choice(
        question={
            "zh": "关掉头 2，只留头 1，它只管“事物看事物，动作看动作”。“猫”和“牛奶”的输出会怎样？",
            "en": "Head 2 is switched off; head 1, for which things look at things and actions at actions, stays. "
                  "What happens to the outputs of “cat” and “milk”?",
        },
        options={
            "zh": ("和原来一样", "变得一模一样", "全变成 0"),
            "en": ("they stay as they were", "they become equal to each other", "they become 0"),
        },
        truth=lambda e: _fate(MultiHead.from_example()["output"], _without(1)),
        because={
            "zh": "两个词的输出都是 {output}。在头 1 眼里它们都是事物，没有分别；区分它们的是头 2。",
            "en": "Both outputs are {output}. To head 1 both are things and nothing else; "
                  "it was head 2 that told them apart.",
        },
        values=lambda e: {"output": _without(1)[0]},
    ),
    "09.4": Choice(
        question={
            "zh": "给每个位置加上正弦编码，再把“我爱你”倒成“你爱我”。“爱”还站在第二位。哪些词得到的输出变了？",
            "en": "With sinusoidal positions added, 我爱你 is turned round to 你爱我. 爱 still stands second. "
                  "For which words does the output change?",
        },
        options={
            "zh": ("一个也没变", "“我”和“你”变了，“爱”没变", "三个都变了"),
            "en": ("for none", "for 我 and 你, not for 爱", "for all three"),
        },
        truth=lambda e: (0, None, 1, 2)[int((abs(_turned_round("sinusoidal")).max(axis=1) > 1e-9).sum())],
        because={
            "zh": "“爱”的位置没变，但它看到的“我”和“你”换了位置，键和值都变了，所以它的输出也差了 {love}。",
            "en": "爱 has not moved, but 我 and 你 have, and with them their keys and values. "
                  "So its own output differs, too, by {love}.",
        },
        values=lambda e: {"love": _turned_round("sinusoidal")[1]},
    ),
    "09.5": Choice(
        question={
            "zh": "用旋转位置编码，两个词站在位置 2 和 5，有一个分数。把它们一起搬到位置 12 和 15，分数会怎样？",
            "en": "With rotary positions two words at places 2 and 5 have some score. "
                  "Both are moved, to places 12 and 15. What happens to the score?",
        },
        options={
            "zh": ("不变", "变大", "变小"),
            "en": ("it stays", "it grows", "it shrinks"),
        },
        truth=lambda e: (0, 1, 2)[int(np.sign(round(_far_apart(12, 15) - _far_apart(2, 5), 9)))],
        because={
            "zh": "查询和键都多转了同样的角度，夹角没有变，点积也就没有变。要紧的只是键在查询后面 3 位。",
            "en": "Query and key are both turned further by the same angle. The angle between them stays, "
                  "and so does the dot product. All that counts is that the key is 3 places after the query.",
        },
    ),
}

_CASES = (
    (((1.0, 0.0, 2.0), (0.5, -1.0, 0.0)), ((1.0, 0.0, 0.5, 1.0), (0.0, 2.0, 1.0, 0.0), (1.0, 0.0, 0.0, -1.0)),
     ((0.5, 1.0, 0.0, 1.0), (1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 2.0, 0.5)),
     ((1.0, 2.0, 3.0, 4.0), (0.0, 1.0, 0.0, -1.0), (2.0, 0.0, 1.0, 1.0)),
     ((1.0, 0.0), (0.5, 1.0), (0.0, 2.0), (1.0, -1.0)), 2),
    (((1.0, 0.5), (0.0, 1.0), (-1.0, 2.0), (0.5, 0.5)),
     ((1.0, 0.0, 2.0, 0.0, 1.0, 1.0), (0.0, 1.0, 0.0, 2.0, 1.0, 0.0)),
     ((0.5, 0.5, 1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.5, 1.0, 2.0, 0.0)),
     ((1.0, 0.0, 0.0, 2.0, 1.0, 0.0), (0.0, 1.0, 3.0, 0.0, 0.0, 1.0)),
     ((1.0,), (2.0,), (3.0,), (4.0,), (5.0,), (6.0,)), 3),
)

EXERCISES = {
    "09.a": FunctionExercise(
        name="my_split_heads",
        reference=split_heads,
        cases=((np.arange(12.0).reshape(3, 4), 2), (np.arange(24.0).reshape(2, 12), 3), (np.eye(3), 1)),
        hint={
            "zh": "先用 `reshape(n, heads, d // heads)` 把每个词的列分成几份，"
                  "再用 `swapaxes(0, 1)` 让头的轴站到最前面。",
            "en": "First `reshape(n, heads, d // heads)`, which splits the columns of each word; "
                  "then `swapaxes(0, 1)` brings the axis of the heads to the front.",
        },
        solution=(
            "def my_split_heads(X, heads):\n"
            "    n, d = X.shape\n"
            "    return X.reshape(n, heads, d // heads).swapaxes(0, 1)"
        ),
        explanation={
            "zh": "形状 (heads, n, d/heads)：每个头一张表，每张表里都有全部的词。",
            "en": "Shape (heads, n, d/heads): a table for each head, and every word in each table.",
        },
        mistakes=SPLIT,
    ),
    "09.b": ChoiceExercise(
        answer=64,
        hint={
            "zh": "每个头分到 d_model / h 列，它的键就有这么长。",
            "en": "Each head gets d_model / h columns, and that is how long its keys are.",
        },
        solution="answer = 512 // 8",
        explanation={
            "zh": "512 / 8 = 64，所以每个头除以 √64 = 8。头多了，总的列数没有变，投影矩阵里的数也没有变多。",
            "en": "512 / 8 = 64, so each head divides by √64 = 8. More heads do not mean more columns, "
                  "nor more numbers in the projection matrices.",
        },
        mistakes=(
            ({"zh": "512 是 d_model，是所有头加起来的宽度。",
              "en": "512 is d_model, the width of all heads together."}, 512),
            ({"zh": "8 是头的个数，正好也是 √64；要的是键的长度。",
              "en": "8 is the number of heads, and √64 as it happens; what is asked for is the length of a key."}, 8),
        ),
    ),
    "09.c": FunctionExercise(
        name="my_multi_head",
        reference=lambda X, W_Q, W_K, W_V, W_O, heads: multi_head_attention(X, W_Q, W_K, W_V, W_O, heads).output,
        cases=_CASES,
        hint={
            "zh": "`split_heads` 分开三个投影，`attention` 能同时算所有的头，"
                  "`merge_heads` 把输出并排放好，最后乘 W_O。",
            "en": "`split_heads` splits the three projections, `attention` does all heads at once, "
                  "`merge_heads` puts the outputs side by side, and W_O comes last.",
        },
        solution=(
            "def my_multi_head(X, W_Q, W_K, W_V, W_O, heads):\n"
            "    Q, K, V = (split_heads(X @ W, heads) for W in (W_Q, W_K, W_V))\n"
            "    return merge_heads(attention(Q, K, V).output) @ W_O"
        ),
        explanation={
            "zh": "三行就是 Concat(head₁, …, head_h) W_O。",
            "en": "These lines are Concat(head₁, …, head_h) W_O.",
        },
        mistakes=ATTEND,
    ),
    "09.d": ChoiceExercise(
        answer=["A", "C"],
        hint={
            "zh": "没有位置编码，句子只是一袋词。两袋词相同，就分不出来。",
            "en": "Without positions a sentence is a bag of words. Two equal bags cannot be told apart.",
        },
        solution='answer = ["A", "C"]',
        explanation={
            "zh": "A 和 C 的两句用的是同样的词。B 换了一个词，D 多了一个词，注意力看得出来。",
            "en": "In A and C both sentences have the same words. B has another word and D one more; "
                  "attention sees that.",
        },
        mistakes=(
            ({"zh": "B 里有一个词不一样：词向量变了，输出就变了。",
              "en": "In B one word is another one: other vectors, other outputs."}, ["A", "B", "C"]),
            ({"zh": "D 多出一个“很”，每个查询都要分一份给它，分得出来。",
              "en": "D has one word more, and every query gives it a share, so the two can be told apart."},
             ["A", "C", "D"]),
        ),
    ),
    "09.e": FunctionExercise(
        name="my_positions",
        reference=lambda n, d_model: sinusoidal_positions(n, d_model),
        cases=((3, 4), (5, 2), (4, 6)),
        hint={
            "zh": "角是 (n, d_model/2) 的一张表："
                  "`np.arange(n)[:, None] / np.power(10000, np.arange(0, d_model, 2) / d_model)`。"
                  "做一张全 0 的表，偶数列 `[:, 0::2]` 填 sin，奇数列 `[:, 1::2]` 填 cos。",
            "en": "The angles are a table of shape (n, d_model/2): "
                  "`np.arange(n)[:, None] / np.power(10000, np.arange(0, d_model, 2) / d_model)`. "
                  "Make a table of zeros and put sin into the even columns, `[:, 0::2]`, "
                  "and cos into the odd ones, `[:, 1::2]`.",
        },
        solution=(
            "def my_positions(n, d_model):\n"
            "    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)\n"
            "    PE = np.zeros((n, d_model))\n"
            "    PE[:, 0::2], PE[:, 1::2] = np.sin(angles), np.cos(angles)\n"
            "    return PE"
        ),
        explanation={
            "zh": "没有一个数要训练：位置编码整个由公式给出。",
            "en": "Nothing here is trained: the whole of it is given by the formula.",
        },
        mistakes=SINUSOIDAL,
    ),
}


def _mostly(row):
    """Which option of 09.2 describes this row."""
    if np.ptp(row) < 0.05:
        return 2
    return 1 if abs(row[0] - row[1]) < 0.05 else 0


def _fate(before, after):
    """Which option of 09.3 describes the outputs of the first and the last word."""
    if np.allclose(before[[0, 2]], after[[0, 2]]):
        return 0
    return 2 if np.allclose(after[[0, 2]], 0) else 1 if np.allclose(after[0], after[2]) else 3
