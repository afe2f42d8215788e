"""Which font draws which character. A character of a name that no font has is replaced where everyone sees it."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fontTools.ttLib import TTCollection, TTFont

from .. import style  # before matplotlib, see there

STAND_IN = "〓"  # what printers have long set in place of a character they lack
_FONTS = "fonts/ttf"  # of matplotlib
_NOT_REGULAR = re.compile(r"(?i)bold|black|heavy|light|thin|medium|italic|oblique|mono|serif")
_SIMPLIFIED = re.compile(r"\b(SC|CN|GB)\b")


@cache
def shipped() -> dict[str, Path]:
    """The fonts that are always there, by the name they get in the file; the first that has a character draws it."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / _FONTS
    return {"main": style.FONT, "more": folder / "DejaVuSans.ttf",
            "upright": folder / "STIXGeneral.ttf", "slanted": folder / "STIXGeneralItalic.ttf"}


def lacking(texts: Iterable[str]) -> set[str]:
    """The characters of ``texts`` that neither "main" nor "more" can draw."""
    have = set()
    for name in ("main", "more"):
        with TTFont(shipped()[name], lazy=True) as font:
            have |= font.getBestCmap().keys()
    return {mark for text in texts for mark in text if ord(mark) not in have}


def find(characters: set[str]) -> dict[str, tuple[Path, int]]:
    """For each of these characters that some font of this machine has: its file, and the face in it.

    Few fonts for many characters: each font gives all it has. Regular faces come first, large files before small ones.
    """
    from matplotlib.font_manager import findSystemFonts

    found, paths = {}, map(Path, findSystemFonts() if characters else ())
    for path in sorted(paths, key=lambda path: (bool(_NOT_REGULAR.search(path.stem)), -_size(path), path.name)):
        if not characters - found.keys():
            break
        try:
            found |= dict.fromkeys(*_drawn_by(path, characters - found.keys()))
        except Exception:  # no font, or a broken one, of which fontTools says so in many ways
            continue
    return found


def _size(path):
    return path.stat().st_size if path.exists() else 0


def _drawn_by(path, characters):
    """Those of ``characters`` that a font file can draw in a PDF, and (path, face): one for Chinese where there is."""
    with path.open("rb") as file:
        collection = path.suffix.lower() in (".ttc", ".otc")
        faces = TTCollection(file, lazy=True).fonts if collection else [TTFont(file, lazy=True)]
        face = max(range(len(faces)), key=lambda i: bool(_SIMPLIFIED.search(faces[i]["name"].getDebugName(1) or "")))
        font = faces[face]
        outlines = "glyf" in font or "CFF " in font  # not pictures, as of emoji
        allowed = "OS/2" not in font or not font["OS/2"].fsType & 0x0002  # its maker allows embedding
        have = font.getBestCmap() if outlines and allowed else {}
    return {mark for mark in characters if ord(mark) in have}, (path, face)
