"""Predictions and exercises of lesson 12: one whole block."""

import numpy as np

from ..block import feed_forward, layer_norm, size, unlikeness
from ..block_mistakes import BLOCK, NORM, right_block
from ..exercises import Exercise, FunctionExercise
from ..predictions import Choice
from ..whole_block import WholeBlock

_ROW = (10.0, 0.0, 10.0, 0.0)
_LIKE = ([10, -10, 10, -10], [1, -1, 1, -1], [5, -5, 5, -5])  # the options of 12.1
_NO_RESIDUALS = {"residual_1": False, "residual_2": False}
_D, _D_FF, _HEADS, _BLOCKS = 512, 2048, 8, 6  # the base model of Vaswani et al. 2017, table 3


def _which_rows_move(_e):
    """Which option of 12.2 is right: the rows of the feed-forward part that change when the first row does."""
    b = WholeBlock.from_example()
    w, middle = b.weights, b["normed_1"].copy()
    before = feed_forward(middle, w.W_1, w.b_1, w.W_2, w.b_2)
    middle[0, 2] += 1.0
    moved = np.abs(feed_forward(middle, w.W_1, w.b_1, w.W_2, w.b_2) - before).max(axis=1) > 1e-12
    return 0 if moved.tolist() == [True, False, False] else 1 if moved.all() else 2


def _stacked(blocks=_BLOCKS, **switches):
    return WholeBlock.from_example().stacked(blocks, **switches)[-1]


def _what_becomes_of_them(_e):
    """Which option of 12.3 is right."""
    rows = _stacked(**_NO_RESIDUALS)
    return 2 if not rows.any() else 1 if np.ptp(rows, axis=0).max() < 1e-3 else 0


def _how_large(blocks):
    return size(_stacked(blocks, norm_1=False, norm_2=False))


def _numbers(d=_D, d_ff=_D_FF, attention=4, biases=True, norms=2):
    """How many numbers a block has learned: d × d matrices of attention, feed-forward part, biases, norms."""
    return attention * (d * d + d * biases) + 2 * d * d_ff + (d_ff + d) * biases + norms * 2 * d


PREDICTIONS = {
    "12.1": Choice(
        question={
            "zh": "层归一化把一行 [1, 0, 1, 0] 变成 [1, −1, 1, −1]。[10, 0, 10, 0] 会变成什么？",
            "en": "Layer norm turns the row [1, 0, 1, 0] into [1, −1, 1, −1]. What does it make of [10, 0, 10, 0]?",
        },
        options={
            "zh": ("[10, −10, 10, −10]", "[1, −1, 1, −1]", "[5, −5, 5, −5]"),
            "en": ("[10, −10, 10, −10]", "[1, −1, 1, −1]", "[5, −5, 5, −5]"),
        },
        truth=lambda e: [np.allclose(layer_norm([_ROW]), [like], atol=1e-3) for like in _LIKE].index(True),
        because={
            "zh": "平均是 5，标准差也是 5，减去再除，剩下的正好是 ±1。一行数整体有多大、多高，归一化以后都看不出来了，"
                  "留下的是形状。",
            "en": "The mean is 5, and so is the standard deviation; take one away, divide by the other, and ±1 stays. "
                  "How large a row is and how high it lies are gone afterwards. Its shape stays.",
        },
    ),
    "12.2": Choice(
        question={
            "zh": "进入前馈部分的三行里，只有“猫”那一行变了一个数。前馈部分的输出，哪几行会变？",
            "en": "Of the three rows that enter the feed-forward part, one number changes, in the row of “cat”. "
                  "Which rows of its output change?",
        },
        options={
            "zh": ("只有“猫”", "三行都变", "一行也不变"),
            "en": ("only “cat”", "all three", "none"),
        },
        truth=_which_rows_move,
        because={
            "zh": "前馈部分对每一行做同样的事，各行各算各的。词与词说话，只在注意力里。",
            "en": "The feed-forward part does the same to every row, and to each by itself. "
                  "Words talk to each other in attention and nowhere else.",
        },
    ),
    "12.3": Choice(
        question={
            "zh": "关掉两个残差，把同一块叠 6 次。三个词的输出会怎样？",
            "en": "Both residuals are switched off, and the same block is stacked 6 times. "
                  "What becomes of the three words?",
        },
        options={
            "zh": ("各不相同，和叠之前差不多", "三行变得一样（三位小数内）", "全变成 0"),
            "en": ("as different as before", "all three rows are the same, to three decimals", "all numbers are 0"),
        },
        truth=_what_becomes_of_them,
        because={
            "zh": "差别从 {before} 降到 {after}。每过一次注意力，各行都换成了大家的加权平均，一次比一次像；"
                  "有残差，差别还有 {kept}。",
            "en": "The difference falls from {before} to {after}. Each attention puts a weighted mean of all rows in "
                  "the place of each, and they grow alike. With residuals it is still {kept}.",
        },
        values=lambda e: {"before": unlikeness(WholeBlock.from_example()["placed"]),
                          "after": f"{unlikeness(_stacked(**_NO_RESIDUALS)):.3f}", "kept": unlikeness(_stacked())},
    ),
    "12.4": Choice(
        question={
            "zh": "这次打开残差，关掉两个层归一化，叠 6 次。与叠 1 次相比，数的大小变成几倍？",
            "en": "Now the residuals are on and both layer norms off. "
                  "How many times as large are the numbers after 6 blocks as after 1 block?",
        },
        options={
            "zh": ("差不多", "大约 6 倍", "几千倍"),
            "en": ("about the same", "about 6 times", "thousands of times"),
        },
        truth=lambda e: int(np.digitize(_how_large(6) / _how_large(1), (2, 100))),
        because={
            "zh": "1 块之后是 {one}，6 块之后是 {six}。每一块都在上一块的基础上乘上去，不是加上去。",
            "en": "{one} after one block, {six} after six. Each block multiplies what the one before has left, "
                  "it does not add to it.",
        },
        values=lambda e: {"one": _how_large(1), "six": f"{_how_large(6):.0f}"},
    ),
}

_A = (((1.0, 0.5, -1.0), (0.0, 2.0, 0.5), (-0.5, 1.0, 1.5), (2.0, 0.0, 1.0)),
      ((1.0, 0.5, 0.0), (-0.5, 1.0, 0.3), (0.2, 0.0, 1.0)), ((0.4, 0.3, 1.0), (0.2, -0.7, 0.0), (1.0, 0.5, 0.6)),
      ((0.8, 0.1, -0.4), (0.3, 0.9, 0.0), (-0.6, 0.2, 1.0)),
      ((1.0, -1.0, 0.5, 0.0, 2.0), (0.0, 1.0, -1.0, 1.5, 0.0), (-1.0, 0.0, 1.0, -0.5, 1.0)),
      (0.5, 0.0, -0.5, 0.2, -1.0),
      ((1.0, 0.0, 0.5), (-0.5, 1.0, 0.0), (0.0, 0.5, -1.0), (0.3, 0.0, 1.0), (-1.0, 0.4, 0.0)), (0.1, -0.2, 0.4))
_B = (((1.0, -2.0), (0.3, 0.4), (2.0, 1.0)), ((0.5, 1.0), (0.1, -0.6)), ((1.4, 0.3), (0.2, 0.7)),
      ((0.8, 0.1), (0.3, -0.9)), ((1.0, -0.5, 0.3), (0.7, 1.0, -1.0)), (0.2, 0.0, -0.3),
      ((0.5, 1.5), (-1.0, 0.2), (0.6, 0.0)), (0.3, -0.1))

EXERCISES = {
    "12.a": FunctionExercise(
        name="my_layer_norm",
        reference=lambda X: layer_norm(X),
        cases=((((1.0, 2.0, 3.0, 6.0), (0.0, -1.0, 4.0, 0.5)),),
               (((0.01, 0.02, 0.04), (5.0, 5.0, 5.02), (1.0, 0.0, 0.0), (3.0, -2.0, 7.0)),)),
        hint={
            "zh": "平均和方差都沿着 `axis=1`，再写 `keepdims=True`，让它们保持 (n, 1) 的形状。"
                  "ε 是 1e-5，加在方差上，再开方。",
            "en": "Mean and variance go along `axis=1`, with `keepdims=True`, so that both have the shape (n, 1). "
                  "ε is 1e-5; it is added to the variance, before the root.",
        },
        solution=(
            "def my_layer_norm(X):\n"
            "    off = X - X.mean(axis=1, keepdims=True)\n"
            "    variance = (off**2).mean(axis=1, keepdims=True)\n"
            "    return off / np.sqrt(variance + 1e-5)"
        ),
        explanation={
            "zh": "每一行各算各的，所以加一个词、减一个词，别的词的归一化都不变。",
            "en": "Each row by itself: one word more or less changes nothing for the others.",
        },
        mistakes=NORM,
    ),
    "12.b": FunctionExercise(
        name="my_block",
        reference=right_block,
        cases=(_A, _B),
        hint={
            "zh": "先算 `attention(X @ W_Q, X @ W_K, X @ W_V).output`，加上 `X`，归一化，得到 middle。"
                  "再算 `np.maximum(0, middle @ W_1 + b_1) @ W_2 + b_2`，加上 middle，归一化。",
            "en": "First `attention(X @ W_Q, X @ W_K, X @ W_V).output`, plus `X`, normalised: the middle. "
                  "Then `np.maximum(0, middle @ W_1 + b_1) @ W_2 + b_2`, plus the middle, normalised.",
        },
        solution=(
            "def my_block(X, W_Q, W_K, W_V, W_1, b_1, W_2, b_2):\n"
            "    middle = layer_norm(X + attention(X @ W_Q, X @ W_K, X @ W_V).output)\n"
            "    fed = np.maximum(0, middle @ W_1 + b_1) @ W_2 + b_2\n"
            "    return layer_norm(middle + fed)"
        ),
        explanation={
            "zh": "三行就是一整块。真实的模型只是更宽，头更多，一块接一块。",
            "en": "Three lines are a whole block. A real model is wider, has more heads, and puts block after block.",
        },
        mistakes=BLOCK,
    ),
    "12.c": Exercise(
        answer=lambda e: _numbers(),
        tolerance=1e-3,
        hint={
            "zh": "注意力有四个 512 × 512 的矩阵，各有 512 个偏置；前馈部分有 512 × 2048 和 2048 × 512，"
                  "偏置 2048 和 512；两个层归一化各有 512 个增益和 512 个平移。",
            "en": "Attention has four matrices of 512 × 512, each with 512 biases; the feed-forward part has "
                  "512 × 2048 and 2048 × 512, with 2048 and 512 biases; "
                  "each of the two norms has 512 gains and 512 shifts.",
        },
        solution="d, d_ff = 512, 2048\nanswer = 4 * (d * d + d) + (d * d_ff + d_ff) + (d_ff * d + d) + 2 * 2 * d",
        explanation={
            "zh": "一块 {one} 个数，6 块 {all} 个；其中 {share} % 在前馈部分。",
            "en": "{one} numbers in a block, {all} in six; {share} % of them are in the feed-forward part.",
        },
        values=lambda e: {"one": f"{_numbers():,}", "all": f"{_BLOCKS * _numbers():,}",
                          "share": f"{100 * (2 * _D * _D_FF + _D_FF + _D) / _numbers():.0f}"},
        mistakes=(
            ({"zh": "这只是注意力的四个矩阵和偏置，还缺前馈部分和层归一化。",
              "en": "These are only the four matrices of attention with their biases. "
                    "The feed-forward part and the norms are missing."}, lambda e: 4 * (_D * _D + _D)),
            ({"zh": "只数了矩阵。偏置也要学，层归一化的增益和平移也是。",
              "en": "Only matrices are counted here. Biases are learned, too, and so are gains and shifts."},
             lambda e: _numbers(biases=False, norms=0)),
            ({"zh": "偏置没有数进去。", "en": "The biases are missing."}, lambda e: _numbers(biases=False)),
            ({"zh": "层归一化的增益和平移没有数进去：两个归一化，各 512 个增益、512 个平移。",
              "en": "The gains and shifts of the norms are missing: two norms, each with 512 gains and 512 shifts."},
             lambda e: _numbers(norms=0)),
            ({"zh": "只数了一个层归一化，一块里有两个。", "en": "Only one layer norm is counted; a block has two."},
             lambda e: _numbers(norms=1)),
            ({"zh": "W_O 没有数进去：注意力有四个矩阵，不是三个。",
              "en": "W_O is missing: attention has four matrices, not three."}, lambda e: _numbers(attention=3)),
            ({"zh": "你给每个头都配了 512 列的矩阵。8 个头分的是同样的 512 列，每个头只有 64 列。",
              "en": "You gave every head matrices of 512 columns. The 8 heads share those 512 columns, 64 each."},
             lambda e: _numbers(attention=3 * _HEADS + 1)),
            ({"zh": "这是 6 块的总数，问的是一块。", "en": "These are all six blocks; the question is about one."},
             lambda e: _BLOCKS * _numbers()),
        ),
    ),
}
