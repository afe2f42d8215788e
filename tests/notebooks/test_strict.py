"""nbval in its strict mode: what was stored passes, and one altered digit in it fails."""

import json
import os
import re
import subprocess
import sys

import pytest
from files import ROOT
from small import small_notebook
from store import store

from attention_lib.command import GROUPS


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = small_notebook(tmp_path_factory.mktemp("strict") / "small.ipynb")
    store(path)
    return json.loads(path.read_text(encoding="utf-8"))


def strict(path, folder=None):
    """Exit code and report of the very command that checks the lesson's notebooks, on this one, from any folder."""
    command = [*GROUPS["notebooks"][:-1], "-p", "conftest", str(path)]
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder or path.parent, capture_output=True,
                          encoding="utf-8", env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=240, check=False)
    return done.returncode, done.stdout + done.stderr


def other_digit(text):
    """``text`` with its last digit after a decimal point replaced by another."""
    at = [match.end() - 1 for match in re.finditer(r"\.\d+", text)][-1]
    return text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:]


def alter(notebook, kind):
    """Alter one digit in the first stored output of that kind, a stream's name or a MIME type."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            holder = output if kind == output.get("name") else output.get("data", {})
            key = "text" if holder is output else kind
            if key in holder:
                holder[key] = other_digit("".join(holder[key]))
                return cell["id"]
    raise AssertionError(f"no output of kind {kind}")


@pytest.mark.parametrize("folder", [None, ROOT.anchor])
def test_what_was_stored_passes(stored, tmp_path, folder):
    path = tmp_path / "注意力 课堂" / "small.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(stored), encoding="utf-8")
    code, report = strict(path, folder)
    assert code == 0, report
    assert "4 passed" in report


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "stdout"])
def test_one_altered_digit_fails(stored, tmp_path, kind):
    notebook = json.loads(json.dumps(stored))
    cell = alter(notebook, kind)
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    code, report = strict(path)
    assert code == 1, report
    assert "1 failed, 3 passed" in report
    assert f"Cell {cell[-1]}: Cell outputs differ" in report
    assert f"mismatch '{kind}'" in report
