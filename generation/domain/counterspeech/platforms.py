"""Limits of replies as platforms count them, in one table.

X: twitter-text, configuration 3. Bluesky: lexicon app.bsky.feed.post. Mastodon: the counter of its posting form and the
default of a server. Threads: Meta's "Threads Posts". YouTube, Facebook, Instagram, Reddit, TikTok: comments, as their
forms allow; their owners publish no rule of counting, so UTF-16 units are counted, as a browser does.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module

import regex

_LINK = (
    r"https?://[^\s<>\"'，。、）」』]++"
    r"|(?<![\w@#$./-])(?:[a-z0-9-]{1,63}\.){1,20}(?P<ending>[a-z]{2,63})(?![\w@-])(?:[/?][^\s<>\"'，。、）」』]*+)?"
)
_WITH_SCHEME = r"https?://[^\s<>\"'，。、）」』]++"
_TAIL = ".,;:!?)"
_MENTION = r"(?<![\w/])@([A-Za-z0-9_]++)@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)*+"
_EMOJI = r"\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*]\ufe0f?\u20e3"
_LIGHT = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))
"""The code points that X counts as one; all others are two."""
LINK = 23
"""What X and Mastodon count for a link, however long it is."""


class Platform(StrEnum):
    """A place where a reply is posted."""

    X = "x"
    BLUESKY = "bluesky"
    MASTODON = "mastodon"
    THREADS = "threads"
    FACEBOOK = "facebook"
    INSTAGRAM = "instagram"
    YOUTUBE = "youtube"
    REDDIT = "reddit"
    TIKTOK = "tiktok"


@dataclass(frozen=True)
class Limit:
    """How long a reply may be on a platform, and how the platform counts."""

    name: str
    most: int
    counted: Callable[[str], int]
    rule: str
    """What the model is told of the rule, in English."""

    def length(self, text: str) -> int:
        """Return the length of a text as the platform counts it, without white space at its ends."""
        return self.counted(text.strip())


@dataclass(frozen=True)
class Length:
    """The length of one text on one platform."""

    platform: Platform
    name: str
    length: int
    most: int

    @property
    def over(self) -> int:
        """By how much it is too long; 0 if it fits."""
        return max(self.length - self.most, 0)


def graphemes(text: str) -> list[str]:
    """Return what readers see as single characters (Unicode's extended grapheme clusters)."""
    clusters: list[str] = regex.findall(r"\X", text)
    return clusters


def weighted(text: str) -> int:
    """Return the length as X counts it: links 23, an emoji of any length 2, other characters 1 or 2."""
    rest, links = _without_links(unicodedata.normalize("NFC", text), _LINK)
    return links * LINK + sum(_weight(cluster) for cluster in graphemes(rest))


def with_short_links(text: str) -> int:
    """Return the length as Mastodon counts it: links 23, a mention without its server, other graphemes 1."""
    rest, links = _without_links(text, _WITH_SCHEME)
    return links * LINK + len(graphemes(_compiled(_MENTION).sub(r"@\1", rest)))


def with_emoji_in_bytes(text: str) -> int:
    """Return the length as Threads counts it: an emoji as many as it has bytes of UTF-8, other characters 1."""
    return sum(
        len(cluster.encode("utf-8", "surrogatepass")) if _is_emoji(cluster) else len(cluster)
        for cluster in graphemes(text)
    )


def units(text: str) -> int:
    """Return the length in units of UTF-16, as the forms of browsers count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


LIMITS: Mapping[Platform, Limit] = {
    Platform.X: Limit("X", 280, weighted, "Chinese, Japanese and Korean letters and emoji count as two"),
    Platform.BLUESKY: Limit("Bluesky", 300, lambda text: len(graphemes(text)), "every character counts as one"),
    Platform.MASTODON: Limit("Mastodon", 500, with_short_links, "every character counts as one, a link as 23"),
    Platform.THREADS: Limit("Threads", 500, with_emoji_in_bytes, "emoji count several times"),
    Platform.FACEBOOK: Limit("Facebook", 8000, units, "every character counts as one"),
    Platform.INSTAGRAM: Limit("Instagram", 2200, units, "every character counts as one"),
    Platform.YOUTUBE: Limit("YouTube", 10_000, units, "every character counts as one"),
    Platform.REDDIT: Limit("Reddit", 10_000, units, "every character counts as one"),
    Platform.TIKTOK: Limit("TikTok", 150, units, "every character counts as one"),
}
NAMES = {platform: limit.name for platform, limit in LIMITS.items()}


def length_on(platform: Platform, text: str) -> Length:
    """Return the length of a text on one platform."""
    limit = LIMITS[platform]
    return Length(platform, limit.name, limit.length(text), limit.most)


def lengths(text: str) -> list[Length]:
    """Return the length of a text on each platform, in the order of the table."""
    return [length_on(platform, text) for platform in LIMITS]


def _is_emoji(cluster: str) -> bool:
    """Return whether a cluster is shown as an emoji; a bare © or ® is a letter."""
    return _compiled(_EMOJI).match(cluster) is not None and (len(cluster) > 1 or ord(cluster) > _LIGHT[0][1])


def _weight(cluster: str) -> int:
    if _is_emoji(cluster):
        return 2
    return sum(1 if any(first <= ord(letter) <= last for first, last in _LIGHT) else 2 for letter in cluster)


@cache
def _compiled(pattern: str) -> "regex.Pattern[str]":
    """Return a pattern that is compiled when it is first needed: no process needs it to start."""
    return regex.compile(pattern, regex.IGNORECASE)


def _without_links(text: str, pattern: str) -> tuple[str, int]:
    """Return the text without its links, and how many there were. Marks behind a link stay in the text."""
    rest: list[str] = []
    links = end = 0
    for found in _compiled(pattern).finditer(text):
        if not _is_link(found):
            continue
        link = found.group().rstrip(_TAIL)
        rest.append(text[end : found.start()])
        end, links = found.start() + len(link), links + 1
    return "".join((*rest, text[end:])), links


def _is_link(found: "regex.Match[str]") -> bool:
    """Return whether a host without a scheme ends in a domain that exists; X links such hosts too."""
    ending = found.groupdict().get("ending")
    return ending is None or bool(import_module("tld").is_tld(ending.lower()))
