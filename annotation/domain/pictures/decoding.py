"""An untrusted picture, decoded within limits and encoded again from its pixels alone.

The result is a file for display, in the same size, and a blurred one that shows only colours. Nothing else of the
original bytes is kept: no metadata, no comments, nothing hidden after the picture (threats B52-B66).
"""

import hashlib
import io
import struct
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import pi_heif
from PIL import Image, ImageCms, ImageFilter, ImageOps, PngImagePlugin, UnidentifiedImageError

# A large colour profile is valid; the memory limit of the drawing process bounds the unpacked size of a chunk.
PngImagePlugin.MAX_TEXT_CHUNK = 16 * 2**20

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "HEIF", "AVIF", "TIFF", "BMP")
_LOSSLESS = frozenset({"PNG", "GIF", "TIFF", "BMP"})
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
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
            picture = _upright_srgb(_loaded(picture))
        except BadPicture as refused:
            refused.pixels = picture.width * picture.height * frames
            raise
    shown, media_type = _encoded(picture, lossless)
    sha256 = hashlib.sha256(content).hexdigest()
    return Drawn(shown, _blurred(picture), media_type, picture.width, picture.height, sha256, frames)


@cache
def _know_heif() -> None:
    pi_heif.register_heif_opener()


def _opened(content: bytes, limits: PictureLimits) -> Image.Image:
    """Return the picture with its header read and checked; the pixels are not decoded yet. Raises BadPicture."""
    _know_heif()
    try:
        picture = Image.open(io.BytesIO(content), formats=FORMATS)
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
    return BadPicture("image_type", "Only JPEG, PNG, WebP, GIF, HEIC, AVIF, TIFF and BMP pictures are taken.", 415)


def _too_many_pixels(limits: PictureLimits) -> BadPicture:
    reason = f"The picture has more than {limits.pixels:,} pixels (width × height × frames)."
    return BadPicture("too_many_pixels", reason, limit=limits.pixels)


def _loaded(picture: Image.Image) -> Image.Image:
    try:
        picture.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as fault:
        raise BadPicture("too_many_pixels", "The picture unpacks to too much.") from fault
    except _BROKEN as fault:
        raise BadPicture("corrupt_image", "The picture is damaged or cut off.") from fault
    return picture


def _upright_srgb(picture: Image.Image) -> Image.Image:
    """Return the picture rotated as its metadata says, in 8-bit sRGB, with transparency if it has some."""
    profile = picture.info.get("icc_profile")
    with suppress(*_BROKEN):  # a broken orientation is ignored
        picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith(("I", "F")):
        picture = _eight_bit(picture)
    alpha = picture.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in picture.info
    if profile and picture.mode in {"RGB", "CMYK", "L"}:
        picture = _from_profile(picture, profile)
    converted = picture.convert("RGBA" if alpha else "RGB")
    return _without_empty_alpha(converted) if alpha else converted


def _eight_bit(picture: Image.Image) -> Image.Image:
    """Scale 16-bit and float greys to 8 bits; Pillow's own conversion would clip them."""
    if picture.mode == "F":
        return picture.point(lambda value: value).convert("L")
    return picture.convert("I").point(lambda value: value * (1 / 257)).convert("L")


def _from_profile(picture: Image.Image, profile: bytes) -> Image.Image:
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        converted = ImageCms.profileToProfile(picture, source, _SRGB, outputMode="RGB")
    except (ImageCms.PyCMSError, *_BROKEN):
        return picture  # an unreadable profile is ignored
    return converted or picture


_SRGB = ImageCms.createProfile("sRGB")


def _without_empty_alpha(picture: Image.Image) -> Image.Image:
    lowest = picture.getchannel("A").getextrema()[0]
    return picture.convert("RGB") if lowest == 255 else picture


def _bare(picture: Image.Image) -> Image.Image:
    """Return the picture without comments and profiles, which Pillow would write into the new file."""
    picture.info = {}
    return picture


def _encoded(picture: Image.Image, lossless: bool) -> tuple[bytes, str]:
    """Return the file for display and its media type: PNG for transparency and small lossless pictures, else JPEG."""
    out = io.BytesIO()
    if picture.mode == "RGBA" or (lossless and picture.width * picture.height <= 2_000_000):
        _bare(picture).save(out, "PNG", compress_level=4)
        return out.getvalue(), "image/png"
    _bare(picture).save(out, "JPEG", quality=90)
    return out.getvalue(), "image/jpeg"


def _blurred(picture: Image.Image) -> bytes:
    """Return a JPEG of about 20 patches of colour on the long side, which shows no face, word or sign."""
    grain = picture.convert("RGBA" if picture.mode == "RGBA" else "RGB")
    grain.thumbnail((_GRAIN, _GRAIN), Image.Resampling.BOX)
    flat = Image.new("RGB", grain.size, (127, 127, 127))
    flat.paste(grain, mask=grain.getchannel("A") if grain.mode == "RGBA" else None)
    scale = _BLURRED_SIDE / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    out = io.BytesIO()
    flat.resize(size, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(12)).save(out, "JPEG", quality=60)
    return out.getvalue()
