"""Storing outputs: complete, free of noise, the same each time."""

import json

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from small import PANEL, SETUP, small_notebook
from store import VIEW, clean, main, store


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = small_notebook(tmp_path_factory.mktemp("课 堂") / "zh" / "small.ipynb", "zh")
    assert store(path) is True
    return path


def test_a_second_run_changes_no_byte(stored):
    before = stored.read_bytes()
    assert store(stored) is False
    assert stored.read_bytes() == before


def test_everything_shown_is_stored_and_nothing_of_the_run(stored):
    text = stored.read_text(encoding="utf-8")
    notebook = json.loads(text)
    nbformat.validate(notebook)
    assert [cell["id"] for cell in notebook["cells"]] == ["heading", "code-0", "code-1", "code-2", "code-3"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [1, 2, 3, 4]
    assert [len(cell["outputs"]) for cell in code] == [0, 1, 1, 1]
    assert {VIEW, "text/html", "text/plain"} <= set(code[1]["outputs"][0]["data"])
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert "我爱你" in text
    assert text.endswith("}\n")
    assert text.startswith('{\n "cells"')
    assert "\r" not in text


def test_slides_are_kept_and_other_marks_of_a_session_are_not():
    cell = nbformat.v4.new_code_cell("w", metadata={"slideshow": {"slide_type": "skip"}, "scrolled": True})
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"rise": {"theme": "sky"}, "widgets": {}})
    clean(notebook, "zh/a.ipynb")
    assert cell.metadata == {"slideshow": {"slide_type": "skip"}}
    assert set(notebook.metadata) == {"kernelspec", "language_info", "rise"}
    assert notebook.metadata["rise"] == {"scroll": True}


def test_widget_ids_differ_from_cell_to_cell_and_notebook_to_notebook():
    def ids(name):
        cells = [nbformat.v4.new_code_cell("w", id=key, outputs=[
            nbformat.v4.new_output("display_data", {VIEW: {"model_id": "random"}}) for _ in range(2)]) for key in "ab"]
        notebook = nbformat.v4.new_notebook(cells=cells)
        clean(notebook, name)
        return [output.data[VIEW].model_id for cell in cells for output in cell.outputs]

    assert ids("zh/a.ipynb") == ids("zh/a.ipynb")
    assert len({*ids("zh/a.ipynb"), *ids("en/a.ipynb")}) == 8


@pytest.mark.parametrize(("code", "error", "message"), [
    ("1 / 0", CellExecutionError, "ZeroDivisionError"),
    ("import sys\nprint('oh', file=sys.stderr)", ValueError, "writes to stderr: oh"),
])
def test_a_notebook_that_fails_is_left_as_it_was(tmp_path, capsys, code, error, message):
    path = small_notebook(tmp_path / "bad.ipynb", code=[code])
    before = path.read_bytes()
    with pytest.raises(error, match=message):
        store(path)
    assert main([str(path)]) == 1
    assert message in capsys.readouterr().out
    assert path.read_bytes() == before


def test_the_set_up_cell_prints_nothing(stored):
    setup = nbformat.read(stored, as_version=4).cells[1]
    assert setup.source == SETUP.replace("{language}", "zh")
    assert setup.outputs == []
    assert PANEL in nbformat.read(stored, as_version=4).cells[2].source
