"""From votes to a stage: closing fully labelled items, settling disputed ones, disputing gold.

The rules are in `annotation/domain`; here rows are fetched, the decision is stored, and the item moves by a
guarded UPDATE with its event, all in one transaction that holds the item's row.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from annotation.cases import case_of, complete, intent_of, rules_of, seats_of
from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.closing import Decision, MoreSeats, Verdict, decide
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.patterns import corrected, pattern
from annotation.domain.stages import MOVES
from annotation.domain.words import Modality, Reason, Source, Stage
from annotation.freeing import wake
from annotation.models import Category, Dispute, Item, Seat, record

OUTSIDE_REASONS = frozenset({Reason.MODEL_CONFLICT, Reason.APPEAL})
"""Reasons that do not come from an item's own votes: running the votes again does not lift them."""


# ── Closing ───────────────────────────────────────────────────────────────────


def close_item(item: Item) -> Decision | None:
    """Move a fully labelled item on; None while labels are missing or where somebody was first.

    Called in the transaction that stores a label, and again by the sweeper. `item` itself is not refreshed.
    """
    with transaction.atomic(savepoint=False):
        return close_held(hold(item))


def close_held(item: Item, seats: Sequence[Seat] | None = None) -> Decision | None:
    """`close_item` for a caller who has locked the item's row already, with its project at hand.

    Perhaps also with the seats of its round, as `seats_of` reads them.
    """
    if item.stage != Stage.LABELLING:
        return None
    seats = seats_of(item) if seats is None else seats
    return _conclude(item, seats) if complete(seats) else None


def run_again(item: Item) -> Decision | None:
    """Send a disputed item through all checks again, after a *not sure* was replaced.

    None where the item is no longer disputed. Reasons that no longer apply are settled, new ones opened.
    """
    with transaction.atomic(savepoint=False):
        held = hold(item)
        seats = seats_of(held)
        if held.stage != Stage.DISPUTED or not complete(seats):
            return None
        return _conclude(held, seats)


def close_left_behind() -> int:
    """Close items whose seats are all filled but which still stand in labelling; how many were moved on.

    The backup for a process that died between storing the last label and closing the item.
    """
    seats = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"))
    full = Item.objects.filter(Exists(seats), ~Exists(seats.filter(label__isnull=True)), stage=Stage.LABELLING)
    return sum(close_item(item) is not None for item in list(full))


def hold(item: Item) -> Item:
    """The item as it is now, its row locked until the transaction ends; project and intent loaded.

    Two closers, or a closer and a reviewer, come one after the other from here on.
    """
    rows = Item.objects.select_for_update(of=("self",), no_key=True).select_related("project", "intended")
    return rows.get(pk=item.pk)


def _conclude(item: Item, seats: Sequence[Seat]) -> Decision:
    decision = decide(case_of(item, seats), rules_of(item.project, seats))
    if isinstance(decision, MoreSeats):
        _ask_more(item, seats, decision.count)
    else:
        _store(item, seats, decision)
    return decision


def _store(item: Item, seats: Iterable[Seat], verdict: Verdict) -> None:
    """Write what was decided about the held item, and what is now disputed about it."""
    start, now = Stage(item.stage), timezone.now()
    outside = _outside_reasons(item) if start is Stage.DISPUTED else ()
    stage = Stage.DISPUTED if outside and verdict.stage is Stage.GOLD else verdict.stage
    fields = outcome_fields(verdict, _category_ids(seats)) | {"closed_at": item.closed_at or now}
    if stage is Stage.GOLD:
        fields |= {"category_source": Source.CONSENSUS, "gold_at": now}
    reasons = (*verdict.reasons, *outside)
    record("closed", project=item.project, item=item, stage=stage, reasons=reasons, level=fields["level"])
    _renew_disputes(item, reasons if stage is Stage.DISPUTED else ())
    move_held(item, stage, **fields)


def outcome_fields(verdict: Verdict, category_ids: Mapping[int, int]) -> dict[str, Any]:
    """What a verdict about the votes writes into the item's row; `category_ids` gives row ids by code.

    An item that goes to gold also gets a source and a time; those depend on who decides, not on the votes.
    """
    found = verdict.findings
    return {
        "level": found.level,
        "category": category_ids[found.category.code] if found.category else None,
        "hateful": found.hateful,
        "aligned": aligned_flag(found.alignment),
        "pattern": found.pattern.code if found.pattern else None,
        "difficulty": found.pattern.difficulty if found.pattern else None,
        "excluded_for": verdict.reasons[0] if verdict.stage is Stage.EXCLUDED else None,
    }


def _category_ids(seats: Iterable[Seat]) -> dict[int, int]:
    """The row ids of the categories that the seats chose, by code."""
    labels = [seat.label for seat in seats if seat.label is not None]
    chosen = [label.category for label in labels] + [
        label.replacement.category for label in labels if hasattr(label, "replacement")
    ]
    return {category.code: category.pk for category in chosen if category is not None}


def _ask_more(item: Item, seats: Sequence[Seat], count: int) -> None:
    """Add seats to the held item, before a reviewer sees it."""
    total = len(seats) + count
    Seat.objects.bulk_create(
        Seat(item=item, round=item.round, number=number, seats=total) for number in range(len(seats) + 1, total + 1)
    )
    record("seats_added", project=item.project, item=item, count=count)
    settle_disputes(item)
    wake(item.project)
    move_held(item, Stage.LABELLING, seats=total)


# ── Settling and disputing ────────────────────────────────────────────────────


def settle(item: Item, category: Category, corrections: Mapping[Modality, PriorValue] | None = None) -> None:
    """Make a held, disputed item gold with the category a person decided.

    Level and votes stay as they were. Alignment is recorded and disputes nothing any more. `corrections` are
    the challenged priors that the person upheld; they count for the pattern as a majority's would.
    """
    value = category.value()
    case = case_of(item, seats_of(item))
    bits = pattern(corrected(case.priors, case.votes) | dict(corrections or {}), value.hateful)
    settle_disputes(item)
    move_held(
        item,
        Stage.GOLD,
        category=category,
        hateful=value.hateful,
        category_source=Source.ADJUDICATED,
        aligned=aligned_flag(alignment(value, value.hateful, intent_of(item))),
        pattern=bits.code if bits else None,
        difficulty=bits.difficulty if bits else None,
        excluded_for=None,
        gold_at=timezone.now(),
    )


def dispute(item: Item, reason: Reason) -> bool:
    """Put gold in dispute for a reason from outside its votes, or add the reason to a dispute.

    False where the item is neither, or the project did not ask to hear of conflicts with models; nothing is changed
    then. Whether appeals are taken is for the caller to say. The category stays readable, but is not final any more.
    """
    with transaction.atomic(savepoint=False):
        held = hold(item)
        asked_for = reason is Reason.APPEAL or (reason is Reason.MODEL_CONFLICT and held.project.dispute_model_conflict)
        if not asked_for or held.stage not in (Stage.GOLD, Stage.DISPUTED):
            return False
        if not held.disputes.filter(reason=reason, settled_at__isnull=True).exists():
            Dispute.objects.create(item=held, round=held.round, reason=reason)
            record("disputed", project=held.project, item=held, reason=reason)
            move_held(held, Stage.DISPUTED, category_source=None, gold_at=None)
        return True


def move_held(item: Item, stage: Stage, **fields: Any) -> None:
    """Move a held item, or change it where it stands; either way decisions made on an older version are stale.

    The guarded UPDATE cannot miss: the row has been locked since `hold` read it. If it does, the caller forgot
    to hold it, and the transaction fails as a whole. Only stage and version of the instance are brought up to date.
    """
    start = Stage(item.stage)
    if start is not stage and (start, stage) not in MOVES:
        raise ValueError(f"No item goes from {start} to {stage}.")
    there = Item.objects.filter(pk=item.pk, stage=start, version=item.version)
    if not there.update(stage=stage, version=F("version") + 1, **fields):
        raise RuntimeError(f"Item {item.public_id} left {start} while it was held.")
    item.stage, item.version = stage, item.version + 1


def open_reasons(item: Item) -> list[Reason]:
    """Why the item is disputed at the moment, oldest first."""
    rows = item.disputes.filter(settled_at__isnull=True).order_by("opened_at", "pk")
    return [Reason(reason) for reason in rows.values_list("reason", flat=True)]


def settle_disputes(item: Item) -> None:
    """Close every open reason of the item."""
    item.disputes.filter(settled_at__isnull=True).update(settled_at=timezone.now())


def _outside_reasons(item: Item) -> tuple[Reason, ...]:
    return tuple(reason for reason in open_reasons(item) if reason in OUTSIDE_REASONS)


def _renew_disputes(item: Item, reasons: Sequence[Reason]) -> None:
    """Settle the reasons that no longer apply and open the new ones; those that still apply keep their age."""
    known = set(open_reasons(item)) if item.stage == Stage.DISPUTED else set()
    gone = known.difference(reasons)
    if gone:
        item.disputes.filter(reason__in=gone, settled_at__isnull=True).update(settled_at=timezone.now())
    Dispute.objects.bulk_create(
        Dispute(item=item, round=item.round, reason=reason) for reason in reasons if reason not in known
    )
