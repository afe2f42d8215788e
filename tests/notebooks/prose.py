"""The Markdown of a lesson: its formulas, its headings, and what would not be rendered as it was meant."""

import re
import unicodedata
from collections import Counter

_PIECES = re.compile(
    r"(?P<fence>^[ ]{0,3}(?P<mark>```+|~~~+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=mark)[ \t]*$|\Z))"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<display>\$\$.+?\$\$|\\begin\{(?P<env>\w+\*?)\}.+?\\end\{(?P=env)\})"
    r"|(?P<inline>\$(?:\\.|(?!\n\s*\n)[^$\\])+\$)"
    r"|(?P<link>(?<=\])\([^()\s]*(?:\s+\"[^\"]*\")?\))"
    r"|(?P<tag></?[A-Za-z][^<>]*>)",
    re.DOTALL | re.MULTILINE,
)
# What stands for each piece while the words around it are looked at: its edges must be as the renderer sees them.
# JupyterLab takes formulas out before Markdown is read and leaves @@number@@ in their place.
_STAND_INS = {"fence": "\n\n", "code": "`x`", "escape": ".", "display": "@@0@@", "inline": "@@0@@", "link": "(x)",
              "tag": "<x>"}
_FORMULAS = ("fence", "code", "display", "inline")
_LINE_STARTS = re.compile(r"^(\s*(>|[-+*]|\d+[.)])\s+)+|^\s*#{1,6}\s+")


def formulas(text: str) -> Counter:
    """Every formula and piece of code in the text, counted; the language's own name in it is left out."""
    found = (match[0] for match in _PIECES.finditer(text) if match.lastgroup and _kind(match) in _FORMULAS)
    return Counter(re.sub(r"\b(zh|en)\b", "LANGUAGE", re.sub(r"\s+", " ", piece)) for piece in found)


def headings(text: str) -> list[int]:
    """Levels of the headings, in their order."""
    return [len(marks) for marks in re.findall(r"^ {0,3}(#{1,6})\s", plain(text), re.MULTILINE)]


def plain(text: str) -> str:
    """The text with a stand-in for each formula, piece of code, link target and tag."""
    return _PIECES.sub(lambda match: _STAND_INS[_kind(match)], text)


def words(text: str) -> str:
    """Only what is read as prose: no formulas, code, links, tags or asterisks."""
    return _PIECES.sub(" ", text).replace("*", "")


def pipes_in_tables(text: str) -> list[str]:
    """Formulas and code in table rows that hold an unescaped |, which ends the cell there."""
    found = []
    for line in text.splitlines():
        if line.lstrip().startswith("|"):
            pieces = [match for match in _PIECES.finditer(line) if _kind(match) in ("code", "display", "inline")]
            found += [match[0] for match in pieces if re.search(r"(?<!\\)\|", match[0])]
    return found


def stray_asterisks(text: str) -> list[str]:
    """Asterisks that were meant as emphasis and would be shown as they are, each with what stands around it."""
    found = []
    for block in _blocks(plain(text)):
        for run in _unmatched(block):
            if run["left"] >= 2 or run["opens"] or run["closes"]:
                found.append(block[max(0, run["at"] - 12):run["at"] + 12])
    return found


def _kind(match: re.Match) -> str:
    return next(kind for kind in _STAND_INS if match[kind] is not None)


def _blocks(text: str):
    """Stretches of text within which emphasis can open and close: paragraphs, list items, headings, table cells."""
    block = []
    for line in [*text.splitlines(), ""]:
        start = _LINE_STARTS.match(line)
        is_row = line.lstrip().startswith("|")
        if block and (not line.strip() or start or is_row):
            yield "\n".join(block)
            block = []
        if is_row:
            yield from line.split("|")
        elif line.strip() and not re.fullmatch(r"\s*([-*_])(\s*\1){2,}\s*", line):
            block.append(line[start.end():] if start else line)


def _unmatched(block: str) -> list[dict]:
    """Runs of * left over when emphasis is paired as CommonMark 0.31 says (section 6.2 and the appendix)."""
    runs = [_run(block, match) for match in re.finditer(r"\*+", block)]
    for at, closer in enumerate(runs):
        while closer["closes"] and closer["left"]:
            opener = next((i for i in range(at - 1, -1, -1) if _pairs(runs[i], closer)), None)
            if opener is None:
                break
            for between in runs[opener + 1:at]:
                between["dead"] = True
            used = 2 if min(runs[opener]["left"], closer["left"]) >= 2 else 1
            runs[opener]["left"] -= used
            closer["left"] -= used
    return [run for run in runs if run["left"]]


def _pairs(opener: dict, closer: dict) -> bool:
    if not opener["opens"] or not opener["left"] or opener["dead"]:
        return False
    both_ways = (opener["opens"] and opener["closes"]) or (closer["opens"] and closer["closes"])
    lengths = opener["length"], closer["length"]
    return not (both_ways and sum(lengths) % 3 == 0 and any(length % 3 for length in lengths))


def _run(block: str, match: re.Match) -> dict:
    before, after = block[:match.start()][-1:] or " ", block[match.end():][:1] or " "
    left_flanking = not after.isspace() and (not _mark(after) or before.isspace() or _mark(before))
    right_flanking = not before.isspace() and (not _mark(before) or after.isspace() or _mark(after))
    return {"at": match.start(), "length": len(match[0]), "left": len(match[0]), "opens": left_flanking,
            "closes": right_flanking, "dead": False}


def _mark(character: str) -> bool:
    """Punctuation, full-width too, or a symbol."""
    return unicodedata.category(character)[0] in "PS"
