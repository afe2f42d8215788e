"""One notebook as one HTML page: what it shows stands in it as text and pictures, nothing is loaded, no script runs."""

import base64
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat
from jinja2 import pass_context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from ..language import say
from .mathml import mathml

HERE = Path(__file__).parent
FONT = HERE.parent / "fonts" / "AttentionLessonMath-Regular.woff"
VIEW = "application/vnd.jupyter.widget-view+json"
NOT_FOR_PAPER = "remove-cell"  # tag of what means nothing outside a running page
_NOTHING_LOADED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"


@dataclass(frozen=True)
class Look:
    """code: whether code is shown; solutions: whether hints and solutions stand open; paper: "a4" or "letter";
    linked: the lessons, by name, that links may lead to: those in the same folder.
    """

    code: bool = True
    solutions: bool = False
    paper: str = "a4"
    linked: frozenset[str] = frozenset()


def _formula(tex, block=False):
    try:
        return mathml(tex, block)
    except ValueError:  # a learner's own cell may hold anything
        return f"<code>{escape(tex)}</code>"


class _Writer(IPythonRenderer):
    def __init__(self, look, **options):
        super().__init__(exclude_anchor_links=True, **options)
        self.look = look

    def inline_math(self, body):
        return _formula(body)

    def block_math(self, body):
        return _formula(body, block=True)

    def latex_environment(self, name, body):
        return _formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", block=True)

    def link(self, text, url, title=None):
        if re.match(r"https?:", url):
            return super().link(text, url, title)
        lesson = re.fullmatch(r"(\w+)\.ipynb", url)  # any other file does not come along with the page
        return super().link(text, f"{lesson[1]}.html", title) if lesson and lesson[1] in self.look.linked else text


class _Exporter(HTMLExporter):
    def __init__(self, look):
        super().__init__(template_name="basic", exclude_input=not look.code, exclude_input_prompt=True,
                         exclude_output_prompt=True)
        self.look = look

    @pass_context
    def markdown2html(self, context, source):
        return MarkdownWithMath(renderer=_Writer(self.look, escape=False)).render(source)


def page(path: Path, language: str, look: Look) -> str:
    """The notebook at ``path``, as it was saved, as HTML; a formula that cannot be drawn stands as it was typed."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if NOT_FOR_PAPER not in cell.metadata.get("tags", ())]
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            _on_paper(output, look)
    body, _ = _Exporter(look).from_notebook_node(notebook)
    title = next((line.lstrip("# ") for cell in notebook.cells for line in cell.source.splitlines()
                  if line.startswith("# ") and cell.cell_type == "markdown"), path.stem)
    font = base64.b64encode(FONT.read_bytes()).decode("ascii")
    style = "\n".join([
        f'@font-face {{ font-family: "Attention Lesson Math"; src: url("data:font/woff;base64,{font}"); }}',
        f"@page {{ size: {look.paper}; }}",
        HtmlFormatter(style="default").get_style_defs(".highlight"),
        (HERE / "handout.css").read_text(encoding="utf-8"),
    ])
    return f"""<!DOCTYPE html>
<html lang="{'zh-CN' if language == 'zh' else language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_NOTHING_LOADED}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _on_paper(output, look):
    """Take what only a running page can show out of an output; its static twin stays."""
    data = output.get("data", {})
    widget = data.pop(VIEW, None)
    data.pop("application/javascript", None)
    html = data.get("text/html")
    if html is None:
        return
    if f"<b>{escape(say('check.not_yet'))}</b>" in html:  # on paper there is no cell to run again
        html = "".join(re.findall(r"<details>.*?</details>", html, re.DOTALL))
    if look.solutions:
        html = html.replace("<details>", "<details open>")
    data["text/html"] = f'<div class="{"twin" if widget else "shown"}">{html}</div>'
