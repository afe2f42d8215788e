"""Whole numbers of any size as short codes a person can copy, read out and type, with a checksum.

Digits are Crockford's base 32 (no I, L, O, U; crockford.com/base32.html); the last six hold a CRC-32 cut to 30 bits.
"""

import unicodedata
import zlib

from .language import say

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHECK_BITS = 30
_LONGEST_TEXT = 1000  # bytes
_LOOKALIKES = str.maketrans("OIL", "011")
_VALUE = {digit: value for value, digit in enumerate(DIGITS)}


def spell(number: int) -> str:
    """The code of a whole number >= 0: letters and digits only, so it may stand in a URL."""
    checked = number << _CHECK_BITS | _checksum(number)
    digits = []
    while checked:
        checked, digit = divmod(checked, 32)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits)).rjust(_CHECK_BITS // 5 + 1, "0")


def read(code: str) -> int:
    """The number of a code.

    Small letters, blanks, hyphens, full-width letters, and O for 0, I or L for 1, are understood.
    Raises ValueError in words for a sign that is in no code, and for a code that is cut or mistyped.
    """
    if not isinstance(code, str):
        raise ValueError(say("code.not_text", got=type(code).__name__))
    typed = "".join(mark for mark in unicodedata.normalize("NFKC", code) if not _is_filler(mark))
    plain = typed.upper().translate(_LOOKALIKES)
    strange = next((mark for mark in plain if mark not in _VALUE), None)
    if strange is not None:
        raise ValueError(say("code.strange", mark=strange))
    if not plain:
        raise ValueError(say("code.empty"))
    checked = 0
    for digit in plain:
        checked = checked * 32 + _VALUE[digit]
    number, check = divmod(checked, 1 << _CHECK_BITS)
    if len(plain) * 5 <= _CHECK_BITS or check != _checksum(number) or spell(number) != plain:
        raise ValueError(say("code.damaged"))
    return number


class Packer:
    """Small whole numbers packed into one large one, each with as many values as it can have."""

    def __init__(self, fields=()):
        self._fields = list(fields)

    def copy(self) -> "Packer":
        return Packer(self._fields)

    def add(self, other: "Packer") -> None:
        """All that ``other`` was given."""
        self._fields += other._fields

    def put(self, value: int, base: int) -> None:
        """One of ``base`` values, 0 <= value < base."""
        if not 0 <= value < base:
            raise ValueError(f"{value} is not one of {base} values")
        self._fields.append((value, base))

    def put_size(self, value: int) -> None:
        """A whole number >= 0 of any size; small ones are short (three bits at a time)."""
        while value >= 8:
            self.put(8 + value % 8, 16)
            value //= 8
        self.put(value, 16)

    def put_signed(self, value: int) -> None:
        """A whole number of any size and sign."""
        self.put_size(2 * value if value >= 0 else -2 * value - 1)

    def put_text(self, text: str) -> None:
        """Any text."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > _LONGEST_TEXT:
            raise ValueError(say("code.too_long", text=text[:20] + "…"))
        self.put_size(len(data))
        for byte in data:
            self.put(byte, 256)

    @property
    def number(self) -> int:
        """Everything put so far, as one number; what was put first is read first."""
        number = 0
        for value, base in reversed(self._fields):
            number = number * base + value
        return number


class Unpacker:
    """Reads what a Packer packed, in the same order."""

    def __init__(self, number: int):
        self._rest = number

    def take(self, base: int) -> int:
        self._rest, value = divmod(self._rest, base)
        return value

    def take_size(self) -> int:
        value, worth = 0, 1
        while (digit := self.take(16)) >= 8:
            value += (digit - 8) * worth
            worth *= 8
        return value + digit * worth

    def take_signed(self) -> int:
        value = self.take_size()
        return -(value + 1) // 2 if value % 2 else value // 2

    def take_text(self) -> str:
        size = self.take_size()
        if size > _LONGEST_TEXT:
            raise ValueError(size)
        return bytes(self.take(256) for _ in range(size)).decode("utf-8", "surrogatepass")

    def end(self) -> None:
        """ValueError where something is left over."""
        if self._rest:
            raise ValueError(self._rest)


def _checksum(number):
    data = number.to_bytes((number.bit_length() + 7) // 8 or 1, "big")
    return zlib.crc32(data) % (1 << _CHECK_BITS)


def _is_filler(mark):
    # Blanks and line ends, what chat programs put in unseen (Cf), and hyphens between groups.
    return mark.isspace() or unicodedata.category(mark) in ("Cf", "Pd", "Cc")
