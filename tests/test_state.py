"""State codes and state files: the same experiment comes back, and what is wrong is refused in words."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import EXAMPLES, FAULTS, Experiment, causal_mask, experiment_code, from_code, open_state, save_state
from attention_lib.codes import DIGITS, Packer, Unpacker, read, spell
from attention_lib.experiment import PROJECTED
from attention_lib.language import LANGUAGES, choose, say
from attention_lib.packing import SETTINGS
from attention_lib.state import beginning, example_of, present

pytestmark = pytest.mark.filterwarnings("error")

ODD = [1e-12, 0.1 + 0.2, 1 / 3, -7e-9, 123456.789012, 1e100, -5e-324, -0.0, 1234.5]
FILLERS = ["", " ", "\n", "\t", "\u3000", "\r\n", "\u200b", "\ufeff", "-"]
words = st.text(max_size=5)


@st.composite
def experiments(draw):
    """Both kinds, all shapes, odd numbers, masks, own labels; then a few changes, so that now is not how it began."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    decimals = draw(st.integers(0, 5))
    n_q, n_k, d, d_k, d_v = (draw(st.integers(1, most)) for most in (12, 12, 8, 8, 8))

    def matrix(*shape):
        if decimals == 5:
            return np.where(random.random(shape) < 0.2, random.choice(ODD, shape), random.normal(scale=9, size=shape))
        return random.integers(-(10 ** (decimals + 1)), 10 ** (decimals + 1), shape) / 10**decimals

    given = {"words": draw(st.none() | st.lists(words, min_size=n_q, max_size=n_q))}
    if draw(st.booleans()):
        n_k = n_q
        given |= {"X": matrix(n_q, d), "W_Q": matrix(d, d_k), "W_K": matrix(d, d_k), "W_V": matrix(d, d_v),
                  "features": draw(st.none() | st.lists(words, min_size=d, max_size=d))}
    else:
        given |= {"Q": matrix(n_q, d_k), "K": matrix(n_k, d_k), "V": matrix(n_k, d_v)}

    def settings():
        unfit = [fault for fault, fits in {"V is K": d_k == d_v, "W_K is W_Q": "X" in given}.items() if not fits]
        masks = [None, random.random((n_q, n_k)) < 0.5, *([causal_mask(n_q)] if n_q == n_k else [])]
        scales = st.sampled_from([True, False, 1 / d_k, 0.0, 2]) | st.floats(-100, 100)
        return {"mask": masks[draw(st.integers(0, len(masks) - 1))], "scale": draw(scales),
                "fault": draw(st.sampled_from([None, *(fault for fault in FAULTS if fault not in unfit)]))}

    try:
        e = Experiment(**given, **settings())
        if draw(st.booleans()):
            e.set(**settings())
        for _ in range(draw(st.sampled_from([0, 1, 2, 20]))):
            name = str(random.choice(e.inputs))
            e.set_entry(name, *map(int, random.integers(e[name].shape)), matrix(1, 1)[0, 0])
    except ValueError:  # 1e100 times 1e100 …: too large, refused before there is an experiment
        return Experiment.from_example("classroom")
    return e


def assert_same(got, want, labels=True):
    assert got.inputs == want.inputs
    for of in (present, beginning):
        for name, value in of(want).items():
            twin = of(got)[name]
            if isinstance(value, np.ndarray):
                assert twin.dtype == value.dtype
                assert twin.shape == value.shape
                assert twin.tobytes() == value.tobytes(), name
            else:
                assert (type(twin), twin) == (type(value), value)
    for name in want.names:
        assert got[name].tobytes() == want[name].tobytes()
    if labels:
        assert (got.words, got.key_words, got.features) == (want.words, want.key_words, want.features)


@given(experiments())
def test_a_code_gives_the_same_experiment(e):
    code = experiment_code(e)
    assert set(code) <= set(DIGITS)
    assert_same(from_code(code), e)
    assert experiment_code(from_code(code)) == code


@given(e=experiments())
def test_a_file_gives_the_same_experiment(tmp_path_factory, e):
    path = tmp_path_factory.mktemp("状态") / "a b.json"
    assert save_state(e, path) == path
    assert_same(open_state(path), e)


def test_codes_are_short():
    e = Experiment.from_example("我爱你")
    assert len(experiment_code(e)) < 12
    e.set_entry("W_Q", 0, 0, 0.6)
    assert len(experiment_code(e)) <= 12
    assert len(experiment_code(Experiment.from_sentence("the cat sat on the mat"))) < 80
    assert all(len(experiment_code(Experiment.from_example(name))) < 12 for name in EXAMPLES)


# Codes that are out in the world have to be understood for ever: never change what stands here.
OLD = {
    "1JGBQRV": ("我爱你", {}),
    "11F6QZYK": ("classroom", {}),
    "219XK7MB": ("three tokens", {}),
    "8XR801QZ2DW6": ("我爱你", {"W_Q": [[0.6, 0.2], [0.1, 0.6]]}),
}


@pytest.mark.parametrize("code", OLD)
def test_old_codes_open(code):
    name, changes = OLD[code]
    e = Experiment.from_example(name)
    e.set(**changes)
    assert_same(from_code(code), e)
    assert experiment_code(e) == code


def test_every_example_and_fault_has_its_place_in_the_code():
    for name in EXAMPLES:
        e = Experiment.from_example(name)
        assert example_of(from_code(experiment_code(e))) == name
        for fault in FAULTS:
            if fault != "W_K is W_Q" or "X" in e.inputs:
                e.fault = fault
                assert from_code(experiment_code(e)).fault == fault


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_opens_in_the_language_of_whoever_opens_it(name):
    choose("zh")
    e = Experiment.from_example(name)
    e.set_entry(e.inputs[0], 0, 0, 0.7)
    e.set(mask=causal_mask(3), scale=False)
    code = experiment_code(e)
    choose("en")
    opened = from_code(code)
    assert opened.words == EXAMPLES[name].words["en"]
    assert opened.features == (EXAMPLES[name].features or {}).get("en")
    assert_same(opened, e, labels=False)
    assert experiment_code(opened) == code


def test_own_words_stay_as_they_are_in_either_language():
    choose("zh")
    code = experiment_code(Experiment.from_sentence("我爱你"))  # the words of an example, with other numbers
    choose("en")
    assert from_code(code).words == ("我", "爱", "你")


def test_reset_goes_back_to_how_it_began():
    e = Experiment.from_sentence("dog bites man")
    first = present(e)
    e.set_entry("X", 1, 1, 1.9)
    opened = from_code(experiment_code(e))
    opened.reset()
    assert all(np.array_equal(opened[name], first[name]) for name in PROJECTED)


@given(experiments(), st.integers(0, 3), st.lists(st.sampled_from(FILLERS), min_size=1))
def test_blanks_and_other_widths_do_no_harm(e, way, fillers):
    code = experiment_code(e)
    typed = [
        code, code.lower(), "".join(chr(ord(mark) + 0xFEE0) for mark in code), code.replace("0", "o").replace("1", "l"),
    ][way]
    assert_same(from_code("".join(mark + fillers[i % len(fillers)] for i, mark in enumerate(typed))), e)


SAMPLES = ["我爱你", "three tokens", None]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_mistyped_sign_is_refused(name):
    e = Experiment.from_sentence("I love you") if name is None else Experiment.from_example(name)
    e.set_entry(e.inputs[0], 0, 0, 1.7)
    code = experiment_code(e)
    for place, right in enumerate(code):
        for wrong in set(DIGITS) - {right}:
            with pytest.raises(ValueError, match="mistyped"):
                from_code(code[:place] + wrong + code[place + 1:])
    for place in range(len(code) - 1):
        swapped = code[:place] + code[place + 1] + code[place] + code[place + 2:]
        if swapped != code:
            with pytest.raises(ValueError, match="mistyped"):
                from_code(swapped)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_code_is_refused(name):
    e = Experiment.from_sentence("I love you") if name is None else Experiment.from_example(name)
    e.set_entry(e.inputs[0], 0, 0, 1.7)
    code = experiment_code(e)
    for length in range(1, len(code)):
        for part in (code[:length], code[length:]):
            with pytest.raises(ValueError, match="mistyped"):
                from_code(part)
    for more in ("0" + code, code + "0", code + code):
        with pytest.raises(ValueError, match="mistyped"):
            from_code(more)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("code", "key", "values"), [
    ("", "code.empty", {}), (" \n\u3000", "code.empty", {}),
    ("1JGBQR!", "code.strange", {"mark": "!"}), ("1JGBQRU", "code.strange", {"mark": "U"}),
    ("我爱你", "code.strange", {"mark": "我"}), ("1JGBQRW", "code.damaged", {}), ("7", "code.damaged", {}),
    (None, "code.not_text", {"got": "NoneType"}), (7, "code.not_text", {"got": "int"}),
])
def test_what_is_no_code_is_refused_in_words(language, code, key, values):
    choose(language)
    with pytest.raises(ValueError, match=f"^{re.escape(say(key, **values))}$"):
        from_code(code)


def test_a_code_of_a_newer_version_says_so():
    with pytest.raises(ValueError, match="newer version"):
        from_code(spell(2))


def tried(action):
    try:
        return None, action()
    except ValueError as refused:
        return str(refused), None


@given(st.integers(0, 2**400))
def test_no_number_with_a_right_checksum_breaks_anything(number):
    refusal, e = tried(lambda: from_code(spell(number * 32 + 1)))
    assert refusal == say("code.damaged") if e is None else np.isfinite(e["output"]).all()


@given(st.text())
def test_no_text_breaks_anything(text):
    refusal, number = tried(lambda: read(text))
    assert refusal if number is None else spell(number)


@given(st.lists(st.tuples(st.integers(0, 2**70), st.sampled_from(["size", "signed"])) | st.text(max_size=20)))
def test_fields_come_out_as_they_went_in(fields):
    pack = Packer()
    for field in fields:
        if isinstance(field, str):
            pack.put_text(field)
        elif field[1] == "size":
            pack.put_size(field[0])
        else:
            pack.put_signed(-field[0])
    unpack = Unpacker(read(spell(pack.number)))
    for field in fields:
        if isinstance(field, str):
            assert unpack.take_text() == field
        elif field[1] == "size":
            assert unpack.take_size() == field[0]
        else:
            assert unpack.take_signed() == -field[0]
    unpack.end()


def test_a_file_can_be_read_and_changed_by_a_person(tmp_path):
    e = Experiment.from_example("我爱你")
    path = save_state(e, tmp_path / "new folder" / "my.json")
    text = path.read_text(encoding="utf-8")
    assert '"example": "我爱你"' in text
    assert "[1.0, 0.0],\n" in text
    assert text.endswith("}\n")
    changed = text.replace("[0.5, 0.2]", "[0.6, 0.2]").replace('"mask": null', '"mask": [[1,0,0],[1,1,0],[1,1,1]]')
    path.write_text(changed, encoding="utf-8")
    opened = open_state(path)
    assert opened["W_Q"].tolist() == [[0.6, 0.2], [0.1, 0.6]]
    assert np.array_equal(opened.mask, causal_mask(3))
    opened.reset()
    assert_same(opened, e)


def test_a_file_saved_by_a_windows_editor_opens(tmp_path):
    e = Experiment.from_sentence("我 爱 你")
    path = save_state(e, tmp_path / "my.json")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert_same(open_state(path), e)


@pytest.mark.parametrize("content", [
    b"", b"no json", b"[]", b"7", b"{}", b'{"format": "attention_lib experiment"}', "我".encode("gbk"),
    b'{"format": "attention_lib experiment", "version": 1, "now": {}}',
    b'{"format": "attention_lib experiment", "version": 1, "now": {"Y": 1}, "example": "classroom"}',
    b'{"format": "attention_lib experiment", "version": 1, "now": 5, "example": "classroom"}',
    b'{"format": "something else", "version": 1, "now": {}, "example": "classroom"}',
    b"[" * 5000,
])
def test_other_files_are_refused_in_words(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{re.escape(say('state.not_ours', path=path))}$"):
        open_state(path)


@pytest.mark.parametrize("now", [{"X": [[1, "a"]]}, {"X": [[1.0]]}, {"mask": 3}, {"scale": "big"}, {"Q": [[1.0]]}])
def test_wrong_numbers_in_a_file_are_refused_in_words(tmp_path, now):
    path = tmp_path / "my.json"
    told = {"format": "attention_lib experiment", "version": 1, "example": "classroom", "now": now}
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ValueError, match=next(iter(now))):
        open_state(path)


def test_a_newer_or_missing_file_says_so(tmp_path):
    path = save_state(Experiment.from_example("classroom"), tmp_path / "my.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'), encoding="utf-8")
    with pytest.raises(ValueError, match="newer version"):
        open_state(path)
    with pytest.raises(FileNotFoundError, match=r"no file .*none\.json"):
        open_state(tmp_path / "none.json")


def test_settings_are_those_of_the_experiment():
    assert set(present(Experiment.from_example("classroom"))) == {*PROJECTED, *SETTINGS}
