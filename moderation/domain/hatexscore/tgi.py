"""TGI: whether an explanation names a protected group (design section 8; paper, section 3.3).

A lemmatised 1- to 3-gram outside quoted strings that is a term or the name of a category; for a hateful prediction
in the same sentence as a quoted string or a hostile word.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.quotations import BLANK, Quotation, blanked
from moderation.domain.hatexscore.tokenize import Token, Tongue, grams, tongue, words

# Names of categories that say nothing about whom they mean.
_NAMELESS = {
    "other",
    "others",
    "miscellaneous",
    "general",
    "unknown",
    "group",
    "groups",
    "target",
    "其他",
    "其它",
    "기타",
    "none",
    "lgbtiq",
}
_NAME_PARTS = re.compile(r"\s*(?:,|/|;|\bor\b|\band\b|、|和|및)\s*")
# Countries that are things as well: not counted where only the beginning of a sentence makes them capitals.
_THINGS = {"turkey", "china", "chad", "jordan", "guinea"}
_AS_NAMES = {"polish", "pole", "scot", "dane"}
_END = re.compile(r"[.!?]+[\"”’»)\]]*\s+(?![a-zà-ÿ])|[。！？]+[”」』]*|\n+")
_JOINS = re.compile(r"[\s\-‐‑–'’/·]*")


@dataclass(frozen=True)
class Group:
    """A group that an explanation names, at `start` … `end`: the term, its category, and what ties it to hate.

    `tie` is a hostile word, `quote` for a quoted string in the same sentence, or empty.
    """

    term: str
    category: str
    start: int
    end: int
    tie: str


@dataclass(frozen=True)
class Terms:
    """A group list as lemmas of one language, with what each stands for."""

    meanings: dict[str, tuple[str, str]]
    firsts: frozenset[str]
    names: frozenset[str] = field(default_factory=frozenset)
    """Lemmas that count only where they are written as names."""


def groups(explanation: str, quoted: Sequence[Quotation], language: str, listed: Groups) -> list[Group]:
    """The groups that the explanation names outside its quoted strings, longest first at each place."""
    speech = tongue(language)
    terms = _terms(language, tuple((category, tuple(found)) for category, found in listed.items()))
    text = blanked(explanation, quoted)
    starts = [0, *(end.end() for end in _END.finditer(text))]
    tokens = _tokens(text, starts, speech, terms)
    ties: dict[int, str] = {}
    found = []
    for at, end, lemmas in _named(text, tokens, speech, terms, starts):
        sentence = bisect_right(starts, tokens[at].start) - 1
        if sentence not in ties:
            ties[sentence] = _tie(text, tokens, speech, starts, sentence)
        term, category = terms.meanings[lemmas]
        found.append(Group(term, category, tokens[at].start, tokens[end - 1].end, ties[sentence]))
    return found


def _tokens(text: str, starts: Sequence[int], speech: Tongue, terms: Terms) -> list[Token]:
    """The words of the text; without spaces between words only of sentences that hold a term's letters.

    Cutting Chinese and Korean is what scores take most of their time for.
    """
    if speech.between:
        return speech.tokenize(text)
    found = []
    for begin, end in pairwise([*starts, len(text)]):
        sentence = text[begin:end]
        letters = "".join(sentence.lower().split())
        if any(term in letters for term in terms.meanings):
            found += [
                token._replace(start=token.start + begin, end=token.end + begin) for token in speech.tokenize(sentence)
            ]
    return found


def identified(found: Sequence[Group], prediction: bool | None) -> list[Group]:
    """The groups that count: for a hateful prediction those tied to hate, else all."""
    return [each for each in found if each.tie] if prediction else list(found)


def _named(
    text: str, tokens: Sequence[Token], speech: Tongue, terms: Terms, starts: Sequence[int]
) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at < len(tokens):
        hit = None
        if speech.between == "" or tokens[at].lemma in terms.firsts:
            for end, lemmas in grams(tokens, speech.between, at):
                if end - at > 1 and not _joined(text, tokens[end - 2], tokens[end - 1]):
                    break
                if lemmas in terms.meanings and _is_written_so(lemmas, tokens[at:end], terms, starts):
                    hit = (at, end, lemmas)
        if hit:
            yield hit
        at = hit[1] if hit else at + 1


def _joined(text: str, left: Token, right: Token) -> bool:
    return right.start <= left.end or _JOINS.fullmatch(text, left.end, right.start) is not None


def _is_written_so(lemmas: str, tokens: Sequence[Token], terms: Terms, starts: Sequence[int]) -> bool:
    if lemmas not in terms.names:
        return True
    if not (tokens[0].is_name and tokens[-1].is_name):
        return False
    begins = starts[bisect_right(starts, tokens[0].start) - 1]
    return lemmas not in _THINGS or tokens[0].start > begins


def _tie(text: str, tokens: Sequence[Token], speech: Tongue, starts: Sequence[int], sentence: int) -> str:
    begin = starts[sentence]
    end = starts[sentence + 1] if sentence + 1 < len(starts) else len(text)
    if BLANK in text[begin:end]:
        return "quote"
    hostile = _hostile(speech.code)
    first = bisect_right(tokens, begin - 1, key=lambda token: token.start)
    last = bisect_right(tokens, end - 1, key=lambda token: token.start)
    for at in range(first, last):
        for _end, lemmas in grams(tokens[:last], speech.between, at, 2):
            if lemmas in hostile:
                return lemmas
    return ""


@lru_cache(maxsize=32)
def _hostile(language: str) -> frozenset[str]:
    speech = tongue(language)
    return frozenset(
        speech.between.join(token.lemma for token in speech.tokenize(word)) for word in words("hostile.txt")
    )


@lru_cache(maxsize=64)
def _terms(language: str, listed: tuple[tuple[str, tuple[str, ...]], ...]) -> Terms:
    speech = tongue(language)
    meanings: dict[str, tuple[str, str]] = {}
    firsts: set[str] = set()
    names = set()
    countries = group_list_files.countries(language)
    for category, found in listed:
        for term in (*found, *_names_of(category)):
            # Without spaces between words a term is told by its letters, however it would be cut.
            tokens = speech.tokenize(_as_written(term, countries)) if speech.between else ()
            lemmas = speech.between.join(token.lemma for token in tokens) or "".join(term.lower().split())
            meanings.setdefault(lemmas, (term, category))
            firsts.update(token.lemma for token in tokens[:1])
            if term.lower() in countries or term.lower() in _AS_NAMES:
                names.add(lemmas)
    return Terms(meanings, frozenset(firsts), frozenset(names))


def _as_written(term: str, countries: frozenset[str]) -> str:
    return term.title() if term in countries else term


def _names_of(category: str) -> list[str]:
    parts = [part.strip() for part in _NAME_PARTS.split(category) if part.strip()]
    return [part for part in parts if not set(part.lower().replace("+", "").split()) & _NAMELESS]
