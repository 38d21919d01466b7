"""What an entry of the glossary may hold, the same for pages, files and the API."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.choices import GlossaryKind
from annotation.domain.glossary.matching import LONGEST_TERM, languages_known
from annotation.domain.glossary.normalize import has_words, is_glued, plain
from annotation.domain.glossary.normalize import words as words_of
from annotation.domain.text_rules import is_blank, read_optional_text, refuse

TERM_LIMIT = 120
MEANING_LIMIT = 2000
EXAMPLES_LIMIT = 4000
GROUP_LIMIT = 200
MOST_LANGUAGES = 5


@dataclass(frozen=True)
class EntryValues:
    """An entry as somebody wrote it; `languages` are ISO 639-1 codes, `examples` one a line."""

    term: str
    meaning: str
    kind: GlossaryKind = GlossaryKind.TERM
    target_group: str = ""
    languages: tuple[str, ...] = ()
    examples: str = ""

    def as_json(self) -> dict[str, Any]:
        """The values as a version keeps them."""
        return asdict(self) | {"kind": str(self.kind), "languages": list(self.languages)}


def key_of(term: str) -> str:
    """A term as it is compared: one entry a project for "Term" and "term"."""
    return " ".join(plain(term).split())


def read_entry(
    term: str, meaning: str, kind: str = "", target_group: str = "", languages: Sequence[str] = (), examples: str = ""
) -> EntryValues:
    """Return the values of an entry, trimmed.

    Raises BadText with one sentence and a code: `blank_text`, `text_too_long`, `nul_character`, `invalid_unicode`,
    `bad_term`, `bad_kind`, `bad_language`.
    """
    term = " ".join(read_optional_text(term, TERM_LIMIT).split())
    meaning = read_optional_text(meaning, MEANING_LIMIT).strip()
    if is_blank(term):
        refuse("blank_text", "Write the term: the word, sign or meme that the entry explains.")
    if is_blank(meaning):
        refuse("blank_text", f"Write what “{term}” means where your posts use it.")
    _check_term(term)
    chosen = kind.strip().lower() or GlossaryKind.TERM
    if chosen not in list(GlossaryKind):
        refuse("bad_kind", f"The kind is one of {', '.join(GlossaryKind)}, not “{kind[:40]}”.")
    return EntryValues(
        term,
        meaning,
        GlossaryKind(chosen),
        " ".join(read_optional_text(target_group, GROUP_LIMIT).split()),
        _languages(languages),
        read_optional_text(examples, EXAMPLES_LIMIT).replace("\r\n", "\n").strip(),
    )


def _check_term(term: str) -> None:
    if is_glued(term):
        if len("".join(term.split())) < 2:
            refuse("bad_term", f"“{term}” has one character and would be found in countless words: write two or more.")
    elif has_words(term):
        parts = list(words_of(term))
        if len(parts) > LONGEST_TERM:
            refuse("bad_term", f"A term has at most {LONGEST_TERM} words; “{term[:40]}” has {len(parts)}.")
        if len(parts) == 1 and len(parts[0].text) < 2:
            refuse("bad_term", f"“{term}” has one letter and would be found everywhere: write two or more.")


def _languages(given: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(each.strip().lower() for each in given if each.strip()))
    if len(chosen) > MOST_LANGUAGES:
        refuse("bad_language", f"An entry names at most {MOST_LANGUAGES} languages.")
    for each in chosen:
        if each not in languages_known():
            refuse("bad_language", f"Write languages by their two letters, as en, de, ko or zh; not “{each[:20]}”.")
    return chosen
