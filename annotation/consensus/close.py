"""Move an item by its votes: close a fully labelled one, make a disputed one gold, dispute gold.

The rules are in `annotation/domain`. This module reads the rows, stores the decision and moves the item by a guarded
UPDATE with its event, in one transaction that locks the item's row.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.assignment.release_seats import reset_idle_members
from annotation.consensus.case_from_rows import case_of, intent_of, is_round_complete, rules_of, seats_of
from annotation.core.transactions import short_transaction
from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.category_sets import as_stored, further_of
from annotation.domain.choices import EventVerb, Modality, Reason, Source, Stage
from annotation.domain.item_decision import Decision, MoreSeats, Verdict, decide
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.patterns import corrected, pattern
from annotation.domain.stages import MOVES
from annotation.models import Category, Dispute, Item, Project, Seat, record
from runs.sql.database_clock import database_now, seconds_from_now

OUTSIDE_REASONS = frozenset({Reason.MODEL_CONFLICT, Reason.APPEAL})
"""Reasons that do not come from an item's own votes: running the votes again does not lift them."""
SLOW_CHANGE = timedelta(minutes=1)
"""How long an item stays open after its last label became final: a change that began in time may still be at work."""
_AT_ONCE = 64


# ── Closing ───────────────────────────────────────────────────────────────────


def close_item(item: Item) -> Decision | None:
    """Decide about a fully labelled item and move it on.

    `item` itself is not refreshed.

    Returns None if labels are missing or can still be changed, or the item was closed meanwhile.
    """
    with transaction.atomic(savepoint=False):
        return close_locked_item(lock_item(item))


def close_locked_item(item: Item, seats: Sequence[Seat] | None = None) -> Decision | None:
    """Do the same as `close_item` for an item that the caller has locked, with its project loaded.

    `seats` are those of its round, if the caller has read them as `seats_of` does.
    """
    if item.stage != Stage.LABELLING:
        return None
    seats = seats_of(item) if seats is None else seats
    if not is_round_complete(seats) or not are_final(item, seats):
        return None
    return _conclude(item, seats)


def decide_again(item: Item) -> Decision | None:
    """Decide again about a disputed item after a *not sure* was replaced.

    Disputes whose reason no longer applies are closed, new ones are opened.

    Returns None if the item is no longer disputed.
    """
    with transaction.atomic(savepoint=False):
        locked = lock_item(item)
        seats = seats_of(locked)
        if locked.stage != Stage.DISPUTED or not is_round_complete(seats):
            return None
        return _conclude(locked, seats)


def close_full_items() -> int:
    """Close items in labelling whose seats are all filled with final labels; return how many moved on.

    A step of the sweeper. Where checks are mixed in, all items close here. Elsewhere it is the backup for a process
    that died between storing the last label and closing the item. Each item is a transaction of its own; one that
    fails does not stop the others.

    Raises the first fault after all others were tried.
    """
    moved, last, faults = 0, 0, list[Exception]()
    while items := list(_full_items().exclude(_CAN_CHANGE).filter(pk__gt=last).order_by("pk")[:_AT_ONCE]):
        for item in items:
            try:
                moved += short_transaction(close_item)(item) is not None
            except Exception as fault:
                faults.append(fault)
        last = items[-1].pk
    if faults:
        raise faults[0]
    return moved


def count_waiting_items(project: Project) -> int:
    """Return how many items of the project have all their labels and are open only because these can be changed."""
    if not project.changes_end_by_clock:
        return 0
    return _full_items().filter(_CAN_CHANGE, project=project).count()


def _full_items() -> QuerySet[Item]:
    """Return the items in labelling whose seats are all filled."""
    return Item.objects.filter(Exists(_SEATS), ~Exists(_EMPTY_SEATS), stage=Stage.LABELLING)


_SEATS = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"))
# By a comparison that no index fits: SQLite would read all empty seats of the site for each item.
_EMPTY_SEATS = _SEATS.annotate(label_or_none=Coalesce("label_id", 0)).filter(label_or_none=0)
_OPEN_PROJECT = Q(project__archived_at=None, project__delete_after=None)
_CAN_CHANGE = _OPEN_PROJECT & Exists(_SEATS.filter(final_at__gt=seconds_from_now(-SLOW_CHANGE.total_seconds())))


def are_final(item: Item, seats: Iterable[Seat], for_at_least: timedelta = SLOW_CHANGE) -> bool:
    """Whether no label at these seats of the item can be changed, for so long by now; in a closed project none can."""
    moments = [seat.final_at for seat in seats if seat.final_at is not None]
    return not moments or item.project.is_closed or max(moments) + for_at_least < database_now()


def lock_item(item: Item) -> Item:
    """Lock the item's row until the transaction ends; return it as stored now, with project and intent loaded.

    Two closers, or a closer and a reviewer, run one after the other from here on.
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
    """Store a verdict and its disputes with the locked item."""
    start, now = Stage(item.stage), timezone.now()
    outside = _outside_reasons(item) if start is Stage.DISPUTED else ()
    stage = Stage.DISPUTED if outside and verdict.stage is Stage.GOLD else verdict.stage
    fields = decision_fields(verdict, _category_ids(item, seats, verdict)) | {"closed_at": item.closed_at or now}
    if stage is Stage.GOLD:
        fields |= {"category_source": Source.CONSENSUS, "gold_at": now}
    reasons = (*verdict.reasons, *outside)
    record(EventVerb.CLOSED, project=item.project, item=item, stage=stage, reasons=reasons, level=fields["level"])
    _renew_disputes(item, reasons if stage is Stage.DISPUTED else ())
    move_locked_item(item, stage, **fields)


def decision_fields(verdict: Verdict, category_ids: Mapping[int, int]) -> dict[str, Any]:
    """Return the item's fields for a verdict about its votes; `category_ids` gives primary keys by code.

    An item that becomes gold also gets a source and a time; those depend on who decides, not on the votes.
    """
    findings = verdict.findings
    return {
        "level": findings.level,
        "category": category_ids[findings.category.code] if findings.category else None,
        "categories": as_stored(value.code for value in (findings.category, *findings.further) if value),
        "hateful": findings.hateful,
        "aligned": aligned_flag(findings.alignment),
        "pattern": findings.pattern.code if findings.pattern else None,
        "difficulty": findings.pattern.difficulty if findings.pattern else None,
        "excluded_for": verdict.reasons[0] if verdict.stage is Stage.EXCLUDED else None,
    }


def _category_ids(item: Item, seats: Iterable[Seat], verdict: Verdict) -> dict[int, int]:
    """Return the primary keys of the categories that the seats chose, by code; the final one is among them."""
    labels = [seat.label for seat in seats if seat.label is not None]
    chosen = [label.category for label in labels] + [
        label.replacement.category for label in labels if hasattr(label, "replacement")
    ]
    keys = {category.code: category.pk for category in chosen if category is not None}
    final = verdict.findings.category
    if final is not None and final.code not in keys:  # the votes are sets whose first categories are others
        keys[final.code] = Category.objects.get(project=item.project_id, code=final.code).pk
    return keys


def _ask_more(item: Item, seats: Sequence[Seat], count: int) -> None:
    """Add seats to the locked item before a reviewer sees it."""
    total = len(seats) + count
    Seat.objects.bulk_create(
        Seat(item=item, round=item.round, number=number, seats=total) for number in range(len(seats) + 1, total + 1)
    )
    record(EventVerb.SEATS_ADDED, project=item.project, item=item, count=count)
    close_disputes(item)
    reset_idle_members(item.project)
    move_locked_item(item, Stage.LABELLING, seats=total)


# ── Settling and disputing ────────────────────────────────────────────────────


def make_gold(
    item: Item,
    category: Category,
    corrections: Mapping[Modality, PriorValue] | None = None,
    categories: Sequence[int] = (),
) -> None:
    """Make a locked, disputed item gold with the category that a person decided, or several (`categories`).

    Level and votes stay as they were. Alignment is recorded and no longer causes a dispute. `corrections` are the
    challenged priors that the person upheld; they count for the pattern as a majority's would.
    """
    value = category.value()
    case = case_of(item, seats_of(item))
    bits = pattern(corrected(case.priors, case.votes) | dict(corrections or {}), value.hateful)
    close_disputes(item)
    move_locked_item(
        item,
        Stage.GOLD,
        category=category,
        categories=list(categories),
        hateful=value.hateful,
        category_source=Source.ADJUDICATED,
        aligned=aligned_flag(alignment(value, value.hateful, intent_of(item), further_of(value, categories))),
        pattern=bits.code if bits else None,
        difficulty=bits.difficulty if bits else None,
        excluded_for=None,
        gold_at=timezone.now(),
    )


def dispute_item(item: Item, reason: Reason) -> bool:
    """Dispute a gold item for a reason from outside its votes, or add the reason to its disputes.

    Whether appeals are accepted is the caller's decision. The category stays readable but is no longer final.

    Returns False, without a change, if the item is neither gold nor disputed, or the project does not dispute for this
    reason.
    """
    with transaction.atomic(savepoint=False):
        locked = lock_item(item)
        asked_for = reason is Reason.APPEAL or (
            reason is Reason.MODEL_CONFLICT and locked.project.dispute_model_conflict
        )
        if not asked_for or locked.stage not in (Stage.GOLD, Stage.DISPUTED):
            return False
        if not locked.disputes.filter(reason=reason, settled_at__isnull=True).exists():
            Dispute.objects.create(item=locked, round=locked.round, reason=reason)
            record(EventVerb.DISPUTED, project=locked.project, item=locked, reason=reason)
            move_locked_item(locked, Stage.DISPUTED, category_source=None, gold_at=None)
        return True


def move_locked_item(item: Item, stage: Stage, **fields: Any) -> None:
    """Move a locked item to a stage, or change its fields in the same stage; its version increases in both cases.

    The guarded UPDATE cannot miss: the row has been locked since `lock_item` read it. Without the lock the
    whole transaction fails. Only stage and version of the instance are updated.

    Raises ValueError for a move that the stages do not allow, RuntimeError if the row was not locked.
    """
    start = Stage(item.stage)
    if start is not stage and (start, stage) not in MOVES:
        raise ValueError(f"No item goes from {start} to {stage}.")
    there = Item.objects.filter(pk=item.pk, stage=start, version=item.version)
    if not there.update(stage=stage, version=F("version") + 1, **fields):
        raise RuntimeError(f"Item {item.public_id} left {start} while it was held.")
    item.stage, item.version = stage, item.version + 1


def open_dispute_reasons(item: Item) -> list[Reason]:
    """Return why the item is disputed now, oldest reason first."""
    rows = item.disputes.filter(settled_at__isnull=True).order_by("opened_at", "pk")
    return [Reason(reason) for reason in rows.values_list("reason", flat=True)]


def close_disputes(item: Item) -> None:
    """Close every open dispute of the item."""
    item.disputes.filter(settled_at__isnull=True).update(settled_at=timezone.now())


def _outside_reasons(item: Item) -> tuple[Reason, ...]:
    return tuple(reason for reason in open_dispute_reasons(item) if reason in OUTSIDE_REASONS)


def _renew_disputes(item: Item, reasons: Sequence[Reason]) -> None:
    """Close the disputes whose reason no longer applies and open new ones; the others keep their age."""
    known = set(open_dispute_reasons(item)) if item.stage == Stage.DISPUTED else set()
    gone = known.difference(reasons)
    if gone:
        item.disputes.filter(reason__in=gone, settled_at__isnull=True).update(settled_at=timezone.now())
    Dispute.objects.bulk_create(
        Dispute(item=item, round=item.round, reason=reason) for reason in reasons if reason not in known
    )
