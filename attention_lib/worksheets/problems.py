"""The numbers of one sheet: small enough for paper, and the same for the same seed and student, in a class of any size.

They are drawn until every blank has one right answer, however a learner rounds on the way to it: see
:func:`_one_answer`. Inputs and products are drawn and compared as whole tenths, so that "exact" is exact.
"""

import math
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ..maths import attention, self_attention, softmax
from ..validate import whole

# What may stand in X, in W_Q and W_K, and in W_V, in tenths.
_FEATURES = (0, 5, 10, 10, 20, 20)
_WEIGHTS = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9)
_POSITIVE = range(1, 10)
_REACH = 20  # of the entries of Q, in tenths
_LARGEST = 1.5  # of the scaled scores: exp stays between 0.22 and 4.49
_APART = 0.02  # the largest weight of a row and the next: there is no doubt who is looked at most
_SPREAD = 0.15  # the largest weight of a row and the smallest
_ALL_QUERIES = np.array(list(product(range(-_REACH, _REACH + 1), repeat=2)))
_TRIES = 8  # to find a W_V, before X and W_K are drawn anew
_FROM_TIE = 0.01  # of a unit of the last place written: no number is this near to being rounded the other way


@dataclass(frozen=True, eq=False)
class Problem:
    """Inputs and every step of one sheet, as float64 arrays. What is written of them: DECIMALS.

    X (3, 2) · W_Q, W_K, W_V (2, 2) · Q, K, V (3, 2) · scores, scaled, exp, weights (3, 3) · sums, checks (3, 1) ·
    output (3, 2). exp = eˣ of scaled, sums = row sums of exp, checks = row sums of the weights as they are written.
    """

    X: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    exp: np.ndarray
    sums: np.ndarray
    weights: np.ndarray
    checks: np.ndarray
    output: np.ndarray

    @property
    def most(self) -> tuple[int, ...]:
        """For each word, counted from 0, the word it gives its largest weight."""
        return tuple(self.weights.argmax(axis=1).tolist())


# Decimals written. Up to the scores they are exact, what comes after is rounded.
DECIMALS = {"X": 1, "W_Q": 1, "W_K": 1, "W_V": 1, "Q": 1, "K": 1, "V": 1, "scores": 2,
            "scaled": 3, "exp": 3, "sums": 3, "weights": 3, "checks": 3, "output": 2}


def problem(seed: int, student: int) -> Problem:
    """The problem of sheet ``student``, counted from 1. ValueError for a seed below 0 or a student below 1."""
    # PCG64's raw numbers are promised to stay as they are in later versions of numpy; those of Generator are not.
    bits = np.random.PCG64([whole("seed", seed, 0), whole("student", student, 1)])
    while True:
        X, W_K = _drawn(bits, _FEATURES, (3, 2)), _drawn(bits, _WEIGHTS, (2, 2))
        if not _independent(X) or not _instructive(W_K) or (X @ W_K % 10).any():
            continue
        fitting = _fitting(X, W_K)
        if not fitting:
            continue
        W_Q = fitting[_drawn(bits, range(len(fitting)), ())]
        for _ in range(_TRIES):
            W_V = _drawn(bits, _POSITIVE, (2, 2))
            if _instructive(W_V) and not (X @ W_V % 10).any():
                found = _solved(X / 10, W_Q / 10, W_K / 10, W_V / 10)
                if _one_output(found):
                    return found


def _solved(X, W_Q, W_K, W_V):
    steps = self_attention(X, W_Q, W_K, W_V)
    exp = np.exp(steps.scaled)
    checks = _units("weights", steps.weights).sum(axis=1, keepdims=True) / 10 ** DECIMALS["weights"]
    return Problem(X, W_Q, W_K, W_V, steps.Q, steps.K, steps.V, steps.scores, steps.scaled, exp,
                   exp.sum(axis=1, keepdims=True), steps.weights, checks, steps.output)


def _drawn(bits, allowed, shape):
    """Entries of ``allowed``, each as likely as it is often there."""
    raw = bits.random_raw(math.prod(shape)) >> np.uint64(11)  # the upper bits are the better ones
    return np.array(allowed)[(raw % np.uint64(len(allowed))).astype(int)].reshape(shape)


def _independent(A):
    """Whether no row (of two entries) is zero or a multiple of another: nothing on the sheet says the same twice."""
    return all(a * d != b * c for (a, b), (c, d) in combinations(A.tolist(), 2))


def _instructive(W):
    """Also not symmetric, so that a transposed W gives other numbers."""
    return _independent(W) and W[0, 1] != W[1, 0]


def _fitting(X, W_K):
    """Those W_Q with which all three queries make a row of the sheet as it should be.

    Every query of one decimal is tried with the keys X W_K. Two of them make a W_Q, and that makes the third.
    """
    K = X @ W_K / 100
    steps = attention(_ALL_QUERIES / 10, K, K)
    good = _worth_a_look(steps)
    if good.any():
        good[good] = _one_answer(steps.scores[good], steps.scaled[good])
    queries, looked_at = _ALL_QUERIES[good], steps.weights[good].argmax(axis=1)
    most = dict(zip(map(tuple, queries.tolist()), looked_at.tolist(), strict=True))
    pairs = queries[np.stack(np.indices((len(queries),) * 2), axis=-1).reshape(-1, 2)]
    (a, b), (c, d) = X[:2].tolist()
    W_Q, beyond = np.divmod(10 * np.array([[d, -b], [-c, a]]) @ pairs, a * d - b * c)
    W_Q = W_Q[(beyond == 0).all(axis=(1, 2)) & np.isin(W_Q, _WEIGHTS).all(axis=(1, 2))]
    return [W for W in W_Q if _instructive(W) and (W != W_K).any() and _differ(most, X @ W)]


def _differ(most, Q):
    """Whether all queries (in hundredths) are in ``most``, and do not all look most at the same word."""
    looked_at = {None if any(q % 10 for q in query) else most.get((query[0] // 10, query[1] // 10))
                 for query in Q.tolist()}
    return None not in looked_at and len(looked_at) > 1


def _worth_a_look(steps):
    """For each query: small numbers, weights that differ, one that is clearly the largest, not nothing but zeros."""
    weights = np.sort(steps.weights, axis=1)
    apart, spread = weights[:, 2] - weights[:, 1], weights[:, 2] - weights[:, 0]
    small, zero = abs(steps.scaled) <= _LARGEST, abs(steps.scores) < 1e-9
    return small.all(axis=1) & (apart > _APART) & (spread > _SPREAD) & (zero.sum(axis=1) <= 1)


def _one_answer(scores, scaled):
    """For each row (n, 3): whether every way to the weights leads to the same numbers in the blanks.

    The ways: each result rounded before it is used, or used as the calculator holds it; √2 as the calculator has it,
    as 1.414, or as a factor 0.707. The rounded weights of a row also add up to exactly 1.
    """
    powers = [np.exp(scaled), np.exp(_written("scaled", scaled))]
    same = _agree("scaled", scaled, _rough(scores)) & _agree("exp", powers[0], powers)
    if same.any():
        same[same] = _one_sharing_out(scores[same], [power[same] for power in powers])
    return same


def _one_sharing_out(scores, powers):
    powers = [*powers, _written("exp", powers[0])]
    totals = [power.sum(axis=1, keepdims=True) for power in powers]
    weights = powers[0] / totals[0]
    ways = [power / total for power in powers for total in (*totals, _written("sums", totals[0]))]
    same = _agree("sums", totals[0], totals) & _agree("weights", weights, [*ways, *map(softmax, _rough(scores))])
    return same & (_units("weights", weights).sum(axis=1) == 10 ** DECIMALS["weights"])


def _rough(scores):
    """The scaled scores of those who take √2 as 1.414, or divide by it as times 0.707."""
    return scores / 1.414, scores * 0.707


def _one_output(found):
    """Whether the weights as written, and those by the ways of :func:`_one_answer`, lead to one output."""
    ways = found.weights, _written("weights", found.weights), *map(softmax, _rough(found.scores))
    return _agree("output", found.output, [weights @ found.V for weights in ways]).all()


def _agree(name, values, ways):
    """For each row: whether all ``ways`` are written as ``values`` are, none of them near a tie."""
    units, scale = _units(name, values), 10 ** DECIMALS[name]
    near = [abs(way * scale - units) < 0.5 - _FROM_TIE for way in ways]
    return np.all(near, axis=0).all(axis=1)


def _units(name, values):
    """``values`` in units of the last place written: 0.26 is 260 where three decimals are."""
    return np.rint(values * 10 ** DECIMALS[name])


def _written(name, values):
    return _units(name, values) / 10 ** DECIMALS[name]
