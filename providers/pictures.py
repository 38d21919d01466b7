"""Pictures as they are sent: no larger than a model looks at, drawn once and kept for its next questions."""

import hashlib
import io
import struct
import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import replace

from PIL import Image, ImageOps

from providers.messages import Message, Picture

_FORMATS = ("JPEG", "PNG", "WEBP")
_MOST_PIXELS = 50_000_000
_LARGE = 2 * 2**20
"""A file of more bytes is encoded anew even if its sides are short: base64 of it would be a third more."""
_QUALITY = 88
_BROKEN = (
    *(OSError, SyntaxError, ValueError, EOFError, struct.error, IndexError, KeyError, TypeError, AttributeError),
    *(MemoryError, Image.DecompressionBombError),
)
"""What Pillow raises on broken files."""
_KEPT = 64

_Key = tuple[bytes, int]


class ScaledPictures:
    """The pictures that were drawn for models, newest last; each is drawn once, however many threads want it."""

    def __init__(self, most: int = _KEPT) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._drawn: OrderedDict[_Key, Future[Picture]] = OrderedDict()
        self.times_drawn = 0

    def scaled(self, picture: Picture, side: int) -> Picture:
        """Return the picture with no side longer than `side`, as a JPEG; unchanged if it is small or unreadable."""
        if not _is_worth_drawing(picture.content, side):
            return picture
        key = (hashlib.sha256(picture.content).digest(), side)
        with self._lock:
            future = self._drawn.get(key)
            is_mine = future is None
            if future is None:
                future = self._drawn[key] = Future()
                self.times_drawn += 1
                if len(self._drawn) > self._most:
                    self._drawn.popitem(last=False)
            self._drawn.move_to_end(key)
        if is_mine:
            try:
                future.set_result(_drawn(picture, side))
            finally:
                future.cancel()  # nobody may wait for a picture whose drawing was broken off
        return future.result()


def scaled_messages(messages: tuple[Message, ...], side: int, pictures: ScaledPictures) -> tuple[Message, ...]:
    """Return the messages with their pictures scaled; with `side` 0 as they are."""
    if not side or not any(isinstance(part, Picture) for message in messages for part in message.parts):
        return messages
    return tuple(
        replace(
            message,
            parts=tuple(pictures.scaled(part, side) if isinstance(part, Picture) else part for part in message.parts),
        )
        for message in messages
    )


def _is_worth_drawing(content: bytes, side: int) -> bool:
    """Return whether the picture is too large as it is and can be read; only its header is looked at."""
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as picture:
            width, height = picture.size
    except _BROKEN:
        return False
    return width * height <= _MOST_PIXELS and (max(width, height) > side or len(content) > _LARGE)


def _drawn(picture: Picture, side: int) -> Picture:
    """Return the picture drawn anew; as it is if that fails, so that the server decides about it."""
    try:
        with Image.open(io.BytesIO(picture.content), formats=_FORMATS) as opened:
            opened.draft("RGB", (side, side))  # lets a JPEG be decoded at a fraction of its size
            upright = ImageOps.exif_transpose(opened)
            upright.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
            out = io.BytesIO()
            _without_transparency(upright).save(out, "JPEG", quality=_QUALITY)
    except _BROKEN:
        return picture
    return Picture(out.getvalue(), "image/jpeg")


def _without_transparency(image: Image.Image) -> Image.Image:
    """Return the image on white, as pages show it."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        seen = image.convert("RGBA")
        white = Image.new("RGB", image.size, (255, 255, 255))
        white.paste(seen, mask=seen.getchannel("A"))
        return white
    return image.convert("RGB")
