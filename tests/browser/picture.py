"""Make the READMEs' pictures of the playground anew, from a real page: ``python tests/browser/picture.py``.

One entry of W_Q was moved, and the arithmetic of one score is written out.
"""

import tempfile
from pathlib import Path

from lab import Server, chromium, fresh_page
from playwright.sync_api import sync_playwright

from attention_lib.language import LANGUAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = {"en": "playground.png", "zh": "playground.zh.png"}
SETUP = """from attention_lib import Experiment, playground, start
start("{language}")
e = Experiment.from_example("我爱你")"""


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, chromium(playwright) as browser:
        server = Server(Path(folder) / "server")
        for language in LANGUAGES:
            notebook = server.notebook(f"{language}.ipynb", SETUP.format(language=language), "playground(e)")
            with fresh_page(browser, server, viewport={"width": 1720, "height": 2400}) as lab:
                lab.open(notebook).run_all()
                lab.in_kernel("e.set_entry('W_Q', 0, 0, 1.0)")
                lab.cell("scores", 0, 2).click()
                lab.page.locator(".al-lines").first.wait_for()
                lab.page.wait_for_timeout(2000)  # the figure, and what glides
                lab.page.mouse.move(0, 0)
                lab.page.locator(".jp-OutputArea-output:has(.al-matrix)").last.screenshot(path=DOCS / FILES[language])
        server.close()


if __name__ == "__main__":
    main()
