"""TIFF of greys and colours with 12 bits each, as scanners and cameras write it. Pillow does not read most of them.

The strips may be plain, or packed in any way that Pillow unpacks, such as LZW and Deflate. Two samples take three
bytes. The upper eight bits of each are what a page can show.
"""

import io
import struct
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress

from PIL import Image

_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _KIND = 256, 257, 258, 259, 262
_BIT_ORDER, _STRIPS, _SAMPLES, _ROWS, _LENGTHS, _PLANES, _PREDICTOR = 266, 273, 277, 278, 279, 284, 317
_GREY, _RGB = 1, 2
_MODES = {(12, _GREY): "L", (12, 12, 12, _RGB): "RGB"}
"""The modes of what is read, by the bits of each sample and the kind of picture."""
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
    with suppress(struct.error, IndexError, KeyError, ValueError, OSError):
        tags = _tags(content, order)
        (width,), (height,) = tags[_WIDTH], tags[_HEIGHT]
        mode = _MODES.get((*tags[_BITS], *tags[_KIND]))
        samples = len(tags[_BITS])
        if mode is None or tags.get(_SAMPLES, (1,)) != (samples,) or tags.get(_PLANES, (1,)) != (1,):
            return None
        if not 0 < width * height <= most_pixels:
            return None
        row = (width * 12 * samples + 7) // 8
        packed = _unpacked(content, tags, row, height)
        rows = (_in_eight_bits(packed[start : start + row], width * samples) for start in range(0, row * height, row))
        picture = Image.frombytes(mode, (width, height), b"".join(rows))
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


def _unpacked(content: bytes, tags: Tags, row: int, height: int) -> bytes:
    """Return all rows, unpacked by Pillow: it is told that each byte of them is a grey of 8 bits."""
    if tags.get(_PREDICTOR, (1,)) != (1,) or tags.get(_BIT_ORDER, (1,)) != (1,):
        raise ValueError("differences, or bits in another order")
    strips = tags[_STRIPS]
    told = {_WIDTH: row, _HEIGHT: height, _BITS: 8, _COMPRESSION: tags[_COMPRESSION][0], _KIND: _GREY, _SAMPLES: 1}
    told |= {_ROWS: tags.get(_ROWS, (height,))[0]}
    lists_at = 8 + 2 + 12 * (len(told) + 2) + 4
    content_at = lists_at + 8 * len(strips)
    starts = struct.pack(f"<{len(strips)}I", *(at + content_at for at in strips))
    lengths = struct.pack(f"<{len(strips)}I", *tags[_LENGTHS])
    alone = len(strips) == 1
    entries = [struct.pack("<HHII", tag, 4, 1, value) for tag, value in told.items()]
    for tag, values, at in ((_STRIPS, starts, lists_at), (_LENGTHS, lengths, lists_at + len(starts))):
        entries.append(struct.pack("<HHI", tag, 4, len(strips)) + (values if alone else struct.pack("<I", at)))
    entries.sort(key=lambda entry: struct.unpack_from("<H", entry))
    head = b"II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(entries) + bytes(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the picture itself has few enough pixels
        return Image.open(io.BytesIO(head + starts + lengths + content), formats=["TIFF"]).tobytes()


def _in_eight_bits(row: bytes, samples: int) -> bytes:
    """Return the upper eight bits of each sample of a row."""
    row += bytes(-len(row) % 3)
    upper = row[1::3].translate(_LOW_TO_HIGH)
    lower = row[2::3].translate(_HIGH_TO_LOW)
    odd = (int.from_bytes(upper) | int.from_bytes(lower)).to_bytes(len(upper))
    both = bytearray(2 * len(odd))
    both[::2], both[1::2] = row[::3], odd
    return bytes(both[:samples])
