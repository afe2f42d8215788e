"""The rules of repo2docker, which builds this repository for Binder, as its documentation has them."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BINDER = ROOT / "binder"
# Of these repo2docker takes the first that it finds, before requirements.txt.
BEFORE = ("Dockerfile", "default.nix", "environment.yml", "environment.yaml", "install.R", "DESCRIPTION",
          "Project.toml", "REQUIRE", "Pipfile", "Pipfile.lock", "setup.py")


def test_only_the_folder_binder_counts_and_nothing_in_it_hides_the_requirements():
    assert not (ROOT / ".binder").exists()
    assert {path.name for path in BINDER.iterdir()} == {"requirements.txt", "runtime.txt"}
    assert not {path.name for path in BINDER.iterdir()} & set(BEFORE)


def test_the_python_is_one_that_the_lesson_supports_and_the_pins_are_for():
    minor = int(re.fullmatch(r"python-3\.(\d+)\n", (BINDER / "runtime.txt").read_text(encoding="utf-8"))[1])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert minor == int(re.fullmatch(r">=3\.(\d+)", project["requires-python"])[1])


def test_it_installs_what_a_learner_gets_with_the_pinned_versions():
    lines = [line for line in (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert lines == ["-r ../requirements.txt", "-c ../constraints.txt"]
    # pip reads these paths beside the file, and "-e ." from where it runs, which is the root of the repository.
    for line in lines:
        assert (BINDER / line.split()[1]).resolve().is_file()
    assert "-e ." in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()


def test_the_address_in_the_readme_opens_the_first_lesson():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    opened = re.findall(r"urlpath=lab/tree/(\S+?\.ipynb)", readme)
    assert {"notebooks/zh/00_start.ipynb", "notebooks/en/00_start.ipynb"} == set(opened)
    assert all((ROOT / path).is_file() for path in opened)
