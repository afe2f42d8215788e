"""A small notebook for the tests of the tools: a lesson's set-up, a widget with its static twin, printed numbers."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

SETUP = 'from attention_lib import Experiment, show, start\nstart("{language}")'
PANEL = 'e = Experiment.from_example("我爱你")\nshow(e, "Q", "scores", "weights")'
PRINTED = "print(e.steps.weights.round(4))"
VALUE = "e.steps.scores.round(2).tolist()"
HEADING = {"zh": "# 小课\n\n由 $QK^T$ 得到 `scores`。", "en": "# A small lesson\n\n$QK^T$ gives `scores`."}


def small_notebook(path: Path, language: str = "en", code=(SETUP, PANEL, PRINTED, VALUE)) -> Path:
    """Write a notebook that was never run to ``path``."""
    cells = [new_markdown_cell(HEADING[language], id="heading")]
    cells += [new_code_cell(source.replace("{language}", language), id=f"code-{i}") for i, source in enumerate(code)]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), path)
    return path
