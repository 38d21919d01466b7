"""The values that the search works on: terms to look for, and hits."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from annotation.domain.glossary.disguises import How, Ways, least_sure

Key = TypeVar("Key")


@dataclass(frozen=True)
class Term(Generic[Key]):
    """A term to look for; `languages` are ISO 639-1 codes, none means English.

    `variants` are further spellings, `off` the ways that do not count, `initials` whether initial consonants do.
    """

    key: Key
    text: str
    languages: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    off: frozenset[How] = frozenset()
    initials: bool = False


@dataclass(frozen=True)
class Hit(Generic[Key]):
    """An occurrence of a term: its position (code points, end exclusive) and how it is written."""

    key: Key
    start: int
    end: int
    how: How

    @property
    def sureness(self) -> float:
        """Return how sure the hit is, from 0 to 1."""
        return self.how.sureness


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
