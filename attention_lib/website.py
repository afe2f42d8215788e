"""The lessons as a static website, where Python runs in the reader's browser: ``python3 lesson.py site``.

``jupyter lite build`` makes the page; what is ours, and the packages that Pyodide has not, go with it as wheels.
Pyodide itself, numpy and matplotlib come from Pyodide's own address when a page is opened. Standard library only.
"""

import html
import json
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from . import language
from .command import ROOT, Stop, quiet_run
from .language import LANGUAGES, say
from .machine import plain_console

# What Pyodide does not bring; each is plain Python. widgetsnbextension comes with the kernel.
WHEELS = ("anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal", "tqdm", "typing_extensions")
# Pyodide decides which version of these there is.
_OF_PYODIDE = ("numpy", "matplotlib")
_ASKED = ("ipywidgets", "anywidget", "tqdm")
PYTHON = "3.14"  # the one of the kernel that requirements-site.txt asks for
INSTALL = "%pip install -q attention-lib"
_MARK = ".made-by-lesson"


def main(arguments: list[str]) -> int:
    """Arguments: the language of what is said, and the folder to build into. Returns the exit code."""
    plain_console()
    language.choose(arguments[0])
    target = Path(arguments[1])
    try:
        build(target)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    print(say("website.made", folder=target))
    return 0


def build(target: Path) -> None:
    """Write the website to ``target``, in place of an older one.

    Raises Stop where ``target`` holds anything else, or where a step fails.
    """
    if target.exists() and any(target.iterdir()) and not (target / _MARK).exists():
        raise Stop(say("website.folder_taken", folder=target))
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        print(say("website.wheels"), flush=True)
        own_wheel(work / "wheels")
        other_wheels(work / "wheels")
        notebooks(work / "files")
        (work / "lite").mkdir()
        (work / "lite" / "jupyter-lite.json").write_text(json.dumps({
            "jupyter-lite-schema-version": 0,
            "jupyter-config-data": {"appName": "Attention", "defaultKernelName": "python"}}), encoding="utf-8")
        print(say("website.building"), flush=True)
        quiet_run([sys.executable, "-m", "jupyterlite_core", "build", f"--lite-dir={work / 'lite'}",
                   f"--contents={work / 'files'}", f"--output-dir={work / 'site'}", "--no-sourcemaps",
                   "--no-libarchive", f"--piplite-wheels={work / 'wheels'}", "--apps=lab"], "website.failed", work)
        (work / "site" / "index.html").write_text(first_page(), encoding="utf-8")
        (work / "site" / ".nojekyll").touch()  # GitHub Pages would leave out files that begin with _
        (work / "site" / _MARK).touch()
        if target.exists():
            shutil.rmtree(target)
        shutil.move(work / "site", target)


def own_wheel(folder: Path) -> None:
    """attention_lib as a wheel that asks only for what there is in a browser."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [line for line in project["dependencies"] if line.split("~=")[0] in _ASKED]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        shutil.copytree(ROOT / "attention_lib", copy / "attention_lib", ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "pyproject.toml").write_text("\n".join([
            "[build-system]", 'requires = ["hatchling"]', 'build-backend = "hatchling.build"', "[project]",
            f"name = {json.dumps(project['name'])}", f"version = {json.dumps(project['version'])}",
            f"requires-python = {json.dumps(project['requires-python'])}",
            f"dependencies = {json.dumps([*_OF_PYODIDE, *asked])}",
            "[tool.hatch.build.targets.wheel]", 'packages = ["attention_lib"]', ""]), encoding="utf-8")
        quiet_run([*_pip("wheel"), "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}", str(copy)],
                  "website.failed")


def other_wheels(folder: Path) -> None:
    """The packages of ``WHEELS``, as pinned, in the form that runs everywhere."""
    quiet_run([*_pip("download"), "--no-deps", "--only-binary=:all:", f"--python-version={PYTHON}",
               "--implementation=py", "--abi=none", "--platform=any", f"--dest={folder}",
               f"--constraint={ROOT / 'constraints.txt'}", *WHEELS], "website.failed")


def notebooks(folder: Path) -> None:
    """The lessons, each with a first code cell that fetches attention_lib into the page."""
    for side in LANGUAGES:
        (folder / side).mkdir(parents=True)
        for source in sorted((ROOT / "notebooks" / side).glob("*.ipynb")):
            lesson = json.loads(source.read_text(encoding="utf-8"))
            first = next(n for n, cell in enumerate(lesson["cells"]) if cell["cell_type"] == "code")
            lesson["cells"].insert(first, {"cell_type": "code", "id": "website", "metadata": {}, "outputs": [],
                                           "execution_count": None, "source": [INSTALL]})
            (folder / side / source.name).write_text(json.dumps(lesson, ensure_ascii=False), encoding="utf-8")


def first_page() -> str:
    """A page with one link a language, in place of an empty JupyterLab."""
    links = "\n".join(f'<p lang="{side}"><a href="lab/index.html?path={side}/00_start.ipynb">'
                      f"{html.escape(_title(side))}</a></p>" for side in LANGUAGES)
    return ('<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n<title>亲手理解注意力 · Attention</title>\n'
            # JupyterLab reads its settings out of the page above it, too.
            '<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{}</script>\n'
            "<style>\n:root { color-scheme: light dark }\n"
            "body { font: 1.4rem system-ui; margin: 20vh auto; max-width: 30em; padding: 0 1em }\n</style>\n"
            f"<main>\n{links}\n</main>\n</html>\n")


def _title(side: str) -> str:
    """The heading of a language's first lesson."""
    path = ROOT / "notebooks" / side / "00_start.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "".join(cells[0]["source"]).splitlines()[0].lstrip("# ")


def _pip(command: str) -> list[str]:
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", command, "--quiet"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
