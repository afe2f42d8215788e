"""An experiment as a short code or a small file, and back: inputs, words, mask, scaling and fault, exactly.

An example of the lesson is kept by its name, so whoever opens it reads its words in their own language.
Everything else is kept as it began and with what has changed since, so that Reset still finds the way back.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .codes import Packer, Unpacker, read, spell
from .examples import EXAMPLES
from .experiment import DIRECT, PROJECTED, Experiment
from .language import LANGUAGES, say
from .packing import SETTINGS, pack_beginning, pack_changes, same, unpack_beginning, unpack_changes

_VERSION = 1
_FORMAT = "attention_lib experiment"
_EXAMPLE_ORDER = ("我爱你", "classroom", "three tokens")  # the places are part of the code: add at the end only
_OWN = {30: DIRECT, 31: PROJECTED}  # in place of an example's number
_USUAL = {"mask": None, "scale": True, "fault": None}


def experiment_code(e: Experiment) -> str:
    """A short code of letters and digits; :func:`from_code` makes the same experiment of it."""
    return code_writer(e)()


def code_writer(e: Experiment) -> Callable[[], str]:
    """What gives the code of ``e`` as it then is; how ``e`` began is looked at only once, so it may be called often."""
    start = Packer()
    start.put(_VERSION, 32)
    began, example = beginning(e), example_of(e)
    if example in _EXAMPLE_ORDER:
        start.put(_EXAMPLE_ORDER.index(example), 32)
    else:
        start.put(31 if e.inputs == PROJECTED else 30, 32)
        usual = Experiment(**{name: began[name] for name in e.inputs}).words
        pack_beginning(start, began, None if e.words == usual else e.words, e.features)

    def write():
        pack = start.copy()
        pack_changes(pack, began, present(e))
        return spell(pack.number)

    return write


def from_code(code: str) -> Experiment:
    """The experiment of a code. Blanks, line ends, full-width and small letters do no harm.

    Raises ValueError in words where the code is cut, mistyped or of a newer version.
    """
    unpack = Unpacker(read(code))
    if unpack.take(32) != _VERSION:
        raise ValueError(say("code.newer"))
    try:
        kind = unpack.take(32)
        own = kind in _OWN
        e = unpack_beginning(unpack, _OWN[kind]) if own else Experiment.from_example(_EXAMPLE_ORDER[kind])
        changes = unpack_changes(unpack, beginning(e))
        unpack.end()
        e.set(**changes)
    except (ValueError, IndexError, OverflowError):
        raise ValueError(say("code.damaged")) from None
    return e


def save_state(e: Experiment, path) -> Path:
    """Write the experiment to a JSON file (UTF-8) that a person can read and change; returns its path.

    A folder that is missing is made.
    """
    began, now, example = beginning(e), present(e), example_of(e)
    told = {"format": _FORMAT, "version": _VERSION}
    if example is None:
        told |= {"words": e.words, "features": e.features, "began": began}
    else:
        told |= {"example": example}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Half a surrogate pair, which UTF-8 has no bytes for, becomes the escape that JSON has for it.
    path.write_text(_readable(told | {"now": now}) + "\n", encoding="utf-8", errors="backslashreplace", newline="\n")
    return path


def open_state(path) -> Experiment:
    """The experiment of a file that :func:`save_state` wrote.

    Raises ValueError in words where it is not such a file, and FileNotFoundError where there is none.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(say("state.no_file", path=path))
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
        if told["format"] != _FORMAT:
            raise ValueError(told)
        version, now, example = told["version"], told["now"], told.get("example")
        began = told["began"] if example is None else {}
        if not {*now, *began} <= {*PROJECTED, *DIRECT, *SETTINGS}:
            raise ValueError(told)
    except (ValueError, KeyError, TypeError, RecursionError):  # not UTF-8, not JSON, not ours
        raise ValueError(say("state.not_ours", path=path)) from None
    if version != _VERSION:
        raise ValueError(say("state.newer", path=path))
    if example is None:
        e = Experiment(**began, words=told.get("words"), features=told.get("features"))
    else:
        e = Experiment.from_example(example)
    e.set(**now)
    return e


def beginning(e: Experiment) -> dict:
    """Every input and setting by name as it was when the experiment was made; what Reset goes back to."""
    return {name: e._first[name] for name in (*e.inputs, *SETTINGS)}


def present(e: Experiment) -> dict:
    """Every input and setting by name as it is now."""
    return {name: e[name] for name in e.inputs} | {name: getattr(e, name) for name in SETTINGS}


def example_of(e: Experiment) -> str | None:
    """The name of the example the experiment began as, its words in either language; None for one's own."""
    began = beginning(e)
    for name, example in EXAMPLES.items():
        spoken = ((example.words[language], (example.features or {}).get(language)) for language in LANGUAGES)
        if (e.words, e.features) in spoken and e.inputs == tuple(example.inputs):
            given = {key: np.array(value) for key, value in example.inputs.items()} | _USUAL
            if all(same(given[key], began[key]) for key in began):
                return name
    return None


def _readable(value, indent=""):
    """JSON with one line for each row of a matrix."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    deeper = indent + "  "
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {_readable(part, deeper)}" for key, part in value.items()]
        return "{\n" + ",\n".join(deeper + line for line in lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(deeper + json.dumps(row) for row in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
