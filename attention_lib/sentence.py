"""A typed sentence into words."""

import re
import unicodedata

_HAN = re.compile(r"([々〇\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
_INSIDE_WORDS = "'’-"  # don't, well-known


def split_words(text: str) -> tuple[str, ...]:
    """Words by spaces; Chinese with no space between its words is split into characters. Punctuation is left out."""
    spaced = re.search(r"\w\s+\w", text)
    kept = "".join(" " if _is_punctuation(mark) else mark for mark in text)
    words = (kept if spaced else _HAN.sub(r" \1 ", kept)).split()
    words = (word.strip(_INSIDE_WORDS) for word in words)
    return tuple(word for word in words if any(map(str.isalnum, word)))


def _is_punctuation(mark):
    return unicodedata.category(mark)[0] in "PSZC" and mark not in _INSIDE_WORDS
