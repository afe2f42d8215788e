"""Softmax in one pass over the keys, block by block, so that the (n_q, n_k) table of scores never exists as a whole.

Running maximum and sum: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax", algorithm 3.
The output carried along with them: Rabe and Staats 2021, "Self-attention Does Not Need O(n²) Memory", section 2;
blocks of queries and keys: Dao et al. 2022, "FlashAttention", algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from .language import say
from .maths import fit_together
from .validate import keep_mask, large_matrix, scale_factor, shape_of, whole, wrong

# Of a block: 4 MiB of scores in float32. Smaller ones fit into nearer caches; but after each product the threads of
# BLAS wait for each other, which on a busy computer costs more than that gains.
ROWS, COLUMNS = 1024, 1024


@dataclass(frozen=True, eq=False)
class Running:
    """What one pass over the keys carries for each query: nothing grows with the number of keys.

    m (..., n_q, 1): the largest score so far, −inf before the first. l (..., n_q, 1): the sum of exp(score − m).
    o (..., n_q, d_v): the sum of exp(score − m) times the value.
    """

    m: np.ndarray
    l: np.ndarray  # noqa: E741 - its name in the papers
    o: np.ndarray

    @classmethod
    def start(cls, n_q: int, d_v: int, batch: tuple[int, ...] = (), dtype=np.float64) -> "Running":
        """Before the first key."""
        return cls(np.full((*batch, n_q, 1), -np.inf, dtype), np.zeros((*batch, n_q, 1), dtype),
                   np.zeros((*batch, n_q, d_v), dtype))

    def take_in(self, scores: np.ndarray, V: np.ndarray) -> "Running":
        """One more block of keys. scores (..., n_q, b), which is overwritten; V (..., b, d_v)."""
        m = np.maximum(self.m, scores.max(axis=-1, keepdims=True))
        if not (m < np.inf).all():  # NaN is not below it either
            raise wrong("scores", say("error.too_large"), say("error.needs_smaller"))
        scores -= _finite(m)
        powers = np.exp(scores, out=scores)
        factor = self.factor(m)
        return Running(m, factor * self.l + powers.sum(axis=-1, keepdims=True), factor * self.o + powers @ V)

    def factor(self, m: np.ndarray) -> np.ndarray:
        """exp(old m − new m): what was summed up so far has to be measured from the new maximum, too."""
        return np.exp(self.m - _finite(m))

    @property
    def output(self) -> np.ndarray:
        """(..., n_q, d_v): divided once, at the end; zeros for a query that may look at nothing."""
        return np.divide(self.o, self.l, out=np.zeros_like(self.o), where=self.l > 0)


def one_pass(scores, V, size: int) -> list[Running]:
    """The running numbers before the first block of ``size`` keys and after each block; the last has the output.

    scores (n_q, n_k), −inf where a key may not be looked at; V (n_k, d_v); float64. size: 1 to n_k.
    Raises ValueError for another size.
    """
    scores, V = np.array(scores, dtype=np.float64), np.asarray(V, dtype=np.float64)
    size = whole("size", size, 1, scores.shape[1])
    states = [Running.start(len(scores), V.shape[1])]
    for j in range(0, scores.shape[1], size):
        states.append(states[-1].take_in(scores[:, j : j + size].copy(), V[j : j + size]))
    return states


def blockwise_attention(Q, K, V, mask=None, scale=True, causal: bool = False, rows: int = ROWS,
                        columns: int = COLUMNS) -> np.ndarray:
    """The output of :func:`attention`, without ever holding more than ``rows`` × ``columns`` scores.

    Q (..., n_q, d_k), K (..., n_k, d_k), V (..., n_k, d_v). Computed in float32 where all three are, else in float64.
    mask, scale: as for :func:`attention`; a mask is only ever cut into blocks. causal: query i looks at keys 0 … i
    (n_q = n_k), in place of a mask of n² entries; the blocks above the diagonal are not computed.
    Returns (..., n_q, d_v). Raises ValueError for what does not fit, as :func:`attention` does.
    """
    Q, K, V = large_matrix("Q", Q), large_matrix("K", K), large_matrix("V", V)
    fit_together(Q, K, V)
    n_q, n_k, d_v = Q.shape[-2], K.shape[-2], V.shape[-1]
    if causal and n_q != n_k:
        raise wrong("causal", shape_of(Q), say("error.needs_rows_of", other="K", shape=K.shape))
    rows, columns = min(whole("rows", rows, 1), n_q), min(whole("columns", columns, 1), n_k)
    dtype, batch = np.result_type(Q, K, V), np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    keep = None if mask is None else keep_mask(mask, (*batch, n_q, n_k))
    factor = dtype.type(scale_factor(scale, Q.shape[-1]))
    output = np.empty((*batch, n_q, d_v), dtype)
    block = np.empty((*batch, rows, columns), dtype)  # one place for the scores of every block
    for i in range(0, n_q, rows):
        with np.errstate(over="ignore"):
            queries = Q[..., i : i + rows, :] * factor
        state = Running.start(queries.shape[-2], d_v, batch, dtype)
        for j in range(0, min(n_k, i + rows) if causal else n_k, columns):
            keys, values = K[..., j : j + columns, :], V[..., j : j + columns, :]
            scores = block[..., : queries.shape[-2], : keys.shape[-2]]
            with np.errstate(over="ignore", invalid="ignore"):
                np.matmul(queries, np.swapaxes(keys, -1, -2), out=scores)
            if keep is not None:
                np.copyto(scores, -np.inf, where=~keep[..., i : i + rows, j : j + columns])
            if causal and j + columns > i:
                np.copyto(scores, -np.inf, where=_later(scores, i, j))
            state = state.take_in(scores, values)
        output[..., i : i + rows, :] = state.output
    return output


def _later(scores, i, j):
    """Where key j, j + 1 … comes after query i, i + 1 …"""
    return np.arange(j, j + scores.shape[-1]) > np.arange(i, i + scores.shape[-2])[:, None]


def _finite(m):
    """Where nothing may be looked at yet, scores are measured from 0: −inf − (−inf) is no number."""
    return np.where(np.isneginf(m), m.dtype.type(0), m)
