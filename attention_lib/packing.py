"""What a state code says of an experiment, field by field. The order of the fields is the format: version 1."""

import struct

import numpy as np

from .codes import Packer, Unpacker
from .experiment import DIRECT, MOST_WIDTH, MOST_WORDS, PROJECTED, Experiment
from .maths import causal_mask

SETTINGS = ("mask", "scale", "fault")
_FAULT_ORDER = (None, "wrong axis", "no scaling", "mask after softmax", "V is K", "W_K is W_Q")  # add at the end only
_MOST_DECIMALS, _RAW = 4, 5
_UNCHANGED, _SOME, _ALL = range(3)


def pack_beginning(pack: Packer, began: dict, words, features) -> None:
    """One's own matrices and settings, and the labels where they are not the usual ones; words, features: or None."""
    shapes = _shapes_of(began)
    inputs = tuple(shapes)
    if inputs == PROJECTED:
        counts, widths = (shapes["X"][0],), (shapes["X"][1], shapes["W_Q"][1], shapes["W_V"][1])
    else:
        counts, widths = (shapes["Q"][0], shapes["K"][0]), (shapes["Q"][1], shapes["V"][1])
    for count in counts:
        pack.put(count - 1, MOST_WORDS)
    for width in widths:
        pack.put(width - 1, MOST_WIDTH)
    for labels in (words, features):
        pack.put(int(labels is not None), 2)
        for label in labels or ():
            pack.put_text(label)
    _pack_numbers(pack, _flat(began))
    _pack_settings(pack, began)


def unpack_beginning(unpack: Unpacker, inputs: tuple[str, ...]) -> Experiment:
    """The experiment as it began; inputs: PROJECTED or DIRECT."""
    counts = [unpack.take(MOST_WORDS) + 1 for _ in range(1 if inputs == PROJECTED else 2)]
    widths = [unpack.take(MOST_WIDTH) + 1 for _ in range(3 if inputs == PROJECTED else 2)]
    if inputs == PROJECTED:
        (n,), (d_model, d_k, d_v) = counts, widths
        shapes = dict(zip(PROJECTED, ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)), strict=True))
    else:
        (n_q, n_k), (d_k, d_v) = counts, widths
        shapes = dict(zip(DIRECT, ((n_q, d_k), (n_k, d_k), (n_k, d_v)), strict=True))
    words, features = (
        tuple(unpack.take_text() for _ in range(n)) if unpack.take(2) else None for n in (counts[0], widths[0])
    )
    matrices = _parted(_unpack_numbers(unpack, _size(shapes)), shapes)
    return Experiment(**matrices, words=words, features=features, **_unpack_settings(unpack, shapes))


def pack_changes(pack: Packer, began: dict, now: dict) -> None:
    """What is no longer as it began; hardly anything where nothing has changed."""
    settings_changed = not all(same(began[name], now[name]) for name in SETTINGS)
    pack.put(int(settings_changed), 2)
    if settings_changed:
        _pack_settings(pack, now)
    new = _flat(now)
    places = np.flatnonzero(_flat(began) != new)
    if len(places) == 0:
        pack.put(_UNCHANGED, 3)
        return
    some, every = Packer(), Packer()
    some.put(_SOME, 3)
    some.put_size(len(places))
    for place in places:
        some.put(int(place), len(new))
    _pack_numbers(some, new[places])
    every.put(_ALL, 3)
    _pack_numbers(every, new)
    pack.add(min(some, every, key=lambda way: way.number))


def unpack_changes(unpack: Unpacker, began: dict) -> dict:
    """Every input, and the settings where they changed, by name."""
    shapes = _shapes_of(began)
    settings = _unpack_settings(unpack, shapes) if unpack.take(2) else {}
    flat, how = _flat(began), unpack.take(3)
    if how == _SOME:
        places = [unpack.take(len(flat)) for _ in range(min(unpack.take_size(), len(flat)))]
        flat[places] = _unpack_numbers(unpack, len(places))
    elif how == _ALL:
        flat = _unpack_numbers(unpack, len(flat))
    return _parted(flat, shapes) | settings


def same(a, b) -> bool:
    """Whether two inputs or settings are equal; True is not 1 here."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and not isinstance(a, np.ndarray) and a == b


def _pack_settings(pack, state):
    mask, scale = state["mask"], state["scale"]
    causal = mask is not None and mask.shape[0] == mask.shape[1] and np.array_equal(mask, causal_mask(len(mask)))
    pack.put(0 if mask is None else 1 if causal else 2, 3)
    if mask is not None and not causal:
        for allowed in mask.flat:
            pack.put(int(allowed), 2)
    usual = [True, False, 1 / _d_k(_shapes_of(state))]
    how = next((i for i, value in enumerate(usual) if same(scale, value)), 3)
    pack.put(how, 4)
    if how == 3:
        _pack_numbers(pack, np.array([scale]))
    pack.put_size(_FAULT_ORDER.index(state["fault"]))


def _unpack_settings(unpack, shapes):
    pairs = (shapes["X"][0],) * 2 if "X" in shapes else (shapes["Q"][0], shapes["K"][0])
    mask, how = None, unpack.take(3)
    if how == 1:
        mask = causal_mask(pairs[0])
    elif how == 2:
        mask = np.array([unpack.take(2) == 1 for _ in range(pairs[0] * pairs[1])]).reshape(pairs)
    how = unpack.take(4)
    scale = float(_unpack_numbers(unpack, 1)[0]) if how == 3 else (True, False, 1 / _d_k(shapes))[how]
    return {"mask": mask, "scale": scale, "fault": _FAULT_ORDER[unpack.take_size()]}


def _pack_numbers(pack, values):
    """Multiples of 0.1 (or 0.01 …) counted from the least one; eight bytes each where they are not such."""
    for decimals in range(_MOST_DECIMALS + 1):
        with np.errstate(over="ignore"):
            wholes = np.rint(values * 10.0**decimals)
        small = bool(np.all(abs(wholes) < 2**40))
        if small and (wholes / 10.0**decimals + 0.0).tobytes() == values.tobytes():  # bytes: −0.0 is not 0.0
            low, high = int(wholes.min()), int(wholes.max())
            pack.put(decimals, 6)
            pack.put_signed(low)
            pack.put_size(high - low)
            for whole in wholes:
                pack.put(int(whole) - low, high - low + 1)
            return
    pack.put(_RAW, 6)
    for value in values:
        pack.put(int.from_bytes(struct.pack(">d", value), "big"), 1 << 64)


def _unpack_numbers(unpack, count):
    decimals = unpack.take(6)
    if decimals == _RAW:
        return np.array([struct.unpack(">d", unpack.take(1 << 64).to_bytes(8, "big"))[0] for _ in range(count)])
    low = unpack.take_signed()
    span = unpack.take_size() + 1
    return np.array([low + unpack.take(span) for _ in range(count)]) / 10.0**decimals


def _shapes_of(state):
    return {name: value.shape for name, value in state.items() if name not in SETTINGS}


def _d_k(shapes):
    return shapes["W_K" if "X" in shapes else "K"][1]


def _size(shapes):
    return sum(rows * columns for rows, columns in shapes.values())


def _flat(state):
    return np.concatenate([value.ravel() for name, value in state.items() if name not in SETTINGS])


def _parted(flat, shapes):
    parts, start = {}, 0
    for name, (rows, columns) in shapes.items():
        parts[name] = flat[start:start + rows * columns].reshape(rows, columns)
        start += rows * columns
    return parts
