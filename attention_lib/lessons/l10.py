"""Predictions and exercises of lesson 10: learning."""

from functools import cache

import numpy as np

from ..exercises import ChoiceExercise, Exercise, FunctionExercise
from ..learning import train
from ..predictions import Choice, Number
from ..tasks import ROTATION, TRAITS, copy_previous, find_student

TOO_LARGE = 5.0  # a learning rate that the lesson lets diverge
_SATURATED = np.array([0.0, 1.0, 0.0])


@cache
def _learned():
    return train(find_student())


@cache
def _copied():
    return train(copy_previous())


@cache
def _too_fast():
    return train(find_student(), steps=40, learning_rate=TOO_LARGE, every=1)


def _through_softmax(weights, d_weights):
    """∂loss/∂scaled of one row or of several, see gradients.py."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


def _kind_of_run(learner):
    """Which option of 10.3 describes a run."""
    if learner.diverged:
        return 2
    return 0 if learner.learned else 1


def _rows_that_count():
    """Which option of 10.4: the rows of W_Q that have not gone to about 0."""
    sizes = abs(_learned().W["W_Q"]).max(axis=1)
    big = np.split(sizes > 0.5 * sizes.max(), [TRAITS, 2 * TRAITS])
    kinds = [(True, False, False), (False, True, False), (False, False, True), (True, True, True)]
    return kinds.index(tuple(bool(part.any()) for part in big))


def _where_the_weight_is():
    """Which option of 10.5: how far before its own row each row of the weights looks."""
    weights = _copied().experiment()["weights"][1:]
    columns = weights.argmax(axis=1)
    if weights.max() < 0.5:
        return 3
    before = np.arange(1, len(weights) + 1) - columns
    return [0, 1].index(before[0]) if len(set(before)) == 1 else 2


PREDICTIONS = {
    "10.1": Number(
        question={
            "zh": "三个矩阵还是随机数，什么都没有学。每位同学要从 8 个人的回答里听出该听的那一个，"
                  "准确率（听对的占几成，写 0 到 1 之间的数）大约是多少？",
            "en": "The three matrices are still random; nothing has been learned. Each student should hear one answer "
                  "out of those of 8 students. About how often will it be the right one? (a share from 0 to 1)",
        },
        truth=lambda e: find_student().chance,
        tolerance=0.03,
        because={
            "zh": "瞎猜就是 8 份里中 1 份：{chance}。用 64 个班实际量一下，是 {measured}。",
            "en": "Guessing hits one in eight: {chance}. Measured on 64 classes it is {measured}.",
        },
        values=lambda e: {"chance": find_student().chance, "measured": train(find_student(), 0).history[0].accuracy},
    ),
    "10.2": Choice(
        question={
            "zh": "某一行的权重已经饱和成 0、1、0。损失往回传，传到这一行的分数时，梯度是多少？",
            "en": "A row of weights has saturated: 0, 1, 0. On the way back from the loss, what gradient reaches "
                  "the scores of this row?",
        },
        options={
            "zh": ("正好是 0，不管后面传来什么", "和后面传来的一样大", "比后面传来的更大"),
            "en": ("exactly 0, whatever comes from behind", "as much as comes from behind",
                   "more than comes from behind"),
        },
        truth=lambda e: 0 if not _through_softmax(_SATURATED, np.array([3.0, -2.0, 5.0])).any() else 1,
        because={
            "zh": "权重乘以（自己的梯度减去平均）：权重是 0 的格子得 0；权重是 1 的格子，自己就是平均，也得 0。"
                  "后面传来 3、−2、5，到分数这里是 {gradient}。这就是第 04 课说的：饱和了就学不动。",
            "en": "It is weight times (own gradient minus the mean). Where the weight is 0 that is 0; where it is 1, "
                  "the mean is its own gradient, so it is 0 again. With 3, −2, 5 from behind the scores get "
                  "{gradient}. That is what lesson 04 warned of: saturated rows cannot learn.",
        },
        values=lambda e: {"gradient": _through_softmax(_SATURATED, np.array([3.0, -2.0, 5.0])) + 0.0},
    ),
    "10.3": Choice(
        question={
            "zh": "学习率 0.5 学得不错。换成大十倍的 5，会怎样？",
            "en": "A learning rate of 0.5 does well. What happens with one ten times as large, 5?",
        },
        options={
            "zh": ("快十倍就学会", "学得慢，但总能学会", "损失越来越大，再也回不来", "和原来一样"),
            "en": ("it learns ten times as fast", "it learns slowly, but it does learn",
                   "the loss grows and grows and never comes back", "no difference"),
        },
        truth=lambda e: _kind_of_run(_too_fast()),
        because={
            "zh": "损失从 {first} 开始，第 {step} 步已经到了 {loss}。步子太大，每一步都跨过谷底，落在更高的地方。",
            "en": "The loss starts at {first} and by step {step} it is {loss}. With strides that long each step "
                  "crosses the valley and lands higher up.",
        },
        values=lambda e: {"first": _too_fast().diverged.first, "step": _too_fast().diverged.step,
                          "loss": f"{_too_fast().diverged.loss:.0f}"},
    ),
    "10.4": Choice(
        question={
            "zh": "学完以后，W_Q 的 8 行里，哪些行不接近 0？（前三行对应标签，中间三行对应“问”，后两行对应“答”）",
            "en": "After learning, which of the 8 rows of W_Q will not be near 0? "
                  "(three rows for the label, three for “ask”, two for “say”)",
        },
        options={
            "zh": ("标签的三行", "“问”的三行", "“答”的两行", "八行都不接近 0"),
            "en": ("the three of the label", "the three of “ask”", "the two of “say”", "all eight"),
        },
        truth=lambda e: _rows_that_count(),
        because={
            "zh": "查询要说的是“我在找谁”，所以 W_Q 只读“问”。三组行里最大的数分别是 {sizes}。",
            "en": "A query says who is being looked for, so W_Q reads “ask” and nothing else. "
                  "The largest numbers in the three groups of rows are {sizes}.",
        },
        values=lambda e: {"sizes": np.array([part.max() for part in
                                             np.split(abs(_learned().W["W_Q"]), [TRAITS, 2 * TRAITS])]).round(2)},
    ),
    "10.5": Choice(
        question={
            "zh": "任务换成“说出前一个词”，用因果掩码。学完以后，权重的热图里亮的是哪些格子？",
            "en": "The task is now to say the word before, with a causal mask. After learning, which cells of "
                  "the weights light up?",
        },
        options={
            "zh": ("对角线：每个词看自己", "对角线下面的一条：每个词看前一个词", "第一列：都看第一个词",
                   "下三角里差不多一样亮"),
            "en": ("the diagonal: each word looks at itself",
                   "the line below the diagonal: each looks at the word before",
                   "the first column: all look at the first word", "all of the lower triangle, about equally"),
        },
        truth=lambda e: _where_the_weight_is(),
        because={
            "zh": "对角线下面那一条，平均权重 {weight}。没有人告诉它要看前一个词，只告诉了它输出应当是什么。",
            "en": "The line below the diagonal, with a mean weight of {weight}. Nobody told it to look at the word "
                  "before; it was only told what the output should be.",
        },
        values=lambda e: {"weight": round(_copied().history[-1].weight, 2)},
    ),
}


def _class():
    """label (8, 3) and ask (8, 3) of the first class never learned from."""
    X = find_student().held_out.X[0]
    return X[:, :TRAITS], X[:, TRAITS:2 * TRAITS]


def _nearest(turned):
    """Who is nearest to what the third student asks for."""
    return int(((turned - _class()[1][2]) ** 2).sum(axis=1).argmin())


EXERCISES = {
    "10.a": ChoiceExercise(
        answer=lambda e: int(find_student().held_out.sought[0, 2]),
        hint={
            "zh": "把 8 个标签都转到“问”的坐标：`label @ R`。再看哪一行离 `ask[2]` 最近："
                  "差的平方，每行求和，取最小的一行。",
            "en": "Turn all 8 labels into the coordinates of “ask”: `label @ R`. Then see which row is nearest to "
                  "`ask[2]`: square the differences, add up each row, take the smallest.",
        },
        solution=(
            "X = find_student().held_out.X[0]\n"
            "label, ask = X[:, :3], X[:, 3:6]\n"
            "R = np.array([[1, 2, 2], [-2, -1, 2], [2, -2, 1]]) / 3\n"
            "answer = int(((label @ R - ask[2]) ** 2).sum(axis=1).argmin())"
        ),
        explanation={
            "zh": "你知道 R，所以一算就出来。模型不知道 R，它得从例子里把 R 学出来。",
            "en": "You knew R, so it was a short calculation. The model does not know R; "
                  "it has to learn it from examples.",
        },
        mistakes=(
            ({"zh": "这是直接拿标签和“问”比。它们不在同一套坐标里，要先转过去。",
              "en": "This compares the labels with “ask” as they are. They are in different coordinates; "
                    "turn them first."},
             lambda e: _nearest(_class()[0])),
            ({"zh": "转的方向反了：这里用的是 `label @ R.T`，应当是 `label @ R`。",
              "en": "Turned the wrong way: this is `label @ R.T` where `label @ R` is needed."},
             lambda e: _nearest(_class()[0] @ ROTATION.T)),
        ),
    ),
    "10.b": FunctionExercise(
        name="softmax_back",
        reference=lambda weights, d_weights: _through_softmax(weights, d_weights),
        cases=(
            (((0.5, 0.3, 0.2), (0.1, 0.1, 0.8)), ((1.0, -2.0, 3.0), (0.5, 4.0, -1.0))),
            (((0.25, 0.75),), ((2.0, -1.0),)),
            (((0.0, 1.0, 0.0), (0.2, 0.2, 0.6), (1 / 3, 1 / 3, 1 / 3)),
             ((3.0, -2.0, 5.0), (1.0, 1.0, 1.0), (0.0, 3.0, 6.0))),
        ),
        hint={
            "zh": "每一行先求加权平均 `(weights * d_weights).sum(axis=1, keepdims=True)`，"
                  "从 `d_weights` 里减去它，再乘以 `weights`。",
            "en": "For each row take the weighted mean, `(weights * d_weights).sum(axis=1, keepdims=True)`; "
                  "subtract it from `d_weights`, then multiply by `weights`.",
        },
        solution=(
            "def softmax_back(weights, d_weights):\n"
            "    mean = (weights * d_weights).sum(axis=1, keepdims=True)\n"
            "    return weights * (d_weights - mean)"
        ),
        explanation={
            "zh": "每一行的结果加起来是 0。第 05 课说过，整行分数一起抬高，权重不变；所以损失也不变。",
            "en": "Each row of the result sums to 0. Lesson 05 said why: lifting a whole row of scores changes "
                  "no weight, so it cannot change the loss.",
        },
        mistakes=(
            ({"zh": "少了减去平均这一步。一个分数变大，不仅抬高自己的权重，也压低同一行别人的权重。",
              "en": "The mean was not taken away. A larger score lifts its own weight, "
                    "and it lowers all others of its row."},
             lambda weights, d_weights: weights * d_weights),
            ({"zh": "这里只用了 w(1 − w)，也就是每个权重对自己的分数的导数。同一行别的权重也会变，不能漏掉。",
              "en": "This uses only w(1 − w), the change of each weight with its own score. "
                    "The other weights of the row change too."},
             lambda weights, d_weights: weights * (1 - weights) * d_weights),
            ({"zh": "减去的应当是加权平均，这里减的是没有加权的和。",
              "en": "What is taken away must be the weighted mean; this is the sum without weights."},
             lambda weights, d_weights: weights * (d_weights - d_weights.sum(axis=1, keepdims=True))),
            ({"zh": "减去的应当是加权平均，这里减的是普通的平均。",
              "en": "What is taken away must be the weighted mean; this is the plain mean."},
             lambda weights, d_weights: weights * (d_weights - d_weights.mean(axis=1, keepdims=True))),
            ({"zh": "求和走错了方向：这里沿着列加。softmax 是沿着行做的，往回也要沿着行。",
              "en": "The sum runs down the columns. Softmax ran along the rows, and so must the way back."},
             lambda weights, d_weights: weights * (d_weights - (weights * d_weights).sum(axis=0, keepdims=True))),
            ({"zh": "这里把整张表加成了一个数。每一行要减去自己的加权平均：`axis=1, keepdims=True`。",
              "en": "Here the whole table was summed into one number. Each row needs a mean of its own: "
                    "`axis=1, keepdims=True`."},
             lambda weights, d_weights: weights * (d_weights - (weights * d_weights).sum())),
            ({"zh": "正负号反了：应当是 `d_weights` 减去平均。",
              "en": "The sign is the wrong way round: it is `d_weights` minus the mean."},
             lambda weights, d_weights: -_through_softmax(weights, d_weights)),
        ),
    ),
    "10.c": FunctionExercise(
        name="grad_W_Q",
        reference=lambda X, K, d_scaled: X.T @ (d_scaled / np.sqrt(K.shape[1])) @ K,
        cases=(
            (((1.0, 0.0, 2.0, -1.0), (0.5, 1.0, 0.0, 1.0), (0.0, -1.0, 1.0, 2.0)),
             ((1.0, 2.0), (-1.0, 0.5), (0.0, 3.0)),
             ((0.2, -0.1, -0.1), (0.3, 0.1, -0.4), (-0.5, 0.2, 0.3))),
            (((1.0, 2.0), (3.0, -1.0)), ((1.0, 0.0, 2.0), (0.0, 1.0, -1.0)), ((0.5, -0.5), (-0.25, 0.25))),
        ),
        hint={
            "zh": "三步：`d_scores` 是 `d_scaled` 除以 √d_k（d_k 是 `K.shape[1]`）；`d_Q = d_scores @ K`；"
                  "`d_W_Q = X.T @ d_Q`。",
            "en": "Three moves: `d_scores` is `d_scaled` divided by √d_k (d_k is `K.shape[1]`); `d_Q = d_scores @ K`; "
                  "`d_W_Q = X.T @ d_Q`.",
        },
        solution=(
            "def grad_W_Q(X, K, d_scaled):\n"
            "    d_scores = d_scaled / np.sqrt(K.shape[1])\n"
            "    d_Q = d_scores @ K\n"
            "    return X.T @ d_Q"
        ),
        explanation={
            "zh": "形状自己会说话：(d_model, n) (n, n) (n, d_k) 乘起来，正好是 W_Q 的形状。",
            "en": "The shapes tell the way: (d_model, n) (n, n) (n, d_k) multiply to the shape of W_Q.",
        },
        mistakes=(
            ({"zh": "忘了 1/√d_k。去的时候除以了 √d_k，回来也要除。",
              "en": "1/√d_k was forgotten. The way there divided by √d_k, so the way back must, too."},
             lambda X, K, d_scaled: X.T @ d_scaled @ K),
            ({"zh": "乘以了 √d_k。往回传也是除以它：导数就是那个倍数本身。",
              "en": "This multiplies by √d_k. The way back divides as well: the derivative is the factor itself."},
             lambda X, K, d_scaled: X.T @ d_scaled @ K * np.sqrt(K.shape[1])),
            ({"zh": "除以了 d_k，应当是 √d_k。", "en": "Divided by d_k where √d_k is needed."},
             lambda X, K, d_scaled: X.T @ d_scaled @ K / K.shape[1]),
            ({"zh": "√ 里放的是词的个数，应当是键的长度 `K.shape[1]`。",
              "en": "The number of words was put under the root. It is the length of a key, `K.shape[1]`."},
             lambda X, K, d_scaled: X.T @ d_scaled @ K / np.sqrt(K.shape[0])),
            ({"zh": "`d_scaled` 转置了。那是键的梯度的写法：d_K = d_scoresᵀ Q。",
              "en": "`d_scaled` was transposed. That belongs to the gradient of the keys: d_K = d_scoresᵀ Q."},
             lambda X, K, d_scaled: X.T @ d_scaled.T @ K / np.sqrt(K.shape[1])),
            ({"zh": "这是 d_Q，还没有传到 W_Q：再乘一个 `X.T`。",
              "en": "This is d_Q, one move before W_Q: multiply by `X.T`."},
             lambda X, K, d_scaled: d_scaled @ K / np.sqrt(K.shape[1])),
        ),
    ),
    "10.d": Exercise(
        answer=lambda e: 0.4 - 0.5 * -0.3,
        hint={
            "zh": "新的数 = 旧的数 − 学习率 × 梯度。注意梯度是负的。",
            "en": "new number = old number − learning rate × gradient. Mind that the gradient is negative.",
        },
        solution="answer = 0.4 - 0.5 * (-0.3)",
        explanation={
            "zh": "梯度是负的，就是说往大处走损失会降，所以这个数变大了。",
            "en": "A negative gradient says: upwards the loss falls. So the number has grown.",
        },
        mistakes=(
            ({"zh": "走反了：这里加上了梯度，损失会升高。下山要减去梯度。",
              "en": "Uphill: the gradient was added, which raises the loss. To go down, subtract it."},
             lambda e: 0.4 + 0.5 * -0.3),
            ({"zh": "忘了乘学习率，步子大了一倍。",
              "en": "The learning rate was forgotten; the step is twice as long as it should be."},
             lambda e: 0.4 - -0.3),
            ({"zh": "这只是改动的量，还要从旧的数走起。",
              "en": "This is only the change; it starts from the old number."},
             lambda e: -0.5 * -0.3),
            ({"zh": "这里让旧的数也乘了学习率。学习率只乘梯度。",
              "en": "The old number was multiplied by the learning rate, too. It goes with the gradient only."},
             lambda e: 0.5 * (0.4 - -0.3)),
        ),
    ),
}
