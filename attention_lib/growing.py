"""What n words cost: memory and time of attention as n grows, measured, and the exponent that fits.

``python -m attention_lib.growing 4096 plain blockwise`` measures n = 128, 256 … 4096 and prints a line of JSON for
each tenth of a second.
"""

import json
import sys
import time
import tracemalloc
from collections.abc import Iterator
from functools import partial

import numpy as np

from .online import blockwise_attention
from .validate import whole

D = 64  # length of queries, keys and values: that of one head in Vaswani et al. 2017, section 3.2.2
SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
REPEATS, SLICE = 5, 0.1  # slices for each n, and seconds that one of them may spend repeating what is quick
FITTED = 4  # the exponent is fitted to so many of the largest n: below, the cost of calling numpy hides it


def plain_attention(Q, K, V) -> np.ndarray:
    """Attention as its formula reads, with the whole table of scores; in place, so that there is only one of it.

    Q (n, d_k), K (n, d_k), V (n, d_v), of one float type, in which it computes. Returns (n, d_v).
    """
    weights = Q @ K.T
    weights *= weights.dtype.type(1 / np.sqrt(Q.shape[1]))
    weights -= weights.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ V


BLOCK = 512  # rows and columns of the blocks measured here: 1 MiB of scores in float32, best with a single thread
WAYS = {"plain": plain_attention, "blockwise": partial(blockwise_attention, rows=BLOCK, columns=BLOCK)}


def random_inputs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K and V, each (n, 64) in float32, entries independent with mean 0 and variance 1."""
    random = np.random.default_rng(whole("seed", seed, 0))
    n = whole("n", n, 1)
    return tuple(random.standard_normal((n, D), dtype=np.float32) for _ in range(3))


def extra_memory(way, *inputs) -> int:
    """Bytes that ``way(*inputs)`` holds at its peak, beyond its inputs and its output, as numpy reports them."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        output = way(*inputs)
        return tracemalloc.get_traced_memory()[1] - before - output.nbytes
    finally:
        if not tracing:
            tracemalloc.stop()


def best_of(budget: float, way, *inputs) -> float:
    """Seconds that ``way(*inputs)`` takes: the least of as many runs as ``budget`` seconds allow, at least one.

    The least, because whatever else the computer does can only make a run longer.
    """
    best, end = float("inf"), time.perf_counter() + budget
    while True:
        start = time.perf_counter()
        way(*inputs)
        now = time.perf_counter()
        best = min(best, now - start)
        if now >= end:
            return best


def measure(ways, sizes) -> Iterator[tuple[str, int, int, float]]:
    """way, n, bytes of extra memory and seconds, once for each slice: n by n, the seconds those of this slice."""
    for n in sizes:
        inputs = random_inputs(n)
        for way in ways:
            memory = extra_memory(WAYS[way], *inputs)
            for _ in range(REPEATS):
                yield way, n, memory, best_of(SLICE, WAYS[way], *inputs)


def fitted_exponent(n, cost) -> float:
    """The p for which cost ∝ nᵖ fits best: the slope of log(cost) over log(n), by least squares.

    n, cost: of equal length, at least two different n, all above 0.
    """
    return float(np.polyfit(np.log(n), np.log(cost), 1)[0])


def main(largest: str, *ways: str) -> None:
    for found in measure(ways, [n for n in SIZES if n <= int(largest)]):
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
