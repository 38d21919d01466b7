"""Pictures whose words are hard to read: each is read or said to be unreadable; none counts as one without words."""

from collections import Counter
from collections.abc import Iterator

import pytest

from annotation.domain.pictures.words import Words
from annotation.media.reading_process import ReadingProcess
from hard_memes import HARD_MEMES, LINES, WAYS, HardMeme, wordless
from memes import error_rate


@pytest.fixture(scope="module")
def reader() -> Iterator[ReadingProcess]:
    with ReadingProcess() as process:
        yield process


@pytest.fixture(scope="module")
def readings(reader: ReadingProcess) -> dict[HardMeme, Words]:
    return {meme: reader.read(meme.drawn()) for meme in HARD_MEMES}


def test_no_picture_with_words_counts_as_one_without(readings: dict[HardMeme, Words]) -> None:
    assert len(readings) == len(WAYS) * len(LINES) >= 40
    assert [meme.name for meme, words in readings.items() if not words.text and not words.is_unsure] == []


def test_letters_that_the_reader_does_not_know_are_never_stored_as_others(readings: dict[HardMeme, Words]) -> None:
    assert all(words.is_unsure for meme, words in readings.items() if meme.script == "korean")
    junk = {meme.name: words.text for meme, words in readings.items() if meme.script == "mixed" and words.text}
    assert set(junk.values()) == {LINES["mixed"][1]}


def test_most_hard_pictures_in_scripts_that_it_knows_are_read(readings: dict[HardMeme, Words]) -> None:
    read = Counter(
        meme.script
        for meme, words in readings.items()
        if min(error_rate(text, "\n".join(meme.lines)) for text in in_any_order(words)) <= 0.1
    )
    assert read["latin"] >= 9
    assert read["chinese"] >= 10


def in_any_order(words: Words) -> list[str]:
    """Return the text, and with its lines from below: nothing says which end of a picture is up."""
    return [words.text, "\n".join(reversed(words.text.splitlines()))]


def test_pictures_without_words_are_mostly_said_to_have_none(reader: ReadingProcess) -> None:
    found = [reader.read(wordless(seed)) for seed in range(8)]
    assert not any(words.text for words in found)
    assert sum(words.is_unsure for words in found) <= 2  # rows of wheels
