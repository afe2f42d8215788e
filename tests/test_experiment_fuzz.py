"""Thousands of random moves: the experiment always shows what follows from its inputs, and nothing else."""

import by_hand
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from strange import RUBBISH

from attention_lib.experiment import Experiment
from attention_lib.explain import explain
from attention_lib.faults import FAULTS
from attention_lib.maths import STEPS

pytestmark = pytest.mark.filterwarnings("error")


def check(e, exactly=True):
    """What must hold after any move."""
    inputs = {name: e[name] for name in e.inputs}
    assert all(np.isfinite(value).all() and not value.flags.writeable for value in inputs.values())
    if exactly:
        by = by_hand.self_attention if "X" in inputs else by_hand.attention
        want = by(**inputs, mask=e.mask, scale=e.scale, fault=e.fault)
        assert all(np.allclose(e.steps[name], want[name], rtol=1e-9, atol=1e-12) for name in STEPS)
    sums = e["weights"].sum(axis=1)
    if e.fault not in ("wrong axis", "mask after softmax"):
        seen = np.ones(len(sums), dtype=bool) if e.mask is None else e.mask.any(axis=1)
        assert (abs(sums - seen) < 1e-12).all()
    assert (e["weights"] >= 0).all()


def start(random):
    n_q, n_k, d, d_k, d_v = random.integers(1, 5, size=5)
    if random.random() < 0.5:
        return Experiment(*map(random.standard_normal, [(n_q, d), (d, d_k), (d, d_k), (d, d_v)]))
    Q, K, V = map(random.standard_normal, [(n_q, d_k), (n_k, d_k), (n_k, d_v)])
    return Experiment(Q=Q, K=K, V=V)


def moves(random, e):
    """The moves a learner, or a broken widget, can make; each with its arguments drawn."""
    name = random.choice(e.inputs)
    rows, columns = e[name].shape
    shape = len(e.words), len(e.key_words)
    return {
        "entry": lambda: e.set_entry(name, int(random.integers(rows)), int(random.integers(columns)),
                                     float(random.normal(scale=random.choice([0.1, 1, 5])))),
        "all": lambda: e.set(**{other: random.normal(size=e[other].shape) for other in e.inputs}),
        "assign": lambda: setattr(e, name, np.round(random.uniform(-2, 2, (rows, columns)), 1)),
        "mask": lambda: e.set(mask=None if random.random() < 0.3 else random.random(shape) < 0.6),
        "scale": lambda: e.set(scale=[True, False, float(random.normal())][random.integers(3)]),
        "fault": lambda: e.set(fault=[None, *FAULTS][random.integers(len(FAULTS) + 1)]),
        "reset": lambda: e.reset(*([] if random.random() < 0.3 else [str(name)])),
        "focus": lambda: setattr(e, "focus", (str(random.choice(e.names)), *map(int, random.integers(-1, 4, size=2)))),
        "rubbish": lambda: e.set(**{str(name): list(RUBBISH.values())[random.integers(len(RUBBISH))]}),
        "rubbish and more": lambda: e.set(scale=False, **{str(name): np.full((rows, columns), np.nan)}),
        "wrong shape": lambda: e.set(**{str(name): np.ones((rows + 1, columns))}),
        "rubbish entry": lambda: e.set_entry(name, 0, 0, [np.nan, "1", None, np.inf, 1j, [1]][random.integers(6)]),
        "too large": lambda: e.set(**{other: np.full(e[other].shape, 1e200) for other in e.inputs}),
    }


ALWAYS_REFUSED = ("rubbish", "rubbish and more", "wrong shape", "rubbish entry", "too large")


@pytest.mark.parametrize("seed", range(8))
def test_250_random_moves(seed):
    random = np.random.default_rng(seed)
    e, told = start(random), []
    e.observe(lambda change: told.append(change.name))
    refused = set()
    for _ in range(250):
        possible = moves(random, e)
        move = str(random.choice(list(possible)))
        before = {**{name: e[name] for name in e.names}, "mask": e.mask, "scale": e.scale, "fault": e.fault}
        told.clear()
        try:
            with np.errstate(all="raise"):
                possible[move]()
        except ValueError:
            refused.add(move)
            assert told == []
            assert all(e[name] is before[name] for name in e.names)
            assert (e.mask, e.scale, e.fault) == (before["mask"], before["scale"], before["fault"])
        else:
            assert move not in ALWAYS_REFUSED, move
            assert told.count("steps") <= 1
            assert len(told) == len(set(told))
        check(e)
        if e.focus:
            assert explain(e, *e.focus).lines
    assert set(ALWAYS_REFUSED) <= refused


ROW, COLUMN = st.integers(-1, 3), st.integers(-1, 2)
VALUES = st.floats(-100, 100) | st.floats() | st.integers() | st.none() | st.text(max_size=2)


class AnyMoves(RuleBasedStateMachine):
    """Hypothesis looks for the shortest series of moves that breaks an experiment of 3 words."""

    def __init__(self):
        super().__init__()
        self.e = Experiment.from_example("我爱你")
        self.told = []
        self.e.observe(self.told.append, "steps")

    def attempt(self, move, *args, **kwargs):
        self.told.clear()
        steps = self.e.steps
        try:
            with np.errstate(all="raise"):
                move(*args, **kwargs)
        except ValueError:
            assert self.e.steps is steps
        assert len(self.told) == (self.e.steps is not steps)

    @rule(name=st.sampled_from(["X", "W_Q", "W_K", "W_V", "Q"]), row=ROW, column=COLUMN, value=VALUES)
    def entry(self, name, row, column, value):
        self.attempt(self.e.set_entry, name, row, column, value)

    @rule(W=hnp.arrays(float, (3, 2, 2), elements=st.floats(-10, 10)))
    def many(self, W):
        self.attempt(self.e.set, W_Q=W[0], W_K=W[1], W_V=W[2])

    @rule(X=hnp.arrays(float, (3, 2)))
    def matrix(self, X):
        self.attempt(self.e.set, X=X)

    @rule(mask=st.none() | hnp.arrays(bool, (3, 3)) | hnp.arrays(int, (3,), elements=st.integers(0, 2)) | VALUES)
    def mask(self, mask):
        self.attempt(self.e.set, mask=mask)

    @rule(scale=st.booleans() | VALUES, fault=st.sampled_from([None, *FAULTS, "no"]))
    def settings(self, scale, fault):
        self.attempt(self.e.set, scale=scale, fault=fault)

    @rule(names=st.lists(st.sampled_from(["X", "W_Q", "mask", "fault", "Q"]), max_size=2))
    def reset(self, names):
        self.attempt(self.e.reset, *names)

    @rule(cell=st.tuples(st.sampled_from(["X", "Q", "weights", "output", "A"]), ROW, COLUMN) | VALUES)
    def focus(self, cell):
        self.attempt(setattr, self.e, "focus", cell)

    @invariant()
    def all_is_well(self):
        scores = abs(self.e["scaled"]).max()
        check(self.e, exactly=scores < 1e3)
        for name in STEPS:
            with np.errstate(all="raise"):
                assert explain(self.e, name, 1, 1).lines


TestAnyMoves = AnyMoves.TestCase
TestAnyMoves.settings = settings(max_examples=40, stateful_step_count=20)
