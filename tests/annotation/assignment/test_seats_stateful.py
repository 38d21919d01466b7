"""Whatever people do and in whatever order: never more than k labels in a round, never two by one person (T12)."""

from collections import Counter
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import builders
from annotation.assignment import claim as assignment_claim
from annotation.assignment.outcomes import (
    AlreadyLabelled,
    HeldSeat,
    ItemClosed,
    KeyReused,
    NoSuchSeat,
    Replayed,
    SeatLost,
    Stored,
    TakenBack,
    TooLate,
)
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.batches import open_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Order, Policy, Reason, Role, Stage
from annotation.labelling import submit as labelling_submit
from annotation.labelling.postpone import bring_back, postpone_seat
from annotation.members import participation
from annotation.models import Event, Item, Label, Project, Seat, Skip
from annotation.review import adjudicate

PEOPLE = 5
people = st.integers(0, PEOPLE - 1)
answers = st.sampled_from(
    [Answer(0), Answer(0), Answer(1), Answer(2), Answer(not_sure=True), Answer(1, low_quality=True)]
)


class Campaign(RuleBasedStateMachine):
    """Three items, five annotators, an admin who also reviews."""

    def __init__(self) -> None:
        super().__init__()
        self.undo = transaction.atomic()
        self.undo.__enter__()
        self.sent: dict[int, tuple[UUID, UUID, Answer, Label]] = {}
        self.seen: dict[int, UUID] = {}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undo.__exit__(None, None, None)

    @initialize(
        seats=st.integers(2, 3),
        extra=st.integers(0, 1),
        policy=st.sampled_from(Policy),
        order=st.sampled_from(Order),
    )
    def begin(self, seats: int, extra: int, policy: Policy, order: Order) -> None:
        self.project = builders.make_project(seats=seats, extra_seats=extra, policy=policy, order=order)
        self.members = [builders.make_member(self.project) for _ in range(PEOPLE)]
        self.admin = builders.make_member(self.project, Role.ADMIN, Role.REVIEWER)
        for informativeness in range(3):
            builders.make_item(self.project, stage=Stage.READY, seats=seats, informativeness=informativeness)
        open_items.open_items(self.project)

    # ── What annotators do ────────────────────────────────────────────────────

    @rule(who=people, ahead=st.booleans())
    def claim(self, who: int, ahead: bool) -> None:
        outcome = assignment_claim.claim(self.members[who], ahead=ahead)
        if isinstance(outcome, HeldSeat):
            assert outcome.seat.annotator_id == self.members[who].pk
            self.seen[who] = outcome.seat.public_id

    @precondition(lambda self: self.seen)
    @rule(who=people, answer=answers)
    def submit(self, who: int, answer: Answer) -> None:
        if who not in self.seen:
            return
        key, seat = uuid4(), self.seen[who]
        outcome = labelling_submit.submit_label(self.members[who], seat, key, answer)
        if isinstance(outcome, Stored):
            self.sent[who] = (seat, key, answer, outcome.label)
        else:
            assert isinstance(outcome, AlreadyLabelled | SeatLost | NoSuchSeat), outcome

    @precondition(lambda self: self.sent)
    @rule(who=people)
    def send_again(self, who: int) -> None:
        if who in self.sent:
            seat, key, answer, label = self.sent[who]
            assert labelling_submit.submit_label(self.members[who], seat, key, answer) == Replayed(label)
            other = Answer(3, note="another answer")
            assert labelling_submit.submit_label(self.members[who], seat, key, other) == KeyReused(label)

    @precondition(lambda self: self.seen)
    @rule(who=people, other=people, answer=answers)
    def try_somebody_elses_seat(self, who: int, other: int, answer: Answer) -> None:
        if other in self.seen and not self.was_ever_at(who, self.seen[other]):
            assert labelling_submit.submit_label(self.members[who], self.seen[other], uuid4(), answer) == NoSuchSeat()

    @precondition(lambda self: self.seen)
    @rule(who=people)
    def skip(self, who: int) -> None:
        if who in self.seen:
            labelling_submit.skip_seat(self.members[who], self.seen[who])

    @precondition(lambda self: self.seen)
    @rule(who=people)
    def postpone(self, who: int) -> None:
        if who in self.seen:
            postpone_seat(self.members[who], self.seen[who])

    @rule(who=people)
    def bring_back(self, who: int) -> None:
        if (seat := bring_back(self.members[who])) is not None:
            assert seat.annotator_id == self.members[who].pk
            self.seen[who] = seat.public_id

    @precondition(lambda self: self.seen)
    @rule(sweep=st.booleans())
    def time_passes(self, sweep: bool) -> None:
        Seat.objects.filter(expires_at__isnull=False).update(expires_at=timezone.now() - timedelta(seconds=1))
        if sweep:
            free_lapsed_seats()
            assert not Seat.objects.filter(expires_at__isnull=False).exists()

    @precondition(lambda self: self.sent)
    @rule(who=people, answer=answers)
    def correct(self, who: int, answer: Answer) -> None:
        if who in self.sent:
            label = self.sent[who][3]
            outcome = labelling_submit.correct_label(self.members[who], label.public_id, uuid4(), answer)
            if isinstance(outcome, ItemClosed):
                label.item.refresh_from_db()
                assert label.item.stage != Stage.LABELLING or label.seat.round != label.item.round

    @precondition(lambda self: self.sent)
    @rule(who=people, late=st.booleans())
    def take_back(self, who: int, late: bool) -> None:
        if who in self.sent:
            label = self.sent[who][3]
            if late:
                Seat.objects.filter(pk=label.seat_id, label__isnull=False).update(
                    filled_at=timezone.now() - timedelta(minutes=1)
                )
            outcome = labelling_submit.take_back_label(self.members[who], label.public_id)
            if isinstance(outcome, TakenBack):
                self.seen[who] = outcome.seat.public_id
            elif isinstance(outcome, TooLate):
                item = Item.objects.get(pk=label.item_id)
                reported = Skip.objects.filter(item=item, annotator=self.members[who])
                assert item.stage != Stage.LABELLING or label.seat.round < item.round or reported.exists()

    @rule(who=people, back=st.booleans())
    def leave_and_perhaps_return(self, who: int, back: bool) -> None:
        participation.deactivate(self.members[who], self.admin)
        assert not Seat.objects.filter(annotator=self.members[who], expires_at__isnull=False).exists()
        if back:
            participation.reactivate(self.members[who], self.admin)

    @precondition(lambda self: self.seen)
    @rule(who=people)
    def report(self, who: int) -> None:
        if who in self.seen:
            labelling_submit.report_seat(self.members[who], self.seen[who])

    # ── What others do ────────────────────────────────────────────────────────

    @rule(number=st.integers(0, 2))
    def begin_another_round(self, number: int) -> None:
        item = Item.objects.order_by("pk")[number]
        if item.stage == Stage.DISPUTED:
            adjudicate.request_new_round(item, self.admin, item.version, "Once more, please.")
        elif item.stage in (Stage.GOLD, Stage.EXCLUDED):
            adjudicate.reopen_closed_item(item, self.admin, item.version, "There was a mistake.")

    # ── What holds at any time ────────────────────────────────────────────────

    def was_ever_at(self, who: int, seat: UUID) -> bool:
        member = self.members[who]
        events = Event.objects.filter(row=seat, facts__holder=str(member.public_id))
        return events.exists() or Seat.objects.filter(public_id=seat, annotator=member).exists()

    @invariant()
    def seats_and_labels_fit(self) -> None:
        if not hasattr(self, "project"):
            return
        for item in Item.objects.filter(project=self.project):
            seats = list(item.seat_rows.filter(round=item.round))
            filled = [seat for seat in seats if seat.label_id is not None]
            assert len(seats) == item.seats and len(filled) <= item.seats
            annotators = [seat.annotator_id for seat in seats if seat.annotator_id is not None]
            assert len(annotators) == len(set(annotators)) == item.taken
            if item.stage in (Stage.GOLD, Stage.DISPUTED):
                assert len(filled) == item.seats
            elif item.stage == Stage.LABELLING:
                assert len(filled) < item.seats
            elif item.stage == Stage.EXCLUDED and item.excluded_for != Reason.REPORTED:
                assert len(filled) == item.seats

    @invariant()
    def every_label_in_force_is_its_sitters(self) -> None:
        for seat in Seat.objects.filter(label__isnull=False).select_related("label"):
            assert seat.label is not None
            assert (seat.label.seat_id, seat.label.annotator_id) == (seat.pk, seat.annotator_id)
            assert seat.expires_at is None and seat.filled_at is not None

    @invariant()
    def nothing_stored_is_lost_and_nobody_is_sent_back_to_a_skipped_item(self) -> None:
        for _, key, _, label in self.sent.values():
            assert Label.objects.filter(pk=label.pk, client_key=key).exists()
        for skip in Skip.objects.all():
            assert not Seat.objects.filter(
                item=skip.item_id, annotator=skip.annotator_id, expires_at__isnull=False
            ).exists()

    @invariant()
    def nobody_holds_more_than_they_may(self) -> None:
        held = Seat.objects.filter(expires_at__isnull=False, item__stage=Stage.LABELLING, shown_at__isnull=True)
        assert max(Counter(held.values_list("annotator", flat=True)).values(), default=0) <= 1


@pytest.mark.django_db
@pytest.mark.slow
def test_no_way_of_labelling_breaks_what_the_seats_promise() -> None:
    assert Project.objects.count() == 0
    run_state_machine_as_test(
        Campaign,
        settings=settings(max_examples=15, stateful_step_count=40, suppress_health_check=list(HealthCheck)),
    )
