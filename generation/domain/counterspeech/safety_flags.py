"""Safety flags of a reply (threats PI11). A flagged reply can be approved only with a written reason.

The wording is checked here without a model: insults of the post, the project's lexicon, threats, name-calling, swear
words. Support for the claim and toxicity are read from the critics' numbers, because only a critic can judge them.
"""

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generation.domain.tokens import plain, says
from vocabulary.display_names import NamedEnum, pgettext

_FILE = Path(__file__).with_name("guard_words.toml")
_STARRED = re.compile(r"(?<!\w)[a-z]{1,3}(?:\*{2,}|[*#@$%]{3,})[a-z]{0,3}(?!\w)")
TOXIC = 0.5
"""A reply with this toxicity or more is flagged, whatever words it uses."""


class Flag(NamedEnum):
    """A reason for which a reply needs a written justification before it is approved."""

    REPEATS_INSULT = "repeats_insult", pgettext("stored word", "repeats an insult")
    """It repeats the slur or insult of the post, or contains a word of the project's lexicon."""
    THREATENS = "threatens", pgettext("stored word", "threatens")
    CALLS_NAMES = "calls_names", pgettext("stored word", "calls names")
    SWEARS = "swears", pgettext("stored word", "swears")
    SUPPORTS_CLAIM = "supports_claim", pgettext("stored word", "supports the claim")
    """It supports the post: PC above 0."""
    TOXIC = "toxic", pgettext("stored word", "toxic")
    """The toxicity critic gives it T of one half or more."""
    NOT_SCORED = "not_scored", pgettext("stored word", "not read by critics")
    """No critic has scored the present text, so `supports_claim` and `toxic` are not known."""


@dataclass(frozen=True)
class FlaggedWords:
    """A flag and the words that raised it; the words are empty if a number raised it."""

    flag: Flag
    words: str = ""


@cache
def _lists() -> dict[Flag, tuple[str, ...]]:
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {Flag(name): tuple(plain(phrase) for phrase in rows["phrases"]) for name, rows in lists.items()}


def in_wording(text: str, insults: Collection[str] = ()) -> list[FlaggedWords]:
    """Return the flags that the words of a reply raise. `insults`: the post's own and the project's lexicon."""
    findings = [FlaggedWords(Flag.REPEATS_INSULT, insult) for insult in insults if says(text, insult)][:1]
    for flag, phrases in _lists().items():
        matched = next((phrase for phrase in phrases if says(text, phrase)), None)
        if matched is None and flag is Flag.SWEARS and (starred := _STARRED.search(plain(text))):
            matched = starred.group()
        if matched is not None:
            findings.append(FlaggedWords(flag, matched))
    return findings


def in_numbers(pc: float | None, t: float | None) -> list[FlaggedWords]:
    """Return the flags that the critics' numbers raise: PC above 0, T of one half or more; None raises none."""
    findings = []
    if pc is not None and pc > 0:
        findings.append(FlaggedWords(Flag.SUPPORTS_CLAIM))
    if t is not None and t >= TOXIC:
        findings.append(FlaggedWords(Flag.TOXIC))
    return findings


def flags(text: str, insults: Collection[str] = (), *, pc: float | None = None, t: float | None = None) -> list[Flag]:
    """Return the flags of a reply in the order of `Flag`, each once."""
    raised = {finding.flag for finding in (*in_wording(text, insults), *in_numbers(pc, t))}
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
