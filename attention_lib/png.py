"""Pixels as the bytes of a PNG file."""

import struct
import zlib

import numpy as np


def encode_png(pixels: np.ndarray) -> bytes:
    """(height, width, 4) bytes as a PNG: quick, not small. A third of the time an imaging library takes over it."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, RGBA
    chunks = _chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows, 1)), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def blank(width: int, height: int) -> bytes:
    """A PNG of this size in dots on which nothing is to be seen, to keep the place of a picture."""
    return encode_png(np.zeros((height, width, 4), np.uint8))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
