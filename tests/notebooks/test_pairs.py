"""The Chinese and English notebooks belong together; and the tool that says so sees when they do not."""

import nbformat
import pairs
import pytest
from pairs import changed, code_names, prose_comments, read_lock, texts, unequal
from small import small_notebook


def test_the_lessons_notebooks_are_equal_where_they_must_be():
    assert unequal() == []


def test_every_text_was_looked_at_in_both_languages():
    assert changed(texts(), read_lock()) == []


@pytest.fixture
def folder(tmp_path):
    for language in ("zh", "en"):
        small_notebook(tmp_path / language / "01_small.ipynb", language)
    return tmp_path


def edit(folder, language, change):
    path = folder / language / "01_small.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def test_a_pair_is_equal(folder):
    assert unequal(folder) == []


def set_source(index, source):
    return lambda notebook: notebook.cells[index].update(source=source)


@pytest.mark.parametrize(("change", "message"), [
    (set_source(0, "# A small lesson\n\n$Q K^T$ gives `scores`."), "formulas differ"),
    (set_source(0, "# A small lesson\n\n$QK^T$ gives `weights`."), "formulas differ"),
    (set_source(0, "# A small lesson\n\n$QK^T$ and $QK^T$ give `scores`."), "formulas differ"),
    (set_source(0, "## A small lesson\n\n$QK^T$ gives `scores`."), "heading levels"),
    (set_source(3, "print(e.steps.weights.round(3))"), "code differs"),
    (set_source(1, 'from attention_lib import Experiment, show, start\nstart("zh")'), "code differs"),
    (lambda notebook: notebook.cells.reverse(), "ids or types differ"),
    (lambda notebook: notebook.cells.pop(), "ids or types differ"),
    (lambda notebook: notebook.cells[0].update(id="other"), "ids or types differ"),
    (lambda notebook: notebook.cells[1].metadata.update(tags=["a"]), "metadata"),
])
def test_one_change_on_one_side_is_seen(folder, change, message):
    edit(folder, "en", change)
    found = unequal(folder)
    assert len(found) == 1
    assert message in found[0]


def test_a_notebook_of_one_language_only_is_seen(folder):
    small_notebook(folder / "zh" / "02_more.ipynb", "zh")
    assert unequal(folder) == ["02_more.ipynb: only in zh"]


def test_prose_in_a_comment_is_seen(folder):
    for language in ("zh", "en"):
        edit(folder, language, set_source(3, "x = 1  # the first number"))
    assert unequal(folder) == ["01_small.ipynb, cell code-2: prose in a comment: # the first number"]


@pytest.mark.parametrize("comment", [
    "# (3, 2)", "# (n, d_k)", "# Q Kᵀ / √d_k", "# Σ = 1", "# scores[0, 1] = Q[0] · K[1]", "# (n_q, n_k) @ (n_k, d_v)",
])
def test_shapes_and_formulas_may_stand_in_comments(comment):
    assert prose_comments(f"%time 1\nx = 1  {comment}", set()) == []


@pytest.mark.parametrize("comment", ["# 分数", "# each row", "# NBVAL_IGNORE_OUTPUT", "# TODO"])
def test_words_may_not_stand_in_comments(comment):
    assert prose_comments(f"x = 1  {comment}", {"x"}) == [comment]


def test_names_of_the_code_may_stand_in_its_comments(folder):
    assert "weights" in code_names(pairs.read(folder / "en" / "01_small.ipynb"))
    assert prose_comments("x = 1  # my_rows", {"my_rows"}) == []


def test_the_lock_names_the_side_to_look_at(folder):
    lock = texts(folder)
    assert changed(texts(folder), lock) == []
    edit(folder, "zh", set_source(0, "# 小课程\n\n由 $QK^T$ 得到 `scores`。"))
    assert changed(texts(folder), lock) == ["01_small.ipynb, cell heading: zh changed and en did not: look at en"]
    edit(folder, "en", set_source(0, "# A little lesson\n\n$QK^T$ gives `scores`."))
    assert changed(texts(folder), lock) == [
        "01_small.ipynb, cell heading: changed in both languages: read both side by side"]
    assert changed(texts(folder), {}) == ["01_small.ipynb, cell heading: new: read both side by side"]
    assert changed({}, lock) == ["01_small.ipynb, cell heading: gone: read both side by side"]


def test_accepting_writes_the_lock_of_equal_pairs_only(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pairs, "LOCK", tmp_path / "lock.json")
    for function in (unequal, texts):
        monkeypatch.setattr(pairs, function.__name__, lambda given=function: given(folder))
    assert pairs.main([]) == 1
    assert "new" in capsys.readouterr().out
    assert pairs.main(["--accept"]) == 0
    assert pairs.main([]) == 0
    edit(folder, "en", set_source(3, "1"))
    before = pairs.LOCK.read_bytes()
    edit(folder, "zh", set_source(0, "# 小课"))
    assert pairs.main(["--accept"]) == 1
    assert "code differs" in capsys.readouterr().out
    assert pairs.LOCK.read_bytes() == before
