"""The values that the search works on: terms to look for, and hits."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from annotation.domain.glossary.disguises import EVERYDAY, How, Ways, least_sure

Key = TypeVar("Key")


@dataclass(frozen=True)
class Term(Generic[Key]):
    """A term to look for; `languages` are ISO 639-1 codes, none means English.

    `variants` are further spellings, `off` the ways that do not count, `initials` whether initials do (Korean,
    pinyin), `sounds` whether what sounds like the term does.
    """

    key: Key
    text: str
    languages: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    off: frozenset[How] = frozenset()
    initials: bool = False
    sounds: bool = False


@dataclass(frozen=True)
class Hit(Generic[Key]):
    """An occurrence of a term: its position (code points, end exclusive) and how it is written.

    `everyday` says that the term is also a word of everyday language.
    """

    key: Key
    start: int
    end: int
    how: How
    everyday: bool = False

    @property
    def sureness(self) -> float:
        """Return how sure the hit is, from 0 to 1."""
        return round(self.how.sureness * EVERYDAY, 2) if self.everyday else self.how.sureness


@dataclass(frozen=True)
class Spelling(Generic[Key]):
    """One spelling of a term in the index, and the ways that lead to it."""

    term: Term[Key]
    ways: Ways = frozenset()

    def hit(self, start: int, end: int, ways: Ways) -> Hit[Key] | None:
        """Return the hit of this spelling; None if the term has one of the ways switched off."""
        together = self.ways | ways
        if together & self.term.off:
            return None
        return Hit(self.term.key, start, end, least_sure(together))
