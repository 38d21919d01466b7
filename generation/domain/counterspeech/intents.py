"""The four intents of a reply, from IntentCONANv2 (CoARL, section 3)."""

from collections.abc import Mapping

from vocabulary.display_names import NamedEnum, pgettext
from vocabulary.refusals import Refused


class Intent(NamedEnum):
    """The intent of a reply: the way in which it answers hate."""

    INFORMATIVE = "informative", pgettext("stored word", "informative")
    POSITIVE = "positive", pgettext("stored word", "positive")
    QUESTIONING = "questioning", pgettext("stored word", "questioning")
    DENOUNCING = "denouncing", pgettext("stored word", "denouncing")

    @property
    def cs_type(self) -> str:
        """The intent as the column csType writes it."""
        return self.value.capitalize()

    @property
    def with_article(self) -> str:
        """The intent behind its English article: "an informative", "a positive"."""
        return f"{'an' if self is Intent.INFORMATIVE else 'a'} {self.value}"


_ALSO: Mapping[str, Intent] = {
    "information": Intent.INFORMATIVE,
    "facts": Intent.INFORMATIVE,
    "question": Intent.QUESTIONING,
    "denounce": Intent.DENOUNCING,
    "denouncement": Intent.DENOUNCING,
}


class UnknownIntent(Refused):
    """The word names no intent; the message lists the intents."""


def read_intent(word: str) -> Intent:
    """Return the intent that a word of a file, a command or a model names. Case does not count.

    Raises UnknownIntent if the word names none.
    """
    name = word.strip().lower()
    if name in _ALSO:
        return _ALSO[name]
    try:
        return Intent(name)
    except ValueError:
        sentence = "%(word)r is no intent; there are %(names)s."
        raise UnknownIntent(sentence, word=word.strip()[:40], names=", ".join(Intent)) from None


def read_intents(words: str) -> list[Intent]:
    """Read intents separated by commas. Return each once, in the order of the paper.

    An empty text and `all` mean all four. Raises UnknownIntent for a word that names none.
    """
    named = [word for word in words.split(",") if word.strip()]
    if not named or [word.strip().lower() for word in named] == ["all"]:
        return list(Intent)
    intents = {read_intent(word) for word in named}
    return [intent for intent in Intent if intent in intents]
