"""Slow, readable twins of the statements that are written in SQL: the same answers and rows, by Django's queries.

`tests/runs/queue/test_sql_twins.py`, `tests/annotation/assignment/test_sql_twins.py` and
`tests/annotation/items/test_text_search.py` hold the statements to them;
`bench/sql_gain.py` prints how much the statements gain.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from annotation.assignment.annotator_state import AnnotatorState, quota_of
from annotation.assignment.item_query import COMMON_QUEUE, PROBE_WIDTH, ItemSearch, UnwantedContent
from annotation.assignment.release_seats import holder_key, last_loss
from annotation.assignment.seat_lookup import LockedSeat
from annotation.domain.choices import EventVerb, Order, PriorState, Stage
from annotation.domain.folding.text import folded
from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import Workday
from annotation.models import (
    Category,
    Event,
    Guideline,
    Item,
    Label,
    Membership,
    OptOut,
    PictureText,
    PostponedSeat,
    Prior,
    Seat,
    WorkDay,
)
from runs.domain.states import RunState
from runs.methods.method import Outcome
from runs.models import Account, Run, Turn
from runs.queue.call_sql import Booking
from runs.queue.lease import lease_end

Calls = Mapping[str, Any]

# ── Runs ──────────────────────────────────────────────────────────────────────


def begin_call(run: Run, tokens: int, in_flight: Calls, *, charged: bool) -> bool:
    runs = _held(run) if charged else _unlimited(run)
    return _book(runs.filter(cancel_requested=False), Booking(1, tokens, charged=charged), in_flight)


def book_on_run(run: Run, booking: Booking, in_flight: Calls) -> bool:
    return _book(_held(run), booking, in_flight)


def insert_turn_and_book(turn: Turn, run: Run, booking: Booking, in_flight: Calls) -> tuple[bool, bool]:
    if Turn.objects.filter(run=turn.run_id, key=turn.key).exists():
        return False, False
    turn.save()
    return True, _book(_held(run), booking, in_flight)


def insert_turn_and_begin_call(turn: Turn, run: Run, booking: Booking, in_flight: Calls) -> tuple[bool, bool]:
    if Turn.objects.filter(run=turn.run_id, key=turn.key).exists():
        return False, False
    turn.save()
    return True, _book(_unlimited(run).filter(cancel_requested=False), booking, in_flight)


def charge_account(account: int, calls: int, tokens: int, *, within_limits: bool) -> bool:
    accounts = Account.objects.filter(pk=account)
    if within_limits:
        accounts = accounts.filter(
            Q(call_limit=None) | Q(call_limit__gte=F("calls") + calls),
            Q(token_limit=None) | Q(token_limit__gte=F("tokens") + tokens),
        )
    return bool(accounts.update(calls=F("calls") + calls, tokens=F("tokens") + tokens))


def charge_remaining(run_id: int) -> None:
    run = Run.objects.get(pk=run_id)
    calls, tokens = run.calls - run.charged_calls, run.tokens - run.charged_tokens
    Account.objects.filter(project=run.project).update(calls=F("calls") + calls, tokens=F("tokens") + tokens)
    Run.objects.filter(pk=run_id).update(charged_calls=run.calls, charged_tokens=run.tokens)


def claim_run(run_id: int, owner: str = "twin") -> int | None:
    due = Run.objects.filter(pk=run_id, state=RunState.QUEUED, not_before__lte=Now())
    claimed = due.update(
        state=RunState.RUNNING,
        owner=owner,
        lease_until=lease_end(),
        takes=F("takes") + 1,
        started_at=Coalesce(F("started_at"), Now()),
    )
    return run_id if claimed else None


def claim_next_run(*, project: UUID | None = None, method: str = "") -> int | None:
    for account in sorted(Account.objects.all(), key=_at_work):
        waiting = Run.objects.filter(project=account.project, state=RunState.QUEUED, not_before__lte=Now())
        if project is not None:
            waiting = waiting.filter(project=project)
        if method:
            waiting = waiting.filter(method=method)
        if (run := waiting.order_by("not_before", "pk").first()) is not None:
            return claim_run(run.pk)
    return None


def _end_if_held(run: Run, outcome: Outcome, seconds: float, *, unless_cancelled: bool) -> bool:
    runs = _held(run).filter(cancel_requested=False) if unless_cancelled else _held(run)
    return bool(
        runs.update(
            state=outcome.state,
            reason=outcome.reason or "",
            detail=outcome.detail[:500],
            outcome=dict(outcome.value) if outcome.value else None,
            owner="",
            lease_until=None,
            finished_at=Now(),
            seconds=F("seconds") + seconds,
        )
    )


def _held(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(pk=run.pk, owner=run.owner, state=RunState.RUNNING)


def _unlimited(run: Run) -> QuerySet[Run]:
    limited = Account.objects.filter(pk=run.account_id).exclude(call_limit=None, token_limit=None)
    return _held(run).filter(~Exists(limited))


def _book(runs: QuerySet[Run], booking: Booking, in_flight: Calls) -> bool:
    changes: dict[str, Any] = {
        "in_flight": dict(in_flight),
        "calls": F("calls") + booking.calls,
        "tokens": F("tokens") + booking.tokens,
        "retries": F("retries") + booking.retries,
        "lease_until": lease_end(),
    }
    if booking.charged:
        changes["charged_calls"] = F("charged_calls") + booking.calls
        changes["charged_tokens"] = F("charged_tokens") + booking.tokens
    if booking.progress:
        changes["waits"] = 0
    return bool(runs.update(**changes))


def _at_work(account: Account) -> tuple[int, int]:
    return Run.objects.filter(project=account.project, state=RunState.RUNNING).count(), account.pk


# ── Items and annotators ──────────────────────────────────────────────────────


def probe_items(search: ItemSearch, place: int, *, below: bool = False, hardest: int = 2) -> int | None:
    """At most four queues: of more, the statement takes some by chance."""
    tops = sorted({item.priority for item in _open(search)}, reverse=True)[:2]
    if len(tops) <= below:
        return None
    project = search.member.project
    levels = list(range(project.seats + project.extra_seats))
    at_top = _open(search).filter(priority=tops[below])
    if project.order == Order.HARD:
        values = [item.informativeness for item in at_top if item.informativeness <= hardest]
        at_top = at_top.filter(informativeness=max(values, default=-1))
    for taken in reversed(levels) if project.order == Order.DEPTH else levels:
        at_level = at_top.filter(taken=taken).order_by("place")
        for side in (Q(place__gte=place), Q(place__lt=place)):
            near = [item.pk for queue in search.queues for item in at_level.filter(side, queue=queue)[:PROBE_WIDTH]]
            possible = _possible(search, Item.objects.filter(pk__in=near)).order_by("place")
            if (item := possible.first()) is not None:
                return item.pk
    return None


def probe_with_check(search: ItemSearch, place: int) -> tuple[int | None, int | None]:
    used = {"known_answer__active": True, "known_answer__training": False, "picture_missing": False}
    known = Item.objects.filter(project=search.member.project, stage=Stage.KNOWN, **used)
    found = sorted(_possible(search, known), key=lambda item: (item.place < place, item.place))
    return probe_items(search, place), found[0].pk if found else None


def walk_items(search: ItemSearch) -> int | None:
    hard = ["-informativeness"] if search.member.project.order == Order.HARD else []
    item = _possible(search, _open(search)).order_by("-priority", *hard, "-taken", "-place").first()
    return item.pk if item else None


def scan_items(search: ItemSearch) -> int | None:
    seats = Seat.objects.filter(annotator=search.member)
    open_items = _open(search).exclude(Exists(seats.filter(item=OuterRef("pk"), round=OuterRef("round"))))
    had_before = set(seats.values_list("item_id", flat=True))
    wanted = _wanted(_unbarred(open_items, search.member), search.unwanted)
    hard = search.member.project.order == Order.HARD

    def rank(item: Item) -> tuple[int, ...]:
        return item.pk in had_before, -item.priority, -item.informativeness if hard else 0, item.place

    return min(wanted, key=rank).pk if wanted else None


def is_item_wanted(item: int, unwanted: UnwantedContent) -> bool:
    return bool(_wanted(Item.objects.filter(pk=item), unwanted))


def read_annotator_state(member: Membership, now: Any) -> AnnotatorState:
    seats = Seat.objects.filter(annotator=member)
    held = seats.filter(expires_at__isnull=False, round=F("item__round"))
    held = held.filter(item__stage__in=(Stage.LABELLING, Stage.KNOWN))
    postponed = PostponedSeat.objects.filter(member=member)
    held = held.exclude(pk__in=[row.seat_id for row in postponed if row.seat_id is not None])
    front = held.exclude(shown_at=None).order_by("-shown_at", "held_at", "pk").first()
    ahead = held.filter(shown_at=None).order_by("held_at", "pk").first()
    unread = member.project.guidelines.filter(
        asks_reading=True, number__gt=member.guideline_read, created_at__gt=member.created_at
    )
    unwanted = OptOut.objects.filter(member=member, ended_at=None)
    severities = [row.severity for row in unwanted if row.severity is not None]
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    used = seats.filter(Q(label__isnull=False) | Q(expires_at__isnull=False))
    return AnnotatorState(
        front=front.pk if front else None,
        ahead=ahead.pk if ahead else None,
        must_read=unread.exists() and Label.objects.filter(annotator=member).exists(),
        unwanted=UnwantedContent(
            categories=tuple(row.category_id for row in unwanted if row.category_id is not None),
            groups=tuple(row.target_group for row in unwanted if row.target_group),
            severity=min(severities, default=None),
        ),
        queues=(COMMON_QUEUE, *member.batches.values_list("pk", flat=True)),
        pace=read_workday(member, now),
        labels_today=seats.filter(filled_at__gte=midnight, label__isnull=False).count(),
        quota_used=None if quota_of(member) is None else used.count(),
        postponed=postponed.count(),
    )


def read_workday(member: Membership, now: Any) -> Workday:
    row = WorkDay.objects.filter(member=member).order_by("-day").first()
    stored = row and Workday(**{name: getattr(row, name) for name in Workday.__dataclass_fields__})
    return breaks.roll_over(stored, now, timezone.localdate(now))


def store_workday(member: Membership, pace: Workday) -> None:
    values = asdict(pace)
    WorkDay.objects.update_or_create(member=member, day=values.pop("day"), defaults=values)


def lock_seat(
    member: Membership, seat: UUID, now: Any, *, key: UUID | None = None, category: int | None = None
) -> LockedSeat | None:
    asked_for = Seat.objects.filter(public_id=seat, item__project=member.project_id).first()
    if asked_for is None:
        return None
    item = Item.objects.get(pk=asked_for.item_id)
    loss = last_loss(asked_for, member) if asked_for.annotator_id != member.pk else None
    if loss is None and asked_for.annotator_id != member.pk:
        return None
    everybody = Seat.objects.filter(item=item, round=item.round).order_by("number")
    own = Q(annotator=member) | Q(pk=asked_for.pk)
    seats = list(everybody.filter(own) if member.project.changes_end_by_clock else everybody)
    sent = Label.objects.filter(annotator=member, client_key=key).first()
    return LockedSeat(
        seat=next((row for row in seats if row.annotator_id == member.pk), asked_for),
        seats=seats,
        loss=loss,
        label_id=sent and sent.pk,
        category=member.project.categories.filter(code=category, retired_at=None).first(),
        pace=read_workday(member, now),
    )


def guideline_seen(seat: Seat, now: Any) -> int | None:
    written = Guideline.objects.filter(project=seat.item.project_id, created_at__lte=seat.shown_at or now)
    return written.order_by("-number").values_list("pk", flat=True).first()


def next_revision(seat: Seat, member: Membership) -> int:
    return max((label.revision for label in seat.labels.filter(annotator=member)), default=0) + 1


def arm_before(seat: Seat, member: Membership) -> str | None:
    lost = Event.objects.filter(item=seat.item, verb__in=(EventVerb.SEAT_LAPSED, EventVerb.SEAT_EMPTIED))
    facts = [event.facts for event in lost.order_by("pk") if event.facts.get("holder") == holder_key(member)]
    return facts[-1].get("prior_arm") if facts else None


def _open(search: ItemSearch) -> QuerySet[Item]:
    """Return the open items of the annotator's queues."""
    return Item.objects.filter(
        project=search.member.project,
        stage=Stage.LABELLING,
        taken__lt=F("seats"),
        picture_missing=False,
        queue__in=search.queues,
    )


def _possible(search: ItemSearch, items: QuerySet[Item]) -> QuerySet[Item]:
    """Return the items that the annotator never had a seat at, may be asked about, and wants."""
    never_held = items.exclude(seat_rows__annotator=search.member)
    return _as_queryset(_wanted(_unbarred(never_held, search.member), search.unwanted))


def _unbarred(items: QuerySet[Item], member: Membership) -> QuerySet[Item]:
    return (
        items.exclude(skips__annotator=member)
        .exclude(replacements__reviewer=member)
        .exclude(adjudications__reviewer=member)
    )


def _wanted(items: QuerySet[Item], unwanted: UnwantedContent) -> list[Item]:
    groups = {group.strip().casefold() for group in unwanted.groups}
    said = Prior.objects.filter(current=True, state=PriorState.OK, category__in=unwanted.categories)
    by_model = set(said.values_list("item_id", flat=True))
    codes = set(Category.objects.filter(pk__in=unwanted.categories).values_list("code", flat=True))
    return [
        item
        for item in items
        if (unwanted.severity is None or item.severity is None or item.severity < unwanted.severity)
        and item.intended_id not in unwanted.categories
        and codes.isdisjoint(item.intended_categories)
        and item.pk not in by_model
        and item.target_group.strip().casefold() not in groups
    ]


def _as_queryset(items: list[Item]) -> QuerySet[Item]:
    return Item.objects.filter(pk__in=[item.pk for item in items])


# ── Text search ───────────────────────────────────────────────────────────────


def items_with_words(project: int, term: str, where: str) -> list[int]:
    """Find the items whose text (`text`), picture (`picture_text`) or any of both or the id (`q`) hold the term."""
    asked = folded(term).strip() or term
    read = dict(PictureText.objects.filter(item__project=project, current=True).values_list("item", "text"))
    found = []
    for item in Item.objects.filter(project=project).order_by("pk"):
        in_text, in_picture = asked in folded(item.text), asked in folded(read.get(item.pk, ""))
        in_id = Item.objects.filter(pk=item.pk, external_id__icontains=asked).exists()
        if {"text": in_text, "picture_text": in_picture, "q": in_text or in_picture or in_id}[where]:
            found.append(item.pk)
    return found
