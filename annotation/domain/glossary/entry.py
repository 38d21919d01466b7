"""The values of a glossary entry and their limits, the same for pages, files and the API."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.choices import GlossaryKind
from annotation.domain.folding.text import plain
from annotation.domain.glossary.disguises import SWITCHES, How
from annotation.domain.glossary.matching import LONGEST_TERM, languages_known
from annotation.domain.glossary.normalize import has_words, is_glued
from annotation.domain.glossary.normalize import words as words_of
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import is_blank, read_optional_text, refuse

TERM_LIMIT = 120
MEANING_LIMIT = 2000
EXAMPLES_LIMIT = 4000
GROUP_LIMIT = 200
VARIANTS_LIMIT = 2000
MOST_LANGUAGES = 5
_LONE_WORD = re.compile("[\u3400-\u9fff\uac00-\ud7a3]")
"""A Korean syllable or a Chinese character: where it is a word of its own, the segmenters know."""
MOST_VARIANTS = 20


@dataclass(frozen=True)
class EntryValues:
    """The values of an entry as its author wrote them.

    `languages` are ISO 639-1 codes; `examples` and `variants` stand one a line. `switched_off` are ways in which the
    term may occur that do not count, `initials` whether its initials do (Korean, pinyin), `sounds` whether what sounds
    like it does: Korean spellings, Chinese homophones, pinyin.
    """

    term: str
    meaning: str
    kind: GlossaryKind = GlossaryKind.TERM
    target_group: str = ""
    languages: tuple[str, ...] = ()
    examples: str = ""
    variants: str = ""
    switched_off: tuple[How, ...] = ()
    initials: bool = False
    sounds: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the values as a version stores them."""
        return asdict(self) | {
            "kind": str(self.kind),
            "languages": list(self.languages),
            "switched_off": [str(how) for how in self.switched_off],
        }


def key_of(term: str) -> str:
    """Return the comparison form of a term: a project has one entry for "Term" and "term"."""
    return " ".join(plain(term).split())


def read_entry(
    term: str,
    meaning: str,
    kind: str = "",
    target_group: str = "",
    languages: Sequence[str] = (),
    examples: str = "",
    variants: str = "",
    switched_off: Sequence[str] = (),
    initials: bool = False,
    sounds: bool = False,
) -> EntryValues:
    """Return the values of an entry, trimmed.

    Raises BadText with a message and a code: `blank_text`, `text_too_long`, `nul_character`, `invalid_unicode`,
    `bad_term`, `bad_kind`, `bad_language`, `bad_variant`, `bad_way`.
    """
    term = " ".join(read_line(term, TERM_LIMIT).split())
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
        " ".join(read_line(target_group, GROUP_LIMIT).split()),
        _languages(languages),
        read_optional_text(examples, EXAMPLES_LIMIT).replace("\r\n", "\n").strip(),
        _variants(variants),
        _ways(switched_off),
        initials,
        sounds,
    )


def _variants(written: str) -> str:
    lines = read_optional_text(written, VARIANTS_LIMIT).splitlines()
    variants = list(dict.fromkeys(variant for line in lines if (variant := " ".join(line.split()))))
    if len(variants) > MOST_VARIANTS:
        refuse("bad_variant", f"An entry lists at most {MOST_VARIANTS} variants.")
    for variant in variants:
        if len(variant) > TERM_LIMIT:
            refuse("bad_variant", f"A variant has at most {TERM_LIMIT} characters.")
        _check_term(variant)
    return "\n".join(variants)


def _ways(values: Sequence[str]) -> tuple[How, ...]:
    chosen = dict.fromkeys(value.strip().lower() for value in values if value.strip())
    for value in chosen:
        if value not in SWITCHES:
            refuse("bad_way", f"What may be switched off is {', '.join(SWITCHES)}; not “{value[:20]}”.")
    return tuple(how for how in SWITCHES if how in chosen)


def _check_term(term: str) -> None:
    if is_glued(term):
        if len("".join(term.split())) < 2 and not _LONE_WORD.fullmatch(term):
            refuse("bad_term", f"“{term}” has one letter and would be found in countless words: write two or more.")
    elif has_words(term):
        parts = list(words_of(term))
        if len(parts) > LONGEST_TERM:
            refuse("bad_term", f"A term has at most {LONGEST_TERM} words; “{term[:40]}” has {len(parts)}.")
        if len(parts) == 1 and len(parts[0].text) < 2:
            refuse("bad_term", f"“{term}” has one letter and would be found everywhere: write two or more.")


def _languages(codes: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(code.strip().lower() for code in codes if code.strip()))
    if len(chosen) > MOST_LANGUAGES:
        refuse("bad_language", f"An entry names at most {MOST_LANGUAGES} languages.")
    for code in chosen:
        if code not in languages_known():
            refuse("bad_language", f"Write languages by their two letters, as en, de, ko or zh; not “{code[:20]}”.")
    return chosen
