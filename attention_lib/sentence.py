"""A typed sentence into words."""

import re
import unicodedata

_HAN = re.compile(r"([\u3400-\u9fff\U00020000-\U0003ffff])")


def split_words(text: str) -> tuple[str, ...]:
    """Words by spaces; Chinese without any space is split into characters. Punctuation is left out."""
    words = "".join(" " if unicodedata.category(mark)[0] in "PSZC" and mark not in "'’-" else mark for mark in str(text)).split()
    if len(words) == 1:
        words = _HAN.sub(r" \1 ", words[0]).split()
    return tuple(words)
