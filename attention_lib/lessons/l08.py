"""Predictions and exercises of lesson 08: masks."""

import numpy as np

from ..exercises import ChoiceExercise, FunctionExercise
from ..masks import mask_after_softmax, mask_before_softmax, padding_mask
from ..maths import causal_mask, softmax
from ..predictions import Choice, Weights

_HIDDEN_ROW = np.full(3, -np.inf)


def _causal(e):
    return mask_before_softmax(e["scaled"], causal_mask(3))


def _with_padding(e):
    """The weights of the first word where two words of zeros stand behind the sentence and nothing is hidden."""
    return softmax(np.append(e["scaled"][0], [0.0, 0.0]))


def _late(e):
    return mask_after_softmax(e["scaled"], causal_mask(3))


def _plain_softmax(row):
    """As the formula says, with the largest taken away, and with no rule for a row of only −∞."""
    with np.errstate(all="ignore"):
        powers = np.exp(row - row.max())
        return powers / powers.sum()


PREDICTIONS = {
    "08.1": Weights(
        question={
            "zh": "没有掩码时，“爱”的三份权重是 0.322、0.333、0.345。因果掩码遮住“你”以后，“爱”会怎样分配它的注意力？",
            "en": "Without a mask the weights of 爱 (love) are 0.322, 0.333, 0.345. Under the causal mask 你 is "
                  "hidden. How will 爱 share out its attention then?",
        },
        truth=lambda e: _causal(e)[1],
        because={
            "zh": "权重是 {weights}。遮住的一份正好是 0，其余两份之比仍是 {ratio}，加起来又是 1。",
            "en": "The weights are {weights}. The hidden share is exactly 0; the other two keep their ratio of {ratio} "
                  "and make 1 again.",
        },
        values=lambda e: {"weights": _causal(e)[1], "ratio": e["weights"][1, 0] / e["weights"][1, 1]},
        tolerance=0.02,
    ),
    "08.2": Choice(
        question={
            "zh": "“我爱你”后面补了两个 pad，词向量全是 0，什么也不遮。“我”会把多少注意力分给这两个 pad？",
            "en": "Two places called pad follow 我爱你. Their vectors are all zeros, and nothing is hidden. "
                  "How much of its attention does 我 (I) give to the two of them together?",
        },
        options={
            "zh": ("一点也不给，它们是零", "大约 0.05", "大约 0.36", "一半以上"),
            "en": ("none, they are zeros", "about 0.05", "about 0.36", "more than half"),
        },
        truth=lambda e: int(np.argmin(abs(np.array([0, 0.05, 0.36, 0.6]) - _with_padding(e)[3:].sum()))),
        because={
            "zh": "一共 {share}。pad 的分数是 0，而 exp(0) = 1；真正的三个词的指数也只有 {powers}。",
            "en": "{share} in all. The scores of pad are 0, and exp(0) = 1; the three real words have only {powers}.",
        },
        values=lambda e: {"share": _with_padding(e)[3:].sum(), "powers": np.exp(e["scaled"][0])},
    ),
    "08.3": Choice(
        question={
            "zh": "先做 softmax，再用因果掩码乘一遍。“我”和“爱”两行各自的和是多少？",
            "en": "Softmax first, then the causal mask by multiplication. What do rows 我 (I) and 爱 (love) add up to?",
        },
        options={
            "zh": ("都是 1，和先遮一样", "都小于 1", "都大于 1", "“我”小于 1，“爱”是 1"),
            "en": ("both 1, as with the mask first", "both less than 1", "both more than 1",
                   "我 less than 1, 爱 exactly 1"),
        },
        truth=lambda e: _kind(_late(e).sum(axis=1)[:2]),
        because={
            "zh": "行和是 {sums}。分母里还算着遮住的词，它们的那一份没有人领。",
            "en": "They sum to {sums}. The denominator still counts the hidden words, and nobody gets their share.",
        },
        values=lambda e: {"sums": _late(e).sum(axis=1)[:2]},
    ),
    "08.4": Choice(
        question={
            "zh": "一行分数全是 −∞，照公式用 numpy 做 softmax，会得到什么？",
            "en": "A row of scores is all −∞. What does softmax give, written in numpy as the formula says?",
        },
        options={
            "zh": ("全是 0", "平分，各 1/3", "nan，不是数", "程序报错，停下来"),
            "en": ("all 0", "equal shares, 1/3 each", "nan, not a number", "an error that stops the program"),
        },
        truth=lambda e: 2 if np.isnan(_plain_softmax(_HIDDEN_ROW)).all() else 1,
        because={
            "zh": "减去最大值是 −∞ − (−∞)，不减就是 0 ÷ 0，都没有值，numpy 记成 nan。要得到 0，得自己写一条规则；"
                  "这门课的 softmax 给出 {ours}。",
            "en": "Taking the maximum away is −∞ − (−∞), and without it there is 0 ÷ 0. Neither has a value; numpy "
                  "writes nan. Zeros need a rule of their own: softmax of this course gives {ours}.",
        },
        values=lambda e: {"ours": softmax(_HIDDEN_ROW)},
    ),
}

EXERCISES = {
    "08.a": FunctionExercise(
        name="my_causal_mask",
        reference=causal_mask,
        cases=((3,), (1,), (5,)),
        hint={
            "zh": "`np.tril` 留下对角线和它左下方的部分。从一张全是 True 的表开始：`np.ones((n, n), dtype=bool)`。",
            "en": "`np.tril` keeps the diagonal and what is below it. Begin with a table of True: "
                  "`np.ones((n, n), dtype=bool)`.",
        },
        solution="def my_causal_mask(n):\n    return np.tril(np.ones((n, n), dtype=bool))",
        explanation={
            "zh": "第 i 行有 i + 1 个 True：自己，和前面的 i 个。",
            "en": "Row i has True i + 1 times: itself and the i before it.",
        },
        mistakes=(
            ("mask_reversed", lambda n: ~causal_mask(n)),
            ({"zh": "对角线也遮住了：一个词总可以看自己，不然第一个词什么也看不到。",
              "en": "The diagonal is hidden, too. A word may always look at itself; otherwise the first sees nothing."},
             lambda n: np.tril(np.ones((n, n), dtype=bool), k=-1)),
            ({"zh": "方向反了：这样每个词看到的是自己和后面的词。行是看的人，列是被看的人。",
              "en": "The direction is wrong: here each word sees itself and what comes after it. "
                    "Rows look, columns are looked at."},
             lambda n: causal_mask(n).T),
        ),
    ),
    "08.b": ChoiceExercise(
        answer=lambda e: (causal_mask(4) & padding_mask(2, 4)).tolist(),
        hint={
            "zh": "两张掩码都说可以，才可以。numpy 里逐个“并且”写作 `&`。",
            "en": "A pair is allowed where both masks allow it. In numpy “and”, entry by entry, is `&`.",
        },
        solution="answer = causal_mask(4) & padding_mask(2, 4)",
        explanation={
            "zh": "第一行只剩 1 个 True，其余每行 2 个，一共 7 个。",
            "en": "The first row has one True left, the others two each, 7 in all.",
        },
        mistakes=(
            ({"zh": "这是“或者”：只要有一张说可以就放行。要两张都说可以，用 `&`。",
              "en": "This is “or”: a pair passes where one of the two allows it. Both have to: `&`."},
             lambda e: (causal_mask(4) | padding_mask(2, 4)).tolist()),
            ({"zh": "这只是因果掩码，填充的两列还看得到。",
              "en": "This is the causal mask alone; the two columns of padding can still be seen."},
             lambda e: causal_mask(4).tolist()),
            ({"zh": "这只是填充掩码，还看得到后面的词。",
              "en": "This is the padding mask alone; later words can still be seen."},
             lambda e: padding_mask(2, 4).tolist()),
            ({"zh": "填充遮错了方向：遮住的是 pad 这几行。要遮的是列，不让别人看它们。",
              "en": "The padding is hidden along the wrong axis, as rows. It is the columns that nobody may look at."},
             lambda e: (causal_mask(4) & padding_mask(2, 4).T).tolist()),
            ({"zh": "你把掩码用反了。在这门课里，True 表示可以看。",
              "en": "This is the wrong way round. In this course True means: may be looked at."},
             lambda e: (~(causal_mask(4) & padding_mask(2, 4))).tolist()),
        ),
    ),
    "08.c": FunctionExercise(
        name="my_weights",
        arguments=("scaled", "mask"),
        answer="weights",
        cases=(
            (((0.0, 1.0, 2.0), (1.0, 0.5, -1.0)), ((True, False, True), (False, True, True))),
            (((3.0, 3.0), (0.0, -2.0), (1.0, 5.0)), ((True, False), (True, True), (False, True))),
        ),
        hint={
            "zh": "用 `np.where(mask, scaled, -np.inf)` 把不可以看的换成 −∞，再照常沿着行做 softmax。",
            "en": "`np.where(mask, scaled, -np.inf)` puts −∞ in the place of what may not be seen. "
                  "Then softmax along the rows, as usual.",
        },
        solution=(
            "def my_weights(scaled, mask):\n"
            "    hidden = np.where(mask, scaled, -np.inf)\n"
            "    powers = np.exp(hidden - hidden.max(axis=1, keepdims=True))\n"
            "    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        explanation={
            "zh": "这个函数对整行遮住的情形会给出 nan。下一节就讲它。",
            "en": "For a row that is hidden altogether such a function gives nan. The next section is about that.",
        },
        mistakes=(
            ({"zh": "你从分数里减去了一个不够大的数，遮住的词还分得到一点。要用 −∞。",
              "en": "You took away a number that is not large enough: hidden words still get a little. Use −∞."},
             lambda scaled, mask: softmax(np.where(mask, scaled, scaled - 10.0))),
        ),
    ),
    "08.d": ChoiceExercise(
        answer=lambda e: (~causal_mask(3)).tolist(),
        hint={
            "zh": "那边的 True 表示不可以看，所以每一个都要反过来。numpy 里“非”写作 `~`。",
            "en": "True means hidden there, so every entry has to be turned round. In numpy “not” is `~`.",
        },
        solution="keep = causal_mask(3)\nanswer = ~keep",
        explanation={
            "zh": "True 和 False 全部对调，意思才一样。",
            "en": "With every True and False exchanged it means the same there as `keep` does here.",
        },
        mistakes=(
            ({"zh": "原样交过去，意思就反了：每个词只看得到后面的词，最后一个什么也看不到。",
              "en": "Handed over as it is, it means the opposite: each word sees only what comes after it, "
                    "and the last one sees nothing."},
             lambda e: causal_mask(3).tolist()),
            ({"zh": "转置把对角线也留成了 True，在那边就是不许看自己，最后一个词什么也看不到。要的是“非”，不是转置。",
              "en": "The transpose leaves True on the diagonal, which there forbids a word to see itself; "
                    "the last one sees nothing. What is needed is “not”, no transpose."},
             lambda e: causal_mask(3).T.tolist()),
        ),
    ),
}


def _kind(sums):
    """Which option of 08.3 describes these row sums."""
    if np.allclose(sums, 1):
        return 0
    return 1 if (sums < 1 - 1e-9).all() else 2 if (sums > 1 + 1e-9).all() else 3
