"""The teacher's new notebook and a student's own: nothing a student wrote is lost, and the result is a notebook."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lib.hub.merge import main, merge


def notebook(*cells, **metadata):
    return {"cells": [cell(*one) if isinstance(one, tuple) else cell(one) for one in cells],
            "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def cell(number, text=None, outputs=()):
    return {"cell_type": "code", "id": number, "metadata": {}, "source": [text or f"text of {number}"],
            "outputs": list(outputs), "execution_count": None}


def ids(merged):
    return [one["id"] for one in merged["cells"]]


def texts(merged):
    return {one["id"]: "".join(one["source"]) for one in merged["cells"]}


BASE = notebook("a", "b", "c")


@pytest.mark.parametrize(("mine", "theirs", "wanted"), [
    (("a", "b", "c"), ("a", ("b", "new"), "c"), {"a": "text of a", "b": "new", "c": "text of c"}),
    (("a", ("b", "own"), "c"), ("a", "b", ("c", "new")), {"a": "text of a", "b": "own", "c": "new"}),
    (("a", ("b", "own"), "c"), ("a", ("b", "new"), "c"), {"a": "text of a", "b": "own", "c": "text of c"}),
    (("a", "c"), ("a", "b", ("c", "new")), {"a": "text of a", "c": "new"}),
    (("a", "c"), ("a", ("b", "new"), "c"), {"a": "text of a", "b": "new", "c": "text of c"}),
    (("a", "b", "mine", "c"), ("a", "c"), {"a": "text of a", "mine": "text of mine", "c": "text of c"}),
    (("a", ("b", "own"), "c"), ("a", "c"), {"a": "text of a", "b": "own", "c": "text of c"}),
    (("a", "b", "c", "mine"), ("a", "b", "c", "new"), {"a": "text of a", "b": "text of b", "c": "text of c",
                                                       "new": "text of new", "mine": "text of mine"}),
    (("c", "a", "b"), ("a", ("b", "new"), "c"), {"c": "text of c", "a": "text of a", "b": "new"}),
    (("a", "mine", "b", "c"), ("c", "b", "a"), {"c": "text of c", "b": "text of b", "a": "text of a",
                                               "mine": "text of mine"}),
    ((), ("a", ("b", "new"), "c"), {"b": "new"}),
])
def test_each_cell_goes_as_it_should(mine, theirs, wanted):
    assert texts(merge(BASE, notebook(*mine), notebook(*theirs))) == wanted
    assert ids(merge(BASE, notebook(*mine), notebook(*theirs))) == list(wanted)


def test_outputs_stay_where_the_text_stays():
    ran = notebook(("a", None, ["out"]), ("b", None, ["out"]), "c")
    merged = merge(BASE, ran, notebook("a", ("b", "new", ["teacher's"]), "c"))
    assert [one["outputs"] for one in merged["cells"]] == [["out"], ["teacher's"], []]


def test_cells_with_one_id_or_none_are_kept_apart():
    mine = notebook("a", "b", "c", ("a", "a copy"))
    assert [("".join(one["source"])) for one in merge(BASE, mine, BASE)["cells"]][-1] == "a copy"
    old = notebook("a", "b")
    for one in old["cells"]:
        del one["id"]
    assert len(merge(old, old, old)["cells"]) == 2


CELLS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["", "1", "2"])), unique_by=lambda one: one[0])


@settings(max_examples=100)
@given(CELLS, CELLS, CELLS)
def test_no_text_of_a_student_is_ever_lost(base, mine, theirs):
    base, mine, theirs = (notebook(*((number, f"{number}{text} ") for number, text in cells))
                          for cells in (base, mine, theirs))
    merged = merge(base, mine, theirs)
    assert len(set(ids(merged))) == len(ids(merged))
    for number, text in texts(mine).items():
        if texts(base).get(number) != text:
            assert texts(merged)[number] == text
    for number, text in texts(theirs).items():
        if number not in texts(mine) and texts(base).get(number) != text:
            assert texts(merged)[number] == text
    assert merge(base, base, theirs)["cells"] == theirs["cells"]
    assert merge(base, mine, base)["cells"] == mine["cells"]


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("broken", ["{", "[]", "0", '{"cells": [{}]}', "no notebook", "\ufeff{}"])
def test_what_is_no_notebook_stays_as_the_student_has_it(tmp_path, broken):
    mine = write(tmp_path / "mine", broken)
    assert main(write(tmp_path / "base", BASE), mine, write(tmp_path / "theirs", notebook("a"))) == 0
    assert (tmp_path / "mine").read_text(encoding="utf-8") == broken


def test_the_merged_file_is_written_as_notebooks_are(tmp_path):
    mine = write(tmp_path / "mine", notebook("a", ("b", "注意力"), "c"))
    base = write(tmp_path / "base", "")
    assert main(base, mine, write(tmp_path / "theirs", notebook("a", "b", "c", "d"))) == 0
    text = (tmp_path / "mine").read_text(encoding="utf-8")
    assert "注意力" in text
    assert text.endswith("}\n")
    assert ids(json.loads(text)) == ["a", "b", "c", "d"]


def test_an_empty_file_becomes_the_teachers(tmp_path):
    mine, theirs = write(tmp_path / "mine", ""), write(tmp_path / "theirs", notebook("a"))
    assert main(write(tmp_path / "base", BASE), mine, theirs) == 0
    assert json.loads((tmp_path / "mine").read_text(encoding="utf-8")) == notebook("a")
