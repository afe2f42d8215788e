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


class Whole(Rows):
    """Rows that own what they hold: closing them closes everything on them."""

    def close(self):
        self.close_all(self.children)
        super().close()

    @classmethod
    def close_all(cls, widgets) -> None:
        """Close widgets, and first what groups among them hold."""
        for widget in widgets:
            if isinstance(widget, Columns):
                cls.close_all(widget.children)
            widget.close()


def rows(*widgets) -> Rows:
    """Show widgets below each other; each keeps its static twin."""
    return Rows(*widgets)


def columns(*widgets) -> Columns:
    """Show widgets beside each other; each keeps its static twin."""
    return Columns(*widgets)
