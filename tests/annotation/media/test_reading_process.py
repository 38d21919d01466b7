"""The reader of words in pictures, really run: words, places, hostile pictures, limits."""

import io
from collections.abc import Iterator

import pytest
from PIL import Image

from annotation.media.reading_process import CannotRead, ReadingProcess, is_installed
from memes import MEMES, error_rate


@pytest.fixture(scope="module")
def reader() -> Iterator[ReadingProcess]:
    assert is_installed(), "the extra ocr belongs to the environment of the tests"
    with ReadingProcess() as process:
        yield process


@pytest.mark.parametrize("meme", [MEMES[0], MEMES[8]], ids=lambda meme: meme.script)
def test_reads_the_words_of_a_meme_with_their_places(reader, meme):
    words = reader.read(meme.drawn())
    assert error_rate(words.text, meme.text) <= 0.05
    assert words.confidence > 0.8
    above, below = words.lines[0].box, words.lines[-1].box
    assert 0 <= above[1] < above[3] < 0.3
    assert 0.7 < below[1] < below[3] <= 1


def test_a_transparent_and_a_huge_picture_are_read(reader):
    meme = MEMES[2]
    with Image.open(io.BytesIO(meme.drawn())) as drawn:
        huge = drawn.resize((drawn.width * 5, drawn.height * 5)).convert("RGBA")
    out = io.BytesIO()
    huge.save(out, "PNG", compress_level=1)
    words = reader.read(out.getvalue())
    assert error_rate(words.text, meme.text) <= 0.05


def test_a_damaged_picture_costs_only_itself(reader):
    with pytest.raises(CannotRead) as refused:
        reader.read(MEMES[0].drawn()[:3000])
    assert refused.value.code == "corrupt_image"
    blank = io.BytesIO()
    Image.new("RGB", (200, 100), "teal").save(blank, "PNG")
    assert reader.read(blank.getvalue()).text == ""


@pytest.mark.parametrize("limits", [{"memory": 300 * 2**20}, {"seconds": 0.05}], ids=["memory", "time"])
def test_a_reader_that_exhausts_its_limits_is_a_named_fault(limits):
    with ReadingProcess(**limits) as process, pytest.raises(CannotRead) as refused:
        process.read(MEMES[0].drawn())
    assert refused.value.code == "too_much"
