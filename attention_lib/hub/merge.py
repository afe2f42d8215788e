"""A student's notebook and the teacher's new one, put together cell by cell.

git merges lines, which can leave a notebook that no program opens. This takes cells, by their ids, and never gives up:
what a student wrote stays, what a student left alone becomes the teacher's new text. Git runs it as a merge driver:
``python -m attention_lib.hub.merge BASE MINE THEIRS``; the result is written to MINE. Standard library only.
"""

import json
import sys
from pathlib import Path

_NOTHING = {"cells": [], "metadata": {}}


def merge(base: dict, mine: dict, theirs: dict) -> dict:
    """The notebook to go on with.

    base: as it was handed out; mine: as the student left it; theirs: as the teacher hands it out now.
    A cell the student edited or added stays as it is. A cell the student only ran, or did not touch, follows the
    teacher: changed, moved or taken out. A cell the student deleted comes back only if the teacher has changed it.
    """
    was, own, new = (_by_id(notebook) for notebook in (base, mine, theirs))
    kept = {}
    for key in own | new:
        cell = _choose(was.get(key), own.get(key), new.get(key))
        if cell is not None:
            kept[key] = cell
    moved = [key for key in was if key in new] != [key for key in new if key in was]
    order = _weave(list(new), list(own)) if moved else _weave(list(own), list(new))
    merged = dict(theirs)
    merged["cells"] = [kept[key] for key in order if key in kept]
    if mine.get("metadata") != base.get("metadata"):
        merged["metadata"] = mine["metadata"]
    merged["nbformat_minor"] = max(mine.get("nbformat_minor", 0), theirs.get("nbformat_minor", 0))
    return merged


def _choose(was: dict | None, own: dict | None, new: dict | None) -> dict | None:
    if own is None:
        return new if was is None or _text(new) != _text(was) else None
    edited = was is None or _text(own) != _text(was)
    if new is None:
        return own if edited else None
    return own if edited or _text(new) == _text(own) else new


def _weave(backbone: list[str], others: list[str]) -> list[str]:
    """``backbone`` with the ``others`` it lacks, each after the one it followed before."""
    order, before = list(backbone), None
    for key in others:
        if key not in order:
            order.insert(order.index(before) + 1 if before is not None else 0, key)
        before = key
    return order


def _by_id(notebook: dict) -> dict[str, dict]:
    cells = {}
    for cell in notebook["cells"]:
        # A copied cell may bear the same id, cells of old notebooks bear none.
        key, number = cell.get("id", "none"), 0
        while key in cells:
            number += 1
            key = f"{cell.get('id', 'none')} {number}"
        cells[key] = cell
    return cells


def _text(cell: dict) -> tuple[str, str]:
    return cell["cell_type"], "".join(cell["source"])


def _read(path: Path) -> dict:
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text) if text else _NOTHING
    _by_id(notebook)
    for cell in notebook["cells"]:
        _text(cell)
    return notebook


def main(base: str, mine: str, theirs: str) -> int:
    """Write the merged notebook to ``mine``; a file that is no notebook (any more) stays as the student has it.

    An empty one, as a full disk may leave it, becomes the teacher's.
    """
    if not Path(mine).stat().st_size:
        Path(mine).write_bytes(Path(theirs).read_bytes())
        return 0
    try:
        merged = merge(*(_read(Path(path)) for path in (base, mine, theirs)))
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0
    Path(mine).write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
