"""Run the notebooks and store what they show: ``python tests/notebooks/store.py``, or with the paths of some of them.

What is stored says nothing of the run that made it: no widget state, no times, no random widget ids; cell ids are kept.
Running it twice changes no byte. A notebook that raises, or writes to stderr, is left as it was.
"""

import hashlib
import re
import sys
from pathlib import Path

import nbformat
from files import ROOT, all_notebooks
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
RISE = {"scroll": True}  # a slide may be scrolled where a panel is taller than the screen
_RUN_ONLY = ("execution", "ExecuteTime", "collapsed", "scrolled", "trusted")


def executed(path: Path) -> str:
    """The text of the notebook at ``path`` after it was run in this environment.

    Raises CellExecutionError where a cell raises, ValueError where one writes to stderr.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name=CURRENT_ENV_KERNEL_NAME, record_timing=False,
                            store_widget_state=False, coalesce_streams=True,
                            resources={"metadata": {"path": str(path.parent)}})
    client.create_kernel_manager()
    client.km.kernel_spec_manager = NbvalKernelspecManager()
    client.execute()
    clean(notebook, f"{path.parent.name}/{path.name}")
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def clean(notebook, name: str) -> None:
    """Take out of ``notebook`` what differs from run to run; ``name`` makes its widget ids its own.

    Raises ValueError for an output on stderr.
    """
    slides = {"rise": RISE} if "rise" in notebook.metadata else {}
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}} | slides)
    for cell in notebook.cells:
        for key in _RUN_ONLY:
            cell.metadata.pop(key, None)
        for number, output in enumerate(cell.get("outputs", ())):
            if output.get("name") == "stderr":
                raise ValueError(f"{name}, cell {cell.id} writes to stderr: {output.text.strip()}")
            view = output.get("data", {}).get(VIEW)
            if view:
                view["model_id"] = hashlib.sha256(f"{name} {cell.id} {number}".encode()).hexdigest()[:32]


def store(path: Path) -> bool:
    """Run one notebook and write it where something changed; whether it did."""
    text = executed(path)
    if text == path.read_text(encoding="utf-8"):
        return False
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def main(arguments: list[str]) -> int:
    failed = 0
    for path in [Path(name).resolve() for name in arguments] or all_notebooks():
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        try:
            print(f"{shown}: {'stored' if store(path) else 'as it was'}", flush=True)
        except (CellExecutionError, ValueError) as error:
            failed = 1
            print(f"{shown}: left as it was\n{re.sub(chr(27) + r'.*?m', '', str(error))}", flush=True)
    return failed


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
