"""Store what an annotator does with a seat: label, correction, undo, first answer, skip, lease renewal, report.

Every function takes the member who acts and finds the row by its public id among that member's own seats or labels
(somebody else's seat gives the same `NoSuchSeat` as one that does not exist). It runs in one short transaction that
works the same on both databases, writes an `Event`, and returns a type of `annotation.assignment.outcomes` that the
caller matches. The only exception raised here is `BadAnswer`, for an answer that no form should let through.

Status codes of the pages and the API: `Stored`, `Replayed` give 200; `KeyReused` 422 `key_reused`;
`AlreadyLabelled`, `SeatLost`, `ItemClosed`, `TooLate` 409, with the typed answer kept; `FirstAnswerNeeded` 409;
`NoSuchSeat`, `NoSuchLabel` 404.

Rows are locked in one order everywhere: the member, then the item, then its seats. So the acts of one person run one
after the other, and so do the two last labels of an item: the second of them closes it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F

from annotation.assignment.annotator_state import lock_member, read_annotator_state
from annotation.assignment.claim import claim_after_label
from annotation.assignment.item_query import is_item_wanted
from annotation.assignment.outcomes import (
    AlreadyLabelled,
    FirstAnswerNeeded,
    FirstAnswerNotAsked,
    FirstAnswerStands,
    ItemClosed,
    KeyReused,
    NoSuchLabel,
    NoSuchSeat,
    PriorsOpened,
    Replayed,
    Reported,
    SeatLost,
    Skipped,
    Stored,
    TakenBack,
    TooLate,
)
from annotation.assignment.postponed import postponed_seats
from annotation.assignment.prior_display import first_answer_is_due
from annotation.assignment.release_seats import free_seat, reset_idle_members
from annotation.assignment.seat_lookup import (
    LockedSeat,
    can_change_label,
    ensure_fillable,
    lock_labelled_seat,
    lock_seat,
)
from annotation.assignment.take_seat import lease_end
from annotation.consensus import exclude, report_notices, rounds
from annotation.consensus.close import close_locked_item, lock_item
from annotation.core import signals
from annotation.core.transactions import short_transaction
from annotation.domain.answer import CHANGE_TIME, Answer, BadAnswer, check
from annotation.domain.choices import EventVerb, Modality, Reason
from annotation.domain.item_decision import MoreSeats
from annotation.domain.questions.question import Question
from annotation.domain.text_rules import BadText, read_optional_text
from annotation.labelling.further_answers import answers_to_store
from annotation.labelling.new_label import new_label, priors_seen, working_seconds
from annotation.labelling.offered_categories import check_set, read_offered, refuse_category
from annotation.models import Event, Label, Membership, PostponedSeat, Report, Seat, Skip, event_of, holder_key, record
from annotation.workload.workday import after_label, count_act, store_workday, uncount_label
from runs.sql.compiled_queries import Changes, CompiledUpdate, KeyOf, insert, slot

UNDO_TIME = timedelta(seconds=30)
"""How long the label that closed an item can be taken back."""
_FILL = CompiledUpdate(
    Seat.objects.filter(pk=slot("seat"), annotator=slot("annotator"), label__isnull=True),
    label=slot("label"),
    filled_at=slot("now", Seat._meta.get_field("filled_at")),
    expires_at=None,
    final_at=slot("final_at", Seat._meta.get_field("final_at")),
)
_REPLACEMENT = Label._meta.get_field("replacement")
REASON_LIMIT = 500
"""Characters of the reason for a skip."""


# ── Labels ────────────────────────────────────────────────────────────────────


@short_transaction
def submit_label(
    member: Membership,
    seat: UUID,
    key: UUID,
    answer: Answer,
    *,
    seconds: float | None = None,
    questions: Sequence[Question] = (),
    go_on: bool = False,
) -> Stored | Replayed | KeyReused | AlreadyLabelled | SeatLost | FirstAnswerNeeded | NoSuchSeat:
    """Fill the seat with a label; the k-th label of a round closes the item in the same transaction.

    Where checks are mixed in, the sweeper closes it, once none of its labels can be changed any more.

    `key` is made by the client, once per form. `seconds` is the client's own count of working time (pauses left out).
    It is stored as sent, up to the time since the seat was held. A lapsed seat is accepted while nobody took it.
    `questions` are every version of the project's, if the caller has read them. With `go_on` the next seat is taken in
    the same transaction, where that waits for nobody (`Stored.following`).

    Raises BadAnswer for an answer that no form should let through.
    """
    check(answer)
    member, now = lock_member(member)
    locked = lock_seat(member, seat, now, key=key, category=answer.category)
    if locked is None:
        return NoSuchSeat()
    digest = answer.digest(str(seat))
    if locked.label_id is not None and (earlier := _earlier_label(member, key, digest)) is not None:
        return earlier
    if (refusal := ensure_fillable(locked, member, now)) is not None:
        return refusal
    if first_answer_is_due(member.project, locked.seat):
        return FirstAnswerNeeded(locked.seat)
    if answer.category is not None and locked.category is None:
        refuse_category(member.project, answer.category, "category")
    check_set(member.project, answer)
    answers = answers_to_store(member.project, answer, locked.category, locked.item, questions)
    seconds = working_seconds(locked.seat, now, seconds)
    label = new_label(
        member,
        locked.seat,
        answer,
        locked.category,
        answers,
        seconds=seconds,
        client_key=key,
        body_sha256=digest,
        created_at=now,
    )
    _store_in_seat(locked.seat, label, now)
    stored, pace = _close_if_complete(locked, label, now), after_label(locked.pace, now)
    signals.send_after_commit(signals.label_stored, Label, closed=stored.closed)
    if go_on:
        return replace(stored, following=claim_after_label(member, now, pace))
    store_workday(member, pace)
    return stored


@short_transaction
def correct_label(
    member: Membership, label: UUID, key: UUID, answer: Answer, *, questions: Sequence[Question] = ()
) -> Stored | Replayed | KeyReused | ItemClosed | NoSuchLabel:
    """Add a revision to the member's own label while it can be changed; the id of any revision will do.

    The time until which it can be changed stays: it runs from the first answer.

    Raises BadAnswer for an answer that no form should let through.
    """
    check(answer)
    member, now = lock_member(member)
    seat = lock_labelled_seat(member, label, now)
    if seat is None or seat.label is None:
        return NoSuchLabel()
    digest = answer.digest(f"correction of {seat.public_id}")
    if (earlier := _earlier_label(member, key, digest)) is not None:
        return earlier
    if not can_change_label(seat, now):
        return ItemClosed(seat.label)
    categories = read_offered(member.project, [answer.category], "category")
    check_set(member.project, answer)
    category = categories[answer.category] if answer.category is not None else None
    answers = answers_to_store(member.project, answer, category, seat.item, questions)
    revision = new_label(
        member, seat, answer, category, answers, seconds=seat.label.seconds, client_key=key, body_sha256=digest
    )
    insert(revision)
    Seat.objects.filter(pk=seat.pk).update(label=revision)
    row, number = revision.public_id, revision.revision
    record(EventVerb.CORRECTED, project=member.project, actor=member, item=seat.item, row=row, revision=number)
    return Stored(revision, closed=False)


@short_transaction
def take_back_label(member: Membership, label: UUID) -> TakenBack | TooLate | NoSuchLabel:
    """Undo the label in force: while it can be changed, and within `UNDO_TIME` if it closed the item.

    The latter only if nobody has acted on the item since. The seat is held again and `claim` gives it first, so that
    the annotator can answer anew. The label of an item that they skipped or reported since stands: they are not sent
    back to it.
    """
    member, now = lock_member(member)
    seat = lock_labelled_seat(member, label, now)
    if seat is None or seat.label is None:
        return NoSuchLabel()
    if Skip.objects.filter(item=seat.item_id, annotator=member).exists():
        return TooLate(seat.label)
    if not can_change_label(seat, now):
        if not _closed_item_just_now(seat, now):
            return TooLate(seat.label)
        rounds.reopen_item(lock_item(seat.item))
    taken_back = seat.label
    if seat.filled_at is not None:
        uncount_label(member, seat.filled_at)
    lease = {"held_at": now, "shown_at": now, "expires_at": lease_end(member.project, now), "filled_at": None}
    Seat.objects.filter(pk=seat.pk).update(label=None, **lease)
    PostponedSeat.objects.filter(seat=seat, member=member).delete()  # it comes first
    record(EventVerb.TAKEN_BACK, project=member.project, actor=member, item=seat.item, row=taken_back.public_id)
    seat.refresh_from_db()
    return TakenBack(seat, taken_back)


@short_transaction
def submit_first_answer(
    member: Membership, seat: UUID, answer: Answer
) -> PriorsOpened | FirstAnswerStands | FirstAnswerNotAsked | SeatLost | AlreadyLabelled | NoSuchSeat:
    """Store the annotator's own view, given before hidden priors were seen, and open the priors.

    The first one counts: the same again gets the same reply, and another one changes nothing.

    Raises BadAnswer for an answer that no form should let through.
    """
    check(answer)
    if answer.corrections:
        raise BadAnswer("no_prior", "A prior can be challenged once it is shown.", "challenges")
    member, now = lock_member(member)
    read_offered(member.project, [answer.category], "category")
    check_set(member.project, answer)
    locked = lock_seat(member, seat, now)
    if locked is None:
        return NoSuchSeat()
    if (refusal := ensure_fillable(locked, member, now)) is not None:
        return refusal
    row = locked.seat
    if first_answer_is_due(member.project, row):
        row.first_answer, row.priors_shown_at = answer.body(), now
        row.save(update_fields=("first_answer", "priors_shown_at"))
        record(EventVerb.FIRST_ANSWER, project=member.project, actor=member, item=row.item, row=row.public_id)
        count_act(member, locked.pace, now)
    elif row.first_answer is None:
        return FirstAnswerNotAsked(row)
    elif row.first_answer != answer.body():
        return FirstAnswerStands(row)
    priors = priors_seen(member.project, row)
    return PriorsOpened(row, tuple(priors[modality] for modality in Modality if modality in priors))


# ── The seat ──────────────────────────────────────────────────────────────────


@short_transaction
def skip_seat(member: Membership, seat: UUID, reason: str = "") -> Skipped | AlreadyLabelled | NoSuchSeat:
    """Give the seat back without penalty, also one that lapsed meanwhile; the reason is optional."""
    try:
        read_optional_text(reason, REASON_LIMIT)
    except BadText as bad:
        raise BadAnswer(bad.code, bad.sentence, "reason") from None
    member, now = lock_member(member)
    locked = lock_seat(member, seat, now)
    if locked is None:
        return NoSuchSeat()
    if (label := locked.label_of(member)) is not None:
        return AlreadyLabelled(label)
    item = locked.item
    defaults = {"round": item.round, "reason": reason}
    _skip, is_new = Skip.objects.get_or_create(item=item, annotator=member, defaults=defaults)
    if is_new:
        count_act(member, locked.pace, now, skips=1)
    if locked.is_current_of(member):
        free_seat(
            locked.seat, item, EventVerb.SKIPPED, member
        )  # the reason is stored in the skip alone: it can be erased there
        reset_idle_members(member.project)
    elif is_new:
        row, holder = locked.seat.public_id, holder_key(member)
        record(EventVerb.SKIPPED, project=member.project, actor=member, item=item, row=row, holder=holder)
    return Skipped(item)


@short_transaction
def renew_lease(member: Membership, seat: UUID) -> bool:
    """Hold the seat, a prefetched one and those put aside for another lease while the annotator works.

    Return False if the seat is lost. So is one that went back because of an opt-out, for a page that still shows it.
    """
    member, now = lock_member(member)
    locked = lock_seat(member, seat, now)
    if locked is None:
        return False
    is_lost = not locked.is_current_of(member)
    if is_lost and not is_item_wanted(locked.item.pk, read_annotator_state(member, now).unwanted):
        return False
    if ensure_fillable(locked, member, now) is not None:
        return False
    count_act(member, locked.pace, now)
    seats = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    seats.filter(pk=locked.seat.pk).update(expires_at=lease_end(member.project, now))
    seats.filter(shown_at__isnull=True).update(expires_at=lease_end(member.project, now, ahead=True))
    seats.filter(pk__in=postponed_seats(member).values("pk")).update(expires_at=lease_end(member.project, now))
    return True


def count_reveal(member: Membership, seat: UUID) -> bool:
    """Count that the annotator uncovered the picture. Return False if the seat is not theirs."""
    return bool(Seat.objects.filter(public_id=seat, annotator=member).update(reveals=F("reveals") + 1))


@short_transaction
def report_seat(member: Membership, seat: UUID, note: str = "") -> Reported | NoSuchSeat:
    """Report illegal content: the item is excluded at once, its media are locked, and it leaves every queue."""
    member, now = lock_member(member)
    locked = lock_seat(member, seat, now)
    if locked is None:
        return NoSuchSeat()
    sent_before = Report.objects.filter(item=locked.item, reporter=member, note=note)  # by a double click
    is_reported = locked.item.excluded_for == Reason.REPORTED
    if is_reported and (earlier := sent_before.last()) is not None:
        return Reported(earlier, report_notices.told_before(earlier))
    report = exclude.report_item(locked.item, member, note)
    return Reported(report, report_notices.tell_of_report(report.item))


# ── Shared ────────────────────────────────────────────────────────────────────


def _earlier_label(member: Membership, key: UUID, digest: str) -> Replayed | KeyReused | None:
    """Return what the member stored before with this client key: the same answer, or another one."""
    label = Label.objects.filter(annotator=member, client_key=key).select_related("category").first()
    if label is None:
        return None
    return Replayed(label) if label.body_sha256 == digest else KeyReused(label)


def _store_in_seat(seat: Seat, label: Label, now: datetime) -> None:
    """Store the label in the held seat. The guarded UPDATE cannot miss while the item's row is locked."""
    facts = {"seat": str(seat.public_id), "revision": label.revision}
    member, row = label.annotator, label.public_id
    changes = Changes()
    changes.insert(label)
    if member.project.changes_end_by_clock and seat.final_at is None:
        seat.final_at = now + CHANGE_TIME
    final_at = seat.final_at
    changes.run(*_FILL.statement(seat=seat.pk, annotator=member.pk, label=KeyOf(label), now=now, final_at=final_at))
    changes.insert(event_of(EventVerb.LABELLED, project=member.project, actor=member, item=seat.item, row=row, **facts))
    _, filled, _ = changes.send()
    if not filled:
        raise RuntimeError(f"Seat {seat.public_id} changed hands while its item was held.")


def _close_if_complete(locked: LockedSeat, label: Label, now: datetime) -> Stored:
    """Close the item if this label was the last one missing in its round, unless it can be changed for a time."""
    others = [row for row in locked.seats if row.pk != locked.seat.pk]
    if locked.seat.final_at is not None or any(row.label_id is None for row in others):
        return Stored(label, closed=False)
    _REPLACEMENT.set_cached_value(label, None)  # a label of this moment has no replacement yet: saves a query
    locked.seat.label = label
    decision = close_locked_item(locked.item, locked.seats)
    if decision is None or isinstance(decision, MoreSeats):
        return Stored(label, closed=False)
    return Stored(label, closed=True, undo_until=now + UNDO_TIME)


def _closed_item_just_now(seat: Seat, now: datetime) -> bool:
    """Whether the seat's label closed the item within `UNDO_TIME` and nothing has happened to the item since."""
    if seat.label is None or seat.filled_at is None or seat.final_at is not None or now - seat.filled_at > UNDO_TIME:
        return False
    events = Event.objects.filter(item=seat.item)
    last = events.filter(verb=EventVerb.LABELLED, row=seat.label.public_id).order_by("-pk").first()
    is_touched = last is None or events.filter(pk__gt=last.pk).exclude(verb=EventVerb.CLOSED).exists()
    return not is_touched
