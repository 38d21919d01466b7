"""Which encoding a page is read in: what it declares, unless its bytes are a text of another one."""

import random

import pytest

from providers.http.encodings import decode
from wire.made_pages import JA, JE, KO, ZH, ZT, page_of


def characters(codec: str, first: int, last: int) -> list[str]:
    """Return the characters of a codec whose first byte is from the one to the other, of 94 by 94."""
    return [
        text
        for row in range(first, last)
        for column in range(0xA1, 0xFF)
        if len(text := bytes([row, column]).decode(codec, "ignore")) == 1
    ]


KANJI = characters("euc_jp", 0xB0, 0xD0)
WITHOUT_SYLLABLES = {
    "shift_jis": ("cp932", KANJI),
    "euc-jp": ("euc_jp", KANJI),
    "euc-kr": ("euc_kr", characters("euc_kr", 0xCA, 0xFE)),
    "gb2312": ("gb2312", characters("gb2312", 0xB0, 0xD8)),
    "big5": ("big5", [letter for letter in KANJI if letter.encode("big5", "ignore")]),
}


@pytest.mark.parametrize("label", WITHOUT_SYLLABLES)
def test_a_declaration_that_fits_all_bytes_stands_for_names_and_lists(label: str) -> None:
    codec, letters = WITHOUT_SYLLABLES[label]
    dice = random.Random(label)
    for count in (1, 2, 5, 20, 80) * 4:
        words = " ".join("".join(dice.choices(letters, k=dice.randint(2, 4))) for _ in range(count))
        words = words if count > 2 else f"{words} {words}"
        assert words in decode(f"<p>{words}</p>".encode(codec), label).text


SHORT_KO, SHORT_ZH = "안녕하세요 반갑습니다", "荨麻客这个词是什么意思？这个星期我在论坛上见过三次。"
TEXTS = [(KO, "cp949"), (SHORT_KO, "cp949"), (ZH, "gb18030"), (SHORT_ZH, "gb18030"), (JA, "cp932"), (JE, "euc_jp"),
         (ZT, "big5hkscs")]  # fmt: skip


@pytest.mark.parametrize("label", WITHOUT_SYLLABLES)
@pytest.mark.parametrize(("text", "codec"), TEXTS, ids=range(len(TEXTS)))
def test_a_text_that_declares_the_encoding_of_another_language_is_read_in_its_own(
    text: str, codec: str, label: str
) -> None:
    assert text in decode(page_of(text).encode(codec), label).text
