"""Texts that were decoded wrongly once are told from texts that are meant as they stand."""

import pytest

from annotation.domain.imports.twice_encoded import example, would_read

WRITTEN = [
    *("don’t go", "café people", "naïve “quotes” – so", "Gürtel für Äpfel", "España, ¿qué?", "5 £ or 7 €", "a\xa0b"),
    *("你好，世界", "안녕하세요 여러분", "こんにちは", "привет мир", "Ελληνικά λόγια", "שלום עולם", "مرحبا بالعالم"),
    *("so 😀 happy", "สวัสดี", "हिन्दी शब्द", "“", "Ça va, à bientôt", "Đà Nẵng"),
]
MEANT = [
    *("plain", "", "don’t", "café", "CAFÉ»", "NÃO", "É», dit-il", "Ã", "Â", "amanhã…", "Größe", "20 °C ± 1"),
    *(
        "привет",
        "Тётя Ёлка",
        "你好世界，模样",
        "中文的文字很多很多",
        "안녕하세요",
        "ã€",
        "naïf",
        "Ōsaka",
        "â",
        "ÐÐ",
        "Ïðèâåò",
    ),
    *("模块化编程是一种方法", "😀😀", "Łódź", "ÅÄÖ åäö", "ß«»", "éè»", "þð"),
]


@pytest.mark.parametrize("text", [text for text in WRITTEN if not text.isascii()])
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_utf8_read_as_western_european(text: str, encoding: str) -> None:
    raw = text.encode()
    seen = "".join(bytes([byte]).decode(encoding, "ignore") or bytes([byte]).decode("latin-1") for byte in raw)
    assert would_read(seen) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("привет мир", "cp1251"), ("слово", "cp1251"), ("你好世界", "gb18030"), ("今天天气不错", "gb18030")]
    # The first letters are E5 BF …, E8 80 …, E2 … and EF …: the ends of what a first pair of bytes may be.
    + [("心里", "gb18030"), ("者们", "gb18030"), ("“你们好", "gb18030"), ("，你", "gb18030")],
)
def test_utf8_read_as_cyrillic_or_chinese(text: str, encoding: str) -> None:
    seen = " ".join(word.encode().decode(encoding) for word in text.split())
    assert would_read(seen) == text


@pytest.mark.parametrize("text", [*WRITTEN, *MEANT])
def test_what_is_meant_as_it_stands_is_left(text: str) -> None:
    assert would_read(text) == text
    assert example(text) is None


def test_an_example_shows_the_first_such_place() -> None:
    assert example("donâ€™t go") == ("donâ€™t go", "don’t go")
    # The first such letter is the 205th: 30 characters from the 190th on, eleven of them an a.
    was, became = example(f"{'a' * 200} cafÃ© {'b' * 200}") or ("", "")
    assert was == f"{'a' * 11} cafÃ© {'b' * 12}" and became == f"{'a' * 11} café {'b' * 13}"
    assert example(f"{'a' * 200}Â£{'b' * 200}") == (f"{'a' * 15}Â£{'b' * 13}", f"{'a' * 15}£{'b' * 14}")


def test_letters_of_several_encodings_are_left() -> None:
    assert (
        would_read("Р日本") == "Р日本"
    )  # its first letter may be Cyrillic read wrongly, the others stand in no such text
