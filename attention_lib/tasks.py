"""What is there to learn: groups of rows, each row with the output it should get. Numpy only."""

from dataclasses import dataclass

import numpy as np

from .language import pick
from .maths import causal_mask
from .positions import sinusoidal_positions
from .validate import whole

TRAITS = 3  # what a student likes; two to the third are eight different students
STUDENTS = {"zh": ("小林", "小安", "小宁", "小雨", "小文", "小杰", "小梅", "小航"),
            "en": ("Lin", "An", "Ning", "Yu", "Wen", "Jie", "Mei", "Hang")}
_STUDENT_FEATURES = {"zh": ("运动", "音乐", "读书", "问₁", "问₂", "问₃", "答₁", "答₂"),
                     "en": ("sport", "music", "books", "ask₁", "ask₂", "ask₃", "say₁", "say₂")}
# The other coordinates: a rotation whose entries are thirds, so that it can be followed by hand.
ROTATION = np.array([[1, 2, 2], [-2, -1, 2], [2, -2, 1]]) / 3
VOCABULARY = {"zh": ("我", "爱", "你", "他"), "en": ("I", "love", "you", "him")}
_POSITION_WIDTH = 4
_TRAINING, _HELD_OUT = 512, 64  # groups


@dataclass(frozen=True, eq=False)
class Groups:
    """X (groups, n, d_model) · target (groups, n, d_v), the output that each row should get ·
    sought (groups, n), the row it has to look at for that · choices (groups, c, d_v), all that an output can mean,
    and right (groups, n), which of them is meant.
    """

    X: np.ndarray
    target: np.ndarray
    sought: np.ndarray
    choices: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, eq=False)
class Task:
    """training, held_out: groups to learn from, and others that are never learned from.

    mask: None or (n, n) booleans. counted (n,): which rows have a target. words: names of the rows of each held-out
    group; features: of the columns of X. d_k, d_v: widths of the matrices to be learned. learning_rate, steps: what
    it is learned with unless told otherwise.
    """

    name: str
    training: Groups
    held_out: Groups
    mask: np.ndarray | None
    counted: np.ndarray
    words: tuple[tuple[str, ...], ...]
    features: tuple[str, ...]
    d_k: int
    d_v: int
    learning_rate: float
    steps: int

    @property
    def chance(self) -> float:
        """The accuracy of guessing blindly: 1 / number of choices."""
        return 1 / self.held_out.choices.shape[1]


def find_student(students: int = 8, seed: int = 0) -> Task:
    """Each student asks for another one, described in other coordinates, and should hear that one's answer.

    A class is 3 to 8 students; a row of X is a student: what they like (3 numbers near ±1, no two students alike),
    whom they ask for (the label of that student, turned by ROTATION), what they have to say (2 numbers). Labels and
    questions have some noise in them. Every class is drawn anew, so nothing but the rotation can be learned.
    seed: of the classes. Raises ValueError for a number of students that is not from 3 to 8.
    """
    students = whole("students", students, 3, 2**TRAITS)
    random = np.random.RandomState(whole("seed", seed, 0, 2**32 - 1))  # whose numbers no version of numpy changes
    return Task(
        name="find_student", training=_classes(random, _TRAINING, students),
        held_out=_classes(random, _HELD_OUT, students), mask=None, counted=np.ones(students, dtype=bool),
        words=(pick(STUDENTS)[:students],) * _HELD_OUT, features=pick(_STUDENT_FEATURES),
        d_k=TRAITS, d_v=2, learning_rate=0.5, steps=600,
    )


def _classes(random, groups, students):
    corners = np.array(np.meshgrid(*[(-1, 1)] * TRAITS)).reshape(TRAITS, -1).T
    points = np.array(np.meshgrid(*[np.arange(-1, 1.5, 0.5)] * 2)).reshape(2, -1).T
    label = corners[_distinct(random, groups, len(corners), students)] + _noise(random, groups, students)
    say = points[_distinct(random, groups, len(points), students)]
    # Anybody but oneself.
    sought = (np.arange(students) + random.randint(1, students, size=(groups, students))) % students
    ask = _taken(label, sought) @ ROTATION + _noise(random, groups, students)
    X = np.concatenate([label, ask, say], axis=-1).round(1) + 0.0
    return Groups(X, target=_taken(say, sought), sought=sought, choices=say, right=sought)


def copy_previous(words: int = 7, seed: int = 0, positions: bool = True) -> Task:
    """Each word should get the word before it as its output; it sees itself and what came before.

    A row of X is a word of four, as one-hot, and its position as sines and cosines (Vaswani et al. 2017, section 3.5).
    The words are random, so that only the position tells where to look. The first word has none before it.
    words: 3 to 7. seed: of the sentences. positions: False leaves them 0, and then nothing tells the order.
    Raises ValueError for another number of words.
    """
    words = whole("words", words, 3, 7)
    random = np.random.RandomState(whole("seed", seed, 0, 2**32 - 1))
    training, held_out = (_sentences(random, groups, words, positions) for groups in (_TRAINING, _HELD_OUT))
    vocabulary = pick(VOCABULARY)
    spoken = held_out.X[..., :len(vocabulary)].argmax(axis=-1)
    return Task(
        name="copy_previous", training=training, held_out=held_out, mask=causal_mask(words),
        counted=np.arange(words) > 0, features=(*vocabulary, "sin₁", "cos₁", "sin₂", "cos₂"),
        words=tuple(tuple(f"{i + 1} {vocabulary[word]}" for i, word in enumerate(line)) for line in spoken),
        d_k=_POSITION_WIDTH, d_v=len(vocabulary), learning_rate=1.0, steps=600,
    )


def _sentences(random, groups, words, positions):
    token = np.eye(len(VOCABULARY["en"]))[random.randint(len(VOCABULARY["en"]), size=(groups, words))]
    before = np.maximum(np.arange(words) - 1, 0)
    place = sinusoidal_positions(words, _POSITION_WIDTH) * positions
    X = np.concatenate([token, np.broadcast_to(place, (groups, *place.shape))], axis=-1)
    target = token[:, before]
    return Groups(X, target=target, sought=np.broadcast_to(before, (groups, words)),
                  choices=np.broadcast_to(np.eye(token.shape[-1]), (groups, *[token.shape[-1]] * 2)),
                  right=target.argmax(axis=-1))


def _distinct(random, groups, most, n):
    """(groups, n): n different ones of 0 … most − 1, in any order."""
    return random.random_sample((groups, most)).argsort(axis=1)[:, :n]


def _noise(random, groups, n):
    return random.normal(0, 0.1, (groups, n, TRAITS))


def _taken(rows, sought):
    """Of each group the rows that are sought, in that order."""
    return np.take_along_axis(rows, sought[..., None], axis=1)
