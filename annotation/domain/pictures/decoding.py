"""An untrusted picture, decoded within limits and encoded again from its pixels alone.

The result is a file for display, in the same size, and a blurred one that shows only colours. Nothing else of the
original bytes is kept: no metadata, no comments, nothing hidden after the picture (threats B52-B66). A transparent
picture is laid on the ground that shows it, so that people, models and readers of words see the same.
"""

import hashlib
import io
import math
import struct
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import numpy as np
import pi_heif
from PIL import Image, ImageCms, ImageFilter, ImageOps, ImageStat, PngImagePlugin, UnidentifiedImageError

from annotation.domain.pictures import deep_tiff

# A large colour profile is valid; the memory limit of the drawing process bounds the unpacked size of a chunk.
PngImagePlugin.MAX_TEXT_CHUNK = 16 * 2**20

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "HEIF", "AVIF", "TIFF", "BMP")
_LOSSLESS = frozenset({"PNG", "GIF", "TIFF", "BMP"})
_JPEG_END = b"\xff\xd9"
_NO_PIXELS = b"\x5a\xc3\x96\x3c" * 64
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
_TIFF_MAGIC = (b"II*\0", b"MM\0*")
_BLURRED_SIDE, _GRAIN = 480, 20
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, struct.error, IndexError, KeyError, TypeError, AttributeError)
"""The exceptions that Pillow raises on broken files."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Limits: pixels (width × height × frames), bytes of a file, pixels of the shorter side, ratio of the sides."""

    pixels: int = 40_000_000
    file: int = 20 * 2**20
    side: int = 16
    aspect: int = 50


class BadPicture(Exception):
    """The picture is refused: a stable code, a message, the HTTP status, and the exceeded limit if there is one.

    `pixels` (width × height × frames) were decoded in vain.
    """

    def __init__(self, code: str, sentence: str, status: int = 400, limit: int | None = None, pixels: int = 0) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.status, self.limit, self.pixels = code, sentence, status, limit, pixels


@dataclass(frozen=True, slots=True)
class Drawn:
    """The newly encoded picture. `media_type` is that of `shown`; `blurred` is always a JPEG."""

    shown: bytes
    blurred: bytes
    media_type: str
    width: int
    height: int
    sha256: str
    """The SHA-256 of the original bytes."""
    frames: int = 1
    """Frames or pages of the original; the first one is shown."""
    ground: str = ""
    """What a transparent picture was laid on: white or black; empty for other pictures."""


def draw(content: bytes, limits: PictureLimits) -> Drawn:
    """Decode the first frame of a picture of one of the FORMATS and encode it again. Raises BadPicture."""
    if len(content) > limits.file:
        reason = f"The picture has {len(content):,} bytes; at most {limits.file:,}."
        raise BadPicture("picture_too_large", reason, 413, limits.file)
    if not content:
        raise BadPicture("empty_picture", "The picture file is empty.")
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        picture = _opened(content, limits)
        lossless, frames = picture.format in _LOSSLESS, getattr(picture, "n_frames", 1)
        try:
            picture, ground = on_ground(_upright_srgb(_loaded(picture, content)))
        except BadPicture as refused:
            refused.pixels = picture.width * picture.height * frames
            raise
    shown, media_type = _encoded(picture, lossless)
    sha256 = hashlib.sha256(content).hexdigest()
    return Drawn(shown, _blurred(picture), media_type, picture.width, picture.height, sha256, frames, ground)


@cache
def _know_heif() -> None:
    pi_heif.register_heif_opener()


def _opened(content: bytes, limits: PictureLimits) -> Image.Image:
    """Return the picture with its header read and checked; the pixels are not decoded yet. Raises BadPicture."""
    _know_heif()
    try:
        picture = deep_tiff.read(content, limits.pixels) or Image.open(io.BytesIO(content), formats=FORMATS)
        width, height, frames = *picture.size, getattr(picture, "n_frames", 1)
    except UnidentifiedImageError as fault:
        raise _unidentified(content, limits) from fault
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as fault:
        raise _too_many_pixels(limits) from fault
    except _BROKEN as fault:
        raise BadPicture("corrupt_image", "The picture is damaged and cannot be decoded.") from fault
    if width * height * frames > limits.pixels:
        raise _too_many_pixels(limits)
    if min(width, height) < limits.side:
        reason = f"The picture is {width} × {height}; each side needs at least {limits.side} pixels."
        raise BadPicture("picture_too_small", reason, limit=limits.side)
    if max(width, height) > limits.aspect * min(width, height):
        reason = f"The picture is {width} × {height}; one side may be at most {limits.aspect} times the other."
        raise BadPicture("aspect", reason, limit=limits.aspect)
    return picture


def _unidentified(content: bytes, limits: PictureLimits) -> BadPicture:
    if content.startswith(_MAGIC[1]) and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        if width * height > limits.pixels:
            return _too_many_pixels(limits)
    webp = content.startswith(b"RIFF") and content[8:12] == b"WEBP"
    if webp or content.startswith(_MAGIC):
        return BadPicture("corrupt_image", "The picture is damaged and cannot be decoded.")
    if content.startswith(_TIFF_MAGIC):
        reason = "This TIFF is damaged, or of a kind that is not read. Save it with 8 bits a colour, or as PNG."
        return BadPicture("image_type", reason, 415)
    return BadPicture("image_type", "Only JPEG, PNG, WebP, GIF, HEIC, AVIF, TIFF and BMP pictures are taken.", 415)


def _too_many_pixels(limits: PictureLimits) -> BadPicture:
    reason = f"The picture has more than {limits.pixels:,} pixels (width × height × frames)."
    return BadPicture("too_many_pixels", reason, limit=limits.pixels)


def _loaded(picture: Image.Image, content: bytes) -> Image.Image:
    try:
        picture.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as fault:
        raise BadPicture("too_many_pixels", "The picture unpacks to too much.") from fault
    except _BROKEN as fault:
        whole = _with_end_mark(content) if picture.format == "JPEG" else None
        if whole is None:
            raise BadPicture("corrupt_image", "The picture is damaged or cut off.") from fault
        return whole
    return picture


def _with_end_mark(content: bytes) -> Image.Image | None:
    """Return a JPEG that lacks nothing but its end mark, as browsers show it. Returns None if more is missing.

    Where pixels are missing, what follows the bytes of the file changes the picture.
    """
    with suppress(*_BROKEN):
        ends = (_JPEG_END, _NO_PIXELS + _JPEG_END)
        pictures = [Image.open(io.BytesIO(content.rstrip(b"\xff") + end), formats=["JPEG"]) for end in ends]
        if pictures[0].tobytes() == pictures[1].tobytes():
            return pictures[0]
    return None


def _upright_srgb(picture: Image.Image) -> Image.Image:
    """Return the picture rotated as its metadata says, in 8-bit sRGB, with transparency if it has some."""
    profile, is_tiff = picture.info.get("icc_profile"), picture.format == "TIFF"
    with suppress(*_BROKEN):  # a broken orientation is ignored
        picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith(("I", "F")):
        picture = _eight_bit(picture, is_tiff)
    alpha = picture.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in picture.info
    if profile and picture.mode in {"RGB", "CMYK", "L"}:
        picture = _from_profile(picture, profile)
    return picture.convert("RGBA" if alpha else "RGB")


def _eight_bit(picture: Image.Image, is_tiff: bool) -> Image.Image:
    """Scale greys of more than 8 bits to 8; Pillow's own conversion would clip them."""
    low, high = _range(picture, is_tiff)
    scale = 255 / (high - low) if high > low else 0.0
    offset = 0.001 - low * scale  # white is 255 in spite of what is lost in a fraction
    return picture.convert("F").point(lambda value: value * scale + offset).convert("L")


def _range(picture: Image.Image, is_tiff: bool) -> tuple[float, float]:
    """Return the values that are black and white. A TIFF does not say how many bits of a value are in use."""
    low, high = _extrema(picture)
    if picture.mode == "F":
        usual = next((top for top in (1.0, 255.0) if high <= top), high)
        return (0.0, usual) if low >= 0 and usual < 256 else (low, high)
    if low < 0 or high > _SIXTEEN_BITS:
        return low, high
    depths = (_TIFF_DEPTHS if is_tiff else ()) + (_SIXTEEN_BITS,)
    return 0.0, float(next(top for top in depths if high <= top))


_SIXTEEN_BITS = 2**16 - 1
_TIFF_DEPTHS = (2**8 - 1, 2**10 - 1, 2**12 - 1, 2**14 - 1)


def _extrema(picture: Image.Image) -> tuple[float, float]:
    """Return the lowest and the highest value that is a number."""
    low, high = map(float, picture.getextrema())  # type: ignore[arg-type]  # of one band
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    values = np.asarray(picture)
    numbers = values[np.isfinite(values)]
    return (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 0.0)


def _from_profile(picture: Image.Image, profile: bytes) -> Image.Image:
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        converted = ImageCms.profileToProfile(picture, source, _SRGB, outputMode="RGB")
    except (ImageCms.PyCMSError, *_BROKEN):
        return picture  # an unreadable profile is ignored
    return converted or picture


_SRGB = ImageCms.createProfile("sRGB")


def on_ground(picture: Image.Image) -> tuple[Image.Image, str]:
    """Return the picture without transparency, and the ground it lies on: what differs most from what can be seen.

    A picture without transparency stays as it is, on the ground "".
    """
    if picture.mode != "RGBA":
        return picture, ""
    alpha = picture.getchannel("A")
    if alpha.getextrema()[0] == 255:
        return picture.convert("RGB"), ""
    seen = alpha.point(lambda value: value and 255)
    is_dark = not seen.getbbox() or ImageStat.Stat(picture.convert("L"), seen).mean[0] < 128
    ground = "white" if is_dark else "black"
    flat = Image.new("RGB", picture.size, ground)
    flat.paste(picture, mask=alpha)
    return flat, ground


def _bare(picture: Image.Image) -> Image.Image:
    """Return the picture without comments and profiles, which Pillow would write into the new file."""
    picture.info = {}
    return picture


def _encoded(picture: Image.Image, lossless: bool) -> tuple[bytes, str]:
    """Return the file for display and its media type: PNG for small lossless pictures, else JPEG."""
    out = io.BytesIO()
    if lossless and picture.width * picture.height <= 2_000_000:
        _bare(picture).save(out, "PNG", compress_level=4)
        return out.getvalue(), "image/png"
    _bare(picture).save(out, "JPEG", quality=90)
    return out.getvalue(), "image/jpeg"


def _blurred(picture: Image.Image) -> bytes:
    """Return a JPEG of about 20 patches of colour on the long side, which shows no face, word or sign."""
    grain = picture.copy()
    grain.thumbnail((_GRAIN, _GRAIN), Image.Resampling.BOX)
    scale = _BLURRED_SIDE / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    out = io.BytesIO()
    grain.resize(size, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(12)).save(out, "JPEG", quality=60)
    return out.getvalue()
