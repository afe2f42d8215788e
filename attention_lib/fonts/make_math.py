"""Makes AttentionLessonMath-Regular.woff, the font of the formulas in handouts. Learners never run this.

Needs fonttools and, from Debian's package fonts-stix, STIXMath-Regular.otf. To make the font again:

    python attention_lib/fonts/make_math.py /usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf

A browser draws MathML well only with a font that has a MATH table, for brackets and roots that grow; many machines have
none. Kept: Latin, Greek, operators, arrows, brackets and the slanted and upright letters of mathematics. The licence
(OFL-math.txt) reserves the name "STIX", so the subset has a name of its own.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FAMILY, POSTSCRIPT = "Attention Lesson Math", "AttentionLessonMath-Regular"
RANGES = (  # first and last code point
    (0x0020, 0x007E), (0x00A0, 0x00FF), (0x0391, 0x03C9), (0x03D1, 0x03F5),  # Latin, Greek
    (0x2010, 0x2027), (0x2032, 0x2034), (0x210E, 0x210E), (0x2115, 0x2115), (0x211D, 0x211D),  # dashes, primes, h, ℕ, ℝ
    (0x2190, 0x21D5), (0x2200, 0x22FF),  # arrows, operators
    (0x2308, 0x230B), (0x239B, 0x23B1), (0x23DC, 0x23DF), (0x27E8, 0x27E9),  # brackets and their parts
    (0x1D400, 0x1D467), (0x1D6A8, 0x1D71B),  # bold, italic and bold italic letters
)


def main(source: str) -> None:
    font = TTFont(source, recalcTimestamp=False)
    options = Options()
    options.hinting = False
    options.layout_features = ["kern", "ssty"]
    options.drop_tables += ["FFTM"]
    options.name_IDs = ["*"]
    options.name_languages = [0x409]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes={code for first, last in RANGES for code in range(first, last + 1)})
    subsetter.subset(font)
    for number, text in {1: FAMILY, 3: POSTSCRIPT, 4: FAMILY, 6: POSTSCRIPT}.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [POSTSCRIPT]
    cff.topDictIndex[0].FamilyName = cff.topDictIndex[0].FullName = FAMILY
    font.flavor = "woff"
    target = Path(__file__).with_name(f"{POSTSCRIPT}.woff")
    font.save(target)
    print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
