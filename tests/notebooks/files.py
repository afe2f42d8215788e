"""The notebooks of both languages, as they lie on the disk."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
LANGUAGES = ("zh", "en")


def all_notebooks(folder: Path = NOTEBOOKS) -> list[Path]:
    return [path for language in LANGUAGES for path in sorted((folder / language).glob("*.ipynb"))]


def read(path: Path) -> dict:
    """The notebook's JSON, with each cell's source as one string."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def shown(output: dict) -> dict[str, str]:
    """What an output shows as text, by kind: stdout, stderr, text/plain, text/html and so on; pictures are left out."""
    if output["output_type"] == "stream":
        return {output["name"]: "".join(output["text"])}
    data = output.get("data", {})
    return {kind: "".join(value) for kind, value in data.items() if kind.startswith("text/")}
