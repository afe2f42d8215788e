"""Which cell begins a slide: ``python tests/notebooks/slides.py`` writes it into all notebooks, or those named.

The rule looks at what both languages share, the order, kind and headings of the cells and their code, so both get the
same slides. Lessons written by it run in jupyterlab-rise and as ``jupyter nbconvert --to slides``.
"""

import re
import sys
from pathlib import Path

import nbformat
from files import ROOT, all_notebooks
from store import RISE, VIEW


def kinds(cells) -> list[str]:
    """The slide type of each cell: slide, subslide, fragment, skip, or "-" for one that goes on where the last ended.

    A section and the questions, panels and explanations in it begin slides of their own. What to try comes step by step
    under its panel, a note under its code, a check at once under its exercise, and so the button of the
    projector mode under what is said of it; the set-up is not shown.
    """
    found = []
    for number, cell in enumerate(cells):
        before = cells[number - 1] if number else None
        found.append(_code(cell) if cell.cell_type == "code" else _text(cell, before))
    return found


def _code(cell):
    if "\nstart(" in cell.source:
        return "skip"
    return "-" if re.search(r"^(check|projector_button)\(", cell.source, re.MULTILINE) else "subslide"


def _text(cell, before):
    heading = re.match(r"#+(?= )", cell.source)
    if heading and len(heading[0]) < 3:
        return "slide"
    if before is not None and before.cell_type == "code":
        if not heading and _code(before) == "skip":
            return "skip"
        if not heading or _shows_panel(before):
            return "fragment"
    return "subslide" if heading else "-"


def _shows_panel(cell):
    return any(VIEW in output.get("data", {}) for output in cell.outputs) and not cell.source.startswith("predict(")


def mark(notebook) -> None:
    """Write the slide types into the notebook, and that RISE lets one scroll on a slide with a tall panel."""
    notebook.metadata["rise"] = nbformat.from_dict(RISE)
    for cell, kind in zip(notebook.cells, kinds(notebook.cells), strict=True):
        cell.metadata["slideshow"] = {"slide_type": kind}


def main(arguments: list[str]) -> int:
    for path in [Path(name).resolve() for name in arguments] or all_notebooks():
        notebook = nbformat.read(path, as_version=4)
        mark(notebook)
        text = nbformat.writes(notebook).rstrip("\n") + "\n"
        fresh = text != path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {'marked' if fresh else 'as it was'}")
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
