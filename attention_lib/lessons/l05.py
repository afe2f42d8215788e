"""Predictions and exercises of lesson 05: softmax."""

import numpy as np

from ..exercises import ChoiceExercise, Exercise, FunctionExercise
from ..maths import softmax
from ..predictions import Choice, Number


def _down(e):
    """The weights where softmax runs down the columns."""
    return softmax(e["scaled"], axis=0)


PREDICTIONS = {
    "05.1": Choice(
        question={
            "zh": "“我”的三个缩放后的分数是 0.184、0.177、0.170。softmax 会把它们变成怎样的权重？",
            "en": "The three scaled scores of 我 (I) are 0.184, 0.177, 0.170. "
                  "What weights does softmax make of them?",
        },
        options={
            "zh": ("第一个拿走几乎全部，例如 0.98、0.01、0.01", "几乎三等分，例如 0.34、0.33、0.33",
                   "就是这三个分数，不用再变"),
            "en": ("the first takes nearly all, such as 0.98, 0.01, 0.01", "nearly thirds, such as 0.34, 0.33, 0.33",
                   "the scores themselves, as they are"),
        },
        truth=lambda e: int(np.argmin([abs(e["weights"][0] - like).max() for like in _shares_like(e)])),
        because={
            "zh": "权重是 {weights}：分数几乎一样，份额也就几乎一样。分数自己加起来是 {total}，还不是份额。",
            "en": "The weights are {weights}. Scores that are nearly equal give shares that are nearly equal. "
                  "The scores themselves sum to {total}, so they are no shares yet.",
        },
        values=lambda e: {"weights": e["weights"][0], "total": e["scaled"][0].sum()},
    ),
    "05.2": Choice(
        question={
            "zh": "如果把 softmax 沿着列做，三行各自的和会是多少？",
            "en": "If softmax runs down the columns, what will the three rows add up to?",
        },
        options={
            "zh": ("仍然都是 1", "都小于 1", "有的小于 1，有的大于 1", "都大于 1"),
            "en": ("still 1 each", "less than 1 each", "some less than 1, some more", "more than 1 each"),
        },
        truth=lambda e: _kind(_down(e).sum(axis=1)),
        because={
            "zh": "三个行和是 {sums}。三行合起来仍然是 3，只是分得不公平：有人花不完，有人花超了。",
            "en": "The rows sum to {sums}. Together they still make 3, but unfairly: "
                  "one spends too little, another too much.",
        },
        values=lambda e: {"sums": _down(e).sum(axis=1)},
    ),
    "05.3": Choice(
        question={
            "zh": "三个分数 0、1、2 都加上 1000，变成 1000、1001、1002。权重会怎样？",
            "en": "Three scores 0, 1, 2 all grow by 1000, to 1000, 1001, 1002. What happens to the weights?",
        },
        options={
            "zh": ("最大的几乎拿走全部", "三个变得几乎一样，因为 1000 和 1002 差不多", "完全不变"),
            "en": ("the largest takes nearly everything", "they become nearly equal, for 1000 and 1002 are close",
                   "nothing at all"),
        },
        truth=lambda e: _moved(softmax([0, 1, 2]), softmax([1000, 1001, 1002])),
        because={
            "zh": "前后都是 {weights}。softmax 只看分数之差，差没有变。",
            "en": "The weights are {weights} before and after. Softmax only sees gaps, and the gaps are the same.",
        },
        values=lambda e: {"weights": softmax([1000, 1001, 1002])},
    ),
    "05.4": Number(
        question={
            "zh": "“你”一行的权重是 0.308、0.333、0.360。温度从 1 降到 0.1，最大的那个权重会变成多少？",
            "en": "The weights of 你 (you) are 0.308, 0.333, 0.360. The temperature drops from 1 to 0.1. "
                  "What becomes of the largest weight?",
        },
        truth=lambda e: softmax(e["scaled"][2] / 0.1)[2],
        tolerance=0.05,
        because={
            "zh": "三个权重变成 {weights}。温度除以 10，就是分数之差乘以 10：差 0.156 变成了 1.56。",
            "en": "The three weights become {weights}. A tenth of the temperature makes the gaps ten times as wide: "
                  "0.156 becomes 1.56.",
        },
        values=lambda e: {"weights": softmax(e["scaled"][2] / 0.1)},
    ),
}

EXERCISES = {
    "05.a": Exercise(
        answer=lambda e: np.array([1, 2, 3]) / (1 + 2 + 3),
        tolerance=0.0006,
        hint={
            "zh": "三步里的第一步已经做完了。先把 1、2、3 加起来，再逐个去除。",
            "en": "The first of the three moves is done already. Add up 1, 2, 3, then divide each of them by the sum.",
        },
        solution="answer = [1 / 6, 2 / 6, 3 / 6]",
        explanation={
            "zh": "1/6、2/6、3/6，加起来正好是 1。顺便一提，原来的分数是 ln 1、ln 2、ln 3，也就是 0、0.693、1.099。",
            "en": "1/6, 2/6, 3/6, and they add up to 1. The scores were ln 1, ln 2, ln 3, by the way: 0, 0.693, 1.099.",
        },
        mistakes=(
            ({"zh": "这是对 1、2、3 又取了一次指数。题目里的 1、2、3 已经是指数了。",
              "en": "Here exp was taken of 1, 2, 3 once more. They are results of exp already."},
             lambda e: softmax([1, 2, 3])),
            ({"zh": "这是除以了最大的一个，而不是除以总和；这样加起来是 2。",
              "en": "Here each was divided by the largest, not by the sum; this adds up to 2."},
             lambda e: np.array([1, 2, 3]) / 3),
        ),
    ),
    "05.b": ChoiceExercise(
        answer=2,
        hint={
            "zh": "先问一行的和是多少，再问有几行。行是查询。",
            "en": "First ask what one row adds up to, then how many rows there are. Rows are queries.",
        },
        solution="answer = 2",
        explanation={
            "zh": "每个查询花出一份注意力，两个查询就是 2 份，有多少个键都一样。",
            "en": "Each query spends one unit of attention, so two queries spend 2, however many keys there are.",
        },
        mistakes=(
            ({"zh": "5 是列数。沿着列做 softmax 才会得到 5，而注意力是查询花出去的。",
              "en": "5 is the number of columns, what softmax down the columns gives. But queries spend."}, 5),
            ({"zh": "整张表的和是 1，意味着两个查询合用一份注意力。每个查询都有自己的一份。",
              "en": "If the table summed to 1, two queries would share one unit. Each has a unit of its own."}, 1),
        ),
    ),
    "05.c": FunctionExercise(
        name="my_softmax",
        arguments=("scaled",),
        answer="weights",
        cases=(
            (((1.0, 2.0, 3.0), (3.0, 1.0, 0.5)),),
            (((1000.0, 1001.0, 1002.0), (-1000.0, -1001.0, -1002.0)),),
        ),
        hint={
            "zh": "先减去每一行的最大值，再取指数，再除以每一行的和。`max` 和 `sum` 都写上 `axis=1, keepdims=True`。",
            "en": "Take the maximum of each row away, then exp, then divide by the sum of each row. "
                  "Give both `max` and `sum` the arguments `axis=1, keepdims=True`.",
        },
        solution=(
            "def my_softmax(scaled):\n"
            "    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))\n"
            "    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        explanation={
            "zh": "三行代码，就是各种深度学习库里 softmax 的核心。",
            "en": "Three lines of code, and the heart of softmax in every deep-learning library.",
        },
    ),
    "05.d": ChoiceExercise(
        answer="C",
        hint={
            "zh": "两个权重之比是 e 的（分数之差）次方。温度减半，差变成几倍？",
            "en": "The ratio of two weights is e to the power of the gap between their scores. "
                  "Half the temperature: how many times the gap?",
        },
        solution='answer = "C"',
        explanation={
            "zh": "差变成 2 倍，e 的 2 倍次方就是平方。“你”一行里：{before} 的平方是 {after}。",
            "en": "The gap doubles, and e to twice the power is the square. In row 你: {before} squared is {after}.",
        },
        values=lambda e: {
            "before": e["weights"][2].max() / e["weights"][2].min(),
            "after": (e["weights"][2].max() / e["weights"][2].min()) ** 2,
        },
        mistakes=(
            ({"zh": "分数之差变成 2 倍，但权重隔着一个指数：差翻倍，比就平方。",
              "en": "The gap does double, but exp stands between: twice the gap, the ratio squared."}, "B"),
            ({"zh": "温度降低，注意力更集中，比值应当变大。",
              "en": "A lower temperature focuses attention, so the ratio has to grow."}, "A"),
            ({"zh": "不变的是次序，不是比值。", "en": "It is the order that stays, not the ratio."}, "D"),
        ),
    ),
}


def _shares_like(e):
    """What the options of 05.1 look like."""
    return (0.98, 0.01, 0.01), (0.34, 0.33, 0.33), e["scaled"][0]


def _kind(sums):
    """Which option of 05.2 describes these row sums."""
    if np.allclose(sums, 1):
        return 0
    return 1 if (sums < 1).all() else 3 if (sums > 1).all() else 2


def _moved(before, after):
    """Which option of 05.3 describes the change."""
    if np.allclose(before, after):
        return 2
    return 0 if after.max() > before.max() else 1
