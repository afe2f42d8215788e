"""Makes AttentionLessonSansSC-Regular.otf, the Chinese font of the figures. Learners never run this.

Needs fonttools and, from Debian's package fonts-noto-cjk, NotoSansCJK-Regular.ttc. To make the font again:

    python attention_lib/fonts/make_subset.py /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc

What is kept: the 6,763 characters of GB 2312, ASCII and Latin-1, Greek, general and full-width punctuation, and those
signs of mathematics and arrows that the font has, less √, whose bar stands apart from what follows: DejaVu Sans, which
matplotlib ships, has a better one. What is dropped: all other glyphs, hints (matplotlib hints by itself) and all layout
features but kerning. The same source gives the same bytes.

The licence (OFL.txt) reserves the font name "Source" and asks for the licence and copyright to go along; "Noto" is a
trademark. So the subset has a family name of its own, which also keeps an installed font from taking its place.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

FAMILY = "Attention Lesson Sans SC"
POSTSCRIPT = "AttentionLessonSansSC-Regular"
ORIGINAL = "Noto Sans CJK SC"
RANGES = (  # first and last code point
    (0x0020, 0x007E), (0x00A0, 0x00FF),  # ASCII, Latin-1
    (0x0391, 0x03C9),  # Greek
    (0x2010, 0x2027), (0x2030, 0x203B),  # general punctuation
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x2190, 0x21FF), (0x2200, 0x22FF),  # arrows, mathematics
    (0x2460, 0x2473), (0x2500, 0x257F), (0x25A0, 0x25FF),  # numbers in circles, lines, shapes
    (0x3000, 0x303F), (0xFF01, 0xFF5E), (0xFFE0, 0xFFE6),  # Chinese and full-width punctuation
)
LEFT_OUT = {0x221A}  # √


def gb2312() -> set[int]:
    """The 6,763 characters of GB 2312: rows 16 to 87 of the standard, less the five empty places."""
    wanted = set()
    for row in range(0xB0, 0xF8):
        for place in range(0xA1, 0xFF):
            try:
                wanted.add(ord(bytes((row, place)).decode("gb2312")))
            except UnicodeDecodeError:  # nothing stands at this place
                continue
    return wanted


def subset(font: TTFont) -> TTFont:
    """``font`` with only what the lesson needs, under the lesson's own name; changed in place."""
    options = Options()
    options.layout_features = ["kern"]
    options.hinting = False
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE"]  # vertical setting
    options.name_IDs = ["*"]
    options.name_languages = [0x409]
    subsetter = Subsetter(options)
    ranges = {code for first, last in RANGES for code in range(first, last + 1)}
    subsetter.populate(unicodes=(gb2312() | ranges) - LEFT_OUT)
    subsetter.subset(font)
    rename(font)
    return font


def rename(font: TTFont) -> None:
    """The lesson's own family name; copyright, trademark and licence records stay as they are."""
    version = font["name"].getDebugName(5)
    for number, text in {
        1: FAMILY, 2: "Regular", 3: f"{POSTSCRIPT};subset of {ORIGINAL}", 4: FAMILY,
        5: f"{version}; subset", 6: POSTSCRIPT, 16: FAMILY, 17: "Regular",
    }.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [POSTSCRIPT]
    top = cff.topDictIndex[0]
    top.FamilyName = top.FullName = FAMILY


def main(collection: str) -> None:
    fonts = TTCollection(collection).fonts
    font = next(font for font in fonts if font["name"].getDebugName(1) == ORIGINAL)
    font.recalcTimestamp = False  # the date of the source, so that the same source gives the same bytes
    target = Path(__file__).parent / f"{POSTSCRIPT}.otf"
    subset(font).save(target)
    print(f"{target.name}: {target.stat().st_size:,} bytes, {len(font.getBestCmap()):,} characters")


if __name__ == "__main__":
    main(sys.argv[1])
