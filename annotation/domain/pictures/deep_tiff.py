"""TIFF of colours with 12 bits each, which Pillow does not read: scanners and cameras write it in plain strips.

Two samples take three bytes. The upper eight bits of each are what a page can show.
"""

import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress

from PIL import Image

_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _KIND = 256, 257, 258, 259, 262
_STRIPS, _SAMPLES, _LENGTHS, _PLANES = 273, 277, 279, 284
_PLAIN, _DEFLATED = 1, frozenset({8, 32946})
_RGB, _TOGETHER = 2, 1
_SIZES = {3: (2, "H"), 4: (4, "I")}
_MOST_TAGS, _MOST_STRIPS = 200, 100_000
_LOW_TO_HIGH = bytes((byte & 15) << 4 for byte in range(256))
_HIGH_TO_LOW = bytes(byte >> 4 for byte in range(256))

Tags = Mapping[int, Sequence[int]]


def read(content: bytes, most_pixels: int) -> Image.Image | None:
    """Return the picture in 8 bits. Returns None for any other file, and for one of more pixels."""
    order = _ORDERS.get(content[:4])
    if order is None:
        return None
    with suppress(struct.error, IndexError, KeyError, ValueError, zlib.error):
        tags = _tags(content, order)
        (width,), (height,) = tags[_WIDTH], tags[_HEIGHT]
        is_read = tags[_BITS] == (12, 12, 12) and tags[_SAMPLES] == (3,) and tags[_KIND] == (_RGB,)
        if not is_read or tags.get(_PLANES, (_TOGETHER,)) != (_TOGETHER,) or not 0 < width * height <= most_pixels:
            return None
        row = (width * 36 + 7) // 8
        packed = _packed(content, tags, row * height)
        rows = (_in_eight_bits(packed[start : start + row], width * 3) for start in range(0, row * height, row))
        picture = Image.frombytes("RGB", (width, height), b"".join(rows))
        picture.format = "TIFF"
        return picture
    return None


def _tags(content: bytes, order: str) -> Tags:
    """Return the whole numbers of the first directory, by tag."""
    (start,) = struct.unpack_from(f"{order}I", content, 4)
    (count,) = struct.unpack_from(f"{order}H", content, start)
    tags: dict[int, Sequence[int]] = {}
    for place in range(start + 2, start + 2 + 12 * min(count, _MOST_TAGS), 12):
        tag, kind, values = struct.unpack_from(f"{order}HHI", content, place)
        if kind not in _SIZES or values > _MOST_STRIPS:
            continue
        size, letter = _SIZES[kind]
        at = place + 8 if size * values <= 4 else struct.unpack_from(f"{order}I", content, place + 8)[0]
        tags[tag] = struct.unpack_from(f"{order}{values}{letter}", content, at)
    return tags


def _packed(content: bytes, tags: Tags, size: int) -> bytes:
    """Return all strips behind each other. Raises ValueError where they hold another number of bytes."""
    (compression,) = tags[_COMPRESSION]
    parts = [content[at : at + length] for at, length in zip(tags[_STRIPS], tags[_LENGTHS], strict=True)]
    if compression in _DEFLATED:
        parts = [zlib.decompressobj().decompress(part, size) for part in parts]
    elif compression != _PLAIN:
        raise ValueError(compression)
    packed = b"".join(parts)
    if len(packed) != size:
        raise ValueError(len(packed))
    return packed


def _in_eight_bits(row: bytes, samples: int) -> bytes:
    """Return the upper eight bits of each sample of a row."""
    row += bytes(-len(row) % 3)
    upper = row[1::3].translate(_LOW_TO_HIGH)
    lower = row[2::3].translate(_HIGH_TO_LOW)
    odd = (int.from_bytes(upper) | int.from_bytes(lower)).to_bytes(len(upper))
    both = bytearray(2 * len(odd))
    both[::2], both[1::2] = row[::3], odd
    return bytes(both[:samples])
