"""Predictions and exercises of lesson 06: output."""

import numpy as np

from ..examples import EXAMPLES
from ..exercises import ChoiceExercise, Exercise
from ..maths import attention, self_attention
from ..predictions import Choice, Number

_GIVEN = EXAMPLES["我爱你"].inputs
# A published listing of the example 我爱你. Its digits are wrong; exercises 06.c and 06.d are about finding that out.
CLAIMED_WEIGHTS = ((0.33614837, 0.33310516, 0.33074647), (0.32184448, 0.33343385, 0.34472167),
                   (0.30815179, 0.33241613, 0.35943208))
CLAIMED_OUTPUT = ((0.55158713, 0.49825904), (0.5443457, 0.50918687), (0.53701315, 0.52096187))


def disagreeing(decimals: int = 3) -> int:
    """How many of the listing's numbers differ from the computed ones where both are rounded."""
    right = self_attention(**_GIVEN)
    pairs = ((CLAIMED_WEIGHTS, right.weights), (CLAIMED_OUTPUT, right.output))
    return sum(int((np.round(claimed, decimals) != np.round(true, decimals)).sum()) for claimed, true in pairs)


def _outside(e):
    """Whether some query far beyond the sliders brings an output outside the hull of V: a share of a corner below 0."""
    corners = np.vstack([e["V"].T, np.ones(3)])
    directions = np.linspace(0, 2 * np.pi, 60)
    queries = 20 * np.stack([np.cos(directions), np.sin(directions)], axis=1)
    output = attention(queries, e["K"], e["V"]).output
    shares = np.linalg.solve(corners, np.vstack([output.T, np.ones(len(output))]))
    return bool((shares < -1e-12).any())


def _eight(numbers):
    return ", ".join(f"{x:.8f}" for x in numbers)


def _same_values(e):
    """How far the output moves when only W_Q changes, with the three values equal."""
    given = {"X": e["X"], "W_K": e["W_K"], "W_V": ((0.8, 0.1), (0.8, 0.1))}
    one, other = (self_attention(W_Q=W_Q, **given) for W_Q in (e["W_Q"], ((0.5, 2.0), (0.1, 0.6))))
    return float(abs(one.output - other.output).max()), float(abs(one.weights - other.weights).max())


PREDICTIONS = {
    "06.1": Choice(
        question={
            "zh": "“我”是 [1, 0]，它自己的值是 [0.8, 0.1]；三个权重几乎一样。“我”的输出最接近哪一个？",
            "en": "我 (I) is [1, 0] and its own value is [0.8, 0.1]; its three weights are nearly equal. "
                  "Which is closest to the output of 我?",
        },
        options={
            "zh": ("[1, 0]，输入不变", "[0.8, 0.1]，它自己的值", "[0.55, 0.5]，三个值混在一起",
                   "[1.65, 1.5]，三个值之和"),
            "en": ("[1, 0], the input unchanged", "[0.8, 0.1], its own value", "[0.55, 0.5], the three values mixed",
                   "[1.65, 1.5], the sum of the three values"),
        },
        truth=lambda e: int(np.argmin([abs(e["output"][0] - near).max() for near in _NEAR])),
        because={
            "zh": "输出是 {output}。三个值各取大约三分之一，所以接近平均；权重加起来是 1，所以不会是总和。",
            "en": "The output is {output}. It takes about a third of each value, so it is close to the average. "
                  "The weights sum to 1, so it cannot be the total.",
        },
        values=lambda e: {"output": e["output"][0]},
    ),
    "06.2": Choice(
        question={
            "zh": "只改查询，想让输出跑到三个值围成的三角形外面去。做得到吗？",
            "en": "You may only change the queries. Can you drive an output out of the triangle of the three values?",
        },
        options={
            "zh": ("做不到", "能，查询够大就行", "能，查询是负数就行"),
            "en": ("no", "yes, with a query that is large enough", "yes, with a negative query"),
        },
        truth=lambda e: int(_outside(e)),
        because={
            "zh": "查询改变的是份额。份额总是正数，和是 1，这样的混合出不了三角形；查询越大，只是越靠近角或者边。",
            "en": "Queries change the shares. Shares are positive and sum to 1, and such a mix cannot leave "
                  "the triangle; a larger query only gets closer to a corner or an edge.",
        },
        example="three tokens",
    ),
    "06.3": Number(
        question={
            "zh": "三个值是 (0.1, 0.1)、(1, 1)、(0.2, 0.5)，权重都是 1/3。输出的第一个数是多少？",
            "en": "The values are (0.1, 0.1), (1, 1), (0.2, 0.5), with weights of 1/3 each. "
                  "What is the first number of the output?",
        },
        truth=lambda e: e["V"][:, 0].mean(),
        tolerance=0.01,
        because={
            "zh": "(0.1 + 1 + 0.2) ÷ 3，就是平均。",
            "en": "(0.1 + 1 + 0.2) ÷ 3: the average.",
        },
        example="three tokens",
    ),
    "06.4": Choice(
        question={
            "zh": "三个词的值一模一样，都是 [0.8, 0.1]。现在改 W_Q，让“我”转而最关注“你”。输出会怎样？",
            "en": "All three words have the same value, [0.8, 0.1]. Now W_Q changes, and 我 (I) turns to look "
                  "most at 你 (you). What happens to the output?",
        },
        options={
            "zh": ("“我”的输出变得更像“你”", "三行输出都有变化", "一点也不变"),
            "en": ("the output of 我 becomes more like 你", "all three rows change a little", "nothing at all"),
        },
        truth=lambda e: 2 if _same_values(e)[0] < 1e-12 < _same_values(e)[1] else 0,
        because={
            "zh": "权重动了 {moved}，输出没有动：不管各取多少，取来的都是同一份值。",
            "en": "A weight moves by {moved}, the output by nothing: whatever the shares, "
                  "they are shares of the same value.",
        },
        values=lambda e: {"moved": _same_values(e)[1]},
    ),
}

_NEAR = ((1, 0), (0.8, 0.1), (0.55, 0.5), (1.65, 1.5))

EXERCISES = {
    "06.a": Exercise(
        answer="output",
        example="three tokens",
        hint={
            "zh": "三步：`scaled = Q @ K.T / np.sqrt(K.shape[1])`；沿着行做 softmax；最后乘以 `V`。",
            "en": "Three steps: `scaled = Q @ K.T / np.sqrt(K.shape[1])`; softmax along the rows; then times `V`.",
        },
        solution=(
            "scaled = Q @ K.T / np.sqrt(K.shape[1])\n"
            "weights = np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True)\n"
            "answer = weights @ V"
        ),
        explanation={
            "zh": "三行代码，就是整个注意力：softmax(QKᵀ/√d_k) V。",
            "en": "Three lines, and that is all of attention: softmax(QKᵀ/√d_k) V.",
        },
    ),
    "06.b": Exercise(
        answer=lambda e: np.array([0.5, 0.0, 0.5]),
        tolerance=0.001,
        example="three tokens",
        hint={
            "zh": "正中间，就是两头各取一半。w2 的值用上了没有？",
            "en": "Midway means one half of each end. Does the value of w2 come in?",
        },
        solution="answer = [0.5, 0, 0.5]",
        explanation={
            "zh": "0.5×(0.1, 0.1) + 0.5×(0.2, 0.5) = (0.15, 0.3)。w2 的权重是 0：softmax 能无限接近它，却到不了。",
            "en": "0.5×(0.1, 0.1) + 0.5×(0.2, 0.5) = (0.15, 0.3). The weight of w2 is 0, which softmax approaches "
                  "and never reaches.",
        },
        mistakes=(
            ({"zh": "三个各三分之一，会落在三角形的重心，不在边上。",
              "en": "A third of each lands at the centre of the triangle, not on its edge."},
             lambda e: np.full(3, 1 / 3)),
        ),
    ),
    "06.c": ChoiceExercise(
        answer=lambda e: disagreeing(),
        hint={
            "zh": "`(np.round(claimed_weights, 3) != np.round(e['weights'], 3)).sum()` 数出权重里有几个；"
                  "输出照样数，再相加。",
            "en": "`(np.round(claimed_weights, 3) != np.round(e['weights'], 3)).sum()` counts them "
                  "among the weights; do the same for the output, and add.",
        },
        solution="answer = 3",
        explanation={
            "zh": "三个：清单舍入后是 0.332、0.359、0.552，算出来是 0.333、0.360、0.551。",
            "en": "Three: rounded, the listing has 0.332, 0.359, 0.552; "
                  "the computation gives 0.333, 0.360, 0.551.",
        },
        mistakes=(
            ({"zh": "权重里是两个，输出里还有。", "en": "There are two among the weights; the output has more."}, 2),
            ({"zh": "输出里是一个，权重里还有。", "en": "There is one in the output; the weights have more."}, 1),
            ({"zh": "八位小数逐个比，15 个全都对不上；题目问的是舍入到三位以后。",
              "en": "At eight decimals all 15 disagree; the question is about three."}, 15),
        ),
    ),
    "06.d": ChoiceExercise(
        answer="B",
        hint={
            "zh": "三种都试一试：`claimed_weights.sum(axis=1)`；`claimed_weights @ V` 与 `claimed_output` 比；"
                  "`claimed_weights.min()`。",
            "en": "Try all three: `claimed_weights.sum(axis=1)`, `claimed_weights @ V` against `claimed_output`, "
                  "`claimed_weights.min()`.",
        },
        solution='answer = "B"',
        explanation={
            "zh": "印出来的权重乘以 V，第一行是 {first}，印出来的输出却是 {printed}。"
                  "它和自己对不上，不用代码也能断定有错。",
            "en": "The printed weights times V give {first} as the first row; printed is {printed}. "
                  "The listing contradicts itself, and no code is needed to see it.",
        },
        values=lambda e: {
            "first": _eight(np.array(CLAIMED_WEIGHTS[0]) @ (np.array(_GIVEN["X"]) @ np.array(_GIVEN["W_V"]))),
            "printed": _eight(CLAIMED_OUTPUT[0]),
        },
        mistakes=(
            ({"zh": "每一行的和正好是 1，这份清单通过了这一关。很多错误都通得过。",
              "en": "Every row sums to 1; the listing passes this test, as many wrong results do."}, "A"),
            ({"zh": "九个数都在 0 与 1 之间，这一关也拦不住它。",
              "en": "All nine lie between 0 and 1, so this does not stop it either."}, "C"),
        ),
    ),
}
