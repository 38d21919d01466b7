"""Words for a full-text index that behaves the same on both databases, for all scripts. Pure functions.

Scripts with spaces are indexed by words. Runs of Chinese characters, kana and Hangul are indexed by pairs of
characters, so a term is found anywhere in a run, also with particles attached.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

PASSAGE = 6000
"""The number of characters of a passage."""
_RUN = re.compile(r"[^\W_]+")
_PAIRED = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_PHRASE = re.compile(r'"([^"]{1,200})"|(\S+)')
_OPERATOR = re.compile(r"(?i)^(?:site|intitle|inurl|filetype|intext|lang|before|after):\S*$|^(?:OR|AND|\|)$")
_LONGEST = 40


@dataclass(frozen=True)
class SearchQuery:
    """A parsed query; each entry is a run of words that must be adjacent. `none` holds the excluded runs."""

    some: tuple[tuple[str, ...], ...]
    none: tuple[tuple[str, ...], ...]


def index_words(text: str) -> list[str]:
    """Return the words of a text for the index."""
    indexed: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        at = 0
        for paired in _PAIRED.finditer(run):
            indexed += _plain(run[at : paired.start()])
            indexed += _pairs(paired.group())
            at = paired.end()
        indexed += _plain(run[at:])
    return indexed


def parse_query(query: str) -> SearchQuery:
    """Return the parsed query; operators without a meaning here are ignored."""
    some: list[tuple[str, ...]] = []
    none: list[tuple[str, ...]] = []
    for phrase, word in _PHRASE.findall(query.replace("“", '"').replace("”", '"')):
        if word and _OPERATOR.match(word):
            continue
        excluded = bool(word) and word.startswith("-") and len(word) > 1
        run = tuple(index_words(phrase or word))[:20]
        if run:
            (none if excluded else some).append(run)
    return SearchQuery(tuple(dict.fromkeys(some))[:24], tuple(dict.fromkeys(none))[:12])


def passages(text: str, size: int = PASSAGE) -> list[str]:
    """Return the parts of the text, cut between paragraphs or lines where possible."""
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + size)
        if end < len(text):
            for mark in ("\n\n", "\n", ". ", "。", " "):
                place = text.rfind(mark, start + size // 2, end)
                if place > 0:
                    end = place + len(mark)
                    break
        if part := text[start:end].strip():
            parts.append(part)
        start = end
    return parts


def snippet(text: str, query: SearchQuery, length: int = 300) -> str:
    """Return the part of a passage around the first match of the query."""
    flat = " ".join(text.split())
    plain = unicodedata.normalize("NFKC", flat).casefold()
    places = [plain.find(run[0]) for run in query.some]
    at = min((place for place in places if place >= 0), default=0)
    start = max(0, min(at - length // 4, len(flat) - length))
    part = flat[start : start + length]
    return f"{'…' if start else ''}{part}{'…' if start + length < len(flat) else ''}"


def sqlite_match(query: SearchQuery) -> str:
    """Return the query in the syntax of SQLite's FTS5."""
    some = " OR ".join(_quoted(run) for run in query.some)
    none = " OR ".join(_quoted(run) for run in query.none)
    return f"({some}) NOT ({none})" if none else some


def postgresql_query(query: SearchQuery) -> str:
    """Return the query in the syntax of PostgreSQL's `to_tsquery`."""
    some = " | ".join(f"({' <-> '.join(_lexeme(word) for word in run)})" for run in query.some)
    none = " | ".join(f"({' <-> '.join(_lexeme(word) for word in run)})" for run in query.none)
    return f"({some}) & !({none})" if none else some


def _quoted(run: Sequence[str]) -> str:
    return f'"{" ".join(run)}"'


def _lexeme(word: str) -> str:
    return f"'{word}'"


def _plain(run: str) -> list[str]:
    return [run[:_LONGEST]] if run else []


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
