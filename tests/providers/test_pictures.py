"""Pictures as models get them: scaled once, kept, and never lost."""

import base64
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from PIL import Image

from providers import wiring
from providers.messages import Message, Picture, Request, Text
from providers.pictures import ScaledPictures
from wire.server import Heard, WireServer

Draw = Callable[..., Picture]


@pytest.fixture(scope="module")
def photo() -> Picture:
    """A photograph of twelve megapixels: noise, which no encoding makes small."""
    out = io.BytesIO()
    Image.effect_noise((4000, 3000), 60).convert("RGB").save(out, "JPEG", quality=92)
    return Picture(out.getvalue(), "image/jpeg")


def drawn(mode: str, size: tuple[int, int], kind: str, colour: Any, **options: Any) -> Picture:
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, kind, **options)
    return Picture(out.getvalue(), f"image/{kind.lower()}")


def opened(picture: Picture) -> Image.Image:
    return Image.open(io.BytesIO(picture.content))


def test_a_photograph_is_scaled_to_its_longest_side(photo: Picture):
    scaled = ScaledPictures().scaled(photo, 2048)
    assert (opened(scaled).size, opened(scaled).format, scaled.media_type) == ((2048, 1536), "JPEG", "image/jpeg")
    assert len(scaled.content) < len(photo.content) / 2


def test_a_small_picture_stays_as_it_is():
    picture = drawn("RGB", (640, 480), "PNG", "#cfe3c4")
    assert ScaledPictures().scaled(picture, 2048) is picture


def test_a_heavy_file_with_short_sides_is_encoded_anew():
    out = io.BytesIO()
    Image.effect_noise((1500, 1500), 90).convert("RGB").save(out, "PNG")
    heavy = Picture(out.getvalue(), "image/png")
    scaled = ScaledPictures().scaled(heavy, 2048)
    assert opened(scaled).size == (1500, 1500)
    assert len(scaled.content) < len(heavy.content) / 2


@pytest.mark.parametrize("content", [b"", b"\x89PNG", b"GIF89a" + b"\0" * 50, b"<svg/>"])
def test_what_cannot_be_read_is_left_to_the_server(content: bytes):
    picture = Picture(content, "image/png")
    assert ScaledPictures().scaled(picture, 64) is picture


def test_a_picture_that_breaks_off_is_left_to_the_server(photo: Picture):
    broken = Picture(photo.content[: len(photo.content) // 2], "image/jpeg")
    assert ScaledPictures().scaled(broken, 2048) == broken


def test_transparent_parts_are_white():
    scaled = ScaledPictures().scaled(drawn("RGBA", (900, 300), "PNG", (0, 0, 0, 0)), 300)
    assert opened(scaled).size == (300, 100)
    assert opened(scaled).getpixel((5, 5)) == (255, 255, 255)


def test_a_picture_that_lies_on_its_side_is_put_upright():
    turned = Image.Exif()
    turned[0x0112] = 6
    scaled = ScaledPictures().scaled(drawn("RGB", (900, 300), "JPEG", "red", exif=turned), 300)
    assert opened(scaled).size == (100, 300)


def test_many_threads_draw_one_picture_once(photo: Picture):
    pictures = ScaledPictures()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda side: pictures.scaled(photo, side), [1024] * 16))
    assert pictures.times_drawn == 1
    assert len({picture.content for picture in found}) == 1


def test_only_so_many_are_kept():
    pictures = ScaledPictures(most=2)
    several = [drawn("RGB", (100 + number, 80), "JPEG", "red") for number in range(3)]
    for picture in (*several, several[2], several[0]):
        pictures.scaled(picture, 64)
    assert pictures.times_drawn == 4  # the first was forgotten and drawn again


# ── Over the wire ─────────────────────────────────────────────────────────────


def sent(heard: Heard) -> tuple[int, int]:
    """The size of the picture in a request."""
    content = base64.b64decode(heard.pictures[0].partition(",")[2])
    return Image.open(io.BytesIO(content)).size


@pytest.mark.parametrize(
    ("name", "most", "size"),
    [
        ("house-model", 2048, (2048, 1536)),
        ("llama-3.2-11b-vision", 2048, (1120, 840)),
        ("house-model", 512, (512, 384)),
        ("house-model", 0, (4000, 3000)),
    ],
)
def test_each_model_gets_the_side_that_it_looks_at(
    settings: Any, wire: WireServer, vendor: str, photo: Picture, name: str, most: int, size: tuple[int, int]
):
    settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "k"
    settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = wire.openai_url, wire.dashscope_url
    settings.MODEL_BINDINGS = {"MODEL_JUDGE": f"{vendor}:{name}"}
    settings.MODEL_PICTURE_SIDE = most
    question = Request("judge", (Message("user", (Text("What is this?"), photo)),))
    before = wiring._pictures.times_drawn
    for _ in range(3):
        wiring.model_for("judge").reply(question)
    assert [sent(heard) for heard in wire.heard] == [size] * 3
    assert wiring._pictures.times_drawn - before <= 1
