"""The guides for the person who runs a class: their commands are commands, their quoted words stand on the page."""

import re
import shlex
import sys
from pathlib import Path

import fits
import pytest

from attention_lib import language

pytest.importorskip("fcntl", reason="a class needs Linux")
ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "classroom"))
import remote  # noqa: E402
import settings  # noqa: E402

import classroom  # noqa: E402

LANGUAGES = ("zh", "en")
# Of JupyterLab, of JupyterHub's administration, which is English only, and of spreadsheets.
OTHERS = {
    "zh": {"Start All", "Start Server", "Stop Server", "文件 → Hub 控制面板", "下载", "另存为 CSV"},
    "en": {"Start All", "Start Server", "Stop Server", "Save as CSV", "Running"},
}


def guide(language):
    return (ROOT / "docs" / f"classroom.{language}.md").read_text(encoding="utf-8")


def commands(text):
    """The lines of all blocks of shell commands."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def classroom_commands(text):
    start = "sudo python3 classroom/classroom.py "
    return [shlex.split(line.removeprefix(start)) for line in commands(text) if line.startswith(start)]


def slug(heading):
    """A heading's anchor, as code-hosting sites make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_one(language, capsys):
    given = classroom_commands(guide(language))
    for words in given:
        try:
            classroom._parser().parse_args(words)
        except SystemExit:
            pytest.fail(f"{words}: {capsys.readouterr().err}")
    assert {words[0] for words in given} == set(classroom.COMMANDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_in_the_text_is_one_of_setup(language, capsys):
    with pytest.raises(SystemExit):
        classroom._parser().parse_args(["setup", "--help"])
    told = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) | {"--yes", "--homes", "--over"}
    outside = re.sub(r"(?ms)^```.*?^```$", "", guide(language))
    named = set(re.findall(r"`(--[a-z-]+)", outside))
    assert named >= {"--students", "--kernels", "--idle", "--file"}
    assert named <= told


def test_both_languages_have_the_same_commands_and_headings():
    zh, en = (commands(guide(language)) for language in LANGUAGES)
    assert len(zh) > 30
    assert [line.replace("--language zh", "--language en") for line in zh] == en
    levels = [re.findall(r"^(#+) ", guide(language), re.MULTILINE) for language in LANGUAGES]
    assert levels[0] == levels[1]
    bold = [len(re.findall(r"^\*\*", guide(language), re.MULTILINE)) for language in LANGUAGES]
    assert bold[0] == bold[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_and_files_of_this_repository_are_there(language):
    text = guide(language)
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        linked = ROOT / "docs" / target if target else ROOT / "docs" / f"classroom.{language}.md"
        assert linked.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), anchor
    for name in ("tests/classroom/load.py", "tests/classroom/fits.py", "requirements-test.txt",
                 "requirements-classroom.txt", "classroom/classroom.py", f"notebooks/{language}/00_start.ipynb"):
        assert name.removeprefix(f"notebooks/{language}/") in text
        assert (ROOT / name).is_file()
    assert f"docs/classroom.{language}.md" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_words_in_quotes_stand_on_the_page(spoken):
    words = "\n".join(text for key, text in language.texts(spoken).items() if key.startswith("hub."))
    words = words.replace("{most}", str(settings.Settings().kernels))
    quoted = {" ".join(one.split()) for one in re.findall("“([^”]+)”", guide(spoken))}
    assert len(quoted) >= 10
    lower = words.lower()
    assert [one for one in quoted - OTHERS[spoken] if one.lower() not in lower] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_usual_settings_are_those_of_the_code(language):
    text, usual = guide(language), settings.Settings()
    figure = f"{usual.memory:,}" if language == "en" else f"{usual.memory}"
    for said in (f"{figure} MB", f"{usual.file} MB", f"{usual.home} MB", f":{usual.port}", f"`{usual.prefix}01`",
                 f"`{usual.teacher}`", f"`{settings.FOLDER}", f"`{remote.FOLDER}/{usual.name}.conf`",
                 f"--unit {usual.name} "):
        assert said in text, said
    assert (usual.idle, usual.kernels, usual.teacher_may_look) == (60, 5, False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_are_those_of_the_load_test(language):
    assert guide(language) == fits.page(language, fits.figures())
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) GiB \|$", guide(language), re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(fits.CLASSES)


def test_a_machine_is_computed_from_the_figures():
    measured = fits.Figures(students=30, cores=2, memory_most_mb=256)
    assert [measured.machine(students) for students in (10, 30, 31, 60)] == [(2, 7), (2, 17), (3, 18), (4, 32)]
    assert fits.Figures().machine(30) == (2, 20)
