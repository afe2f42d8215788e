"""Formulas of the lessons as MathML, which browsers draw by themselves: no script, no network."""

import re

from latex2mathml.converter import convert

# latex2mathml draws \xrightarrow in the way of an older MathML, with a short arrow under its words.
_ARROW = re.compile(r'<mstyle scriptlevel="0"><mo>&#x2192;</mo></mstyle><mpadded[^>]*>(.*?)<mspace depth="[^"]*" />'
                    r"</mpadded>", re.DOTALL)
_LONG_ARROW = r'<mo stretchy="true">&#x2192;</mo><mrow><mspace width="0.4em" />\1<mspace width="0.4em" /></mrow>'


def mathml(tex: str, block: bool = False) -> str:
    """TeX as it stands between dollars, as a ``<math>`` element. ValueError for a command that is not known."""
    try:
        drawn = convert(tex, display="block" if block else "inline")
    except Exception as error:
        raise ValueError(f"{tex}: {error or type(error).__name__}") from error
    if "\\" in re.sub(r"<[^>]+>", "", drawn):
        raise ValueError(tex)
    return _ARROW.sub(_LONG_ARROW, drawn)
