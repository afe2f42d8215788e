"""Predictions and exercises of lesson 11: growing."""

import numpy as np

from ..cache import multiplications
from ..exercises import ChoiceExercise, Exercise, FunctionExercise
from ..growing import WAYS, extra_memory, random_inputs
from ..maths import causal_mask, self_attention, softmax
from ..online import one_pass
from ..predictions import Choice, Number

_TIMES = (1, 2, 4, 8)  # the options of 11.1


def _cost(n, d=64):
    """Multiplications of Q Kᵀ and of weights V over n words."""
    keys = np.broadcast_to(0.0, (n, d))  # only shapes count
    return multiplications((keys, keys.T), (np.broadcast_to(0.0, (n, n)), keys))


def _what_changes(e):
    """Which option of 11.2 is right: what changes of the first two words when the third one comes, causal mask."""
    W = e["W_Q"], e["W_K"], e["W_V"]
    before, after = (self_attention(e["X"][:t], *W, mask=causal_mask(t)) for t in (2, 3))
    keys = np.array_equal(before.K, after.K[:2]) and np.array_equal(before.V, after.V[:2])
    return 2 if not keys else 1 if not np.allclose(before.output, after.output[:2], rtol=0, atol=1e-12) else 0


def _blocks_agree(e):
    """Which option of 11.4 is right: the errors of blocks of 1 and of 3 keys beside the output of attention."""
    errors = [abs(one_pass(e["scaled"], e["V"], size)[-1].output - e["output"]).max() for size in (1, 3)]
    return 2 if max(errors) < 1e-12 else int(errors[1] < errors[0])


def _what_blocks_save(_e):
    """Which option of 11.5 is right, at n = 1024: the memory is measured, the multiplications are counted."""
    inputs = random_inputs(1024)
    memory = extra_memory(WAYS["blockwise"], *inputs) < extra_memory(WAYS["plain"], *inputs)
    blocks = 2 * multiplications((inputs[0][:512], inputs[1].T), (np.broadcast_to(0.0, (512, 1024)), inputs[2]))
    fewer = blocks < _cost(1024)
    return {(True, False): 0, (False, True): 1, (True, True): 2}[memory, fewer]


def _step(q, k, v, K, V):
    """The output of the newest word, (d_v,)."""
    keys, values = np.vstack([K, k]), np.vstack([V, v])
    return softmax(keys @ q / np.sqrt(len(q))) @ values


def _merge(a, b, sign=1.0, shift=None):
    """[m, l] of two parts merged; another sign or another shift is a mistake."""
    m = max(a[0], b[0])
    with np.errstate(over="ignore"):
        factors = (np.exp(sign * (part[0] - (m if shift is None else shift))) for part in (a, b))
        return np.array([m, sum(factor * part[1] for factor, part in zip(factors, (a, b), strict=True))])


PREDICTIONS = {
    "11.1": Choice(
        question={
            "zh": "一段话从 1000 个词变成 2000 个词，注意力要做的乘法变成几倍？",
            "en": "A text grows from 1000 words to 2000. How many times as many multiplications does attention need?",
        },
        options={
            "zh": ("一样多", "2 倍", "4 倍", "8 倍"),
            "en": ("just as many", "twice as many", "four times as many", "eight times as many"),
        },
        truth=lambda e: _TIMES.index(_cost(2000) // _cost(1000)),
        because={
            "zh": "d = 64 时，{before} 次变成 {after} 次。每个词都要看每个词：词数加倍，对数变成 4 倍。",
            "en": "With d = 64 they go from {before} to {after}. Every word looks at every word: "
                  "twice the words are four times the pairs.",
        },
        values=lambda e: {"before": f"{_cost(1000):,}", "after": f"{_cost(2000):,}"},
    ),
    "11.2": Choice(
        question={
            "zh": "有因果掩码。“我 爱”已经算完，这时来了第三个词“你”。前两个词的哪些数要改？",
            "en": "With a causal mask, 我 爱 (I love) has been computed. Now the third word, 你 (you), arrives. "
                  "What has to change for the first two words?",
        },
        options={
            "zh": ("什么都不用改", "只有它们的输出", "它们的键、值和输出"),
            "en": ("nothing", "only their outputs", "their keys, values and outputs"),
        },
        truth=_what_changes,
        because={
            "zh": "键和值只由这个词自己那一行 X 算出，输出只看自己和前面的词。后来的词够不着它们。",
            "en": "Keys and values come from the word's own row of X alone, and its output looks only at itself "
                  "and back. A later word does not reach them.",
        },
    ),
    "11.3": Number(
        question={
            "zh": "“你”的三个分数是 0.156、0.233、0.311。读完第一个键：m = 0.156，l = 1。读完第二个键，l 是多少？",
            "en": "The scores of 你 (you) are 0.156, 0.233, 0.311. After the first key m = 0.156 and l = 1. "
                  "What is l after the second key?",
        },
        truth=lambda e: one_pass(e["scaled"][2:], e["V"], 1)[2].l[0, 0],
        tolerance=0.03,
        because={
            "zh": "最大值升到 0.233，所以旧的 1 要乘以 exp(0.1556 − 0.2333) = {factor}；新来的一项是 exp(0) = 1。",
            "en": "The maximum rises to 0.233, so the old 1 is multiplied by exp(0.1556 − 0.2333) = {factor}; "
                  "the new term is exp(0) = 1.",
        },
        values=lambda e: {"factor": np.exp(e["scaled"][2, 0] - e["scaled"][2, 1])},
    ),
    "11.4": Choice(
        question={
            "zh": "一次读 1 个键，或者一次读 3 个键，哪一种的结果更准？",
            "en": "Reading 1 key at a time, or 3 at a time: which result is more exact?",
        },
        options={
            "zh": ("一次 1 个", "一次 3 个", "一样，而且都不是近似"),
            "en": ("1 at a time", "3 at a time", "both the same, and neither is an approximation"),
        },
        truth=_blocks_agree,
        because={
            "zh": "与整行一起算的输出相比，两种都相差不到 10⁻¹²。改正因子是精确的，不是估计。",
            "en": "Both are within 10⁻¹² of the output of the whole row. "
                  "The factor is exact, not an estimate.",
        },
    ),
    "11.5": Choice(
        question={"zh": "分块能省下什么？", "en": "What do blocks save?"},
        options={
            "zh": ("内存", "乘法", "内存和乘法"),
            "en": ("memory", "multiplications", "memory and multiplications"),
        },
        truth=_what_blocks_save,
        because={
            "zh": "每个查询还是要和每个键相乘，乘法一次也不少。省下的是那张 n × n 的表。",
            "en": "Every query still meets every key, so no multiplication is spared. "
                  "What is spared is the n × n table.",
        },
    ),
}

EXERCISES = {
    "11.a": Exercise(
        answer=lambda e: 4 * 8192**2 / 2**20,
        tolerance=1e-3,
        hint={
            "zh": "表有 n 行 n 列，每个数占 4 个字节；再除以 2 的 20 次方。",
            "en": "The table has n rows and n columns, 4 bytes for each number; then divide by 2 to the power of 20.",
        },
        solution="answer = 4 * 8192**2 / 2**20",
        explanation={
            "zh": "一个头就要 {memory} MiB。真实的模型一层有几十个头。",
            "en": "{memory} MiB for one head, and a layer of a real model has dozens of heads.",
        },
        values=lambda e: {"memory": str(4 * 8192**2 // 2**20)},
        mistakes=(
            ({"zh": "这是分数的个数除以 2²⁰。每个数还占 4 个字节。",
              "en": "This is the number of scores over 2²⁰. Each of them takes 4 bytes."}, lambda e: 8192**2 / 2**20),
            ({"zh": "这是按 float64 算的，每个数 8 个字节。float32 是 4 个字节。",
              "en": "This is for float64, 8 bytes a number. A float32 has 4."}, lambda e: 8 * 8192**2 / 2**20),
            ({"zh": "这是除以 100 万得到的 MB。1 MiB 是 2²⁰ = 1048576 字节。",
              "en": "This is in MB, a million bytes each. 1 MiB is 2²⁰ = 1048576 bytes."}, lambda e: 4 * 8192**2 / 1e6),
            ({"zh": "这是字节数，还没有换成 MiB。", "en": "These are bytes; they still have to become MiB."},
             lambda e: 4 * 8192**2),
            ({"zh": "这里 n 没有平方。每个词都看每个词，所以是 n × n 个分数。",
              "en": "Here n is not squared. Every word looks at every word: n × n scores."},
             lambda e: 4 * 8192 / 2**20),
        ),
    ),
    "11.b": FunctionExercise(
        name="my_step",
        reference=_step,
        cases=(
            ((1.0, 0.5), (0.2, 0.9), (1.0, 2.0, 3.0), ((0.4, 0.3), (1.0, -0.5), (0.3, 0.5)),
             ((0.8, 0.1, 0.0), (0.5, 0.5, 1.0), (-1.0, 0.3, 2.0))),
            ((0.3, -1.0, 2.0), (1.0, 0.0, 0.5), (0.4, 0.7), ((0.1, 0.2, 0.3),), ((1.0, -1.0),)),
        ),
        hint={
            "zh": "先用 `np.vstack` 把 `k` 接到 `K` 下面，把 `v` 接到 `V` 下面。接下来就是一个查询的注意力。",
            "en": "First put `k` under `K` and `v` under `V` with `np.vstack`. "
                  "The rest is attention of a single query.",
        },
        solution=(
            "def my_step(q, k, v, K, V):\n"
            "    keys, values = np.vstack([K, k]), np.vstack([V, v])\n"
            "    return softmax(keys @ q / np.sqrt(len(q))) @ values"
        ),
        explanation={
            "zh": "每来一个词只走这一步，前面的键和值都不再碰。",
            "en": "One such step for each new word, and no key or value before it is touched again.",
        },
        mistakes=(
            ({"zh": "新词自己的键和值没有接进去：它只看到了前面的词。因果掩码允许一个词看自己。",
              "en": "The new word's own key and value were left out, so it only looks back. "
                    "It may look at itself, too."},
             lambda q, k, v, K, V: softmax(K @ q / np.sqrt(len(q))) @ V),
            ({"zh": "忘了除以 √d_k。", "en": "The division by √d_k is missing."},
             lambda q, k, v, K, V: softmax(np.vstack([K, k]) @ q) @ np.vstack([V, v])),
            ({"zh": "新的键接在 K 的上面，新的值却接在 V 的下面，于是新键配上了旧值。接哪一头都行，但两边要一致。",
              "en": "The new key is paired with an old value: keys and values have to be stacked in the same order."},
             lambda q, k, v, K, V: softmax(np.vstack([k, K]) @ q / np.sqrt(len(q))) @ np.vstack([V, v])),
        ),
    ),
    "11.c": FunctionExercise(
        name="my_merge",
        reference=_merge,
        cases=(((0.5, 2.0), (1.5, 3.0)), ((2.0, 1.5), (-1.0, 4.0)), ((1000.0, 1.0), (1001.0, 2.0))),
        hint={
            "zh": "合起来的 m 是两个 m 里大的一个。两边的 l 各乘以 exp(自己的 m − 合起来的 m)，再相加。",
            "en": "The common m is the larger of the two. Multiply each l by exp(its own m − the common m), then add.",
        },
        solution=(
            "def my_merge(a, b):\n"
            "    m = max(a[0], b[0])\n"
            "    return np.array([m, np.exp(a[0] - m) * a[1] + np.exp(b[0] - m) * b[1]])"
        ),
        explanation={
            "zh": "所以各块可以同时读，最后再合起来；许多处理器分着算，靠的就是它。",
            "en": "So blocks can be read at the same time and merged at the end. "
                  "This is how many processors share the work.",
        },
        mistakes=(
            ({"zh": "两个 l 直接相加了。它们各以不同的最大值为基准，要先换到同一个 m。",
              "en": "The two l were simply added. They are measured from different maxima and need a common m first."},
             lambda a, b: np.array([max(a[0], b[0]), a[1] + b[1]])),
            ({"zh": "因子的正负号反了：应当是 exp(自己的 m − 合起来的 m)，不大于 1。",
              "en": "The sign in the factor is reversed: it is exp(own m − common m), never above 1."},
             lambda a, b: _merge(a, b, sign=-1.0)),
            ({"zh": "没有减去最大值，直接用了 exp(m)。第三个例子里它会溢出。",
              "en": "exp(m) was used as it is, without taking the maximum away. In the third case it overflows."},
             lambda a, b: _merge(a, b, shift=0.0)),
        ),
    ),
    "11.d": ChoiceExercise(
        answer="B",
        hint={
            "zh": "回头看测量的两条线：内存的斜率和时间的斜率各是多少？",
            "en": "Look at the two measured lines again: "
                  "what is the slope of the memory, and what is that of the time?",
        },
        solution='answer = "B"',
        explanation={
            "zh": "内存不再按 n² 长，时间仍然按 n² 长。想让乘法也变少，就得少看一些词，那已经不是同一个注意力了。",
            "en": "Memory no longer grows like n², time still does. For fewer multiplications one has to look at fewer "
                  "words, and then it is no longer the same attention.",
        },
        mistakes=(
            ({"zh": "结果并不近似：改正因子是精确的，任何块大小都给出同样的输出。",
              "en": "It is no approximation: the factor is exact, and every block size gives the same output."}, "A"),
            ({"zh": "乘法没有变少。每个查询照样和每个键相乘。",
              "en": "There are no fewer multiplications. Every query still meets every key."}, "C"),
            ({"zh": "最后一块可以短一些，例如 3 个键每次读 2 个。",
              "en": "The last block may be shorter: 3 keys can be read 2 at a time."}, "D"),
        ),
    ),
}

