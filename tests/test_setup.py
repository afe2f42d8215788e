"""lesson.py and the packaging: what is asked for, what is skipped, what is said; importing from anywhere."""

import importlib.metadata
import json
import os
import re
import string
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from attention_lib import command, language

ROOT = Path(__file__).resolve().parent.parent
TEXT = ROOT / "attention_lib" / "text"


@pytest.fixture
def lesson(monkeypatch, tmp_path):
    """lesson.py in a folder of its own, on a machine that speaks English; what it would run is only written down."""
    folder = tmp_path / "注意力 lesson"
    for name in ("requirements.txt", "requirements-site.txt", "requirements-test.txt", "constraints.txt",
                 "pyproject.toml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "jupyter-config").mkdir()
    for name in ("attention_lib.json", "ipython_kernel_config.py"):
        (folder / "jupyter-config" / name).write_text("", encoding="utf-8")
    (folder / ".venv").mkdir()
    monkeypatch.setattr(command, "ROOT", folder)
    monkeypatch.setattr(command, "VENV", folder / ".venv")
    monkeypatch.setattr(language, "_chosen", "en")
    monkeypatch.setattr(command, "works", lambda python: True)
    monkeypatch.setattr(command, "user_language", lambda: "en")
    monkeypatch.setattr(command, "find_browser", lambda: "/usr/bin/browser")
    monkeypatch.setattr(command, "can_set_up_a_class", lambda: True)
    monkeypatch.delenv("ATTENTION_BROWSER", raising=False)
    return Recorder(monkeypatch, folder)


class Recorder:
    def __init__(self, monkeypatch, folder):
        self.folder, self.installed, self.ran, self.fail = folder, [], [], ()
        monkeypatch.setattr(command, "quiet_run", self.quiet_run)
        monkeypatch.setattr(command, "run", self.run)

    def quiet_run(self, line, failure):
        self.installed.append(line)
        (self.folder / ".venv").mkdir(exist_ok=True)

    def run(self, python, module, *arguments):
        self.ran.append([module, *arguments])
        return int(any(word in self.ran[-1] for word in self.fail))


@pytest.mark.parametrize(("arguments", "notebook", "passed_on"), [
    ([], "notebooks/en/00_start.ipynb", []),
    (["zh"], "notebooks/zh/00_start.ipynb", []),
    (["en", "--no-browser"], "notebooks/en/00_start.ipynb", ["--no-browser"]),
    (["--no-browser", "--port", "9999"], "notebooks/en/00_start.ipynb", ["--no-browser", "--port", "9999"]),
])
@pytest.mark.parametrize(("user", "as_root"), [(0, ["--allow-root"]), (1000, [])])
def test_the_lesson_opens_in_the_chosen_language(lesson, capsys, monkeypatch, arguments, notebook, passed_on, user,
                                                 as_root):
    monkeypatch.setattr(command.os, "geteuid", lambda: user, raising=False)
    assert command.main(arguments) == 0
    page = f"--LabApp.default_url=/lab/tree/{notebook}"
    assert lesson.ran == [["jupyterlab", f"--ServerApp.root_dir={lesson.folder}", page, *as_root, *passed_on]]
    assert notebook in capsys.readouterr().out


def test_the_language_of_the_machine_is_the_default(lesson, monkeypatch, capsys):
    monkeypatch.setattr(command, "user_language", lambda: "zh")
    assert command.main([]) == 0
    assert "--LabApp.default_url=/lab/tree/notebooks/zh/00_start.ipynb" in lesson.ran[0]
    assert "正在打开" in capsys.readouterr().out


def test_pip_runs_only_when_what_is_asked_for_has_changed(lesson):
    command.main([])
    command.main([])
    assert len(lesson.installed) == 1
    assert lesson.installed[0][-4:] == ["-r", "requirements.txt", "-c", "constraints.txt"]
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml"):
        before = len(lesson.installed)
        with (lesson.folder / name).open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")
        command.main([])
        command.main([])
        assert len(lesson.installed) == before + 1


def test_tests_install_more_and_only_once(lesson):
    command.main([])
    command.main(["test"])
    command.main(["test"])
    assert len(lesson.installed) == 2
    assert lesson.installed[1][-8:-2] == ["-r", "requirements.txt", "-r", "requirements-site.txt", "-r",
                                          "requirements-test.txt"]


def test_the_website_is_built_where_the_reader_said(lesson, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert command.main(["site", "here"]) == 0
    assert command.main(["site"]) == 0
    assert [ran[0] for ran in lesson.ran] == ["attention_lib.website"] * 2
    assert [ran[2] for ran in lesson.ran] == [str(tmp_path / "here"), str(lesson.folder / "site")]
    assert lesson.installed[0][-4:-2] == ["-r", "requirements-site.txt"]
    assert command.main(["site", "--help"]) == 1
    assert "lesson.py site" in capsys.readouterr().err
    assert len(lesson.ran) == 2


def test_a_moved_folder_is_installed_anew(lesson, monkeypatch):
    before = command.fingerprint(command.LEARNER)
    moved = lesson.folder.with_name("moved")
    lesson.folder.rename(moved)
    monkeypatch.setattr(command, "ROOT", moved)
    assert command.fingerprint(command.LEARNER) != before


def test_a_failed_installation_is_tried_again(lesson, monkeypatch, capsys):
    def fails(line, failure):
        raise command.Stop("no")

    monkeypatch.setattr(command, "quiet_run", fails)
    assert command.main([]) == 1
    assert lesson.ran == []
    assert not list((lesson.folder / ".venv").iterdir())
    assert capsys.readouterr().err.strip() == "no"


def test_all_groups_run_in_order(lesson, capsys):
    assert command.main(["test"]) == 0
    assert [ran[0] for ran in lesson.ran] == ["ruff", "pytest", "pytest", "pytest", "pytest"]
    assert "--ignore=tests/browser" in lesson.ran[1]
    assert "--nbval" in lesson.ran[2]
    assert lesson.ran[3] == ["pytest", "tests/browser"]
    assert lesson.ran[4] == ["pytest", "tests/classroom"]
    told = capsys.readouterr().out
    assert told.count("passed, 0 s") == 5
    assert told.rstrip().endswith("Nothing failed.")


def test_the_first_failure_stops_the_run_and_the_summary_says_so(lesson, capsys):
    lesson.fail = ("--nbval",)
    assert command.main(["test"]) == 1
    assert len(lesson.ran) == 3
    summary = capsys.readouterr().out.split("Summary:")[1].split("\n")
    assert [line.split(maxsplit=1) for line in summary[1:6]] == [
        ["ruff", "passed, 0 s"], ["unit", "passed, 0 s"], ["notebooks", "FAILED, 0 s"], ["browser", "not run"],
        ["classroom", "not run"]]


def test_single_groups(lesson, capsys):
    assert command.main(["test", "browser", "ruff"]) == 0
    assert [ran[0] for ran in lesson.ran] == ["ruff", "pytest"]
    assert command.main(["test", "everything"]) == 1
    assert "ruff, unit, notebooks, browser, classroom" in capsys.readouterr().err


def test_without_a_browser_its_tests_are_skipped_in_words(lesson, monkeypatch, capsys):
    monkeypatch.setattr(command, "find_browser", lambda: None)
    assert command.main(["test"]) == 0
    assert [ran[-1] for ran in lesson.ran[2:]] == ["notebooks", "tests/classroom"]
    assert "skipped: no Chromium, Chrome or Edge found" in capsys.readouterr().out


def test_without_a_browser_required_tests_fail(lesson, monkeypatch, capsys):
    monkeypatch.setattr(command, "find_browser", lambda: None)
    monkeypatch.setenv("ATTENTION_BROWSER", "required")
    assert command.main(["test"]) == 1
    assert "FAILED: browser tests are required" in capsys.readouterr().out


@pytest.mark.parametrize(("platform", "user", "possible"), [
    ("linux", 0, True), ("linux", 1000, False), ("darwin", 0, False), ("win32", None, False)])
def test_a_class_is_set_up_by_root_on_linux(monkeypatch, platform, user, possible):
    monkeypatch.setattr(command.sys, "platform", platform)
    monkeypatch.setattr(command.os, "geteuid", lambda: user, raising=False)
    assert command.can_set_up_a_class() is possible


@pytest.mark.parametrize(("required", "code", "told"), [
    (None, 0, "skipped: a class is set up only on Linux and only by root"),
    ("required", 1, "FAILED: classroom tests are required"),
])
def test_where_no_class_can_be_set_up_its_tests_are_skipped_in_words(lesson, monkeypatch, capsys, required, code, told):
    monkeypatch.setattr(command, "can_set_up_a_class", lambda: False)
    monkeypatch.delenv("ATTENTION_CLASSROOM", raising=False)
    if required:
        monkeypatch.setenv("ATTENTION_CLASSROOM", required)
    assert command.main(["test"]) == code
    assert lesson.ran[-1] == ["pytest", "tests/browser"]
    assert told in capsys.readouterr().out


@pytest.mark.parametrize("group", ["browser", "classroom"])
def test_a_required_test_that_skips_itself_fails(tmp_path, group):
    folder = tmp_path / "tests" / group
    folder.mkdir(parents=True)
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_one.py").write_text("import pytest\n\n\ndef test():\n    pytest.skip('no')\n", encoding="utf-8")
    (folder / "test_two.py").write_text("import pytest\npytest.importorskip('no_such_module')\n", encoding="utf-8")
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"tests/{group}"]
    free = {name: value for name, value in os.environ.items() if name[:10] != "ATTENTION_"}
    free["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    assert "2 skipped" in subprocess.run(run, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
                                         env=free).stdout
    required = subprocess.run([*run, "--continue-on-collection-errors"], cwd=tmp_path, capture_output=True,
                              encoding="utf-8", check=False, env=free | {f"ATTENTION_{group.upper()}": "required"})
    assert required.returncode == 1
    assert "1 failed, 1 error" in required.stdout


def test_an_unknown_word_gets_the_usage(lesson, capsys):
    assert command.main(["tset"]) == 1
    told = capsys.readouterr().err
    assert '"tset" is not known here.' in told
    assert "python3 lesson.py test" in told
    assert lesson.ran == []
    assert command.main(["--help"]) == 0
    assert "python3 lesson.py test" in capsys.readouterr().out


def test_worksheets_are_made_in_the_environment_with_paths_that_hold_in_any_folder(lesson, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(["worksheets", "--class-list", "class.csv", "--language", "zh", "--seed", "5"]) == 0
    assert lesson.ran == [["attention_lib.worksheets", "--language", "zh", "--paper", "a4", "--class-list",
                           str(tmp_path / "class.csv"), "--seed", "5", "--out", str(tmp_path / "worksheets")]]
    assert len(lesson.installed) == 1


def test_a_slip_or_a_question_about_worksheets_is_answered_before_anything_is_installed(lesson, capsys):
    assert command.main(["worksheets", "--students", "many", "--language", "en"]) == 1
    assert '--students cannot be "many"' in capsys.readouterr().err
    assert command.main(["worksheets", "--help", "--language", "zh"]) == 0
    assert "--class-list" in capsys.readouterr().out
    assert (lesson.installed, lesson.ran) == ([], [])


def test_a_python_without_venv_is_told_the_package(lesson, monkeypatch, capsys):
    monkeypatch.setattr(command, "works", lambda python: False)
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)
    assert command.main([]) == 1
    assert f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in capsys.readouterr().err


def test_a_broken_environment_is_made_anew(lesson, monkeypatch):
    monkeypatch.setattr(command, "works", lambda python: False)
    (lesson.folder / ".venv" / "left over").write_text("", encoding="utf-8")
    command.main([])
    assert lesson.installed[0] == [sys.executable, "-m", "venv", str(lesson.folder / ".venv")]
    assert not (lesson.folder / ".venv" / "left over").exists()


@pytest.mark.parametrize(("printed", "said"), [
    ("NewConnectionError: Failed to establish a new connection", "The packages cannot be reached."),
    ("ERROR: No space left on device", "The installation failed"),
])
def test_a_failing_step_shows_its_last_lines_and_what_to_do(capsys, printed, said):
    language.choose("en")
    with pytest.raises(command.Stop) as stop:
        command.quiet_run([sys.executable, "-c", f"print({printed!r}); raise SystemExit(1)"], "command.install_failed")
    assert printed in str(stop.value)
    assert said in str(stop.value)
    assert capsys.readouterr().out == ""


def test_a_step_that_works_prints_nothing(capfd):
    command.quiet_run([sys.executable, "-c", "print('noise')"], "command.install_failed")
    assert capfd.readouterr() == ("", "")


def test_works_wants_a_python_that_starts_and_has_pip(tmp_path):
    assert command.works(sys.executable)
    assert not command.works(str(tmp_path / "python"))


@pytest.mark.parametrize("version", [(3, 10, 1), (3, 7, 0), (2, 7, 18)])
def test_an_old_python_is_told_in_words(version):
    code = f"import sys, runpy; sys.version_info = {version}; runpy.run_path({str(ROOT / 'lesson.py')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False,
                          env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 1
    assert f"needs Python 3.11 or newer; this is Python {version[0]}.{version[1]}." in done.stderr
    assert ("这门课需要 Python 3.11" in done.stderr) is (version >= (3, 7))


def test_lesson_py_can_be_read_by_old_pythons():
    import ast

    tree = ast.parse((ROOT / "lesson.py").read_text(encoding="utf-8"), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]


def test_one_list_of_requirements():
    lines = [line for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert lines == [*project["dependencies"], "-e ."]


def test_every_requirement_is_pinned_to_a_version_that_fits():
    from attention_lib.doctor import fits

    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))
    lists = ((ROOT / name).read_text(encoding="utf-8") for name in (*command.TESTER, "requirements-classroom.txt"))
    asked = [line for text in lists for line in text.splitlines() if line[:1] not in ("#", "-")]
    assert len(asked) >= 13
    for line in asked:
        name, specifier = re.fullmatch(r"([\w.-]+)(.*)", line).groups()
        assert fits(pins[name], specifier), line


def test_the_page_and_its_server_extension_come_with_the_package():
    files = {str(file).replace("\\", "/") for file in importlib.metadata.files("attention-lib")}
    assert any(name.endswith("etc/jupyter/jupyter_server_config.d/attention_lib.json") for name in files)


def test_no_file_names_a_registry():
    hosts = re.compile(r"(?i)pypi\.org|pythonhosted|index-url *=|npmjs|anaconda\.org|deb\.debian")
    classroom = [path.relative_to(ROOT) for path in (ROOT / "classroom").rglob("*") if path.suffix in (".py", ".json")]
    for name in (".ci/run", "pyproject.toml", "requirements.txt", "requirements-site.txt", "requirements-test.txt",
                 "requirements-classroom.txt", "constraints.txt", "README.md", "README.zh.md", "CONTRIBUTING.md",
                 "attention_lib/command.py", *classroom):
        assert not hosts.search((ROOT / name).read_text(encoding="utf-8")), name


@pytest.mark.parametrize("folder", [".", "/", "注意力 课堂", "zh"])
def test_the_package_is_imported_from_any_folder(tmp_path, folder):
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "-c", "import attention_lib; print(attention_lib.__file__)"], cwd=place,
                          capture_output=True, encoding="utf-8", check=True, env=os.environ | {"PYTHONUTF8": "1"})
    assert Path(done.stdout.strip()) == ROOT / "attention_lib" / "__init__.py"


def test_importing_the_package_loads_no_heavy_library():
    heavy = "{'numpy', 'matplotlib', 'ipywidgets', 'fpdf', 'tqdm'}"
    code = f"import sys, attention_lib, attention_lib.doctor, attention_lib.command; print({heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("arguments", [
    ["lesson.py", "--help"],
    ["-m", "attention_lib.doctor", "--language", "zh"],
    ["tests/notebooks/pairs.py", "--help"],
    ["-c", "import attention_lib.server, attention_lib.command, attention_lib.begin, attention_lib.experiment"],
])
def test_no_script_of_ours_leaves_an_encoding_to_the_machine(arguments):
    done = subprocess.run([sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", *arguments],
                          cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
                          env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    assert "EncodingWarning" not in done.stderr
    assert done.returncode in (0, 2), done.stderr


@pytest.mark.parametrize("path", sorted({path.name for path in TEXT.glob("*/*.json")}))
def test_both_languages_have_the_same_texts_with_the_same_places(path):
    zh, en = (json.loads((TEXT / side / path).read_text(encoding="utf-8")) for side in ("zh", "en"))
    assert list(zh) == list(en)
    for key in zh:
        places = [{field for _, field, _, _ in string.Formatter().parse(side[key])} for side in (zh, en)]
        assert places[0] - {None} == places[1] - {None}, key


def test_no_key_of_the_texts_is_given_twice():
    for side in ("zh", "en"):
        keys = [key for path in sorted((TEXT / side).glob("*.json"))
                for key, _ in json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)]
        assert len(keys) == len(set(keys))
