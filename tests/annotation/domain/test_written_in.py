"""The language tag of a text, told by its letters."""

import pytest

from annotation.domain.written_in import written_in


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("Weeds in the white roses again.", "und-Latn"),
        ("이 동네 정원은 참 예쁘네요.", "ko"),
        ("街角的花园真漂亮。", "zh"),
        ("庭の花がきれいです。", "ja"),
        ("حديقة جميلة", "und-Arab"),
        ("Красивый сад", "und-Cyrl"),
        ("12:30 …", ""),
        ("", ""),
    ],
)
def test_letters_tell_the_language_or_the_script(text: str, tag: str) -> None:
    assert written_in(text) == tag


def test_a_few_foreign_words_do_not_tell() -> None:
    assert written_in("садик ember") == ""
    assert written_in("сад ab γδ") == ""
    assert written_in("Ein Garten (сад) am Fluss") == "und-Latn"


def test_four_hundred_characters_are_looked_at() -> None:
    assert written_in("a" * 200 + "я" * 300) == ""
