"""What reviewers decide about a disputed item, and admins about a closed one; each with a written reason.

Every verb wants the `version` of the item that the person saw. Who decides on an older one learns who was first
and what they did; nothing is overwritten.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.consensus import hold, move_held, open_reasons, settle, settle_disputes
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.stages import Mover, may_move
from annotation.domain.words import Modality, Reason, Role, Stage
from annotation.models import Adjudication, Category, Event, Item, KnownAnswer, Label, Membership, Ruling, record
from annotation.rounds import next_round
from annotation.transactions import short_transaction


class OwnItem(PermissionError):
    """The reviewer labelled this item, and the project wants somebody else to settle it."""

    code = "own_label"


class NotAllowed(PermissionError):
    """The member's roles do not open this move from where the item stands."""

    code = "forbidden"


class Stale(Exception):
    """Somebody acted on the item after this person loaded it; `last` is what was done, as far as it is recorded."""

    code = "stale"

    def __init__(self, item: Item, last: Event | None) -> None:
        super().__init__(f"Item {item.public_id} is at version {item.version} now.")
        self.item = item
        self.last = last


@short_transaction
def decide(
    item: Item,
    reviewer: Membership,
    version: int,
    rationale: str,
    category: Category,
    upheld: Mapping[Modality, PriorValue] | None = None,
) -> Adjudication:
    """Settle a disputed item with a category. `upheld` are challenged priors that count as corrected from now on.

    Raises OwnItem, NotAllowed, Stale.
    """
    upheld = upheld or {}
    asked = {"ruling": Ruling.DECIDE, "category": category, "rationale": rationale, "corrections": _rows(upheld)}
    return _rule(item, reviewer, version, Stage.GOLD, asked, lambda held: settle(held, category, upheld))


@short_transaction
def exclude(item: Item, reviewer: Membership, version: int, rationale: str) -> Adjudication:
    """Exclude a disputed item; it carries the reason that was disputed first. Raises OwnItem, NotAllowed, Stale."""
    asked = {"ruling": Ruling.EXCLUDE, "rationale": rationale}
    return _rule(item, reviewer, version, Stage.EXCLUDED, asked, _exclude)


@short_transaction
def label_again(item: Item, reviewer: Membership, version: int, rationale: str) -> Adjudication:
    """Send a disputed item to a new round of labels. Raises OwnItem, NotAllowed, Stale."""
    asked = {"ruling": Ruling.NEW_ROUND, "rationale": rationale}
    return _rule(item, reviewer, version, Stage.LABELLING, asked, next_round)


@short_transaction
def reopen(item: Item, admin: Membership, version: int, rationale: str) -> Adjudication:
    """Send gold or an excluded item back to labelling. Raises NotAllowed, Stale.

    A reported item's media unlock with this: the reason says why that is right.
    """
    asked = {"ruling": Ruling.REOPEN, "rationale": rationale}
    return _rule(item, admin, version, Stage.LABELLING, asked, next_round)


def may_settle(item: Item, reviewer: Membership) -> bool:
    """Whether this reviewer may settle the item as far as their own labels go."""
    return reviewer.project.adjudicate_own or not has_labelled(item, reviewer)


def has_labelled(item: Item, member: Membership) -> bool:
    """Whether the member gave a label for the item in any round."""
    return Label.objects.filter(item=item, annotator=member).exists()


def _rule(
    item: Item, member: Membership, version: int, end: Stage, asked: dict[str, Any], act: Callable[[Item], None]
) -> Adjudication:
    """Store the ruling and do what it says, unless it was stored before (a double click) or somebody was first."""
    held = hold(item)
    repeated = held.adjudications.filter(reviewer=member, item_version=version, **asked).last()
    if repeated is not None:
        return repeated
    if held.version != version:
        raise Stale(held, last_act(held))
    _refuse_unless_allowed(held, member, end, asked["ruling"])
    ruling = Adjudication.objects.create(item=held, reviewer=member, round=held.round, item_version=version, **asked)
    category = asked.get("category")
    record(
        asked["ruling"],
        project=held.project,
        actor=member,
        item=held,
        row=ruling.public_id,
        stage=held.stage,
        level=held.level,
        reasons=open_reasons(held),
        category=category.code if category else None,
    )
    act(held)
    return ruling


def _refuse_unless_allowed(item: Item, member: Membership, end: Stage, ruling: Ruling) -> None:
    start, reopening = Stage(item.stage), ruling is Ruling.REOPEN
    role, mover = (Role.ADMIN, Mover.ADMIN) if reopening else (Role.REVIEWER, Mover.REVIEWER)
    disputed = start is Stage.DISPUTED
    aside = reopening and KnownAnswer.objects.filter(item=item).exists()  # never votes again, once it had a key
    if aside or disputed == reopening or not member.has(role) or not may_move(start, end, mover):
        raise NotAllowed(ruling)
    if not reopening and not may_settle(item, member):
        raise OwnItem(ruling)


def last_act(item: Item) -> Event | None:
    """What was last done to the item, whoever did it."""
    return item.events.select_related("actor").order_by("-at", "-pk").first()


def _exclude(item: Item) -> None:
    reason = (open_reasons(item) or [Reason.LOW_QUALITY])[0]
    settle_disputes(item)
    move_held(item, Stage.EXCLUDED, excluded_for=reason)


def _rows(upheld: Mapping[Modality, PriorValue]) -> Sequence[dict[str, Any]]:
    return [
        {"modality": modality, "hateful": prior.hateful, "category": prior.category.code if prior.category else None}
        for modality, prior in upheld.items()
    ]
