"""What a reply must not do (threats PI11): each finding is a flag, and a flagged reply needs a reason to be approved.

The wording is checked here, without any model: the post's own insults and the project's lexicon, threats, names, swear
words. What only a critic can tell (that the reply supports the claim, that it is toxic) comes in by its numbers.
"""

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from generation.domain.words import plain, says

_FILE = Path(__file__).with_name("guard_words.toml")
_STARRED = re.compile(r"(?<!\w)[a-z]{1,3}(?:\*{2,}|[*#@$%]{3,})[a-z]{0,3}(?!\w)")
TOXIC = 0.5
"""From this toxicity on a reply is marked, whatever words it uses."""


class Flag(StrEnum):
    """A finding that stands between a reply and its approval."""

    REPEATS_INSULT = "repeats_insult"
    """It says the slur or insult of the post again, or a word of the project's lexicon."""
    THREATENS = "threatens"
    CALLS_NAMES = "calls_names"
    SWEARS = "swears"
    SUPPORTS_CLAIM = "supports_claim"
    """Its stance towards the post is favourable: PC above 0."""
    TOXIC = "toxic"
    """The toxicity critic gives it half of the scale or more."""
    NOT_SCORED = "not_scored"
    """No critic has read the text as it now stands, so that two of the findings above are open."""


@dataclass(frozen=True)
class Found:
    """A flag and the words it was raised for; empty where it came from a number."""

    flag: Flag
    words: str = ""


@cache
def _lists() -> dict[Flag, tuple[str, ...]]:
    held = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {Flag(name): tuple(plain(phrase) for phrase in rows["phrases"]) for name, rows in held.items()}


def in_wording(text: str, insults: Collection[str] = ()) -> list[Found]:
    """What the words of a reply give away; `insults` are the post's own and the project's lexicon."""
    found = [Found(Flag.REPEATS_INSULT, insult) for insult in insults if says(text, insult)][:1]
    for flag, phrases in _lists().items():
        said = next((phrase for phrase in phrases if says(text, phrase)), None)
        if said is None and flag is Flag.SWEARS and (starred := _STARRED.search(plain(text))):
            said = starred.group()
        if said is not None:
            found.append(Found(flag, said))
    return found


def in_numbers(pc: float | None, t: float | None) -> list[Found]:
    """What the critics' numbers give away: PC above 0, T from one half on. Missing ones give nothing away."""
    found = []
    if pc is not None and pc > 0:
        found.append(Found(Flag.SUPPORTS_CLAIM))
    if t is not None and t >= TOXIC:
        found.append(Found(Flag.TOXIC))
    return found


def flags(text: str, insults: Collection[str] = (), *, pc: float | None = None, t: float | None = None) -> list[Flag]:
    """The flags of a reply in their order, each once."""
    raised = {each.flag for each in (*in_wording(text, insults), *in_numbers(pc, t))}
    return [flag for flag in Flag if flag in raised]


def insults_of(post: str, named: Sequence[str], lexicon: Sequence[str]) -> list[str]:
    """The words a reply to this post must not repeat: those named that really stand in it, and the whole lexicon.

    A named one that is long is a quotation, not an insult: up to four words count.
    """
    own = [word.strip() for word in named if 0 < len(word.split()) <= 4 and len(word) > 1 and says(post, word)]
    seen: dict[str, str] = {}
    for word in (*own, *(each.strip() for each in lexicon)):
        if word:
            seen.setdefault(plain(word), word)
    return list(seen.values())


REASON_LENGTH = 10
"""A reason to approve all the same has so many characters at least."""
