"""Attention once more, in plain Python with 50 decimal digits: the independent values of the tests."""

from decimal import Decimal, localcontext


def product(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A]


def softmax(row, keep=None):
    """One row; what is not kept gets 0, and a row with nothing kept is a row of zeros."""
    keep = [True] * len(row) if keep is None else keep
    powers = [x.exp() if k else Decimal(0) for x, k in zip(row, keep, strict=True)]
    total = sum(powers)
    return [p / total if total else Decimal(0) for p in powers]


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def attention(Q, K, V, mask=None, scale=True, fault=None):
    """All steps by name, as lists of floats; the faults are those of ``attention_lib.FAULTS``."""
    with localcontext() as context:
        context.prec = 50
        Q, K, V = decimals(Q), decimals(K), decimals(K if fault == "V is K" else V)
        scores = product(Q, transposed(K))
        keep = [[True] * len(K) for _ in Q] if mask is None else [[bool(k) for k in row] for row in mask]
        if fault == "no scaling" or scale is False:
            factor = Decimal(1)
        else:
            factor = 1 / Decimal(len(K[0])).sqrt() if scale is True else Decimal(scale)
        scaled = [[s * factor for s in row] for row in scores]
        if fault == "wrong axis":
            weights = transposed([softmax(*pair) for pair in zip(transposed(scaled), transposed(keep), strict=True)])
        elif fault == "mask after softmax":
            if mask is None and len(Q) == len(K):
                keep = [[column <= row for column in range(len(K))] for row in range(len(Q))]
            weights = [[w * k for w, k in zip(softmax(row), kept, strict=True)]
                       for row, kept in zip(scaled, keep, strict=True)]
        else:
            weights = [softmax(*pair) for pair in zip(scaled, keep, strict=True)]
        steps = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights,
                 "output": product(weights, V)}
        return {name: [[float(x) for x in row] for row in value] for name, value in steps.items()}


def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True, fault=None):
    with localcontext() as context:
        context.prec = 50
        X, W_K = decimals(X), W_Q if fault == "W_K is W_Q" else W_K
        return attention(*(product(X, decimals(W)) for W in (W_Q, W_K, W_V)), mask, scale, fault)


def decimals(A):
    return [[x if isinstance(x, Decimal) else Decimal(float(x)) for x in row] for row in A]
