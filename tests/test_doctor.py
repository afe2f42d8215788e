"""The doctor: what it says of machines that lack something; quick and silent where nothing is missing."""

import importlib.metadata
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attention_lib import doctor, language, machine

METADATA = """Metadata-Version: 2.4
Name: attention-lib
Version: 0.1.0
Requires-Python: >=3.11
Requires-Dist: numpy~=2.4
Requires-Dist: anywidget~=0.11.0

Requires-Dist: not-a-header~=1.0
"""


class Installed:
    """Stands for importlib.metadata.distribution on a machine with these versions."""

    def __init__(self, **versions):
        self.versions = versions

    def __call__(self, name):
        if name == doctor.DISTRIBUTION:
            return self.told(METADATA)
        if name not in self.versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return self.told(f"Metadata-Version: 2.1\nName: {name}\nVersion: {self.versions[name]}\n\nlong\n")

    def told(self, text):
        return type("Distribution", (), {"read_text": lambda self, file: text if file == "METADATA" else None})()


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)


def missing(monkeypatch, **versions):
    monkeypatch.setattr(importlib.metadata, "distribution", Installed(**versions))
    return doctor.missing()


def test_silent_where_all_is_well_and_within_milliseconds():
    assert doctor.missing() == []
    took = []
    for _ in range(5):
        started = time.perf_counter()
        doctor.missing()
        took.append(time.perf_counter() - started)
    assert min(took) < 0.05


def test_versions_that_fit_say_nothing(monkeypatch):
    assert missing(monkeypatch, numpy="2.4.6", anywidget="0.11.0") == []


def test_a_missing_package_is_named_with_what_to_do(monkeypatch):
    absent, advice = missing(monkeypatch, anywidget="0.11.2")
    assert absent == "numpy is missing (needed: ~=2.4)."
    assert "python3 lesson.py" in advice
    assert sys.executable in advice


def test_a_wrong_version_is_named_with_the_right_one(monkeypatch):
    wrong, _ = missing(monkeypatch, numpy="1.26.4", anywidget="0.11.0")
    assert wrong == "numpy is version 1.26.4; needed: ~=2.4."
    language.choose("zh")
    wrong, _ = missing(monkeypatch, numpy="2.4.6", anywidget="0.12.0")
    assert wrong == "anywidget 的版本是 0.12.0，需要 ~=0.11.0。"


def test_an_old_python_is_named(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    assert missing(monkeypatch, numpy="2.4.6", anywidget="0.11.0")[0] == "Python is version 3.10.2; needed: >=3.11."


def test_the_package_itself_may_be_missing(monkeypatch):
    def nothing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", nothing)
    assert doctor.missing()[0] == "attention-lib itself is not installed in this Python."


@pytest.mark.parametrize(("found", "specifier", "ok"), [
    ("2.4.6", "~=2.4", True), ("2.10", "~=2.4", True), ("3.0", "~=2.4", False), ("2.3.9", "~=2.4", False),
    ("0.11.7", "~=0.11.0", True), ("0.12.0", "~=0.11.0", False), ("3.11.0", ">=3.11", True), ("4.0rc1", "~=4.0", True),
    ("2026.10.19.post1", ">=2026.2", True), ("2.4.1", ">=2.0,~=2.4", True), ("1.9", "", True), ("2", "~=2.0", False),
])
def test_which_versions_fit(found, specifier, ok):
    assert doctor.fits(found, specifier) is ok


def test_a_form_of_requirement_it_cannot_judge_is_refused():
    with pytest.raises(ValueError, match="=="):
        doctor.fits("1.0", "==1.0")


def test_pyproject_uses_only_forms_the_doctor_can_judge():
    needed = [finding for finding in doctor.examine() if finding.needed]
    assert len(needed) >= 1 + 7 + 2 + 1
    assert all(finding.ok for finding in needed)


@pytest.mark.parametrize("name", ["numpy.py", "random.py", "traitlets/__init__.py", "attention_lib.py"])
def test_a_local_file_in_the_place_of_a_library_is_named(tmp_path, monkeypatch, name):
    monkeypatch.syspath_prepend("")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("", encoding="utf-8")
    said = [text for text in doctor.missing() if "in place of the real one" in text]
    assert len(said) == 1
    assert str(tmp_path / Path(name).parts[0]) in said[0]


def test_own_files_and_plain_folders_shadow_nothing(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend("")
    (tmp_path / "numpy").mkdir()
    (tmp_path / "homework.py").write_text("", encoding="utf-8")
    assert doctor.missing() == []
    monkeypatch.chdir(Path(doctor.__file__).parent.parent)
    assert doctor.missing() == []


def test_a_missing_front_end_of_this_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "_extension_folders", lambda prefix: iter([tmp_path]))
    said = doctor.missing()
    assert said[0].startswith("The page's part of ipywidgets is not in")
    assert said[1].startswith("The page's part of anywidget is not in")


def test_a_server_in_another_environment_without_the_front_ends(monkeypatch, tmp_path):
    server = tmp_path / "server env"
    monkeypatch.setattr(doctor, "_commands_above", lambda: [["bash"], server_command(server)])
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    monkeypatch.setattr(doctor, "_extension_folders", lambda prefix: iter([prefix / "share/jupyter/labextensions"]))
    said = doctor.missing()
    assert [text.split(",")[0] for text in said[:2]] == ["JupyterLab runs in another environment"] * 2
    assert f"environment, {server}, which lacks the page's part of ipywidgets" in said[0]
    for folder in doctor.FRONT_ENDS.values():
        package = server / "share" / "jupyter" / "labextensions" / folder / "package.json"
        package.parent.mkdir(parents=True)
        package.write_text("{}", encoding="utf-8")
    assert doctor.missing() == []
    assert any("each has packages of its own" in finding.text for finding in doctor.examine())


def server_command(prefix):
    return [str(prefix / "bin" / "python"), str(prefix / "bin" / "jupyter-lab"), "--no-browser"]


@pytest.mark.parametrize(("command", "prefix"), [
    (["/opt/a/bin/python", "/opt/a/bin/jupyter-lab"], "/opt/a"),
    (["/opt/a/bin/python3.12", "-m", "jupyterlab", "x.ipynb"], "/opt/a"),
    (["/opt/a/bin/python", "-m", "jupyter", "lab"], "/opt/a"),
    (["/opt/a/bin/python", "/opt/a/bin/jupyterhub-singleuser"], "/opt/a"),
    (["/opt/a/bin/python", "-m", "notebook"], "/opt/a"),
    (["/opt/a/bin/python", "/opt/a/bin/jupyter-nbconvert", "--execute"], None),
    (["/opt/a/bin/python", "-m", "pytest", "--nbval"], None),
    (["python", "-m", "jupyterlab"], None),
    (["/bin/bash"], None),
    ([], None),
])
def test_which_processes_are_servers(command, prefix):
    assert doctor.server_environment(command) == (prefix and Path(prefix))


def test_a_front_end_that_was_switched_off_is_found(monkeypatch):
    import jupyterlab_server.config

    settings = {"disabledExtensions": {"anywidget:plugin": True}}
    monkeypatch.setattr(jupyterlab_server.config, "get_page_config", lambda path: settings)
    assert "Run: jupyter labextension enable anywidget" in next(f.text for f in doctor.examine() if not f.ok)


@pytest.mark.parametrize(("files", "on"), [
    ({}, False),
    ({"attention_lib": True}, True),
    ({"attention_lib": True, "attention_lib.server": False}, False),
    ({"other": None, "attention_lib": True}, True),
])
def test_whether_the_server_extension_is_on(tmp_path, files, on):
    folder = tmp_path / "etc" / "jupyter" / "jupyter_server_config.d"
    folder.mkdir(parents=True)
    for name, value in files.items():
        extensions = {} if value is None else {doctor.EXTENSION: value}
        text = json.dumps({"ServerApp": {"jpserver_extensions": extensions}})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    finding = doctor._speed(tmp_path)
    assert (finding.ok, finding.needed) == (on, False)


def test_start_says_what_is_missing_and_nothing_else(monkeypatch, capsys):
    from attention_lib import start

    start("en")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(importlib.metadata, "distribution", Installed(anywidget="0.11.0"))
    start("zh")
    assert capsys.readouterr().out.startswith("缺少 numpy（需要 ~=2.4）。\n怎么办")


def test_a_folder_that_is_gone_is_no_trouble(monkeypatch):
    def gone():
        raise FileNotFoundError

    monkeypatch.setattr(Path, "cwd", gone)
    assert doctor.missing() == []


def test_no_font_no_browser(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "PACKAGE", tmp_path)
    monkeypatch.setattr(doctor, "find_browser", lambda: None)
    bad = [finding for finding in doctor.examine() if not finding.ok]
    assert [finding.needed for finding in bad if "font" in finding.text] == [True]
    assert [finding.needed for finding in bad if "only the browser tests" in finding.text] == [False]


@pytest.mark.parametrize(("chosen", "well", "bad"), [
    ("zh", "一切就绪。", "缺少 numpy（需要 ~=2.4）。"),
    ("en", "Everything is there.", "numpy is missing (needed: ~=2.4)."),
])
def test_the_command_speaks_both_languages_and_its_exit_code_tells(monkeypatch, capsys, chosen, well, bad):
    assert doctor.main(["--language", chosen]) == 0
    assert well in capsys.readouterr().out
    monkeypatch.setattr(importlib.metadata, "distribution", Installed(anywidget="0.11.0"))
    assert doctor.main(["--language", chosen]) == 1
    told = capsys.readouterr().out
    assert bad in told
    assert well not in told


@pytest.mark.parametrize(("variables", "expected"), [
    ({"LANG": "zh_CN.UTF-8"}, "zh"), ({"LANG": "en_GB.UTF-8"}, "en"), ({"LANG": "C"}, "en"),
    ({"LANG": "zh_CN.GBK", "LC_ALL": "C.UTF-8"}, "en"), ({"LANG": "en_US", "LC_MESSAGES": "zh_TW"}, "zh"),
])
def test_the_language_of_the_machine(monkeypatch, variables, expected):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert machine.user_language() == expected


def test_a_browser_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_CHROMIUM", sys.executable)
    assert machine.find_browser() == sys.executable
    monkeypatch.setenv("ATTENTION_CHROMIUM", str(tmp_path / "none"))
    assert machine.find_browser() is None


def test_in_the_real_kernel_environment_from_the_command_line():
    done = subprocess.run([sys.executable, "-m", "attention_lib.doctor", "--language", "en"], check=False,
                          capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok     numpy" in done.stdout
