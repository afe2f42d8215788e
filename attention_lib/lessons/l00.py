"""The first prediction and the first exercises: do guessing, sliders and typing work on this page."""

import numpy as np

from ..exercises import Exercise
from ..maths import self_attention
from ..predictions import Choice

DRAGGED, TYPED = 1.0, -1.5  # what the learner is asked to set W_Q[x₁, q₁] and W_Q[x₂, q₂] to


def first_query_number(e, value):
    """Q[我, q₁] if W_Q[x₁, q₁] were ``value``."""
    W_Q = np.array(e["W_Q"])
    W_Q[0, 0] = value
    return float(self_attention(e["X"], W_Q, e["W_K"], e["W_V"]).Q[0, 0])


PREDICTIONS = {
    "00.1": Choice(
        question={
            "zh": "`W_Q` 左上角是 0.5，`Q` 左上角也是 0.5。把 `W_Q` 左上角改成 1.0，`Q` 左上角会变成多少？",
            "en": "The upper left of `W_Q` is 0.5, and so is the upper left of `Q`. "
                  "Set the one in `W_Q` to 1.0. What becomes of the one in `Q`?",
        },
        options={"zh": ("还是 0.5", "1.0", "1.5"), "en": ("it stays 0.5", "1.0", "1.5")},
        truth=lambda e: (0.5, 1.0, 1.5).index(round(first_query_number(e, DRAGGED), 6)),
        because={
            "zh": "“我”这一行是 [1, 0]，恰好取出 `W_Q` 的第一行，所以一个变成 1.0，另一个也变成 1.0。"
                  "为什么这样算，第 02 课细讲。",
            "en": "The word 我 (I) is [1, 0], which picks out just the first row of `W_Q`; "
                  "as one becomes 1.0, so does the other. Lesson 02 explains the computation.",
        },
    ),
}

EXERCISES = {
    "00.a": Exercise(
        answer=lambda e: DRAGGED,
        hint={
            "zh": "先拖滑块，看到右边的 1.000，再把 `...` 换成 `e[\"Q\"][0, 0]`，最后按 Shift+Enter。顺序别反。",
            "en": "First drag the slider until you see 1.000 on the right, then put `e[\"Q\"][0, 0]` "
                  "in place of `...`, then press Shift+Enter. In this order.",
        },
        solution='e.set_entry("W_Q", 0, 0, 1.0)\nanswer = e["Q"][0, 0]',
        explanation={
            "zh": "滑块动了，计算机里的数也跟着动了：这台电脑准备好了。",
            "en": "The slider moved and so did the number in the computer: this machine is ready.",
        },
        mistakes=(
            ({"zh": "还是 0.5：滑块没有动过，或者动了没有传到内核。先把滑块拖到 1.0；"
                    "如果拖了还这样，全部运行一遍再试。",
              "en": "Still 0.5: the slider has not moved, or its move did not reach the kernel. "
                    "Drag it to 1.0; if you did, run all cells and try again."}, lambda e: 0.5),
        ),
    ),
    "00.b": Exercise(
        answer=lambda e: TYPED,
        hint={
            "zh": "点一下数字框，输入 −1.5，按 Enter，再看右边 `Q` 最下面一行右边的数。",
            "en": "Click the number field, type −1.5, press Enter, then read the number at the lower right of `Q`.",
        },
        solution='e.set_entry("W_Q", 1, 1, -1.5)\nanswer = e["Q"][2, 1]',
        explanation={
            "zh": "“你”这一行是 [0, 1]，恰好取出 `W_Q` 的第二行。",
            "en": "The word 你 (you) is [0, 1], which picks out just the second row of `W_Q`.",
        },
        mistakes=(
            ({"zh": "还是开始时的 0.6：输入以后要按 Enter，数字才会生效。",
              "en": "Still the 0.6 from the beginning: press Enter after typing, then the number counts."},
             lambda e: 0.6),
            ({"zh": "少了负号：要输入的是 −1.5。", "en": "The minus sign is missing: type −1.5."}, lambda e: -TYPED),
        ),
    ),
}
