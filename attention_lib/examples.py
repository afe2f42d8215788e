"""The matrices of the lesson, by name. Every number a learner starts from is here and nowhere else."""

from dataclasses import dataclass, field

_X = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
_W_Q = ((0.5, 0.2), (0.1, 0.6))
_W_K = ((0.4, 0.3), (0.2, 0.7))
_W_V = ((0.8, 0.1), (0.3, 0.9))


@dataclass(frozen=True)
class Example:
    """words and features: names of the rows and columns of X in each language; inputs: matrices by name."""

    words: dict[str, tuple[str, ...]]
    inputs: dict[str, tuple] = field(repr=False)
    features: dict[str, tuple[str, ...]] | None = None


EXAMPLES = {
    "我爱你": Example(
        words={"zh": ("我", "爱", "你"), "en": ("我 I", "爱 love", "你 you")},
        inputs={"X": _X, "W_Q": _W_Q, "W_K": _W_K, "W_V": _W_V},
    ),
    # Three students who are the three words: the same numbers under other names.
    "classroom": Example(
        words={"zh": ("小林", "小安", "小宁"), "en": ("Lin", "An", "Ning")},
        features={"zh": ("爱运动", "爱音乐"), "en": ("sport", "music")},
        inputs={"X": _X, "W_Q": _W_Q, "W_K": _W_K, "W_V": _W_V},
    ),
    # Q, K and V given directly, with no projection.
    "three tokens": Example(
        words={"zh": ("w1", "w2", "w3"), "en": ("w1", "w2", "w3")},
        inputs={
            "Q": ((1.0, 0.0), (0.2, 1.0), (0.9, 0.1)),
            "K": ((0.1, 1.0), (1.0, 0.2), (0.0, 1.0)),
            "V": ((0.1, 0.1), (1.0, 1.0), (0.2, 0.5)),
        },
    ),
}

# Two heads of width 2. Head 1 (columns 1, 2): things look at things, actions at actions. Head 2 (columns 3, 4): who
# drinks looks at the action, the action and what is drunk look at who is alive.
MULTI_HEAD = Example(
    words={"zh": ("猫", "喝", "牛奶"), "en": ("cat", "drinks", "milk")},
    features={"zh": ("事物", "动作", "活的", "能喝"), "en": ("thing", "action", "alive", "drinkable")},
    inputs={
        "X": ((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0)),
        "W_Q": ((2.0, 0.0, 0.0, 0.0), (0.0, 2.0, 2.0, 0.0), (0.0, 0.0, 0.0, 2.0), (0.0, 0.0, 2.0, 0.0)),
        "W_K": ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        "W_V": ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        "W_O": ((1.0, 0.0, 0.5, 0.0), (0.0, 1.0, 0.0, 0.5), (0.5, 0.0, 1.0, 0.0), (0.0, 0.5, 0.0, 1.0)),
    },
)

# The feed-forward part of a block around these heads, six hidden numbers: 1 and 2 answer to alive against drinkable,
# 3 and 4 to thing against action, 5 to a living thing, 6 to a thing to drink. Each adds to what it answers to.
FEED_FORWARD = {
    "W_1": ((0.0, 0.0, 1.0, -1.0, 1.0, 1.0), (0.0, 0.0, -1.0, 1.0, 0.0, 0.0),
            (1.0, -1.0, 0.0, 0.0, 1.0, 0.0), (-1.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
    "b_1": ((0.0, 0.0, 0.0, 0.0, -1.0, -1.0),),
    "W_2": ((0.0, 0.0, 1.0, -0.5), (0.0, 0.0, -0.5, 1.0), (0.5, -0.5, 0.0, 0.0), (-0.5, 0.5, 0.0, 0.0),
            (0.0, 0.0, 0.5, 0.0), (0.0, 0.0, 0.0, 0.5)),
}
