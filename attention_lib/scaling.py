"""Why the scores are divided by √d_k: random queries and keys of every length from 1 to 1024."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .maths import softmax
from .validate import whole

LONGEST = 1024
QUERIES, KEYS = 250, 8
DIVISORS = ("none", "root", "d_k")  # scores as they are, ÷ √d_k, ÷ d_k


@dataclass(frozen=True)
class Spread:
    """What one divisor makes of the scores, over 250 queries with 8 keys each.

    deviation: standard deviation of the 2000 scaled scores; theory: what it is for ever more of them.
    largest: mean of the largest weight of each query. gradient: mean of w(1 − w) for that weight w.
    weights (8,): mean weights, the largest of each query first.
    """

    deviation: float
    theory: float
    largest: float
    gradient: float
    weights: np.ndarray


class RandomScores:
    """Dot products of random vectors, entries independent with mean 0 and variance 1, for every length at once.

    The scores at length d_k use the first d_k entries of the same vectors: one sum runs on from length to length.
    A dot product of length d_k has variance d_k (Vaswani et al. 2017, section 3.2.1, footnote 4).
    """

    def __init__(self, seed: int = 0):
        # RandomState, because its numbers never change with the version of numpy (NEP 19): a lesson prints them.
        random = np.random.RandomState(whole("seed", seed, 0, 2**32 - 1))
        queries = random.standard_normal((LONGEST, QUERIES, 1))
        products = random.standard_normal((LONGEST, QUERIES, KEYS))
        products *= queries
        self._scores = np.cumsum(products, axis=0, out=products)

    def scores(self, d_k: int) -> np.ndarray:
        """(250, 8): a row of scores for each query; d_k from 1 to 1024, ValueError otherwise."""
        return self._scores[whole("d_k", d_k, 1, LONGEST) - 1]

    def measure(self, d_k: int) -> dict[str, Spread]:
        """What each of DIVISORS makes of the scores at length d_k.

        w(1 − w) is how much a weight w changes with its own scaled score, the diagonal of the softmax's Jacobian
        (Bishop 2006, Pattern Recognition and Machine Learning, equation 4.106): 0 where w has gone to 0 or 1.
        """
        scores = self.scores(d_k)
        found = {}
        for name, divisor in zip(DIVISORS, (1.0, np.sqrt(d_k), float(d_k)), strict=True):
            scaled = scores / divisor
            weights = np.sort(softmax(scaled), axis=1)[:, ::-1]
            w = weights[:, 0]
            found[name] = Spread(float(scaled.std()), float(np.sqrt(d_k) / divisor), float(w.mean()),
                                 float((w * (1 - w)).mean()), weights.mean(axis=0))
        return found


@lru_cache(maxsize=1)
def random_scores(seed: int = 0) -> RandomScores:
    """The scores of one seed, kept until another seed is asked for (16 MB)."""
    return RandomScores(seed)
