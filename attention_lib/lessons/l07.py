"""Predictions and exercises of lesson 07: playground."""

import numpy as np

from ..exercises import ChoiceExercise, Exercise, FunctionExercise
from ..experiment import Experiment
from ..maths import attention, causal_mask, self_attention
from ..predictions import Choice, Weights

_ORDER = [2, 0, 1]


def _causal(e):
    """The weights under a causal mask."""
    return attention(e["Q"], e["K"], e["V"], mask=causal_mask(len(e["Q"]))).weights


def _reversed_output(e):
    """The output where the rows of X stand in reversed order."""
    return self_attention(e["X"][::-1], e["W_Q"], e["W_K"], e["W_V"]).output


def _favourites(seed):
    """Which word each word of one sentence looks at most, with the random numbers of ``seed``."""
    return tuple(Experiment.from_sentence("我 爱 attention", seed=seed)["weights"].argmax(axis=1).tolist())


PREDICTIONS = {
    "07.1": Weights(
        question={
            "zh": "“爱”的权重是 0.322、0.333、0.345。加上因果掩码，它不能再看后面的“你”。"
                  "现在它怎样分配注意力？",
            "en": "The weights of 爱 (love) are 0.322, 0.333, 0.345. With a causal mask it may no longer look "
                  "at 你 (you), which comes after it. How does it share out its attention now?",
        },
        truth=lambda e: _causal(e)[1],
        because={
            "zh": "权重是 {weights}。“你”得 0，它原来的一份由“我”和“爱”分掉，和仍然是 1。",
            "en": "The weights are {weights}. 你 gets 0; its former share goes to 我 and 爱, and the sum is still 1.",
        },
        values=lambda e: {"weights": _causal(e)[1]},
    ),
    "07.2": Choice(
        question={
            "zh": "给一句话的每个词随机的数，投影矩阵也随机。同一句话，换一组随机数，谁最看重谁会变吗？",
            "en": "Every word of a sentence gets random numbers, and the projections are random too. Same sentence, "
                  "other random numbers: will the words look most at the same words as before?",
        },
        options={
            "zh": ("不变，由词的意思决定", "会变，由抽到的数决定"),
            "en": ("yes, the meaning of the words decides", "no, the numbers drawn decide"),
        },
        truth=lambda e: int(len({_favourites(seed) for seed in range(8)}) > 1),
        because={
            "zh": "词在这里只是标签，计算里没有它们的意思。意思要靠训练，才会进到数里去。",
            "en": "Here the words are mere labels, and the computation knows nothing of what they mean. "
                  "It takes training to put meaning into numbers.",
        },
    ),
    "07.3": Choice(
        question={
            "zh": "把 X 的三行倒过来。原来第一个词的输出会怎样？",
            "en": "The three rows of X are reversed. What becomes of the output of the word that was first?",
        },
        options={
            "zh": ("数变了，因为它的位置变了", "数不变，只是跟着到了最后一行", "第一行的输出完全不变"),
            "en": ("other numbers, for its place is another", "the same numbers, now in the last row",
                   "the first row of the output stays as it is"),
        },
        truth=lambda e: _where(e["output"], _reversed_output(e)),
        because={
            "zh": "它还是 {output}，只是站到了最后一行。分数和加权和都不看谁先谁后。",
            "en": "It is still {output}, only in the last row. "
                  "Neither scores nor weighted sums look at who comes first.",
        },
        values=lambda e: {"output": _reversed_output(e)[-1]},
    ),
    "07.4": Choice(
        question={
            "zh": "w2 自己的查询是 [0.2, 1]；三个键是 [0.1, 1]、[1, 0.2]、[0, 1]。w2 最看重谁？",
            "en": "The query of w2 is [0.2, 1]; the keys are [0.1, 1], [1, 0.2], [0, 1]. Whom does w2 look at most?",
        },
        options={"zh": ("w1", "w2，也就是自己", "w3"), "en": ("w1", "w2, itself", "w3")},
        truth=lambda e: int(e["weights"][1].argmax()),
        because={
            "zh": "三个权重是 {weights}。w2 的查询看重第二个特征，而 w2 自己的键在那里只有 0.2。",
            "en": "The weights are {weights}. The query of w2 is after the second feature, "
                  "and there its own key has only 0.2.",
        },
        values=lambda e: {"weights": e["weights"][1]},
        example="three tokens",
    ),
}

EXERCISES = {
    "07.a": Exercise(
        answer=lambda e: e["output"][_ORDER],
        hint={
            "zh": "输入怎么换，输出就怎么换。numpy 可以用一个列表来取行：`A[[2, 0, 1]]`。",
            "en": "The output is permuted just as the input is. In numpy a list picks rows: `A[[2, 0, 1]]`.",
        },
        solution="answer = output[[2, 0, 1]]",
        explanation={
            "zh": "没有重新计算任何东西：每个词的输出原样不动，只是换了位置。",
            "en": "Nothing was computed anew: each word keeps its output and only moves.",
        },
        mistakes=(
            ({"zh": "这是把次序反着换了。新的第 0 行应当是原来的第 2 行。",
              "en": "This permutes the other way round. The new row 0 has to be the old row 2."},
             lambda e: e["output"][[1, 2, 0]]),
            ({"zh": "输出没有换位置。输入换了行，输出也跟着换。",
              "en": "These rows have not moved. As the rows of the input move, so do those of the output."},
             lambda e: e["output"]),
        ),
    ),
    "07.b": ChoiceExercise(
        answer=lambda e: [row for row in range(len(e["weights"])) if e["weights"][row].argmax() == 1],
        example="three tokens",
        hint={
            "zh": "每一行里最大的权重在哪一列？w2 是第 1 列（从 0 数起）。",
            "en": "In which column is the largest weight of each row? w2 is column 1, counted from 0.",
        },
        solution="answer = [0, 2]",
        explanation={
            "zh": "w1 和 w3 的查询最看重 w2；w2 自己的查询最不看重 w2。",
            "en": "The queries of w1 and w3 look most at w2; the query of w2 looks least at it.",
        },
        mistakes=(
            ({"zh": "再看中间一行：0.380、0.245、0.375，w2 那一格是最小的。",
              "en": "Look at the middle row again: 0.380, 0.245, 0.375. The cell of w2 is the smallest."}, [0, 1, 2]),
        ),
    ),
    "07.c": FunctionExercise(
        name="my_attention",
        arguments=("X", "W_Q", "W_K", "W_V", "mask"),
        answer="output",
        cases=(
            (
                ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0)), ((0.5, 0.2), (0.1, 0.6)), ((0.4, 0.3), (0.2, 0.7)),
                ((0.8, 0.1), (0.3, 0.9)), ((True, False, False), (True, True, False), (True, True, True)),
            ),
            (
                ((1.0, 0.0, 2.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.5, -1.0, 1.0)),
                ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), ((0.0, 1.0), (1.0, 0.5), (2.0, -1.0)), ((1.0,), (2.0,), (3.0,)),
                ((True, True, False, True), (True, True, True, True), (False, True, True, False),
                 (True, False, True, True)),
            ),
        ),
        hint={
            "zh": "在 softmax 之前加一行：`scaled = np.where(mask, scaled, -np.inf)`。其余照抄上面。",
            "en": "One line more before softmax: `scaled = np.where(mask, scaled, -np.inf)`. The rest as above.",
        },
        solution=(
            "def my_attention(X, W_Q, W_K, W_V, mask):\n"
            "    Q, K, V = X @ W_Q, X @ W_K, X @ W_V\n"
            "    scaled = Q @ K.T / np.sqrt(K.shape[1])\n"
            "    scaled = np.where(mask, scaled, -np.inf)\n"
            "    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))\n"
            "    weights = powers / powers.sum(axis=1, keepdims=True)\n"
            "    return weights @ V"
        ),
        explanation={
            "zh": "这就是带掩码的自注意力，从输入到输出，一行不缺。",
            "en": "This is masked self-attention from input to output, with no line missing.",
        },
    ),
}


def _where(before, after):
    """Which option of 07.3 describes what became of the first word's output."""
    if np.allclose(after[-1], before[0]):
        return 1
    return 2 if np.allclose(after[0], before[0]) else 0
