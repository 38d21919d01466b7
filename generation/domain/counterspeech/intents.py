"""What a reply sets out to do: the four intents of IntentCONANv2 (CoARL, section 3)."""

from collections.abc import Mapping

from vocabulary.display_names import NamedEnum, pgettext


class Intent(NamedEnum):
    """The way a reply answers hate."""

    INFORMATIVE = "informative", pgettext("stored word", "informative")
    POSITIVE = "positive", pgettext("stored word", "positive")
    QUESTIONING = "questioning", pgettext("stored word", "questioning")
    DENOUNCING = "denouncing", pgettext("stored word", "denouncing")

    @property
    def cs_type(self) -> str:
        """The word of the column csType."""
        return self.value.capitalize()


_ALSO: Mapping[str, Intent] = {
    "information": Intent.INFORMATIVE,
    "facts": Intent.INFORMATIVE,
    "question": Intent.QUESTIONING,
    "denounce": Intent.DENOUNCING,
    "denouncement": Intent.DENOUNCING,
}


class UnknownIntent(ValueError):
    """No intent goes by that word; the sentence says which there are."""


def read_intent(word: str) -> Intent:
    """The intent that a file, a command or a model means; case does not count. Raises UnknownIntent."""
    said = word.strip().lower()
    if said in _ALSO:
        return _ALSO[said]
    try:
        return Intent(said)
    except ValueError:
        known = ", ".join(Intent)
        raise UnknownIntent(f"{word.strip()[:40]!r} is no intent; there are {known}.") from None


def read_intents(words: str) -> list[Intent]:
    """Several, parted by commas, each once and in the order of the paper; `all` and nothing mean all four."""
    named = [word for word in words.split(",") if word.strip()]
    if not named or [word.strip().lower() for word in named] == ["all"]:
        return list(Intent)
    wanted = {read_intent(word) for word in named}
    return [intent for intent in Intent if intent in wanted]
