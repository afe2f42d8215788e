"""What a check says, as HTML and as plain text. Hint and solution are folded: "Run All" reveals nothing."""

from dataclasses import dataclass
from html import escape

from .language import say

RIGHT, WRONG, NOT_YET = "right", "wrong", "not_yet"
# Told by sign and word; the colour only repeats it. All three are ≥ 3:1 on white and on #111.
_COLOURS = {RIGHT: "#2e8b45", WRONG: "#d9443f", NOT_YET: "#8f7a1e"}


@dataclass(frozen=True)
class Folded:
    """A title to click on, and what is under it."""

    title: str
    body: str
    code: bool = False

    def _repr_html_(self) -> str:
        body = f"<pre><code>{escape(self.body)}</code></pre>" if self.code else f"<p>{marked(self.body)}</p>"
        return f"<details><summary>{escape(self.title)}</summary>{body}</details>"

    def __repr__(self) -> str:
        return f"{self.title}\n{self.body}" if self.code else f"{self.title} {self.body}"


@dataclass(frozen=True)
class Verdict:
    """state: RIGHT, WRONG or NOT_YET; lines: what is said about it; folded: hint and solution."""

    state: str
    lines: tuple[str, ...]
    folded: tuple[Folded, ...] = ()

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{marked(line)}</p>" for line in self.lines)
        folded = "".join(part._repr_html_() for part in self.folded)
        style = f"border-left: 5px solid {_COLOURS[self.state]}; padding: 1px 12px; margin: 4px 0"
        return f'<div style="{style}"><p><b>{escape(self._word)}</b></p>{said}{folded}</div>'

    def __repr__(self) -> str:
        return "\n".join([self._word, *self.lines])

    @property
    def _word(self) -> str:
        return say(f"check.{self.state}")


def marked(text: str) -> str:
    """Escaped, with what stands between backticks as code and line ends kept."""
    escaped = ((escape(part).replace("\n", "<br>"), code) for part, code in parts(text))
    return "".join(f"<code>{part}</code>" if code else part for part, code in escaped)


def parts(text: str) -> list[list]:
    """The text in pieces, each [piece, whether it is code]; a backtick without its partner is just a backtick."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return [[text, False]]
    return [[piece, bool(i % 2)] for i, piece in enumerate(pieces) if piece]
