"""TGI: whether an explanation names a protected group (design section 8; paper, section 3.3).

A lemmatised 1- to 3-gram outside quoted strings that is a term or the name of a category; for a hateful prediction
tied to hate (see `ties`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.persons import is_one, is_shown
from moderation.domain.hatexscore.plain_text import simplified
from moderation.domain.hatexscore.quotations import Quotation, blanked, words_of_others
from moderation.domain.hatexscore.ties import QUOTE, Ties
from moderation.domain.hatexscore.words.tokenize import Token, Tongue, grams, tongue

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
_NAME_PARTS = re.compile(r",|/|;|\bor\b|\band\b|、|和|및")
_IN_THE_SINGULAR = {"National", "National origin"}
_KINDS = "Race"
"""The category of the extended list that holds kinds of groups."""
# Terms that are the names of a characteristic too: "no attack on race, sex or disability" names nobody.
_CHARACTERISTICS = {
    *("disability", "skin colour", "skin color"),
    *("피부색", "장애", "성적 지향", "성 정체성"),
    *("肤色", "残疾", "宗教群体"),
}
# Countries that are things as well: not counted where only the beginning of a sentence makes them capitals.
_THINGS = {"turkey", "china", "chad", "jordan", "guinea"}
_AS_NAMES = {"traveller", "polish", "pole", "scot", "dane"}
_LONGEST_WORD = 12
_DENIED_BEFORE = re.compile(
    r"\b(?:no|not|any|without|nor|neither|none|nothing|nobody)\b|n['’]t\b|\b(?:if|whether|specific|particular|certain)\b"
    r"|\bof (?:all|different|various|mixed)\b|没有|未|不(?!仅|只|但)|无(?!论)|任何|某[个些一]|如果|어떤|아무|특정",
    re.IGNORECASE,
)
_DENIED_BEHIND = re.compile(
    r"(?!가 있|[을를] 가진)[^.!?。！？\n]{0,90}?(?:않|없|아니|아닌|无关|没有(?:任何)?关系)"
    r"|[^.!?。！？\n]{0,8}?(?:다양|제각각|각기|各异|不一|各不相?同)"
)
_END = re.compile(r"(?<![.!?])[.!?]++[\"”’»)\]]*\s+(?![a-zà-ÿ])|[。！？]+[”」』]*\n*|\n+")
_JOINS = re.compile(r"(?:['’]s)?[\s\-‐‑–'’/·]*")


@dataclass(frozen=True)
class NamedGroup:
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
    kinds: frozenset[str] = field(default_factory=frozenset)
    """Lemmas of kinds of groups, such as a nationality, which name nobody where they are denied."""


def groups(explanation: str, quoted: Sequence[Quotation], language: str, listed: Groups) -> list[NamedGroup]:
    """Return the groups that the explanation names outside its quoted strings, longest first at each place."""
    speech = tongue(language)
    terms = _terms(language, tuple((category, tuple(listed_terms)) for category, listed_terms in listed.items()))
    text = blanked(explanation, words_of_others(explanation, quoted))
    text = simplified(text) if language == "zh" else text
    starts = [0, *(end.end() for end in _END.finditer(text) if end.end() < len(text))]
    ties = Ties(text, starts, speech)
    tokens = _tokens(text, starts, speech, terms)
    named = []
    for at, end, lemmas in _named(text, tokens, speech, terms, starts):
        start, stop = tokens[at].start, tokens[end - 1].end
        sentence = ties.sentence_at(start)
        term, category = terms.meanings[lemmas]
        group = NamedGroup(term, category, start, stop, ties.tie(sentence))
        if lemmas in terms.kinds and _is_denied(
            text[max(starts[sentence], start - 120) : start], text[stop : stop + 100]
        ):
            continue  # "no ethnic group is named" names none
        if is_one(text, start, stop, lemmas, language) and ties.own(sentence) in ("", QUOTE):
            continue  # one man or woman is a group only where the sentence itself is hostile
        if is_shown(text, start, stop, lemmas, language):
            continue
        named.append(group)
    return named


def _tokens(text: str, starts: Sequence[int], speech: Tongue, terms: Terms) -> list[Token]:
    """Return the words of the text; without spaces between words only of sentences that hold a term's letters.

    Cutting Chinese and Korean is what scores take most of their time for.
    """
    if speech.between:
        return speech.tokenize(text)
    tokens: list[Token] = []
    for begin, end in pairwise([*starts, len(text)]):
        sentence = text[begin:end]
        letters = "".join(sentence.lower().split())
        if any(term in letters for term in terms.meanings):
            tokens += [
                token._replace(start=token.start + begin, end=token.end + begin) for token in speech.tokenize(sentence)
            ]
    return tokens


def identified(named: Sequence[NamedGroup], prediction: bool | None) -> list[NamedGroup]:
    """Return the groups that count: for a hateful prediction those tied to hate, else all."""
    return [group for group in named if group.tie] if prediction else list(named)


def _named(
    text: str, tokens: Sequence[Token], speech: Tongue, terms: Terms, starts: Sequence[int]
) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at < len(tokens):
        hit = _ends_in_term(tokens[at], at, terms) if speech.code == "zh" else None
        if speech.between == "" or tokens[at].lemma in terms.firsts:
            for end, lemmas in grams(tokens, speech.between, at):
                if end - at > 1 and not _joined(text, tokens[end - 2], tokens[end - 1]):
                    break
                if lemmas in terms.meanings and _is_written_so(lemmas, tokens[at:end], terms, starts):
                    hit = (at, end, lemmas)
        if hit:
            yield hit
        at = hit[1] if hit else at + 1


def _ends_in_term(token: Token, at: int, terms: Terms) -> tuple[int, int, str] | None:
    """Return the term that a longer word ends in, as Chinese puts what is meant last."""
    if len(token.lemma) > _LONGEST_WORD:
        return None
    endings = (token.lemma[cut:] for cut in range(1, len(token.lemma) - 1))
    return next(((at, at + 1, ending) for ending in endings if ending in terms.meanings), None)


def _joined(text: str, left: Token, right: Token) -> bool:
    return right.start <= left.end or _JOINS.fullmatch(text, left.end, right.start) is not None


def _is_written_so(lemmas: str, tokens: Sequence[Token], terms: Terms, starts: Sequence[int]) -> bool:
    if lemmas not in terms.names:
        return True
    if not (tokens[0].is_name and tokens[-1].is_name):
        return False
    begins = starts[bisect_right(starts, tokens[0].start) - 1]
    return lemmas not in _THINGS or tokens[0].start > begins


def _is_denied(before: str, behind: str) -> bool:
    """Whether the sentence says that no group of this kind is meant."""
    return _DENIED_BEFORE.search(before) is not None or _DENIED_BEHIND.match(behind) is not None


@lru_cache(maxsize=64)
def _terms(language: str, listed: tuple[tuple[str, tuple[str, ...]], ...]) -> Terms:
    speech = tongue(language)
    meanings: dict[str, tuple[str, str]] = {}
    firsts: set[str] = set()
    names, kinds, listed_terms = set(), set(), set()
    countries = group_list_files.countries(language)
    for category, category_terms in listed:
        category_names = _names_of(category)
        for term in (*category_terms, *category_names):
            # Without spaces between words a term is told by its letters, however it would be cut.
            tokens = speech.tokenize(_as_written(term, countries)) if speech.between else ()
            letters = "".join(term.lower().split())
            lemmas = speech.between.join(token.lemma for token in tokens) or simplified(letters)
            meanings.setdefault(lemmas, (term, category))
            if language == "en" and category not in _IN_THE_SINGULAR:
                meanings.setdefault(f"{lemmas}s", (term, category))  # names whose plural has no known lemma
                firsts.update(token.lemma if len(tokens) > 1 else f"{lemmas}s" for token in tokens[:1])
            firsts.update(token.lemma for token in tokens[:1])
            if term.lower() in countries or term.lower() in _AS_NAMES:
                names.add(lemmas)
            if category == _KINDS or term in category_names or term in _CHARACTERISTICS:
                kinds.add(lemmas)
            if category != _KINDS and term in category_terms and term not in _CHARACTERISTICS:
                listed_terms.add(lemmas)
    return Terms(meanings, frozenset(firsts), frozenset(names), frozenset(kinds - listed_terms))


def _as_written(term: str, countries: frozenset[str]) -> str:
    return term.title() if term in countries else term


def _names_of(category: str) -> list[str]:
    parts = [part.strip() for part in _NAME_PARTS.split(category) if part.strip()]
    return [part for part in parts if not set(part.lower().replace("+", "").split()) & _NAMELESS]
