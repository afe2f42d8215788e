"""What lessons 04 to 07 tell the learner to press is called so in the panels."""

import json
from pathlib import Path

import pytest

from attention_lib.language import LANGUAGES, texts

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
QUOTED = {
    ("04_scaling", "try1"): ("controls.fault", "controls.fault.no scaling"),
    ("04_scaling", "try2"): ("controls.scaling.none", "controls.scaling.root"),
    ("04_scaling", "try3"): ("controls.scaling.none", "controls.scaling.root", "controls.scaling.d_k"),
    ("04_scaling", "try4"): ("controls.scaling.none", "controls.scaling.root", "controls.scaling.d_k"),
    ("05_softmax", "try1"): ("edit.reset",),
    ("05_softmax", "try2"): ("controls.fault", "controls.fault.wrong axis", "controls.fault.none"),
    ("06_output", "try1"): ("edit.reset",),
    ("06_output", "try2"): ("edit.reset",),
    ("07_playground", "try1"): ("preset.causal", "preset.W_Q = W_K", "preset.reset"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("lesson", "cell"), QUOTED)
def test_labels_are_those_of_the_panels(language, lesson, cell):
    notebook = json.loads((NOTEBOOKS / language / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    prose = next("".join(c["source"]) for c in notebook["cells"] if c["id"] == cell)
    assert [key for key in QUOTED[lesson, cell] if texts(language)[key] not in prose] == []
