"""The words of the interface, in the language chosen once by ``start("zh")`` or ``start("en")``."""

import json
from functools import cache
from pathlib import Path

LANGUAGES = ("zh", "en")
_chosen = "en"


def choose(language: str) -> None:
    """Choose the language of everything said from now on; ValueError for one there is no text for."""
    global _chosen
    if language not in LANGUAGES:
        raise ValueError(f"language: got {language!r}, needs one of {', '.join(map(repr, LANGUAGES))}")
    _chosen = language


def chosen() -> str:
    return _chosen


def say(key: str, /, **values) -> str:
    """The text of ``key`` in the chosen language, with ``{names}`` filled in; as it stands without values."""
    text = texts(_chosen)[key]
    return text.format(**values) if values else text


def pick(both: dict[str, str]) -> str:
    """The side of ``{"zh": …, "en": …}`` that is in the chosen language."""
    return both[_chosen]


@cache
def texts(language: str) -> dict[str, str]:
    """All texts of one language: every ``text/<language>/*.json``, merged."""
    merged = {}
    for path in sorted((Path(__file__).parent / "text" / language).glob("*.json")):
        merged |= json.loads(path.read_text(encoding="utf-8"))
    return merged
