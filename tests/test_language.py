"""The words of the interface: both languages say the same things, and say them well."""

import json
import re
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

import attention_lib
from attention_lib import language
from attention_lib.faults import FAULTS
from attention_lib.language import LANGUAGES, choose, chosen, pick, say, texts

pytestmark = pytest.mark.filterwarnings("error")

FOLDER = Path(attention_lib.__file__).parent / "text"
LIKE_K_W1 = ("figure.triangle.output",)  # a short label in a figure, written as K:w1 is
HAN = r"[\u4e00-\u9fff]"


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_keys_and_the_same_places_to_fill():
    zh, en = texts("zh"), texts("en")
    assert set(zh) == set(en)
    assert {key: fields(zh[key]) for key in zh} == {key: fields(en[key]) for key in en}


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_key_is_given_twice(code):
    keys = Counter()
    for path in (FOLDER / code).glob("*.json"):
        keys.update(key for key, _ in json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list))
    assert [key for key, times in keys.items() if times > 1] == []


def test_the_same_files_in_both_languages():
    assert {p.name for p in (FOLDER / "zh").iterdir()} == {p.name for p in (FOLDER / "en").iterdir()}


def test_chinese_is_written_as_chinese_is():
    for key, text in texts("zh").items():
        plain = re.sub(r"`[^`]*`|\{[^}]*\}", "", text)
        prose = re.sub(r"\b(softmax|scores|scaled|weights|output|mask)\b", "", plain)
        assert re.search(HAN, prose) or not re.search(r"[a-z]{4}", prose), f"{key} is not Chinese: {text}"
        assert not re.search(rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}", plain), f"{key}: no space beside Latin: {text}"
        assert key in LIKE_K_W1 or not re.search(rf"{HAN}[,;:?!]|{HAN}\.(\s|$)", plain), f"{key}: half-width: {text}"
        assert "您" not in text


def test_english_has_no_chinese_marks():
    for key, text in texts("en").items():
        assert not re.search(r"[，。；：？！（）、]", text), f"{key}: {text}"


def test_every_key_the_core_says_is_there():
    source = "".join(p.read_text(encoding="utf-8") for p in Path(attention_lib.__file__).parent.glob("*.py"))
    keys = set(re.findall(r"""say\(\s*f?["']([^"'{]+)["']""", source)) | {f"fault.{fault}" for fault in FAULTS}
    assert len(keys) > 40
    assert keys - set(texts("en")) == set()


def test_every_text_of_the_core_is_said_somewhere():
    source = "".join(p.read_text(encoding="utf-8") for p in Path(attention_lib.__file__).parent.rglob("*.py"))
    for name in ("errors.json", "explain.json"):
        for key in json.loads((FOLDER / "en" / name).read_text(encoding="utf-8")):
            said = f'"{key}"' in source or f"'{key}'" in source or key.startswith(("fault.", "error.kind_"))
            assert said, key


def test_choosing_pick_and_say():
    choose("zh")
    assert (chosen(), pick({"zh": "键", "en": "key"}), say("error.nan")) == ("zh", "键", "NaN（不是数）")
    choose("en")
    assert (chosen(), pick({"zh": "键", "en": "key"}), say("error.nan")) == ("en", "key", "NaN (not a number)")


@pytest.mark.parametrize("code", ["fr", "ZH", "", None, 3, ["zh"]])
def test_another_language_is_refused_and_nothing_changes(code):
    choose("zh")
    with pytest.raises(ValueError, match=r"^language: got .*, needs one of 'zh', 'en'$"):
        choose(code)
    assert chosen() == "zh"


def test_values_with_braces_are_said_as_they_are():
    choose("en")
    assert say("error.wrong", name="{x}", got="{0}", needs="{y}") == "{x}: got {0}; needs {y}"


def test_texts_are_read_as_utf_8_wherever_they_are(tmp_path, monkeypatch):
    folder = tmp_path / "a 文件夹" / "text" / "zh"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text('{"a": "键"}', encoding="utf-8")
    monkeypatch.setattr(language, "__file__", str(folder.parent.parent / "language.py"))
    assert texts.__wrapped__("zh") == {"a": "键"}
