"""The two READMEs: the same commands and figures, the lessons by their names, links and code that work."""

import json
import re
from itertools import zip_longest

import numpy as np
import pytest
from files import ROOT, all_notebooks, read
from prose import formulas, headings
from terms import faults

from attention_lib import Experiment
from attention_lib.language import LANGUAGES

READMES = {"zh": "README.zh.md", "en": "README.md"}
TEXTS = {language: (ROOT / name).read_text(encoding="utf-8") for language, name in READMES.items()}
# The learner's own words, in the learner's own language; a remark in a command.
OWN = r'from_sentence\("[^"]*"\)|words=\[[^\]]*\]| +# .*'

languages = pytest.mark.parametrize("language", LANGUAGES)


def table_rows(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_both_say_the_same():
    zh, en = (re.sub(OWN, "", TEXTS[language]) for language in ("zh", "en"))
    assert set(formulas(zh)) == set(formulas(en))
    assert re.findall(r"^ {4}\S.*", zh, re.MULTILINE) == re.findall(r"^ {4}\S.*", en, re.MULTILINE)
    assert headings(zh) == headings(en)
    figures = [[re.findall(r"\d[\d.,/]*", " ".join(row[1:])) for row in table_rows(text) if "ipynb" not in row[1]]
               for text in (zh, en)]
    assert figures[0] == figures[1]
    assert sum(map(len, figures[0])) > 70


@languages
def test_the_lessons_are_called_what_they_are_called_and_take_as_long(language):
    listed = {}
    for number, *cells in table_rows(TEXTS[language]):
        for title, link in re.findall(r"\[([^\]]+)\]\((notebooks/\S+?)\)", " ".join(cells)):
            listed[link] = (number, title, cells[-1])
    wanted = {}
    for path in all_notebooks():
        first = read(path)["cells"][0]["source"]
        number, title = re.match(r"# (\d\d) · (.+)", first).groups()
        wanted[path.relative_to(ROOT).as_posix()] = (number, title, re.search(r"(?:About|大约) (\d+)", first)[1])
    if language == "zh":
        wanted = {link: found for link, found in wanted.items() if "/zh/" in link}
    assert listed == wanted


@languages
def test_the_table_of_speed_is_what_was_measured(language):
    measured = json.loads((ROOT / "tests" / "benchmarks" / "result.json").read_text(encoding="utf-8"))
    opened = measured.pop("open 07 and Run All")
    a = measured["(a) interact, inline figure"]["p50"]
    rows = [row for row in table_rows(TEXTS[language]) if re.match(r"\([abc]\) |ours: |我们的：", row[0])]
    for printed, row in zip_longest(rows, measured.values()):
        assert printed[1:] == [f"{row['p50']:.0f}", f"{row['p95']:.0f}", f"{a / row['p50']:.1f}",
                               f"{row['updates_per_second']:.1f}", f"{row['release_ms']:.0f}"]
    for ratio in (opened["seconds"] / opened["bare_seconds"], opened["memory_mb"] / opened["imports_mb"]):
        assert re.search(rf"(?<![\d.]){ratio:.2f} (?:times|倍)", TEXTS[language])


@languages
def test_every_link_leads_somewhere(language):
    links = re.findall(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)", TEXTS[language])
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert READMES["en" if language == "zh" else "zh"] in links


@languages
def test_the_code_runs(language):
    found = re.search(r"```python\n(.*?)```", TEXTS[language], re.DOTALL)[1]
    space = {}
    exec(found, space)
    e = space["e"]
    assert np.allclose(e["weights"], Experiment.from_example("我爱你")["weights"], rtol=0, atol=1e-12)
    own = re.search(r'from_sentence\("([^"]*)"\)', TEXTS[language])[1]
    assert len(Experiment.from_sentence(own).words) == 3


@languages
def test_it_is_written_in_the_words_of_the_lessons(language):
    assert faults(TEXTS[language], language) == []
