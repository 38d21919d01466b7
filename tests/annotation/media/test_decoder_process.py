"""Pictures drawn anew in a process of their own: what is left of the original, and what becomes of a runaway."""

import io
import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from annotation.domain.pictures.decoding import BadPicture, PictureLimits, draw
from annotation.media.decoder_process import DrawingProcess

LIMITS = PictureLimits()


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def test_b54_a_script_behind_a_gif_is_gone() -> None:
    content = encoded(Image.new("P", (40, 30)), "GIF") + b"<script>alert(1)</script>"
    drawn = draw(content, LIMITS)
    assert b"<script" not in drawn.shown + drawn.blurred
    assert drawn.media_type == "image/png"


def test_b61_no_metadata_is_left() -> None:
    exif = Image.Exif()
    exif[0x010E] = "a private remark"
    exif.get_ifd(0x8825)[1] = "N"
    content = encoded(Image.new("RGB", (60, 40), "red"), "JPEG", exif=exif, comment=b"a comment", xmp=b"<x:xmpmeta/>")
    drawn = draw(content, LIMITS)
    for mark in (b"Exif", b"a private remark", b"a comment", b"xmpmeta"):
        assert mark in content
        assert mark not in drawn.shown + drawn.blurred
    assert not opened(drawn.shown).getexif()


def test_b61_no_text_is_left_in_a_png() -> None:
    content = encoded(Image.new("RGB", (60, 40)), "PNG", exif=Image.Exif(), dpi=(72, 72))
    assert set(opened(draw(content, LIMITS).shown).info) <= {"dpi"} - {"dpi"}


def test_b62_a_turned_picture_comes_out_upright() -> None:
    picture = Image.new("RGB", (60, 40), "white")
    picture.paste("black", (0, 0, 60, 10))  # a dark band along the top of the stored pixels
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned a quarter to the right: the top is then the right side
    drawn = draw(encoded(picture, "JPEG", exif=exif, quality=95), LIMITS)
    shown = opened(drawn.shown).convert("L")
    assert (drawn.width, drawn.height) == shown.size == (40, 60)
    assert shown.getpixel((37, 30)) < 40
    assert shown.getpixel((3, 30)) > 215


@pytest.mark.parametrize("mode", ["CMYK", "L", "1", "I;16", "LA", "RGBA", "P", "YCbCr"])
def test_b63_every_kind_of_pixel_becomes_8_bit_rgb(mode: str) -> None:
    kind = {"CMYK": "JPEG", "YCbCr": "JPEG"}.get(mode, "PNG")
    drawn = draw(encoded(Image.new(mode, (40, 30)), kind), LIMITS)
    assert opened(drawn.shown).mode in ("RGB", "RGBA")


def test_b63_sixteen_bits_are_scaled_and_not_clipped() -> None:
    grey = Image.new("I;16", (40, 30), 0x8000)
    value = opened(draw(encoded(grey, "PNG"), LIMITS).shown).getpixel((20, 15))
    assert value == (127, 127, 127)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_b63_a_colour_profile_of_5_mb_is_applied_and_dropped(kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + b"\0" * 5 * 2**20
    drawn = draw(encoded(Image.new("RGB", (40, 30), "red"), kind, icc_profile=profile), LIMITS)
    assert "icc_profile" not in opened(drawn.shown).info
    assert len(drawn.shown) < 5_000


def test_b65_content_and_not_the_name_tells_the_format() -> None:
    assert draw(encoded(Image.new("RGB", (40, 30)), "JPEG"), LIMITS).media_type == "image/jpeg"


BLACK, WHITE, CLEAR = (0, 0, 0, 255), (255, 255, 255, 255), (0, 0, 0, 0)
TRANSPARENT = {  # what is drawn, in how many of 40 × 30 pixels; the ground it needs
    "black writing": ([(BLACK, 20)], "white"),
    "white writing": ([(WHITE, 20)], "black"),
    "a dark red stamp": ([((150, 0, 0, 255), 300)], "white"),
    "yellow writing": ([((255, 230, 0, 255), 60)], "black"),
    "half seen black": ([((0, 0, 0, 90), 200)], "white"),
    "black that is clear, beside white": ([(CLEAR, 900), (WHITE, 100)], "black"),
    "nothing at all": ([], "white"),
}


@pytest.mark.parametrize(("drawn_in", "ground"), TRANSPARENT.values(), ids=TRANSPARENT)
@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_a_transparent_picture_lies_on_the_ground_that_shows_it(kind: str, drawn_in: list, ground: str) -> None:
    colours = [colour for colour, pixels in drawn_in for _ in range(pixels)]
    picture = Image.new("RGBA", (40, 30), CLEAR)
    picture.putdata(colours + [CLEAR] * (1200 - len(colours)))
    drawn = draw(encoded(picture, kind, **({"lossless": True} if kind == "WEBP" else {})), LIMITS)
    shown = opened(drawn.shown).convert("RGB")
    assert (drawn.ground, opened(drawn.shown).mode) == (ground, "RGB")
    assert min(abs(part - (255 if ground == "white" else 0)) for part in [shown.getpixel((39, 29))[0]]) < 8


def test_transparent_palettes_and_greys_are_flat_too_and_others_have_no_ground() -> None:
    grey = Image.new("LA", (40, 30), (255, 0))
    grey.paste((255, 255), (0, 0, 10, 10))
    palette = Image.new("P", (40, 30), 0)
    palette.putpalette([0, 0, 0, 255, 255, 255])
    palette.paste(1, (0, 0, 10, 10))
    assert draw(encoded(grey, "PNG"), LIMITS).ground == "black"
    assert draw(encoded(palette, "PNG", transparency=0), LIMITS).ground == "black"
    assert draw(encoded(Image.new("RGBA", (40, 30), BLACK), "PNG"), LIMITS).ground == ""
    assert draw(encoded(Image.new("RGB", (40, 30)), "JPEG"), LIMITS).ground == ""


DEEP = {  # the lowest and the highest value of a ramp, its mode, and the greys that these become
    "12 bits in 16": ("I;16", 0, 4095, (0, 255)),
    "10 bits in 16": ("I;16", 0, 1023, (0, 255)),
    "14 bits in 16": ("I;16", 0, 16383, (0, 255)),
    "16 bits": ("I;16", 0, 65535, (0, 255)),
    "8 bits in 16": ("I;16", 0, 255, (0, 255)),
    "fractions of one": ("F", 0.0, 1.0, (0, 255)),
    "a dark picture in fractions": ("F", 0.0, 0.5, (0, 127)),
    "fractions up to 255": ("F", 0.0, 255.0, (0, 255)),
    "heights above the sea": ("F", -400.0, 3600.0, (0, 255)),
    "counts": ("I", 0, 1_000_000, (0, 255)),
    "one value": ("F", 0.0, 0.0, (0, 0)),
}


@pytest.mark.parametrize(("mode", "low", "high", "shown"), DEEP.values(), ids=DEEP)
def test_a_tiff_of_any_depth_shows_its_range(mode: str, low: float, high: float, shown: tuple[int, int]) -> None:
    picture = Image.new(mode, (40, 30), low)
    picture.paste(high, (20, 0, 40, 30))
    assert opened(draw(encoded(picture, "TIFF"), LIMITS).shown).convert("L").getextrema() == shown


def lzw(packed: bytes, row: int) -> bytes:
    """Return bytes as LZW, which Pillow writes for a grey picture of so many bytes a row."""
    written = encoded(Image.frombytes("L", (row, len(packed) // row), packed), "TIFF", compression="tiff_lzw")
    [at], [length] = (opened(written).tag_v2[tag] for tag in (273, 279))
    return written[at : at + length]


PACKED = {1: lambda pixels, row: pixels, 5: lzw, 8: lambda pixels, row: zlib.compress(pixels)}
"""Ways of packing by their numbers in a TIFF: plain, LZW, Deflate."""


def tiff_of_12_bits(order: str, way: int, more: dict[int, int] | None = None) -> bytes:
    """Return a TIFF whose left half is red and whose right half is a dark blue, 12 bits a colour."""
    width, height, half = 41, 30, 20
    bits = "".join(f"{c:012b}" for x in range(width) for c in ((4095, 0, 0) if x < half else (0, 256, 2048)))
    row = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8))
    pixels = PACKED[way](row * height, len(row))
    single = {256: width, 257: height, 259: way, 262: 2, 273: 140, 277: 3, 279: len(pixels), 284: 1} | (more or {})
    tags = [(tag, 4, 1, value) for tag, value in single.items()] + [(258, 3, 3, 134)]
    out = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}IH", 8, len(tags))
    out += b"".join(struct.pack(f"{order}HHII", *tag) for tag in sorted(tags))
    return out.ljust(134, b"\0") + struct.pack(f"{order}3H", 12, 12, 12) + pixels


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("way", PACKED)
def test_a_tiff_of_12_bits_a_colour_is_shown_in_8(order: str, way: int) -> None:
    content = tiff_of_12_bits(order, way)
    shown = opened(draw(content, LIMITS).shown).convert("RGB")
    assert shown.size == (41, 30)
    assert [shown.getpixel(place) for place in ((0, 0), (19, 29), (20, 0), (40, 29))] == [
        *((255, 0, 0), (255, 0, 0), (0, 16, 128), (0, 16, 128))
    ]
    with pytest.raises(BadPicture):
        draw(content[:-40], LIMITS)


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_grey_tiff_of_12_bits_is_shown_in_8(order: str) -> None:
    row = int("".join(f"{16 * x:012b}" for x in range(40)), 2).to_bytes(60)
    single = {256: 40, 257: 30, 258: 12, 259: 5, 262: 1, 273: 140, 278: 30, 279: len(lzw(row * 30, 60))}
    out = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}IH", 8, len(single))
    for tag, value in single.items():
        out += struct.pack(f"{order}HHI", tag, 3, 1) + struct.pack(f"{order}HH", value, 0)
    shown = opened(draw(out.ljust(140, b"\0") + lzw(row * 30, 60), LIMITS).shown).convert("L")
    assert [shown.getpixel((x, 29)) for x in (0, 1, 20, 39)] == [0, 1, 20, 39]


@pytest.mark.parametrize("more", [{317: 2}, {266: 2}, {284: 2}], ids=["differences", "bits turned round", "planes"])
def test_a_tiff_that_is_not_read_is_refused_as_a_tiff(more: dict[int, int]) -> None:
    with pytest.raises(BadPicture) as refused:
        draw(tiff_of_12_bits("<", 5, more), LIMITS)
    assert refused.value.code == "image_type" and refused.value.sentence.startswith(
        "This TIFF is damaged, or of a kind"
    )


def test_a_value_that_is_no_number_is_black_and_the_others_keep_their_range() -> None:
    values = np.full((30, 40), 100.0, dtype=np.float32)
    values[0, 0], values[0, 1], values[0, 2] = math.nan, math.inf, 1000.0
    shown = opened(draw(encoded(Image.fromarray(values), "TIFF"), LIMITS).shown).convert("L")
    assert (shown.getpixel((2, 0)), shown.getpixel((20, 20))) == (255, 0)


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_may_lack_its_end_mark_and_nothing_else(progressive: bool) -> None:
    whole = encoded(Image.effect_noise((96, 72), 60), "JPEG", quality=85, progressive=progressive)
    assert whole.endswith(b"\xff\xd9")
    as_it_was = opened(draw(whole, LIMITS).shown).tobytes()
    for cut in (1, 2):
        assert opened(draw(whole[:-cut], LIMITS).shown).tobytes() == as_it_was
    for cut in (4, 9, 40, len(whole) // 10):
        with pytest.raises(BadPicture) as refused:
            draw(whole[:-cut], LIMITS)
        assert refused.value.code == "corrupt_image"


def test_of_an_animated_picture_the_first_frame_is_all_there_is() -> None:
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("red", "blue", "lime")]
    for kind in ("GIF", "WEBP", "PNG"):
        drawn = draw(encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100), LIMITS)
        for file in (drawn.shown, drawn.blurred):
            picture = opened(file)
            assert getattr(picture, "n_frames", 1) == 1
            red, _green, blue = picture.convert("RGB").getpixel((20, 15))
            assert red > 240 and blue < 15


HALVES = Image.new("RGB", (64, 48), (40, 120, 60))
HALVES.paste((200, 60, 40), (0, 0, 32, 48))
PAGE = Image.new("RGB", (64, 48), (0, 0, 255))
HEIC = Path(__file__).parents[2] / "support" / "pictures" / "two_frames.heic"
"""The same two pictures, written by pillow-heif, since the site's own library only reads."""
KINDS = {
    "HEIC": (lambda: HEIC.read_bytes(), 2, "image/jpeg"),
    "AVIF, animated": (lambda: encoded(HALVES, "AVIF", save_all=True, append_images=[PAGE]), 2, "image/jpeg"),
    "AVIF": (lambda: encoded(HALVES, "AVIF"), 1, "image/jpeg"),
    "TIFF of two pages": (lambda: encoded(HALVES, "TIFF", save_all=True, append_images=[PAGE]), 2, "image/png"),
    "TIFF, packed": (lambda: encoded(HALVES, "TIFF", compression="tiff_lzw"), 1, "image/png"),
    "BMP": (lambda: encoded(HALVES, "BMP"), 1, "image/png"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_of_cameras_and_scanners_are_shown_by_their_first_frame(kind: str) -> None:
    content, frames, media_type = KINDS[kind]
    with DrawingProcess(LIMITS) as process:
        drawn = process.draw(content())
    assert (drawn.frames, drawn.media_type, drawn.width, drawn.height) == (frames, media_type, 64, 48)
    shown = opened(drawn.shown).convert("RGB")
    for place, colour in (((8, 24), (200, 60, 40)), ((56, 24), (40, 120, 60))):
        assert all(abs(a - b) < 25 for a, b in zip(shown.getpixel(place), colour, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_such_a_picture_that_is_cut_is_refused(kind: str) -> None:
    content = KINDS[kind][0]()
    with DrawingProcess(LIMITS) as process, pytest.raises(BadPicture) as refused:
        process.draw(content[: len(content) // 2])
    assert refused.value.code in ("corrupt_image", "image_type")


def test_the_limit_of_pixels_holds_for_them_too() -> None:
    limits = PictureLimits(pixels=6_000)
    with DrawingProcess(limits) as process:
        for content, frames, _media_type in KINDS.values():
            if frames == 2:
                with pytest.raises(BadPicture) as refused:
                    process.draw(content())
                assert refused.value.code == "too_many_pixels"


def test_the_blurred_one_shows_no_detail() -> None:
    stripes = Image.new("L", (640, 480), 0)
    for x in range(0, 640, 8):
        stripes.paste(255, (x, 0, x + 4, 480))
    blurred = opened(draw(encoded(stripes, "PNG"), LIMITS).blurred).convert("L")
    darkest, lightest = blurred.getextrema()
    assert blurred.size == (480, 360)
    assert lightest - darkest < 12  # half of black and white: an even grey


def test_b81_a_picture_that_outgrows_the_memory_costs_that_picture_alone() -> None:
    large = encoded(Image.new("RGBA", (6000, 6000), (1, 2, 3, 9)), "PNG", compress_level=1)
    small = encoded(Image.new("RGB", (40, 30)), "PNG")
    with DrawingProcess(LIMITS, memory=200 * 2**20) as process:
        assert process.draw(small).width == 40
        with pytest.raises(BadPicture) as refused:
            process.draw(large)
        assert refused.value.code == "image_processing"
        assert process.draw(small).width == 40


def test_a_picture_that_takes_too_long_costs_that_picture_alone() -> None:
    large = encoded(Image.new("RGBA", (6000, 6000), (1, 2, 3, 9)), "PNG", compress_level=1)
    with DrawingProcess(LIMITS, seconds=0.2) as process, pytest.raises(BadPicture) as refused:
        process.draw(large)
    assert refused.value.code == "image_processing"


def test_a_refusal_crosses_the_pipe_with_all_it_says() -> None:
    with DrawingProcess(LIMITS) as process, pytest.raises(BadPicture) as refused:
        process.draw(b"<svg/>")
    assert (refused.value.code, refused.value.status) == ("image_type", 415)
