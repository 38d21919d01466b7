"""The language that a page gives for a post, and its note where the reader may not know it."""

import pytest
from django.utils import translation

from annotation.templatetags.page import lang_of, language_note


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
