"""What reviewers decide about a disputed item, and admins about a closed one; each with a written reason.

Every verb wants the `version` of the item that the person saw. Who decides on an older one learns who was first
and what they did; nothing is overwritten.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from uuid import UUID

from annotation.consensus.close import close_disputes, lock_item, make_gold, move_locked_item, open_dispute_reasons
from annotation.consensus.reports import answer_by_reopening
from annotation.consensus.rounds import MAX_SEATS, add_seats, open_next_round
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Modality, Reason, Role, Source, Stage
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.stages import Mover, may_move
from annotation.models import Adjudication, Category, Event, Item, KnownAnswer, Label, Membership, Ruling, record


class OwnItem(PermissionError):
    """The reviewer labelled this item, and the project wants somebody else to decide about it."""

    code = "own_label"


class NotAllowed(PermissionError):
    """The member's roles do not allow this move from the item's stage."""

    code = "forbidden"


class StaleVersion(Exception):
    """Somebody acted on the item after this member loaded it; `last` is that act, as far as it is recorded."""

    code = "stale"

    def __init__(self, item: Item, last: Event | None) -> None:
        super().__init__(f"Item {item.public_id} is at version {item.version} now.")
        self.item = item
        self.last = last


class RulingKeyReused(Exception):
    """The client's key came before with another decision: nothing is stored a second time under it."""

    code = "key_reused"


class BadRuling(ValueError):
    """The ruling asks for something impossible here; the sentence says what is possible."""

    code = "bad_ruling"


@dataclass(frozen=True)
class RulingContext:
    """Facts about a ruling: the client's key, whom the post demeans, where the rationale began, and why now.

    `facts` go into the event: what the reviewer was shown when they decided.
    """

    key: UUID | None = None
    target_group: str = ""
    drafted_from: UUID | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


NOTHING = RulingContext()


@short_transaction
def decide_item(
    item: Item,
    reviewer: Membership,
    version: int,
    rationale: str,
    category: Category,
    upheld: Mapping[Modality, PriorValue] | None = None,
    beside: RulingContext = NOTHING,
    categories: Sequence[int] = (),
) -> Adjudication:
    """Settle a disputed item with a category, or one that a reviewer settled or excluded: the newest decision counts.

    `upheld` are challenged priors that count as corrected from now on. `categories` are the codes of all categories
    where there are several, as rows keep them. Raises OwnItem, NotAllowed, Stale, KeyReused.
    """
    upheld = upheld or {}
    fields = {"ruling": Ruling.DECIDE, "category": category, "rationale": rationale, "corrections": _rows(upheld)}
    if categories:
        fields["categories"] = list(categories)

    def settle(locked: Item) -> None:
        make_gold(locked, category, upheld, categories)

    return _rule(item, reviewer, version, Stage.GOLD, fields, settle, beside)


@short_transaction
def exclude_item(
    item: Item,
    reviewer: Membership,
    version: int,
    rationale: str,
    reason: Reason | None = None,
    beside: RulingContext = NOTHING,
) -> Adjudication:
    """Exclude a disputed item. It carries the reason named, or the one that was disputed first.

    Raises OwnItem, NotAllowed, Stale, KeyReused; BadRuling for a reason that is neither disputed nor low quality.
    """
    fields = {"ruling": Ruling.EXCLUDE, "rationale": rationale}
    return _rule(item, reviewer, version, Stage.EXCLUDED, fields, lambda locked: _exclude(locked, reason), beside)


@short_transaction
def request_new_round(
    item: Item, reviewer: Membership, version: int, rationale: str, message: str = "", beside: RulingContext = NOTHING
) -> Adjudication:
    """Send a disputed item to a new round of labels; its annotators read the message, never the rationale.

    Raises OwnItem, NotAllowed, Stale, KeyReused.
    """
    fields = {"ruling": Ruling.NEW_ROUND, "rationale": rationale, "message": message}
    return _rule(
        item, reviewer, version, Stage.LABELLING, fields, lambda locked: open_next_round(locked, message), beside
    )


@short_transaction
def request_more_labels(
    item: Item, reviewer: Membership, version: int, rationale: str, count: int, beside: RulingContext = NOTHING
) -> Adjudication:
    """Ask `count` more people about a disputed item, in the same round.

    Raises OwnItem, NotAllowed, Stale, KeyReused; BadRuling where the round cannot take so many.
    """
    fields = {"ruling": Ruling.MORE_SEATS, "rationale": rationale}
    context = replace(beside, facts={**beside.facts, "count": count})
    return _rule(item, reviewer, version, Stage.LABELLING, fields, lambda locked: _ask_more(locked, count), context)


@short_transaction
def reopen_closed_item(item: Item, admin: Membership, version: int, rationale: str) -> Adjudication:
    """Send gold or an excluded item back to labelling. Raises NotAllowed, Stale.

    A reported item's media unlock with this, and its reports are answered: the reason says why that is right.
    """

    def reopen(locked: Item) -> None:
        open_next_round(locked)
        answer_by_reopening(locked, admin, rationale)

    fields = {"ruling": Ruling.REOPEN, "rationale": rationale}
    return _rule(item, admin, version, Stage.LABELLING, fields, reopen)


def may_settle(item: Item, reviewer: Membership) -> bool:
    """Whether this reviewer may decide about the item as far as their own labels go."""
    return reviewer.project.adjudicate_own or not has_labelled(item, reviewer)


def has_labelled(item: Item, member: Membership) -> bool:
    """Whether the member gave a label for the item in any round."""
    return Label.objects.filter(item=item, annotator=member).exists()


def _rule(
    item: Item,
    member: Membership,
    version: int,
    end: Stage,
    fields: dict[str, Any],
    act: Callable[[Item], None],
    beside: RulingContext = NOTHING,
) -> Adjudication:
    """Store the ruling and do what it says, unless it was stored before (a double click) or somebody was first."""
    locked = lock_item(item)
    fields = {**fields, "target_group": beside.target_group, "drafted_from": beside.drafted_from}
    body = _body(locked, version, fields, beside)
    repeated = _repeated(locked, member, version, fields, beside.key, body)
    if repeated is not None:
        return repeated
    check_ruling(locked, member, version, end, fields["ruling"])
    keyed = {"client_key": beside.key, "body_sha256": body}
    ruling = Adjudication.objects.create(
        item=locked, reviewer=member, round=locked.round, item_version=version, **fields, **keyed
    )
    category, several = fields.get("category"), fields.get("categories")
    record(
        EventVerb(fields["ruling"]),
        project=locked.project,
        actor=member,
        item=locked,
        row=ruling.public_id,
        stage=locked.stage,
        level=locked.level,
        reasons=open_dispute_reasons(locked),
        category=category.code if category else None,
        **({"categories": several} if several else {}),
        **beside.facts,
    )
    act(locked)
    return ruling


def _repeated(
    item: Item, member: Membership, version: int, fields: Mapping[str, Any], key: UUID | None, body: str
) -> Adjudication | None:
    """Return the same ruling as stored before: by the client's key, or without one by its content.

    Raises RulingKeyReused if the key came with another decision.
    """
    if key is None:
        return item.adjudications.filter(reviewer=member, item_version=version, body_sha256=body).last()
    stored = Adjudication.objects.filter(reviewer=member, client_key=key).first()
    if stored is not None and stored.body_sha256 != body:
        raise RulingKeyReused
    return stored


def _body(item: Item, version: int, fields: Mapping[str, Any], beside: RulingContext) -> str:
    """Return all that the client sent, so that the same key with other content is noticed."""
    category = fields.get("category")
    content = {
        **fields,
        "category": category.code if category else None,
        "item": item.public_id,
        "version": version,
        "count": beside.facts.get("count"),
    }
    return ruling_digest(content)


def ruling_digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a decision in hex."""
    return sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def check_ruling(item: Item, member: Membership, version: int, end: Stage, ruling: Ruling) -> None:
    """Check that the member may rule so about the locked item as they saw it.

    Raises StaleVersion, NotAllowed or OwnItem if they may not.
    """
    if item.version != version:
        raise StaleVersion(item, last_event(item))
    start, reopening = Stage(item.stage), ruling is Ruling.REOPEN
    role, mover = (Role.ADMIN, Mover.ADMIN) if reopening else (Role.REVIEWER, Mover.REVIEWER)
    disputed = start is Stage.DISPUTED
    aside = reopening and KnownAnswer.objects.filter(item=item).exists()  # never votes again, once it had a key
    anew = ruling is Ruling.DECIDE and may_decide_anew(item)
    if aside or not member.has(role) or not (anew or (disputed != reopening and may_move(start, end, mover))):
        raise NotAllowed(ruling)
    if not reopening and not may_settle(item, member):
        raise OwnItem(ruling)


def may_decide_anew(item: Item) -> bool:
    """Whether a reviewer's decision made the item gold or excluded it; a new one may replace that, and both are kept.

    What was reported or withdrawn is nobody's decision of this kind.
    """
    if item.stage == Stage.GOLD:
        return item.category_source == Source.ADJUDICATED
    if item.stage != Stage.EXCLUDED or item.excluded_for in (Reason.REPORTED, Reason.WITHDRAWN):
        return False
    last = item.adjudications.order_by("-pk").values_list("ruling", flat=True).first()
    return last == Ruling.EXCLUDE


def last_event(item: Item) -> Event | None:
    """Return the newest event of the item, whoever caused it."""
    return item.events.select_related("actor").order_by("-at", "-pk").first()


def _exclude(item: Item, reason: Reason | None) -> None:
    disputed = open_dispute_reasons(item) or [Reason.LOW_QUALITY]
    if reason is not None and reason not in (*disputed, Reason.LOW_QUALITY):
        raise BadRuling(f"The item is not disputed for {reason}; it is for {', '.join(disputed)}.")
    close_disputes(item)
    move_locked_item(item, Stage.EXCLUDED, excluded_for=reason or disputed[0])


def _ask_more(item: Item, count: int) -> None:
    try:
        add_seats(item, count)
    except ValueError as wrong:
        raise BadRuling(
            f"{wrong} At most {MAX_SEATS} people are asked in a round, and it has to be complete."
        ) from None


def _rows(upheld: Mapping[Modality, PriorValue]) -> Sequence[dict[str, Any]]:
    return [
        {"modality": modality, "hateful": prior.hateful, "category": prior.category.code if prior.category else None}
        for modality, prior in upheld.items()
    ]
