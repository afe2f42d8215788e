"""A real JupyterLab in a real browser, driven as a learner drives it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
import nbformat

from attention_lib.machine import find_browser, is_root

QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic",
         "--disable-background-networking", "--disable-component-update")
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
APPS = {"lab": "LabApp", "notebook": "JupyterNotebookApp"}


class Server:
    """JupyterLab on a free local port, its root, settings and workspaces in ``folder``."""

    def __init__(self, folder: Path, settings: dict | None = None, env: dict | None = None, application="lab"):
        self.root, self.token = folder / "课堂 class", uuid.uuid4().hex
        self.root.mkdir(parents=True, exist_ok=True)
        quiet = {"@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}}
        self.chosen, self.settings = folder / "settings", quiet | (settings or {})
        self.forget_settings()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        arguments = ["--no-browser", "--ip=127.0.0.1", f"--port={self.port}", f"--IdentityProvider.token={self.token}",
                     f"--ServerApp.root_dir={self.root}", f"--{APPS[application]}.expose_app_in_browser=True",
                     f"--{APPS[application]}.user_settings_dir={self.chosen}",
                     f"--{APPS[application]}.workspaces_dir={folder / 'workspaces'}"]
        if is_root():
            arguments.append("--allow-root")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "jupyter", application, *arguments], cwd=folder,
                                            stdout=log, stderr=subprocess.STDOUT, env=os.environ | (env or {}))
        self._wait()

    def forget_settings(self):
        """As it was first started: what a page chose, such as a theme, would be kept for the next."""
        shutil.rmtree(self.chosen, ignore_errors=True)
        for plugin, values in self.settings.items():
            path = self.chosen / f"{plugin}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values), encoding="utf-8")

    def _wait(self):
        for _ in range(600):
            try:
                return self.api("status")
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(self.log.read_text(encoding="utf-8"))

    def api(self, path: str, method: str = "GET", body: dict | None = None):
        """One call of the server's REST interface."""
        request = urllib.request.Request(f"{self.url}/api/{path}", method=method,
                                         data=json.dumps(body).encode() if body is not None else None,
                                         headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def notebook(self, name: str, *cells: str) -> str:
        """Write a notebook of code cells into the root; its path there."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        nbformat.write(notebook, self.root / name)
        return name

    def shut_kernels(self):
        for session in self.api("sessions"):
            self.api(f"sessions/{session['id']}", "DELETE")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Lab:
    """One page with one notebook in a workspace of its own."""

    def __init__(self, server: Server, page):
        self.server, self.page, self.complaints = server, page, []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.set_default_timeout(60_000)

    def _note(self, kind, text):
        # anywidget's word about a loaded machine; test_a_slow_laptop shows that the panels work all the same. And what
        # builds the website brings a JupyterLab extension that only works there.
        known = ("[anywidget] Failed to initialize", "@jupyterlite/")
        if kind == "error" and not any(part in text for part in known):
            self.complaints.append(text)

    def open(self, path: str) -> "Lab":
        """Open a notebook and wait until its kernel is idle."""
        self.server.shut_kernels()
        self.path = path
        self.page.goto(f"{self.server.url}/lab/workspaces/{uuid.uuid4().hex}/tree/{path}?reset&token={self.server.token}")
        self.ready()
        return self

    def ready(self):
        """Wait until the notebook is shown and its kernel is connected and idle."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function("""() => {
            const panel = window.jupyterapp?.shell.currentWidget;
            const kernel = panel?.sessionContext?.session?.kernel;
            return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
        }""", polling=100)

    def command(self, name: str, arguments: dict | None = None):
        """Run a command of JupyterLab's own menu."""
        self.page.evaluate("""async ([name, args]) => {
            await window.jupyterapp.commands.execute(name, args); // not returned: what it opened is no JSON
        }""", [name, arguments or {}])

    def run_all(self) -> "Lab":
        """Run → Run All Cells, and wait until the last cell has run and every widget is there."""
        self.page.evaluate("""() => {
            window.ran = false;
            window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => (window.ran = true));
        }""")
        self.all_run()
        self.page.wait_for_function("() => window.ran", polling=100)  # the notebook then takes the focus once more
        return self

    def all_run(self) -> "Lab":
        """Wait until every cell has run and every slider of a grid is in its place."""
        self.page.wait_for_function("""() => {
            const panel = window.jupyterapp.shell.currentWidget;
            const code = panel.content.widgets.filter((c) => c.model.type === 'code' && c.model.sharedModel.source);
            return code.every((c) => c.model.executionCount !== null && c.model.executionState !== 'running')
                && panel.sessionContext.session?.kernel?.status === 'idle';
        }""", timeout=180_000, polling=100)
        self.page.wait_for_function("""() => [...document.querySelectorAll('.al-slot')].every((entry) =>
            entry.querySelector('.noUi-handle[aria-label]'))""", polling=100)
        return self

    def in_kernel(self, code: str, wait: bool = True):
        """Run code in the notebook's kernel, behind its cells; what the page sends meanwhile waits."""
        self.page.evaluate("""async ([code, wait]) => {
            const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            const done = kernel.requestExecute({ code }).done;
            if (wait) await done;
        }""", [code, wait])

    def theme(self, name: str):
        """JupyterLab's "light" or "dark" theme."""
        self.command("apputils:change-theme", {"theme": THEMES[name]})
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{str(name == 'light').lower()}'")
        self.page.wait_for_timeout(1000)

    def axe(self) -> list:
        """What axe-core finds in the outputs that is serious or critical."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        return self.page.evaluate("""async () => {
            const result = await axe.run({ include: [['.jp-OutputArea-output']] }, { resultTypes: ['violations'] });
            return result.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
                .map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))]);
        }""")

    def slider(self, name: str, which: int = 0):
        return self.page.get_by_role("slider", name=name, exact=True).nth(which)

    def field(self, name: str, which: int = 0):
        return self.page.get_by_role("textbox", name=name, exact=True).nth(which)

    def shown(self, matrix: str, which: int = 0) -> list[list[float]]:
        """The numbers on the page, row by row; ``which``: of several panels that show the matrix."""
        return self.page.evaluate("""([matrix, which]) => {
            const all = [...document.querySelectorAll(`.al-panel .al-matrix[data-matrix="${matrix}"]`)];
            return [...all[which].querySelectorAll('tr')].slice(1).map((tr) =>
                [...tr.querySelectorAll('.al-number')].map((n) => Number(n.textContent)));
        }""", [matrix, which])

    def cell(self, matrix: str, row: int, column: int, which: int = 0):
        table = self.page.locator(f'.al-panel .al-matrix[data-matrix="{matrix}"]').nth(which)
        return table.locator("tr").nth(row + 1).locator(".al-cell").nth(column)

    def wait_shown(self, matrix: str, expected, which: int = 0, decimals: int = 3):
        """Wait until the page shows exactly these numbers, rounded to its decimals."""
        wanted = [[f"{x:.{decimals}f}".replace("-0.000", "0.000") for x in row] for row in expected]
        self.page.wait_for_function("""([matrix, which, wanted]) => {
            const all = [...document.querySelectorAll(`.al-panel .al-matrix[data-matrix="${matrix}"]`)];
            const rows = [...all[which].querySelectorAll('tr')].slice(1).map((tr) =>
                [...tr.querySelectorAll('.al-number')].map((n) => n.textContent));
            return JSON.stringify(rows) === JSON.stringify(wanted);
        }""", arg=[matrix, which, wanted], polling=50)


@contextmanager
def chromium(playwright, **options):
    browser = playwright.chromium.launch(executable_path=find_browser(), args=list(QUIET), **options)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def fresh_page(browser, server, **options):
    """A page of its own; an error in its console fails the test that left it."""
    server.forget_settings()
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 1600}} | options)
    opened = Lab(server, context.new_page())
    try:
        yield opened
    finally:
        context.close()
    assert opened.complaints == [], opened.complaints
