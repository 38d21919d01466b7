"""The words with which explanations conclude, negate, doubt and tell, found in plain text; one table a language."""

import re
import tomllib
from enum import StrEnum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

_LISTS = Path(__file__).with_name("lists")
# What may stand before a word of hate and make the opposite of it.
_NON = {
    "en": r"(?P<non>\b(?:(?:non|un)[\s-]?|not-|not(?=hate)))?",
    "ko": r"(?P<non>비\s?|(?<![가-힣])덜\s|non-?\s?|not\s)?",
    "zh": r"(?P<non>(?<![并绝远])非|non-?\s?|not\s)?",
}
# What the notation of the tables stands for.
_AT_END = ("$", r"(?=\s*(?:$|[.,;:!\n。—]))")
_NOTATION = {
    "en": (
        ("(", "(?:"),
        ("*", r"[\w-]*"),
        (" …… ", r"\s+(?:[\w'-]+,?\s+){0,12}?"),
        (" … ", r"\s+(?:[\w'-]+,?\s+){0,5}?"),
        (" ", r"\s+"),
        _AT_END,
    ),
    "ko": (("(", "(?:"), ("^", "(?<![가-힣])"), ("…", r"[^,.]{0,8}?"), (" ", r"\s?"), _AT_END),
    "zh": (("(", "(?:"), ("…", r"[^，,。]{0,12}?"), (" ", r"\s?"), _AT_END),
}


# What may stand between a subject and its verb.
_ASIDE = re.compile(r",\s(?:however|though|of course|in turn|by contrast|on the other hand|as such|then),")
# Verbs that "not" is contracted with.
_CONTRACTED = [
    "are",
    "ca",
    "could",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "is",
    "must",
    "need",
    "should",
    "was",
    "were",
    "wo",
    "would",
]


class SignKind(StrEnum):
    """What a sign does for a conclusion; the tables explain each."""

    ANOTHER = "another"
    HATE = "hate"
    HATRED = "hatred"
    FAULT = "fault"
    FINE = "fine"
    NEUTRAL = "neutral"
    TURN = "turn"
    ABSENT = "absent"
    REFUTED = "refuted"
    DISTANT = "distant"
    NEGATION = "negation"
    DOUBT = "doubt"
    DOUBT_BEHIND = "doubt_behind"
    CONDITION = "condition"
    REPORT = "report"
    SPEAKER = "speaker"
    OPINION = "opinion"
    PRESENT = "present"
    CONTRAST = "contrast"
    BREAK = "break"
    TOPIC = "topic"
    COPULA = "copula"
    LINK = "link"


HATEFUL = (SignKind.HATE, SignKind.HATRED)
"""Words that say hateful."""
UNNAMED = (SignKind.FAULT, SignKind.FINE)
"""Words that say so, or the opposite, without a word of hate: a violation, harmless."""
_WORDS = {SignKind.ANOTHER, *HATEFUL, *UNNAMED}
"""Words that no other sign may take up."""
_RIGHT_BEHIND = {SignKind.DOUBT_BEHIND, SignKind.ABSENT, SignKind.REFUTED, SignKind.PRESENT}
"""Kinds that count only right behind the word, and are looked for there."""
_LOOKED_FOR = {*HATEFUL, *UNNAMED, *_RIGHT_BEHIND}
Words = tuple[SignKind, ...]


class Sign(NamedTuple):
    """A sign of this kind at `start` … `end` of the plain text."""

    start: int
    end: int
    kind: SignKind


class Word(NamedTuple):
    """A word at `start` … `end` of the plain text that says whether the text is hateful."""

    start: int
    end: int
    hateful: bool


class Tongue:
    """The signs of one language."""

    def __init__(self, code: str) -> None:
        table = (_LISTS / f"conclusions_{code}.toml").read_text(encoding="utf-8")
        self.code = code
        self._table: dict[str, list[str]] = tomllib.loads(table)
        self._patterns = {kind: self._pattern(kind) for kind in SignKind if self._table.get(kind)}
        self._stems = self._table["stems"]
        self._own = frozenset(self._table["own"])
        self._subject = re.compile(self.any_of("subject"))
        self._supposed = re.compile(self.any_of("supposed"))
        self._subjects = re.compile(self.any_of("subjects")) if code == "en" else re.compile("")
        self._others = re.compile(rf"(?:(?:and|but|so|since|because)\s)?{self.any_of('others')}")

    def signs(self, text: str, start: int, end: int, words: Words = HATEFUL) -> list[Sign]:
        """Return the signs between these places; where several begin at one place the longest, no two overlap.

        `words` are the kinds of words that are looked for.
        """
        hits = [
            Sign(hit.start(), hit.end(), kind)
            for kind, pattern in self._patterns.items()
            if kind in words or kind not in _LOOKED_FOR
            for hit in pattern.finditer(text, start, end)
        ]
        return _apart(sorted(hits, key=lambda sign: (sign.kind not in _WORDS, sign.start, -sign.end)))

    def word(self, text: str, start: int, end: int, words: Words = HATEFUL) -> Word | None:
        """Return the first word of these kinds between these places."""
        if words is HATEFUL and all(text.find(stem, start, end) < 0 for stem in self._stems):
            return None
        hits = [
            Word(hit.start(), hit.end(), (kind is SignKind.FINE) is bool(hit["non"]))
            for kind in words
            if kind in self._patterns and (hit := self._patterns[kind].search(text, start, end))
        ]
        return min(hits, key=lambda hit: (hit.start, -hit.end), default=None)

    def follows(self, kind: SignKind, text: str, start: int, end: int) -> re.Match[str] | None:
        """Return the sign of this kind that begins here, perhaps behind spaces."""
        pattern = self._patterns.get(kind)
        return pattern.match(text, _skip_space(text, start, end), end) if pattern else None

    def is_subject(self, text: str, start: int, end: int) -> bool:
        """Whether what stands here makes the word before it the subject of its sentence."""
        aside = _ASIDE.match(text, start, end)
        behind = aside.end() if aside else start
        return self._subject.match(text, _skip_space(text, behind, end), end) is not None

    def is_supposed(self, text: str, start: int, end: int) -> bool:
        """Whether what stands here, where a clause begins, makes the clause a supposition."""
        return self._supposed.match(text, start, end) is not None

    def names_post(self, noun: str) -> bool:
        """Whether this word is one for the post, its parts or its label."""
        return self._subjects.fullmatch(noun) is not None

    def of_others(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """Return the words between these places that make the clause one about something else than the post."""
        return (self._others.search if self.code == "ko" else self._others.match)(text, start, end)

    def is_own(self, word: str) -> bool:
        """Whether a verb of telling behind this word tells the writer's own opinion."""
        return word in self._own

    def any_of(self, name: str, more: str = "") -> str:
        """Return the pattern of the phrases of a list of the table, longest first; `more` may not stand behind one."""
        behind = rf"(?![\w'{more}])" if self.code == "en" else rf"(?![a-z'{more}])"
        phrases = sorted(chain.from_iterable(map(_expanded, self._table[name])), key=len, reverse=True)
        if not phrases:
            return r"(?!)"
        words = [self._form(phrase, behind) for phrase in phrases if phrase[0] not in ",'"]
        endings = [self._form(phrase, behind) for phrase in phrases if phrase[0] == "'"]
        # Of a phrase behind a comma the sign is the comma alone.
        behind_comma = [self._form(phrase[2:], behind) for phrase in phrases if phrase[0] == ","]
        whole = f"{self._before}(?:{'|'.join(words)})"
        commas = [rf",(?=\s(?:{'|'.join(behind_comma)}))"] if behind_comma else []
        return f"(?:{'|'.join([*commas, *endings, whole])})"

    @property
    def _before(self) -> str:
        """The pattern of what may stand before a phrase, so that it cuts no word."""
        return r"(?<![\w'-])" if self.code == "en" else ""

    def _pattern(self, kind: SignKind) -> re.Pattern[str]:
        if kind not in (*HATEFUL, *UNNAMED):
            return re.compile(self.any_of(kind))
        words = self.any_of(kind, more="-").replace(self._before, "", 1)
        return re.compile(f"{self._before}{_NON[self.code]}{words}")

    def _form(self, phrase: str, behind: str) -> str:
        form = phrase
        for notation, pattern in _NOTATION[self.code]:
            form = form.replace(notation, pattern)
        ends_word = re.search(r"[a-z](?:\)\??)?$", phrase) is not None
        return form + behind * ends_word


@cache
def tongues() -> tuple[Tongue, ...]:
    """Return the languages whose conclusions are read."""
    return Tongue("en"), Tongue("ko"), Tongue("zh")


def is_named(text: str, start: int, end: int, words: Words = HATEFUL) -> bool:
    """Whether a word of these kinds stands between these places, in any language."""
    return any(tongue.word(text, start, end, words) for tongue in tongues())


def kinds_of(text: str, start: int, end: int) -> set[SignKind]:
    """Return the kinds of signs that stand between these places, in any language."""
    return {sign.kind for tongue in tongues() for sign in tongue.signs(text, start, min(end, len(text)), ())}


def any_of(name: str) -> str:
    """Return the pattern of all phrases that the tables of all languages list under this name."""
    return f"(?:{'|'.join(tongue.any_of(name) for tongue in tongues())})"


def _expanded(phrase: str) -> list[str]:
    """Return the phrases that a phrase with a choice at its beginning stands for: `re` finds these sooner."""
    opening = re.match(r"(, )?\(([^()]*)\)(\??)", phrase)
    if opening is None:
        is_contracted = phrase.startswith("*n't")
        return [phrase.replace("*n't", f"{verb}n't", 1) for verb in _CONTRACTED] if is_contracted else [phrase]
    choices = [*opening[2].split("|"), *([""] if opening[3] else [])]
    rest = phrase[opening.end() :]
    return [form for choice in choices for form in _expanded(f"{opening[1] or ''}{choice}{rest}".strip())]


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start] in " \t":
        start += 1
    return start


def _apart(signs: list[Sign]) -> list[Sign]:
    """Return the signs in the order of the text without those that overlap one before them in the list."""
    kept: list[Sign] = []
    taken: set[int] = set()
    for sign in signs:
        if taken.isdisjoint(range(sign.start, sign.end)):
            kept.append(sign)
            taken.update(range(sign.start, sign.end))
    return sorted(kept)
