"""What annotators do with the item in front of them: answer, correct, undo, skip, look, report.

Every verb takes the member who acts, finds the row by its public id among that member's own seats or labels
(somebody else's seat is the same `NoSuchSeat` as one that does not exist), runs in one short transaction that
works the same on both databases, writes an `Event`, and answers with a type of `annotation.outcomes` that the
caller matches. Nothing here raises but `BadAnswer`, for an answer that no form should let through.

What a page or the API answers: `Stored`, `Replayed` → 200; `KeyReused` → 422 `key_reused`; `AlreadyLabelled`,
`SeatLost`, `ItemClosed`, `TooLate` → 409, with what the person typed kept; `FirstAnswerNeeded` → 409;
`NoSuchSeat`, `NoSuchLabel` → 404.

Rows are locked in one order everywhere: the member, then the item, then its seats. So a person's acts come one
after the other, two last labels of an item too, and the second of them closes it.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn
from uuid import UUID

from django.conf import settings
from django.db.models import F

from annotation import removing, rounds
from annotation.consensus import close_held, hold
from annotation.domain.answers import Answer, BadAnswer, Correction, check
from annotation.domain.closing import MoreSeats
from annotation.domain.texts import BadText, read_optional_text
from annotation.domain.words import Modality, PriorArm, PriorState, Stage
from annotation.freeing import SKIPPED, free_seat, name_of, wake
from annotation.handing_out import held_until, lock_member
from annotation.models import Category, Event, Label, Membership, Prior, Project, Seat, Skip, record
from annotation.outcomes import (
    AlreadyLabelled,
    FirstAnswerNeeded,
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
from annotation.pacing import count_act
from annotation.places import (
    CLOCKS_APART,
    Place,
    guideline_seen,
    is_open,
    labelled_seat,
    lock_place,
    next_revision,
    open_place,
    own_label,
)
from annotation.showing import first_answer_is_due, priors_by
from annotation.transactions import short_transaction

__all__ = [
    "UNDO_TIME",
    "AlreadyLabelled",
    "FirstAnswerNeeded",
    "ItemClosed",
    "KeyReused",
    "NoSuchLabel",
    "NoSuchSeat",
    "PriorsOpened",
    "Replayed",
    "Reported",
    "SeatLost",
    "Skipped",
    "Stored",
    "TakenBack",
    "TooLate",
    "correct",
    "count_reveal",
    "give_first_answer",
    "renew",
    "report",
    "skip",
    "submit",
    "take_back",
]

UNDO_TIME = timedelta(seconds=30)
"""How long the label that closed an item can be taken back."""
_REPLACEMENT = Label._meta.get_field("replacement")
REASON_LIMIT = 500
"""Characters of the reason for a skip."""


# ── Labels ────────────────────────────────────────────────────────────────────


@short_transaction
def submit(
    member: Membership, seat: UUID, key: UUID, answer: Answer, *, seconds: float | None = None
) -> Stored | Replayed | KeyReused | AlreadyLabelled | SeatLost | FirstAnswerNeeded | NoSuchSeat:
    """Fill the seat with a label; the k-th label closes the item in the same transaction.

    `key` is made by the client, once per form. `seconds` is the client's own count (pauses left out); the
    database's clock bounds it. A lapsed seat is honoured while nobody took it. Raises BadAnswer.
    """
    check(answer)
    member, now = lock_member(member)
    place = lock_place(member, seat, now, key=key, category=answer.category)
    if place is None:
        return NoSuchSeat()
    digest = answer.digest(str(seat))
    if place.stored is not None and (known := _known(member, key, digest)) is not None:
        return known
    mine = open_place(place, member, now)
    if not isinstance(mine, Seat):
        return mine
    if first_answer_is_due(member.project, mine):
        return FirstAnswerNeeded(mine)
    category = place.chosen
    if answer.category is not None and category is None:
        _refuse_category(answer.category, "category")
    seconds = _seconds(mine, now, seconds)
    label = _write(member, mine, answer, category, seconds=seconds, client_key=key, body_sha256=digest)
    _fill(mine, label, now)
    count_act(member, place.pace, now, labels=1)
    return _stored(place, mine, label, now)


@short_transaction
def correct(
    member: Membership, label: UUID, key: UUID, answer: Answer
) -> Stored | Replayed | KeyReused | ItemClosed | NoSuchLabel:
    """Add a revision to the member's own label (any revision's id will do) while the item is open. Raises BadAnswer."""
    check(answer)
    member, now = lock_member(member)
    seat = labelled_seat(member, label, now)
    if seat is None or seat.label is None:
        return NoSuchLabel()
    digest = answer.digest(f"correction of {seat.public_id}")
    if (known := _known(member, key, digest)) is not None:
        return known
    if not is_open(seat, now):
        return ItemClosed(seat.label)
    chosen = _categories(member.project, [answer.category], "category")
    category = chosen[answer.category] if answer.category is not None else None
    new = _write(member, seat, answer, category, seconds=seat.label.seconds, client_key=key, body_sha256=digest)
    Seat.objects.filter(pk=seat.pk).update(label=new)
    record("corrected", project=member.project, actor=member, item=seat.item, row=new.public_id, revision=new.revision)
    return Stored(new, closed=False)


@short_transaction
def take_back(member: Membership, label: UUID) -> TakenBack | TooLate | NoSuchLabel:
    """Undo the label in force: any time while the item is open; `UNDO_TIME` long, if nobody acted, where it closed it.

    The seat is held again and `handing_out.claim` gives it first, so that the person can answer anew.
    """
    member, now = lock_member(member)
    seat = labelled_seat(member, label, now)
    if seat is None or seat.label is None:
        return NoSuchLabel()
    if not is_open(seat, now):
        if not _just_closed_by(seat, now):
            return TooLate(seat.label)
        rounds.take_back(hold(seat.item))
    taken = seat.label
    again = {"held_at": now, "shown_at": now, "expires_at": held_until(member.project, now), "filled_at": None}
    Seat.objects.filter(pk=seat.pk).update(label=None, **again)
    record("taken_back", project=member.project, actor=member, item=seat.item, row=taken.public_id)
    seat.refresh_from_db()
    return TakenBack(seat, taken)


@short_transaction
def give_first_answer(
    member: Membership, seat: UUID, answer: Answer
) -> PriorsOpened | SeatLost | AlreadyLabelled | NoSuchSeat:
    """Keep one's own view, given before hidden priors were seen, and open the priors. Raises BadAnswer.

    The first one counts: another is answered as if it were the first, and changes nothing; nor does one where
    nothing was hidden.
    """
    check(answer)
    if answer.corrections:
        raise BadAnswer("no_prior", "A prior can be challenged once it is shown.", "challenges")
    member, now = lock_member(member)
    _categories(member.project, [answer.category], "category")
    place = lock_place(member, seat, now)
    if place is None:
        return NoSuchSeat()
    mine = open_place(place, member, now)
    if not isinstance(mine, Seat):
        return mine
    if first_answer_is_due(member.project, mine):
        mine.first_answer, mine.priors_shown_at = answer.body(), now
        mine.save(update_fields=("first_answer", "priors_shown_at"))
        record("first_answer", project=member.project, actor=member, item=mine.item, row=mine.public_id)
        count_act(member, place.pace, now)
    seen = _priors_seen(member.project, mine)
    return PriorsOpened(mine, tuple(seen[modality] for modality in Modality if modality in seen))


# ── The seat ──────────────────────────────────────────────────────────────────


@short_transaction
def skip(member: Membership, seat: UUID, reason: str = "") -> Skipped | AlreadyLabelled | NoSuchSeat:
    """Give the seat back without penalty; the reason is optional. One that lapsed meanwhile is skipped all the same."""
    try:
        read_optional_text(reason, REASON_LIMIT)
    except BadText as bad:
        raise BadAnswer(bad.code, bad.sentence, "reason") from None
    member, now = lock_member(member)
    place = lock_place(member, seat, now)
    if place is None:
        return NoSuchSeat()
    if (label := own_label(place, member)) is not None:
        return AlreadyLabelled(label)
    item = place.item
    row, new = Skip.objects.get_or_create(item=item, annotator=member, defaults={"round": item.round, "reason": reason})
    if new:
        count_act(member, place.pace, now, skips=1)
    if place.mine is not None:
        free_seat(place.mine, item, SKIPPED, member)  # the reason stands in the skip alone: it can be erased there
        wake(member.project)
    elif new:
        holder = name_of(member)
        record(SKIPPED, project=member.project, actor=member, item=item, row=place.asked.public_id, holder=holder)
    return Skipped(item)


@short_transaction
def renew(member: Membership, seat: UUID) -> bool:
    """Hold the seat (and a prefetched one) for another lease, because the person is at work; False if it is lost."""
    member, now = lock_member(member)
    place = lock_place(member, seat, now)
    if place is None:
        return False
    mine = open_place(place, member, now)
    if not isinstance(mine, Seat):
        return False
    count_act(member, place.pace, now)
    held = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    held.filter(pk=mine.pk).update(expires_at=held_until(member.project, now))
    held.filter(shown_at__isnull=True).update(expires_at=held_until(member.project, now, ahead=True))
    return True


def count_reveal(member: Membership, seat: UUID) -> bool:
    """Count that the person uncovered the picture; False if the seat is not theirs."""
    return bool(Seat.objects.filter(public_id=seat, annotator=member).update(reveals=F("reveals") + 1))


@short_transaction
def report(member: Membership, seat: UUID, note: str = "") -> Reported | NoSuchSeat:
    """Report illegal content: the item is excluded at once, its media locked, and it leaves every queue."""
    member, now = lock_member(member)
    place = lock_place(member, seat, now)
    if place is None:
        return NoSuchSeat()
    row = removing.report_item(place.item, member, note)
    return Reported(row, member.project.operator_contact or settings.OPERATOR_CONTACT)


# ── Shared ────────────────────────────────────────────────────────────────────


def _known(member: Membership, key: UUID, digest: str) -> Replayed | KeyReused | None:
    """What this key of the member's was used for before."""
    label = Label.objects.filter(annotator=member, client_key=key).select_related("category").first()
    if label is None:
        return None
    return Replayed(label) if label.body_sha256 == digest else KeyReused(label)


def _write(member: Membership, seat: Seat, answer: Answer, category: Category | None, **fields: Any) -> Label:
    """Store the answer as the next revision at the seat, with everything that was seen. Raises BadAnswer."""
    seen = _priors_seen(member.project, seat)
    return Label.objects.create(
        seat=seat,
        item=seat.item,
        annotator=member,
        revision=next_revision(seat),
        category=category,
        not_sure=answer.not_sure,
        low_quality=answer.low_quality,
        target_group=answer.target_group,
        note=answer.note,
        challenges=_challenges(member.project, answer.corrections, seen),
        first_answer=seat.first_answer,
        priors_shown=[prior.pk for prior in seen.values()],
        priors_shown_at=seat.priors_shown_at,
        prior_arm=seat.prior_arm,
        reveals=seat.reveals,
        guideline_id=guideline_seen(seat),
        **fields,
    )


def _categories(project: Project, codes: Iterable[int | None], field: str) -> dict[int, Category]:
    """The categories of these codes. Raises BadAnswer about the field where the project has no such category."""
    wanted = {code for code in codes if code is not None}
    found = {row.code: row for row in Category.objects.filter(project=project, code__in=wanted)} if wanted else {}
    for code in sorted(wanted):
        if code not in found:
            _refuse_category(code, field)
    return found


def _refuse_category(code: int, field: str) -> NoReturn:
    raise BadAnswer("unknown_category", f"This project has no category {code}.", field)


def _priors_seen(project: Project, seat: Seat) -> dict[Modality, Prior]:
    """The priors that stood beside the item when they were shown, by modality; none where they were not."""
    if seat.priors_shown_at is None or seat.prior_arm == PriorArm.WITHHELD:
        return {}
    rows = priors_by(project, seat, seat.priors_shown_at + CLOCKS_APART)
    return {Modality(row.modality): row for row in rows}


def _challenges(
    project: Project, corrections: Collection[Correction], seen: Mapping[Modality, Prior]
) -> list[dict[str, Any]]:
    """The corrections as a label stores them. Raises BadAnswer where no prior was shown that says something."""
    categories = _categories(project, [each.category for each in corrections], "challenges")
    rows = []
    for each in corrections:
        if each.modality not in seen or seen[each.modality].state != PriorState.OK:
            sentence = f"No view of the {each.modality} was shown that could be challenged."
            raise BadAnswer("no_prior", sentence, "challenges")
        hateful = each.hateful if each.category is None else categories[each.category].hateful
        rows.append({"modality": each.modality, "category": each.category, "hateful": hateful})
    return rows


def _fill(seat: Seat, label: Label, now: datetime) -> None:
    """Put the label into the held seat. The guarded UPDATE cannot miss while the item's row is locked."""
    held = Seat.objects.filter(pk=seat.pk, annotator=label.annotator, label__isnull=True)
    if not held.update(label=label, filled_at=now, expires_at=None):
        raise RuntimeError(f"Seat {seat.public_id} changed hands while its item was held.")
    facts = {"seat": str(seat.public_id), "revision": label.revision}
    project = label.annotator.project
    record("labelled", project=project, actor=label.annotator, item=seat.item, row=label.public_id, **facts)


def _stored(place: Place, mine: Seat, label: Label, now: datetime) -> Stored:
    """Close the item if this label was the last one missing in its round."""
    # One with a known answer gets as many labels as people, and nothing follows from them.
    if place.item.stage == Stage.KNOWN or any(each.label_id is None for each in place.round if each.pk != mine.pk):
        return Stored(label, closed=False)
    _REPLACEMENT.set_cached_value(label, None)  # nobody has replaced what was given this moment
    mine.label = label
    decision = close_held(place.item, place.round)
    if decision is None or isinstance(decision, MoreSeats):
        return Stored(label, closed=False)
    return Stored(label, closed=True, undo_until=now + UNDO_TIME)


def _just_closed_by(seat: Seat, now: datetime) -> bool:
    """Whether the seat's label closed the item a moment ago and nothing has happened to the item since."""
    if seat.label is None or seat.filled_at is None or now - seat.filled_at > UNDO_TIME:
        return False
    events = Event.objects.filter(item=seat.item)
    last = events.filter(verb="labelled", row=seat.label.public_id).order_by("-pk").first()
    return last is not None and not events.filter(pk__gt=last.pk).exclude(verb="closed").exists()


def _seconds(seat: Seat, now: datetime, counted: float | None) -> float | None:
    """How long the person worked: what their browser counted, never more than the time since the item was shown."""
    if seat.shown_at is None:
        return None
    since = (now - seat.shown_at).total_seconds()
    if counted is None or not math.isfinite(counted) or counted < 0:
        return round(max(since, 0.0), 1)
    return round(min(counted, max(since, 0.0)), 1)
