"""The language in which models write what people read: arguments of a debate, the rationale of a verdict."""

import re
from enum import StrEnum

from moderation.domain.hatexscore.words.tokenize import language_of
from vocabulary.refusals import gettext_noop as _

_KANA = re.compile(r"[\u3040-\u30ff]")  # Japanese, which is written with Han as well


class Tongue(StrEnum):
    """The language to write in: the post's, if it is one of these, else English."""

    POST = "post"
    ENGLISH = "en"
    KOREAN = "ko"
    CHINESE = "zh"

    def spoken_about(self, text: str) -> "Tongue":
        """Return the language to write in about this text."""
        if self is not Tongue.POST:
            return self
        return Tongue.ENGLISH if _KANA.search(text) else Tongue(language_of(text))

    @property
    def english_name(self) -> str:
        """The name that a prompt calls it by."""
        return {Tongue.KOREAN: "Korean", Tongue.CHINESE: "Chinese"}.get(self, "English")


TONGUE_WORDS = {
    Tongue.POST: _("the post's, if it is Korean or Chinese"),
    Tongue.ENGLISH: _("English"),
    Tongue.KOREAN: _("Korean"),
    Tongue.CHINESE: _("Chinese"),
}
