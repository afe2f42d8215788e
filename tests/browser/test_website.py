"""The static website: what is in it, that all it asks of its own address is there, and the lessons without a server.

Pyodide and its numpy and matplotlib come from the public network, so no kernel is started here; the code of a lesson
runs on the site's own wheels instead, with what a browser has not (threads, packages that are not on the site) taken
away.
"""

import hashlib
import json
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from attention_lib import language, website
from attention_lib.command import Stop
from attention_lib.language import say

pytest.importorskip("jupyterlite_core", reason="the site needs requirements-site.txt")
pytest.importorskip("jupyterlite_pyodide_kernel", reason="the site needs requirements-site.txt")
ROOT = Path(__file__).parents[2]
# Lessons ask for these, and Pyodide brings them.
PYODIDE_HAS = {"numpy", "matplotlib", "ipython", "traitlets"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("site") / "课程 site"
    language.choose("en")
    try:
        website.build(target)
    except Stop as stop:
        if say("command.no_network") in str(stop):
            pytest.skip("the packages of the site cannot be reached")
        raise
    return target


@pytest.fixture(scope="module")
def settings(site):
    return json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]


@pytest.fixture(scope="module")
def index(site, settings):
    """Of all wheels the site offers: name -> (version, path, digest)."""
    wheels = {}
    for url in settings["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]["pipliteUrls"]:
        path, _, digest = url.partition("?sha256=")
        text = (site / path).read_bytes()
        assert hashlib.sha256(text).hexdigest() == digest
        for name, entry in json.loads(text).items():
            for version, files in entry["releases"].items():
                wheels.setdefault(name, []).extend(
                    (version, (site / path).parent / file["url"], file["digests"]["sha256"]) for file in files)
    return wheels


def test_both_languages_with_all_lessons(site):
    for side in ("zh", "en"):
        names = {path.name for path in (ROOT / "notebooks" / side).glob("*.ipynb")}
        assert {path.name for path in (site / "files" / side).iterdir()} == names
        listed = json.loads((site / "api" / "contents" / side / "all.json").read_text(encoding="utf-8"))["content"]
        assert {entry["name"] for entry in listed} == names
        assert f"lab/index.html?path={side}/00_start.ipynb" in (site / "index.html").read_text(encoding="utf-8")


def test_a_lesson_is_as_it_was_but_for_the_cell_that_fetches_the_package(site):
    for path in sorted((site / "files").glob("*/*.ipynb")):
        ours = json.loads((ROOT / "notebooks" / path.parent.name / path.name).read_text(encoding="utf-8"))
        built = json.loads(path.read_text(encoding="utf-8"))
        code = [cell for cell in built["cells"] if cell["cell_type"] == "code"]
        assert "".join(code[0]["source"]) == "%pip install -q attention-lib"
        built["cells"].remove(code[0])
        assert built == ours


def test_every_wheel_listed_is_there_unchanged_and_plain_python(index):
    for files in index.values():
        for _, path, digest in files:
            assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
            assert path.name.endswith("-none-any.whl")


def test_all_that_the_package_asks_for_is_on_the_site_or_in_pyodide(index):
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    waiting, seen = ["attention-lib"], set()
    while waiting:
        name = waiting.pop()
        if name in seen or name in PYODIDE_HAS:
            continue
        seen.add(name)
        path = max(index[name])[1]
        with zipfile.ZipFile(path) as wheel:
            metadata = next(wheel.read(one).decode("utf-8") for one in wheel.namelist() if one.endswith("/METADATA"))
        for line in metadata.split("\n\n")[0].splitlines():
            if line.startswith("Requires-Dist: "):
                asked = Requirement(line.removeprefix("Requires-Dist: "))
                if asked.marker and not asked.marker.evaluate({"extra": "", "python_version": website.PYTHON}):
                    continue
                needed = canonicalize_name(asked.name)
                if needed not in PYODIDE_HAS:
                    assert any(one[0] in asked.specifier for one in index[needed]), (name, str(asked))
                waiting.append(needed)
    assert {"attention-lib", "anywidget", "ipywidgets", "psygnal", "jupyterlab-widgets", "widgetsnbextension"} <= seen


def test_the_wheel_has_the_font_and_the_front_ends(index):
    with zipfile.ZipFile(index["attention-lib"][0][1]) as wheel:
        inside = set(wheel.namelist())
    for path in (ROOT / "attention_lib").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in inside
    assert any(name.startswith("attention_lib/fonts/") and name.endswith((".otf", ".ttf")) for name in inside)


def test_the_extensions_are_there(site, settings):
    extensions = {one["name"]: one for one in settings["federated_extensions"]}
    assert {"@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget",
            "attention-lesson"} <= set(extensions)
    for name, one in extensions.items():
        assert (site / "extensions" / name / one["load"]).is_file()


# Threads do not start in a browser, and only what is on the site or in Pyodide can be imported.
IN_A_BROWSER = """
import json, sys, threading
sys.path.insert(0, sys.argv[1])
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"jupyterlab", "jupyter_server", "nbval", "fpdf", "ipykernel",
                                  "tornado", "zmq", "psutil", "scipy"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
def start(self):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
import attention_lib
assert attention_lib.__file__.startswith(sys.argv[1]), attention_lib.__file__
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
cells = [c for c in json.load(open(sys.argv[2], encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
for cell in cells[1:]:
    shell.run_cell("".join(cell["source"])).raise_error()
print(len(cells) - 1, "cells ran")
"""


def test_a_lesson_runs_on_the_wheels_of_the_site(site, index, tmp_path):
    for name in ("attention-lib", "anywidget", "ipywidgets", "psygnal"):
        with zipfile.ZipFile(index[name][0][1]) as wheel:
            wheel.extractall(tmp_path)
    lesson = site / "files" / "zh" / "07_playground.ipynb"
    done = subprocess.run([sys.executable, "-c", IN_A_BROWSER, str(tmp_path), str(lesson)], cwd=tmp_path,
                          capture_output=True, encoding="utf-8", check=False)
    assert "cells ran" in done.stdout, done.stderr[-2000:]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def address(site):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_page_opens_a_lesson_and_misses_no_file_of_its_own(browser, address):
    page = browser.new_page()
    missed, elsewhere = [], set()
    page.on("response", lambda answer: missed.append(answer.url) if answer.status >= 400 else None)
    page.route(lambda url: not url.startswith(address), lambda route: (elsewhere.add(route.request.url), route.abort()))
    try:
        page.goto(address)
        page.get_by_role("link").first.click()
        page.locator(".jp-Notebook .jp-RenderedHTMLCommon h1").first.wait_for(timeout=60_000)
        page.wait_for_timeout(2000)
    finally:
        page.close()
    assert [url for url in missed if url.startswith(address)] == []
    assert all("/pyodide/" in url for url in elsewhere), elsewhere


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "my.txt").write_text("mine", encoding="utf-8")
    language.choose("en")
    with pytest.raises(Stop, match="are not an older site"):
        website.build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["my.txt"]
