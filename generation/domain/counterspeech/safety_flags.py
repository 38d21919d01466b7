"""Safety flags of a reply (threats PI11). A flagged reply can be approved only with a written reason.

The wording is checked here without a model: insults of the post, the project's lexicon, threats, name-calling, swear
words, what leads to a person, links, and another language than the post's. Support for the claim and toxicity are read
from the critics' numbers, because only a critic can judge them.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from annotation.domain.folding.chinese import SIMPLIFIED
from annotation.domain.masking.mask import Mask, mask
from generation.domain.counterspeech.claim_states import ClaimState, own_words, unopened_links
from generation.domain.counterspeech.languages import languages_differ
from generation.domain.tokens import plain, says
from vocabulary.display_names import NamedEnum, pgettext
from vocabulary.late_patterns import late

_FILE = Path(__file__).with_name("guard_words.toml")
_STARRED = re.compile(r"(?<!\w)[a-z]{1,3}(?:\*{2,}|[*#@$%]{3,})[a-z]{0,3}(?!\w)")
_DIGITS = str.maketrans("013457@$", "oieastas")
_PLACE = re.compile(
    r"\b\d{1,5}[a-z]? (?:[A-Z][\w'’]{1,20} ){1,3}(?:Road|Rd|Street|St|Avenue|Ave|Lane|Drive|Way|Close|Place"
    r"|Square|Court)\b"
    r"|[가-힣]{1,6}(?:시|군|구|동|읍|면) ?[가-힣0-9]{1,10}(?:로|길) ?\d{1,4}|\d{1,4}번지|\d{1,4}동 ?\d{1,4}호"
    r"|[\u4e00-\u9fff]{1,6}(?:路|街|巷|弄|道)\d{1,5}号"
)
_SPELLED = re.compile(r"\b\w+(?: dot \w+){0,3} at \w+(?: dot \w+){1,3}\b", re.IGNORECASE)
"""An e-mail address whose signs are written as words."""
_DENIED = late(
    r"\b(?:nobody is|no one is|not|isn't|aren't|never)(?! (?:only|just)\b) (?:an? |the )?\w+"
    r"|[가-힣]{1,12}(?:은|는|이|가) 아(?:니|닙|닌)[가-힣]{0,8}|(?:不是(?!人)|并非|不算|没人是)(?!吗)[^，。]{1,6}"
    # The word is spoken of.
    r"|\b(?:be|being|been|is|are|was|were|gets?|getting) called (?:an? )?\w+|\b(?:word|insult|term)s? (?:like )?\W?\w+"
    r"|\b\w{1,40}\W? (?:is|are) (?:an? |such an? )?(?:\w+ )?(?:words?|insults?|terms?)\b"
    r"|[가-힣]{1,8}\W?(?:이?라는|이?란) ?(?:말|단어|표현|욕|소리|이름)"
    r"|[가-힣]{1,8}\W?(?:이?라고) ?(?:부르|불리|불려|불릴|불러)"
    r"|[\u4e00-\u9fff]{1,4}\W?(?:这个|这种|一)(?:词|称呼|说法)|被(?:人)?(?:叫|称|骂|当)[作做为成]?[\u4e00-\u9fff]{1,3}"
)
"""A name that somebody is said not to be, or that is spoken of as a word."""
_FORBIDDEN = late(
    r"\b(?:(?:please |let's )?(?:don't|do not|not|never)|(?:nobody|no one) should|i won't)"
    r"(?! (?:just|only|argue|let|forget|stop|waste|say|comment)\b) [^.,;:!?]*"
    r"|(?<!特)别(?:去|人肉|公开|曝光|发)[^，。！？\n]*"
)
_IS_FORBIDDEN = late(
    r"지 ?(?:맙시다|마세요|마시|말아|말자|말고|않았으면|말았으면)|[면선] ?안 ?(?:돼|됩|되)"
    r"|[가-힣]자는 ?(?:분|댓글|글|말|얘기|이야기|사람|의견)|신상 ?털(?:이|기)(?:를|가)? ?(?:당|는|은|가)"
    r"|(?:拜托|请)(?:大家)?(?:不要|别)(?!.{0,2}放过)"
)
"""Words after which a clause, or with which a sentence, asks people not to do something, or reports that they do."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_QUOTED = late(r"[\"“「『《][^\"“”「」『』《》\n]{2,60}[\"”」』》]|(?<!\w)['‘][^'‘’\n]{2,60}['’](?![a-z])")
"""The words of others."""
TOXIC = 0.5
"""A reply with this toxicity or more is flagged, whatever words it uses."""


class Flag(NamedEnum):
    """A reason for which a reply needs a written justification before it is approved."""

    REPEATS_INSULT = "repeats_insult", pgettext("stored word", "repeats an insult")
    """It repeats the slur or insult of the post, or contains a word of the project's lexicon."""
    THREATENS = "threatens", pgettext("stored word", "threatens")
    CALLS_NAMES = "calls_names", pgettext("stored word", "calls names")
    SWEARS = "swears", pgettext("stored word", "swears")
    HUNTS = "hunts", pgettext("stored word", "sends readers after somebody")
    """It asks to find somebody, or to report them to employer or school."""
    POINTS_AT_A_PERSON = "points_at_a_person", pgettext("stored word", "holds a handle, an address or a number")
    """It contains a handle, an e-mail or postal address, or a telephone number."""
    UNOPENED_LINK = "unopened_link", pgettext("stored word", "holds a link that nobody opened")
    """The site opens no link of a reply, so only a person can say that it is there."""
    OTHER_LANGUAGE = "other_language", pgettext("stored word", "is in another language than the post")
    SUPPORTS_CLAIM = "supports_claim", pgettext("stored word", "supports the claim")
    """It supports the post: PC above 0."""
    TOXIC = "toxic", pgettext("stored word", "toxic")
    """The toxicity critic gives it T of one half or more."""
    NOT_SCORED = "not_scored", pgettext("stored word", "not read by critics")
    """No critic has scored the present text, so `supports_claim` and `toxic` are not known."""
    OTHER_INTENT = "other_intent", pgettext("stored word", "is read as another intent")
    """The critic who was not told the intent saw another one, or none."""
    COPIED = "copied", pgettext("stored word", "says the same as a stored reply")
    OPEN_CLAIM = "open_claim", pgettext("stored word", "holds a claim that nobody checked")
    FALSE_CLAIM = "false_claim", pgettext("stored word", "holds a claim that was found false")


BY_WEIGHT = "weights"
TO_PEOPLE = (Flag.HUNTS, Flag.THREATENS, Flag.CALLS_NAMES, Flag.POINTS_AT_A_PERSON)
"""What a draft does to people: those marks are looked for by weights and by a reader where no rule finds one."""


@dataclass(frozen=True)
class FlaggedWords:
    """What marks a text, with the words that raised it; empty if a number did. Approval needs a reason.

    `by`: empty if a rule, a critic or a claim's state marks it; `weights` if only the weight of its words does, which
    is a guess; else the model that read it.
    """

    flag: Flag
    words: str = ""
    by: str = ""


_SENTENCE_END = re.compile(r"[.!?。！？\n]+\s*")
_NAMED_WORDS = re.compile(r"(?<!\?)<([a-z_]+)>")


class _Words(NamedTuple):
    phrases: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    combined: tuple[tuple[tuple[re.Pattern[str], bool], ...], ...]
    """Words that stand in one sentence, or (False) do not."""

    def found_in(self, text: str) -> str | None:
        """Return the words of a folded text that are of this kind; of words that count together their sentence."""
        if (phrase := next((phrase for phrase in self.phrases if says(text, phrase)), None)) is not None:
            return phrase
        if (found := next(filter(None, (each.search(text) for each in self.patterns)), None)) is not None:
            return found.group()
        sentences = _SENTENCE_END.split(text)
        return next((part for part in sentences if any(_has_all(part, ideas) for ideas in self.combined)), None)


def _has_all(sentence: str, ideas: Sequence[tuple[re.Pattern[str], bool]]) -> bool:
    return all(bool(idea.search(sentence)) is wanted for idea, wanted in ideas)


@cache
def _lists() -> dict[Flag, _Words]:
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    named = lists.pop("words")

    ideas = {name: late(words) for name, words in named.items()}

    def read(rows: Mapping[str, Sequence[str]]) -> _Words:
        frames = (_NAMED_WORDS.sub(lambda name: named[name[1]], frame) for frame in rows.get("frames", ()))
        patterns = tuple(map(late, (*rows.get("patterns", ()), *frames)))
        combined = tuple(
            tuple((ideas[name.removeprefix("-")], not name.startswith("-")) for name in row.split())
            for row in rows.get("combined", ())
        )
        return _Words(tuple(map(plain, rows["phrases"])), patterns, combined)

    return {Flag(name): read(rows) for name, rows in lists.items()}


def in_wording(
    text: str,
    insults: Collection[str] = (),
    *,
    post: str = "",
    listed: Collection[str] = (),
    opened: Collection[str] = (),
) -> list[FlaggedWords]:
    """Return the flags that the words of a reply raise.

    `insults`: the post's own and the project's lexicon. `post`: the text whose language the reply should have.
    `listed`: the lines of its list of sources, in whatever language. `opened`: addresses that the site has opened.
    """
    spelled = text.translate(_DIGITS)
    findings = [
        FlaggedWords(Flag.REPEATS_INSULT, insult) for insult in insults if says(text, insult) or says(spelled, insult)
    ][:1]
    folded = plain(text).translate(SIMPLIFIED)
    spared = {
        Flag.CALLS_NAMES: _DENIED.sub(" ", folded),
        Flag.HUNTS: _without_what_is_forbidden(folded),
        Flag.THREATENS: _QUOTED.sub(" ", folded),
    }
    for flag, words in _lists().items():
        matched = words.found_in(spared.get(flag, folded))
        if matched is None and flag is Flag.SWEARS and (starred := _STARRED.search(plain(text))):
            matched = starred.group()
        if matched is not None:
            findings.append(FlaggedWords(flag, matched))
    body = own_words(text, listed)
    return [*findings, *leads_to_a_person(body), *_links(text, opened), *_other_language(body, post)]


def _without_what_is_forbidden(folded: str) -> str:
    asked = _SENTENCE.sub(lambda part: " " if _IS_FORBIDDEN.search(part[0]) else part[0], folded)
    return _FORBIDDEN.sub(" ", asked)


def leads_to_a_person(text: str) -> list[FlaggedWords]:
    """Return the flag of a text that holds a handle, an e-mail or postal address, or a telephone number."""
    place = _PLACE.search(text) or _SPELLED.search(text)
    kinds = mask(text, frozenset(Mask) - {Mask.URLS})[1]
    return [FlaggedWords(Flag.POINTS_AT_A_PERSON, place.group() if place else "")] if place or kinds else []


def _links(text: str, opened: Collection[str]) -> list[FlaggedWords]:
    return [FlaggedWords(Flag.UNOPENED_LINK, link) for link in unopened_links(text, opened)[:1]]


def in_claims(states: Mapping[str, ClaimState]) -> list[FlaggedWords]:
    """Return the flags that claims raise, by sentence and state: one that nobody checked, one that was found false."""
    raised = {Flag.OPEN_CLAIM: ClaimState.OPEN, Flag.FALSE_CLAIM: ClaimState.CONTRADICTED}
    firsts = {
        flag: next((text for text, state in states.items() if state is wanted), None) for flag, wanted in raised.items()
    }
    return [FlaggedWords(flag, sentence) for flag, sentence in firsts.items() if sentence is not None]


def _other_language(text: str, post: str) -> list[FlaggedWords]:
    return [FlaggedWords(Flag.OTHER_LANGUAGE)] if post and languages_differ(text, post) else []


def in_numbers(pc: float | None, t: float | None) -> list[FlaggedWords]:
    """Return the flags that the critics' numbers raise: PC above 0, T of one half or more; None raises none."""
    findings = []
    if pc is not None and pc > 0:
        findings.append(FlaggedWords(Flag.SUPPORTS_CLAIM))
    if t is not None and t >= TOXIC:
        findings.append(FlaggedWords(Flag.TOXIC))
    return findings


def flags(
    text: str, insults: Collection[str] = (), *, post: str = "", pc: float | None = None, t: float | None = None
) -> list[Flag]:
    """Return the flags of a reply in the order of `Flag`, each once."""
    raised = {finding.flag for finding in (*in_wording(text, insults, post=post), *in_numbers(pc, t))}
    return [flag for flag in Flag if flag in raised]


def insults_of(post: str, named: Sequence[str], lexicon: Sequence[str]) -> list[str]:
    """Return the words that a reply to this post must not repeat: its named insults and the lexicon.

    A named insult of more than four words is a quotation and does not count.
    """
    own = [word.strip() for word in named if 0 < len(word.split()) <= 4 and len(word) > 1 and says(post, word)]
    first_spelling: dict[str, str] = {}
    for word in (*own, *(entry.strip() for entry in lexicon)):
        if word:
            first_spelling.setdefault(plain(word), word)
    return list(first_spelling.values())


REASON_LENGTH = 10
"""The shortest reason, in characters, for approving a flagged reply."""
