"""How this session's predictions went."""

from html import escape

from traitlets import Dict, List, Unicode

from ..language import pick, say
from ..lessons import content
from ..predictions import RECORD
from ..verdict import marked, parts
from .base import front_end, remember
from .panel import Panel


class Summary(Panel):
    """A table of the first guesses, live: each new one appears in it."""

    _esm = front_end("summary.js", "predict.css")
    saving = ""
    frame = Dict().tag(sync=True)
    lines = List().tag(sync=True)  # for each guess: [key, question, guess, truth, verdict, right]
    total = Unicode().tag(sync=True)

    def __init__(self):
        super().__init__(frame={"title": say("summary.title"),
                                "columns": [say(f"summary.{name}") for name in ("question", "yours", "truth", "how")]})
        self.follow(RECORD, self._refresh, "firsts")
        self._refresh()
        remember(self)

    def _refresh(self, _change=None):
        with self.guard(), self.hold_sync():
            self.lines = [self._line(key, RECORD.firsts[key]) for key in sorted(RECORD.firsts)]
            right = sum(outcome.right for outcome in RECORD.firsts.values())
            self.total = say("summary.total", right=right, made=len(self.lines)) if self.lines else say("summary.none")

    def _line(self, key, outcome):
        asked = content("PREDICTIONS", key)
        verdict = say("summary.right" if outcome.right else "summary.wrong")
        verdict = " · ".join(filter(None, (verdict, asked.how(outcome))))
        texts = (pick(asked.question), asked.told(outcome.guess), asked.told(outcome.truth), verdict)
        return [key, *map(parts, texts), outcome.right]

    def static_html(self) -> str:
        if not self.lines:
            return f"<p>{escape(self.total)}</p>"
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in ("", *self.frame["columns"]))
        body = "".join(
            f'<tr><th scope="row">{escape(key)}</th>{"".join(f"<td>{marked(_plain(c))}</td>" for c in cells)}</tr>'
            for key, *cells, _right in self.lines)
        caption = escape(self.frame["title"])
        return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table><p>{escape(self.total)}</p>"

    def static_text(self) -> str:
        rows = [f"{key}  {' | '.join(map(_plain, cells[1:]))}" for key, *cells, _right in self.lines]
        return "\n".join([*rows, self.total])


def _plain(cell) -> str:
    return "".join(f"`{text}`" if code else text for text, code in cell)


def predictions_summary() -> Summary:
    """A table of this session's predictions: the first guess at each, what turned out, and how far off it was."""
    return Summary()
