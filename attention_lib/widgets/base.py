"""What all widgets share: a static twin, an error line, and an orderly end."""

import json
from contextlib import contextmanager
from html import escape
from pathlib import Path

import ipywidgets
from IPython import get_ipython

from ..language import say

# The widgets each notebook cell made last time it ran: a rerun closes them, so nothing piles up.
_made_by_cell: dict[str, tuple[int, list[ipywidgets.Widget]]] = {}


HERE = Path(__file__).parent


def joined(*names: str) -> str:
    """The text of some files of this folder, one after the other."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def front_end(name: str, *sheets: str) -> str:
    """The ES module of a widget: what all share, then its own file. ``sheets``: its style sheets, after the shared one.

    They are part of the module, for anywidget would replace the sheet in the page with each widget of the same class,
    and the whole page would be laid out anew each time.
    """
    styles = {sheet: joined(sheet) for sheet in ("panel.css", *sheets)}
    head = f"const LARGE = {json.dumps(joined('page.css'))}, SHEETS = {json.dumps(styles)};\n"
    return head + joined("shared.js", "page.js", name)


class StaticTwin:
    """Mixin before a widget class: the same content as text/html and text/plain beside the widget view.

    So a notebook on a code-hosting site, in a PDF or without a kernel still shows its numbers.
    Subclasses give :meth:`static_html` and :meth:`static_text`, with fixed decimals.
    """

    def static_html(self) -> str:
        raise NotImplementedError

    def static_text(self) -> str:
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return data | {"text/html": self.static_html(), "text/plain": self.static_text()}, metadata


class Guarded:
    """Mixin for a widget with a ``message``: what goes wrong in a handler is said there, and the next move works."""

    @contextmanager
    def guard(self):
        """Run a handler's body; an error becomes the message, in the lesson's language."""
        try:
            self.message = ""
            yield
        except ValueError as error:
            self.message = str(error)
        except Exception as error:
            self.message = say("widget.failed", error=f"{type(error).__name__}: {error}")


class Following:
    """Mixin for a widget that may listen to an experiment; closing it ends that, and closes its layout too."""

    def follow(self, source, handler, names) -> None:
        source.observe(handler, names)
        self.__dict__.setdefault("_followed", []).append((source, handler, names))

    def close(self):
        for source, handler, names in self.__dict__.pop("_followed", ()):
            source.unobserve(handler, names)
        layout = self.layout if self.comm is not None else None
        super().close()
        if layout is not None:
            layout.close()


def remember(widget: ipywidgets.Widget) -> None:
    """Note which cell made ``widget``; what the cell's last run made is closed, with all it holds."""
    shell = get_ipython()
    parent = getattr(shell, "get_parent", dict)() if shell else {}
    cell = (parent.get("metadata") or {}).get("cellId")
    if cell is None:
        return
    run, made = _made_by_cell.get(cell, (None, []))
    if run != shell.execution_count:
        for old in made:
            old.close()
        run, made = shell.execution_count, []
    made.append(widget)
    _made_by_cell[cell] = (run, made)


def table_html(caption: str, rows, columns, cells, sums=None) -> str:
    """A matrix as a plain table: labels are headers, ``sums`` an extra column."""
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in columns) + ("<th>Σ</th>" if sums else "")
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f"<td>{escape(text)}</td>" for text in line)
        + (f"<td>{escape(sums[i])}</td>" if sums else "")
        + "</tr>"
        for i, (label, line) in enumerate(zip(rows, cells, strict=True))
    )
    return f"<table><caption>{escape(caption)}</caption><tr><td></td>{head}</tr>{body}</table>"


def table_text(caption: str, rows, columns, cells, sums=None) -> str:
    """The same matrix in plain text, one line a row."""
    lines = [f"{label}: {'  '.join(line)}" + (f"  Σ {sums[i]}" if sums else "")
             for i, (label, line) in enumerate(zip(rows, cells, strict=True))]
    return "\n".join([f"{caption}  [{'  '.join(columns)}]", *lines])
