"""Widgets below and beside each other, with the static twins of all they hold."""

import ipywidgets

from .base import Following, StaticTwin, remember


class _Group(Following, StaticTwin):
    def __init__(self, *widgets, **kwargs):
        super().__init__(widgets, **kwargs)
        remember(self)

    def static_html(self) -> str:
        return "".join(f"<div>{twin.static_html()}</div>" for twin in self._twins())

    def static_text(self) -> str:
        return "\n\n".join(twin.static_text() for twin in self._twins())

    def _twins(self):
        return [child for child in self.children if isinstance(child, StaticTwin)]


class Rows(_Group, ipywidgets.VBox):
    """Widgets below each other."""


class Columns(_Group, ipywidgets.HBox):
    """Widgets beside each other; they wrap where the page is narrow. A child may say its ``beside``, a CSS flex."""

    def __init__(self, *widgets):
        for widget in widgets:
            if hasattr(widget, "beside"):
                widget.layout.flex = widget.beside
        super().__init__(*widgets, layout=ipywidgets.Layout(flex_flow="row wrap", align_items="flex-start"))


def rows(*widgets) -> Rows:
    """Show widgets below each other; each keeps its static twin."""
    return Rows(*widgets)


def columns(*widgets) -> Columns:
    """Show widgets beside each other; each keeps its static twin."""
    return Columns(*widgets)
