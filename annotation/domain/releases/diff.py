"""What changed between two releases: added, removed, relabelled, otherwise revised."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vocabulary.display_names import NamedEnum, pgettext


class Why(NamedEnum):
    """Why an item is in one release and not in the other, or has another category."""

    NEW = "new", pgettext("stored word", "new")
    CLOSED_SINCE = "closed_since", pgettext("stored word", "closed since")
    SELECTED = "selected", pgettext("stored word", "chosen now")
    WITHDRAWN = "withdrawn", pgettext("stored word", "withdrawn")
    REOPENED = "reopened", pgettext("stored word", "reopened")
    EXCLUDED = "excluded", pgettext("stored word", "excluded")
    NOT_SELECTED = "not_selected", pgettext("stored word", "not chosen any more")
    GONE = "gone", pgettext("stored word", "not in the project any more")
    ADJUDICATED = "adjudicated", pgettext("stored word", "adjudicated")
    NEW_ROUND = "new_round", pgettext("stored word", "sent to a new round")
    LABELS_CHANGED = "labels_changed", pgettext("stored word", "labels changed")
    DECIDED_ANEW = "decided_anew", pgettext("stored word", "decided anew")


@dataclass(frozen=True, slots=True)
class Brief:
    """What is compared of a row."""

    gold: int | None
    source: str | None
    round: int
    votes: tuple[int | None, ...]
    rest: int
    """A hash of text, picture, priors, level: whether anything else is different. Holds within one process only."""


@dataclass(frozen=True)
class Relabelled:
    id: str
    before: int | None
    after: int | None
    why: Why


@dataclass(frozen=True)
class Changes:
    """Ids throughout, in the order of the releases."""

    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    relabelled: list[Relabelled] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)


_REST = ("level", "text", "image_sha256_released", "text_label", "image_label", "pattern", "licence", "intended")


def brief(row: Mapping[str, Any]) -> Brief:
    """The part of a row that is compared; pseudonyms and dates are not."""
    votes = tuple(label["category"] for label in row["labels"])
    return Brief(row["gold"], row["source"], row["round"], votes, hash(tuple(row[name] for name in _REST)))


def compare(before: Mapping[str, Brief], after: Iterable[tuple[str, Brief]]) -> Changes:
    """What differs, from the older release to the newer one."""
    found, seen = Changes(), set()
    for name, now in after:
        seen.add(name)
        then = before.get(name)
        if then is None:
            found.added.append(name)
        elif then.gold != now.gold:
            found.relabelled.append(Relabelled(name, then.gold, now.gold, _why(then, now)))
        elif then != now:
            found.revised.append(name)
    found.removed.extend(name for name in before if name not in seen)
    return found


def _why(then: Brief, now: Brief) -> Why:
    if now.source == "adjudicated":
        return Why.ADJUDICATED
    if now.round != then.round:
        return Why.NEW_ROUND
    return Why.LABELS_CHANGED if now.votes != then.votes else Why.DECIDED_ANEW
