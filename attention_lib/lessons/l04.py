"""Predictions and exercises of lesson 04: scaling."""

import numpy as np

from ..exercises import ChoiceExercise, Exercise
from ..experiment import Experiment
from ..maths import softmax
from ..predictions import Choice, Number
from ..scaling import random_scores

_LENGTHS = (4, 64)


def _unscaled(e):
    """The weights of 你 where the scores are not scaled."""
    return softmax(e["scores"][2])


def _spread(d_k):
    """The standard deviation of a dot product of length d_k: independent entries, mean 0, variance 1."""
    return float(np.sqrt(d_k))


def _wide():
    return Experiment(Q=[[2, 0, 0, 0]], K=[[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 0, 0]], V=[[1], [2], [3]])


PREDICTIONS = {
    "04.1": Choice(
        question={
            "zh": "“你”的权重是 0.308、0.333、0.360。若不除以 √d_k，最大的那个会怎样？",
            "en": "The weights of 你 (you) are 0.308, 0.333, 0.360. "
                  "What happens to the largest if we do not divide by √d_k?",
        },
        options={
            "zh": ("变成 0.9 以上", "变成 0.5 左右", "只变大一点点，不到 0.02", "完全不变"),
            "en": ("it goes above 0.9", "it goes to about 0.5", "it grows a little, by less than 0.02",
                   "nothing at all"),
        },
        truth=lambda e: _growth(e["weights"][2].max(), _unscaled(e).max()),
        because={
            "zh": "它从 {before} 变成 {after}。这里的分数本来就相差很小，乘上 1.414 还是很小。",
            "en": "It goes from {before} to {after}. These scores are close to each other, "
                  "and 1.414 times a small gap is small.",
        },
        values=lambda e: {"before": e["weights"][2].max(), "after": _unscaled(e).max()},
    ),
    "04.2": Choice(
        question={
            "zh": "键的长度从 4 变成 64，是原来的 16 倍。不缩放的分数，标准差会变成原来的几倍？",
            "en": "Keys grow from length 4 to length 64, 16 times as long. "
                  "How many times as wide do unscaled scores scatter?",
        },
        options={"zh": ("一样", "4 倍", "16 倍", "256 倍"), "en": ("the same", "4 times", "16 times", "256 times")},
        truth=lambda e: (1, 4, 16, 256).index(round(_spread(_LENGTHS[1]) / _spread(_LENGTHS[0]))),
        because={
            "zh": "标准差是 √d_k：从 {short} 变成 {long}。方差才是 16 倍。",
            "en": "The standard deviation is √d_k, so it goes from {short} to {long}. "
                  "It is the variance that grows 16 times.",
        },
        values=lambda e: {"short": _spread(_LENGTHS[0]), "long": _spread(_LENGTHS[1])},
    ),
    "04.3": Choice(
        question={
            "zh": "一个查询，8 个随机的键，每个长 1024，分数不缩放。8 个权重里最大的那个，平均大约是多少？",
            "en": "One query, 8 random keys of length 1024, scores unscaled. "
                  "How large is the largest of the 8 weights, on average?",
        },
        options={
            "zh": ("约 0.125，也就是八分之一", "约 0.35", "约 0.6", "超过 0.9"),
            "en": ("about 0.125, one eighth", "about 0.35", "about 0.6", "above 0.9"),
        },
        truth=lambda e: int(np.digitize(random_scores().measure(1024)["none"].largest, (0.2, 0.5, 0.9))),
        because={
            "zh": "分数的标准差是 32，第一名和第二名往往差出十几，softmax 几乎把一切都给了第一名。",
            "en": "The scores have a standard deviation of 32, so first and second are often ten or more apart, "
                  "and softmax gives nearly everything to the first.",
        },
    ),
    "04.4": Number(
        question={
            "zh": "分数是 4、0、2，K 的形状是 (3, 4)。按正确的办法缩放以后，第一个数是多少？",
            "en": "The scores are 4, 0, 2 and K has shape (3, 4). "
                  "What is the first number after scaling them properly?",
        },
        truth=lambda e: _wide()["scaled"][0, 0],
        tolerance=0.01,
        decimals=1,
        because={
            "zh": "d_k 是 K 的列数 4，√4 = 2，4 ÷ 2 = 2。"
                  "若得到 2.309，是除以了 √3，用了键的个数；若得到 1，是除以了 4，忘了开方。",
            "en": "d_k is 4, the columns of K; √4 = 2 and 4 ÷ 2 = 2. 2.309 comes from √3, the number of keys; "
                  "1 comes from dividing by 4, without the root.",
        },
    ),
}

EXERCISES = {
    "04.a": Exercise(
        answer="scaled",
        hint={
            "zh": "先是 `Q @ K.T`，再除以 `np.sqrt(…)`。`K.shape` 是（键的个数, 键的长度），要的是第二个。",
            "en": "First `Q @ K.T`, then divide by `np.sqrt(…)`. "
                  "`K.shape` is (number of keys, length of a key); take the second.",
        },
        solution="answer = Q @ K.T / np.sqrt(K.shape[1])",
        explanation={
            "zh": "`K.shape[1]` 是键的长度。换成任何形状的 Q 和 K，这一行都对。",
            "en": "`K.shape[1]` is the length of a key. This line is right for any shape of Q and K.",
        },
    ),
    "04.b": Exercise(
        answer=lambda e: 0.98 * (1 - 0.98),
        decimals=4,
        hint={"zh": "公式是 w(1 − w)，这里 w = 0.98。", "en": "The formula is w(1 − w), and w is 0.98."},
        solution="answer = 0.98 * (1 - 0.98)",
        explanation={
            "zh": "0.0196，还不到最大值 0.25 的十二分之一。权重越靠近 1，越推不动。",
            "en": "0.0196, less than a twelfth of the largest possible, 0.25. The closer to 1, the harder to move.",
        },
        mistakes=(
            ({"zh": "这是 1 − w，还要再乘上 w。",
              "en": "This is 1 − w; it has to be multiplied by w too."}, lambda e: 0.02),
            ({"zh": "这是 0.01 那个权重的梯度。题目问的是第一个。",
              "en": "This is the gradient of the weight 0.01. The question is about the first."}, lambda e: 0.0099),
        ),
    ),
    "04.c": ChoiceExercise(
        answer=4,
        hint={
            "zh": "K = X W_K 的形状是什么？d_k 是它的列数。",
            "en": "What is the shape of K = X W_K? Its number of columns is d_k.",
        },
        solution="answer = 4",
        explanation={
            "zh": "K 的形状是 (5, 4)，一个键长 4，所以除以 √4 = 2。",
            "en": "K has shape (5, 4): a key has length 4, so we divide by √4 = 2.",
        },
        mistakes=(
            ({"zh": "5 是词的个数。句子再长，一次点积也只有 d_k 项。",
              "en": "5 is the number of words. However long the sentence, one dot product has d_k terms."}, 5),
            ({"zh": "8 是模型宽度 d_model。点积做在投影以后，那时一个键只有 4 个数。",
              "en": "8 is d_model, the model width. Dot products come after the projection: a key has 4 numbers."}, 8),
            ({"zh": "6 是值的长度 d_v。值不参加打分。",
              "en": "6 is the length of a value, d_v. Values take no part in scoring."}, 6),
            ({"zh": "2 是开方以后的数。题目问的是根号下面。",
              "en": "2 is the root itself. The question is what stands under it."}, 2),
        ),
    ),
}


def _growth(before, after):
    """Which option of 04.1 describes the change of the largest weight."""
    if np.isclose(before, after):
        return 3
    return 2 if after - before < 0.02 else 1 if after < 0.9 else 0
