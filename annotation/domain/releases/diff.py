"""Differences between two releases: items that were added, removed, relabelled or otherwise revised."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.choices import Stage
from annotation.domain.columns.column import names_of
from annotation.domain.columns.items import ITEMS
from annotation.domain.questions.released_answers import ANSWERS
from annotation.domain.releases.columns import SPLIT_COLUMN, undecided, without_decision
from annotation.domain.text_rules import text_digest
from vocabulary.display_names import NamedEnum, pgettext


class ChangeReason(NamedEnum):
    """The reason why an item is in only one of the releases, or has another category."""

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


Named = int | tuple[int, ...] | None
"""What a row or a label names: the code of its category, all codes if they are several, None if it names none."""


@dataclass(frozen=True, slots=True)
class Brief:
    """The values of a row that are compared."""

    stage: str
    gold: Named
    source: str | None
    round: int
    votes: tuple[Named, ...]
    rest: int
    """A hash of picture, priors, level, and of the text's digest, to find other changes; valid within one process."""
    words: int = field(default=0, compare=False)
    """A hash of text, reason and answers, which a release may leave out; valid within one process."""
    has_words: bool = field(default=True, compare=False)
    """Whether the row has them: what one release leaves out is no revision."""
    part: str | None = field(default=None, compare=False)
    """Train, dev or test; None where the release is not split. Another part is no revision of the item itself."""


@dataclass(frozen=True)
class Relabelled:
    id: str
    before: Named
    after: Named
    why: ChangeReason


@dataclass(frozen=True)
class Moved:
    """An item that is in another part of the split than before."""

    id: str
    before: str
    after: str


@dataclass(frozen=True)
class Changes:
    """Ids of changed items, in the order of the releases."""

    added: list[str] = field(default_factory=list)
    removed: dict[str, str] = field(default_factory=dict)
    """The ids of removed items, each with its stage in the older release."""
    relabelled: list[Relabelled] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    """Items in another part of the split; they may be relabelled or revised as well."""


_REST = names_of(column for column in ITEMS if column.compared)


def brief(row: Mapping[str, Any], texts: bool = True) -> Brief:
    """Return the part of a row that is compared; pseudonyms and dates are left out.

    `texts`: whether the release holds texts. A post that is not gold has no final category, though rows of older
    releases may name one.
    """
    if undecided(row):
        row = without_decision(row)
    labels = row["labels"]
    votes = tuple(_named(label.get("categories"), label["category"]) for label in labels)
    rest = (
        *(row[name] for name in _REST),
        tuple(row.get("intended_categories") or ())[1:],
        row.get("text_sha256") or text_digest(row["text"] or ""),
    )
    words = hash((row["text"], row["rationale"], _answers_text(labels)))
    has_words = texts and not row.get("withheld")
    stage, gold = str(row.get("stage", Stage.GOLD)), _named(row.get("categories"), row["gold"])
    return Brief(stage, gold, row["source"], row["round"], votes, hash(rest), words, has_words, row.get(SPLIT_COLUMN))


def _named(codes: Sequence[int] | None, lead: int | None) -> Named:
    return tuple(codes) if codes and len(codes) > 1 else lead


def _answers_text(labels: Iterable[Mapping[str, Any]]) -> str:
    """Return the answers to further questions as text; those not given are left out, since older rows may lack them."""
    answers = [
        (place, code, value)
        for place, label in enumerate(labels)
        for code, value in label.get(ANSWERS, {}).items()
        if value is not None
    ]
    return json.dumps(sorted(answers, key=lambda answer: answer[:2])) if answers else ""


def compare(before: Mapping[str, Brief], after: Iterable[tuple[str, Brief]]) -> Changes:
    """Return the changes from the older release to the newer one."""
    changes, names = Changes(), set()
    for name, now in after:
        names.add(name)
        then = before.get(name)
        if then is None:
            changes.added.append(name)
            continue
        if then.part and now.part and then.part != now.part:
            changes.moved.append(Moved(name, then.part, now.part))
        if then.gold != now.gold:
            changes.relabelled.append(Relabelled(name, then.gold, now.gold, _why(then, now)))
        elif then != now or (then.has_words == now.has_words and then.words != now.words):
            changes.revised.append(name)
    changes.removed.update((name, then.stage) for name, then in before.items() if name not in names)
    return changes


def _why(then: Brief, now: Brief) -> ChangeReason:
    if now.source == "adjudicated":
        return ChangeReason.ADJUDICATED
    if now.round != then.round:
        return ChangeReason.NEW_ROUND
    return ChangeReason.LABELS_CHANGED if now.votes != then.votes else ChangeReason.DECIDED_ANEW
