"""The language that a page gives for a post, and its note where the reader may not know it."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from annotation.templatetags.page import lang_of, language_note

_TEMPLATES = Path(__file__).parents[3] / "templates"
_PIECES = {"moderation/_pieces.html"}
"""Parts of one text: the element around their include has the language of the whole."""


@pytest.mark.parametrize(
    ("page", "text", "lang", "note"),
    [
        ("en", "Weeds again.", "en", ""),
        ("en", "정원이 참 예쁘네요.", "ko", "In Korean"),
        ("ko", "정원이 참 예쁘네요.", "ko", ""),
        ("ko", "Weeds again.", "und-Latn", ""),
        ("zh-hans", "花园真漂亮。", "zh-hans", ""),
        ("en", "حديقة جميلة", "und-Arab", "In Arabic script"),
        ("zh-hans", "12:30", "zh-hans", ""),
    ],
)
def test_a_post_is_marked_where_it_is_in_another_language_than_the_page(
    page: str, text: str, lang: str, note: str
) -> None:
    with translation.override(page):
        assert (lang_of(text), language_note(text)) == (lang, note)


def test_a_text_in_pieces_has_the_language_of_the_whole() -> None:
    assert lang_of([_Piece("12:30 "), _Piece("정원이 참 예쁘네요.")]) == "ko"
    assert lang_of(None) == lang_of([]) == lang_of("") == "en"


class _Piece:
    def __init__(self, text: str) -> None:
        self.text = text


def _without_language(name: str, source: str) -> list[str]:
    """Return what people or models wrote (`|marked`) in an element for which nobody says in which language it is."""
    return [
        f"{name}: {source[shown.start() : shown.end()]}"
        for shown in re.finditer(r"\{\{[^}]*\|marked[^}]*\}\}", source)
        if "|lang_of" not in "\n".join(source[: shown.start()].split("\n")[-12:])
    ]


def test_every_quoted_text_says_in_which_language_it_is() -> None:
    sources = {str(path.relative_to(_TEMPLATES)): path.read_text() for path in sorted(_TEMPLATES.rglob("*.html"))}
    faults = [
        fault for name, source in sources.items() if name not in _PIECES for fault in _without_language(name, source)
    ]
    assert faults == []
    includes = [line for source in sources.values() for line in source.split("\n") if "moderation/_pieces.html" in line]
    assert len(includes) == 3
