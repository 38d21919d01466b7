"""The training room's verbs: attempts, answers, marks, and what each person and admin learns of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.analytics.dashboard import read_dashboard
from annotation.assignment import claim, training_gate
from annotation.assignment.outcomes import HeldSeat, Stored, TrainingNeeded
from annotation.domain.answer import Answer
from annotation.domain.choices import Role, Stage
from annotation.labelling import submit
from annotation.models import (
    Event,
    Item,
    KnownAnswer,
    Membership,
    OptOut,
    Prior,
    Project,
    Seat,
    TrainingAnswer,
    TrainingAttempt,
    WorkDay,
)
from annotation.operations.audit import audit
from annotation.training import attempts as training
from annotation.training import control_items
from annotation.training import results as training_results
from annotation.training.attempts import NotInTraining, TrainingFeedback, TrainingReply
from builders import category, make_item, make_label, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden", training_required=True, training_pass_percent=75, training_attempts=2)


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


def known(project: Project, *codes: int, training: bool = True, **fields: object) -> list[Item]:
    """Items with these known answers."""
    items = []
    for code in codes:
        item = make_item(project, stage=Stage.KNOWN, **fields)
        KnownAnswer.objects.create(item=item, category=category(project, code), training=training)
        items.append(item)
    return items


def go_through(member: Membership, right: Sequence[bool | None]) -> TrainingAttempt:
    """An attempt whose answers in turn are right, wrong, or skipped (None)."""
    attempt = training.begin_attempt(member)
    assert attempt is not None
    for is_right in right:
        going = training.read_training_state(member).going
        assert going is not None and going.known is not None
        code = going.known.category.code
        said = (
            TrainingReply()
            if is_right is None
            else TrainingReply(category(member.project, code if is_right else (code + 1) % 6))
        )
        assert isinstance(training.store_training_answer(member, going.known.item.public_id, said), TrainingFeedback)
    attempt.refresh_from_db()
    return attempt


def test_who_passes_may_label(project: Project, wren: Membership) -> None:
    known(project, 0, 1, 2, 3)
    assert training_gate.needs_training(wren)
    attempt = go_through(wren, [True, True, False, True])
    wren.refresh_from_db()
    assert (attempt.correct, attempt.answered, attempt.total, attempt.passed) == (3, 4, 4, True)
    assert wren.trained_at == attempt.finished_at
    assert not training_gate.needs_training(wren)
    event = Event.objects.get(verb="training_finished")
    assert event.facts == {"correct": 3, "answered": 4, "total": 4, "passed": True}
    assert (event.actor, event.row) == (wren, attempt.public_id)


def test_labelling_waits_for_the_training_where_there_is_some(project: Project, wren: Membership) -> None:
    make_open_item(project)
    assert isinstance(claim.claim(wren), HeldSeat)
    Seat.objects.all().update(annotator=None, held_at=None, expires_at=None, shown_at=None)
    known(project, 0)
    assert isinstance(claim.claim(wren), TrainingNeeded)
    go_through(wren, [True])
    assert isinstance(claim.claim(wren), HeldSeat)


def test_who_fails_may_try_again_until_no_attempt_is_left(project: Project, wren: Membership) -> None:
    known(project, 0, 1)
    assert not go_through(wren, [True, False]).passed
    room = training.read_training_state(wren)
    assert (room.attempts_left, room.may_begin) == (1, True)
    assert not go_through(wren, [False, False]).passed
    room = training.read_training_state(wren)
    assert (room.attempts_left, room.may_begin) == (0, False)
    assert training.begin_attempt(wren) is None
    assert TrainingAttempt.objects.count() == 2


def test_without_a_limit_there_is_always_another_attempt(project: Project, wren: Membership) -> None:
    Project.objects.update(training_attempts=0)
    wren = Membership.objects.select_related("project").get(pk=wren.pk)
    known(project, 0)
    for _ in range(4):
        go_through(wren, [False])
    assert training.read_training_state(wren).attempts_left is None
    assert training.begin_attempt(wren) is not None


def test_an_admin_grants_another_attempt(project: Project, wren: Membership, admin: Membership) -> None:
    known(project, 0)
    go_through(wren, [False])
    go_through(wren, [False])
    training.grant_attempt(admin, wren)
    wren = Membership.objects.select_related("project").get(pk=wren.pk)
    assert training.read_training_state(wren).attempts_left == 1
    assert go_through(wren, [True]).number == 3
    event = Event.objects.get(verb="training_granted")
    assert (event.actor, event.row) == (admin, wren.public_id)


def test_an_admin_lets_somebody_label_without_a_pass(project: Project, wren: Membership, admin: Membership) -> None:
    known(project, 0)
    assert training.declare_trained(admin, wren)
    assert not training.declare_trained(admin, wren)
    wren.refresh_from_db()
    assert wren.trained_at is not None
    assert not training_gate.needs_training(wren)
    assert Event.objects.filter(verb="training_waived", actor=admin, row=wren.public_id).count() == 1


def test_skipped_posts_are_neither_right_nor_wrong(project: Project, wren: Membership) -> None:
    known(project, 0, 1, 2, 3)
    attempt = go_through(wren, [None, True, None, True])
    assert (attempt.correct, attempt.answered, attempt.total, attempt.passed) == (2, 2, 4, True)


def test_who_skips_more_than_half_does_not_pass(project: Project, wren: Membership) -> None:
    known(project, 0, 1, 2, 3)
    attempt = go_through(wren, [None, True, None, None])
    assert (attempt.correct, attempt.answered, attempt.passed) == (1, 1, False)


def test_not_sure_is_an_answer_that_is_not_right(project: Project, wren: Membership) -> None:
    (item,) = known(project, 0)
    training.begin_attempt(wren)
    told = training.store_training_answer(wren, item.public_id, TrainingReply(not_sure=True))
    assert isinstance(told, TrainingFeedback)
    assert (told.answer.not_sure, told.answer.correct, told.answer.category) == (True, False, None)
    assert TrainingAttempt.objects.get().answered == 1


def test_limits_of_severe_posts_do_not_hold_back_training(project: Project, wren: Membership) -> None:
    (item,) = known(project, 0, severity=3)
    Project.objects.update(severe_a_day=0)
    Membership.objects.filter(pk=wren.pk).update(severe_a_day=0)
    wren = Membership.objects.select_related("project").get(pk=wren.pk)
    training.begin_attempt(wren)
    told = training.store_training_answer(wren, item.public_id, TrainingReply(category(project, 0)))
    assert isinstance(told, TrainingFeedback) and told.answer.correct
    assert not WorkDay.objects.filter(severe__gt=0).exists()


def test_a_second_answer_to_a_post_is_not_stored(project: Project, wren: Membership) -> None:
    first, second = known(project, 0, 1)
    training.begin_attempt(wren)
    training.store_training_answer(wren, first.public_id, TrainingReply(category(project, 3)))
    again = training.store_training_answer(wren, first.public_id, TrainingReply(category(project, 0)))
    assert isinstance(again, TrainingFeedback)
    assert (again.repeated, again.answer.correct) == (True, False)
    training.store_training_answer(wren, second.public_id, TrainingReply(category(project, 1)))
    last = training.store_training_answer(
        wren, second.public_id, TrainingReply(category(project, 4))
    )  # the attempt is over by now
    assert isinstance(last, TrainingFeedback)
    assert (last.repeated, last.answer.correct) == (True, True)
    assert TrainingAnswer.objects.count() == 2
    assert TrainingAttempt.objects.get().correct == 1


def test_beginning_twice_is_one_attempt(project: Project, wren: Membership) -> None:
    known(project, 0, 1)
    one, two = training.begin_attempt(wren), training.begin_attempt(wren)
    assert one == two
    assert TrainingAttempt.objects.count() == 1


def test_an_answer_without_an_attempt_or_to_another_post_is_not_taken(project: Project, wren: Membership) -> None:
    (item,) = known(project, 0)
    (check,) = known(project, 1, training=False)
    assert training.store_training_answer(wren, item.public_id, TrainingReply()) == NotInTraining()
    training.begin_attempt(wren)
    assert training.store_training_answer(wren, check.public_id, TrainingReply()) == NotInTraining()
    assert training.store_training_answer(wren, make_item(project).public_id, TrainingReply()) == NotInTraining()
    assert training.training_feedback(wren, check.public_id) is None
    assert not TrainingAnswer.objects.exists()


def test_the_posts_come_in_the_order_of_the_attempt_whoever_asks(project: Project, wren: Membership) -> None:
    known(project, 0, 1, 2, 3, 4, 5)
    training.begin_attempt(wren)
    first = [training.read_training_state(wren).going.known.pk for _ in range(3)]
    assert len(set(first)) == 1


def test_a_post_that_is_rested_meanwhile_is_left_out(project: Project, wren: Membership, admin: Membership) -> None:
    one, two = known(project, 0, 1)
    training.begin_attempt(wren)
    training.store_training_answer(wren, one.public_id, TrainingReply(category(project, 0)))
    control_items.set_control_item_active(two, admin, active=False)
    going = training.read_training_state(wren).going
    assert going is not None and (going.known, going.done, going.total) == (None, 1, 1)
    assert training.finish_attempt(wren)
    attempt = TrainingAttempt.objects.get()
    assert (attempt.correct, attempt.total, attempt.passed) == (1, 1, True)


def test_an_attempt_of_which_nothing_is_left_before_an_answer_costs_nothing(
    project: Project, wren: Membership, admin: Membership
) -> None:
    (item,) = known(project, 0)
    training.begin_attempt(wren)
    assert not training.finish_attempt(wren)
    control_items.set_control_item_active(item, admin, active=False)
    assert training.finish_attempt(wren)
    assert not TrainingAttempt.objects.exists()


def test_without_training_posts_nobody_is_held_up(project: Project, wren: Membership) -> None:
    known(project, 0, training=False)
    known(project, 1, picture_missing=True)
    assert not training_gate.needs_training(wren)
    assert training.begin_attempt(wren) is None


def test_who_opted_out_is_not_shown_such_posts_in_training(project: Project, wren: Membership) -> None:
    known(project, 1)
    known(project, 0, severity=2)
    known(project, 0, target_group="Old Neighbours")
    (by_prior,) = known(project, 0)
    Prior.objects.create(item=by_prior, modality="text", category=category(project, 1))
    known(project, 0, intended=category(project, 4), intended_categories=[1, 4])
    known(project, 4)
    KnownAnswer.objects.filter(category__code=4).update(categories=[1, 4])
    (left,) = known(project, 2)
    OptOut.objects.create(member=wren, category=category(project, 1))
    OptOut.objects.create(member=wren, target_group="old neighbours")
    OptOut.objects.create(member=wren, severity=2)
    OptOut.objects.create(member=wren, category=category(project, 2), ended_at=timezone.now())
    assert [each.item for each in training_gate.training_items(wren)] == [left]
    other = make_member(project)
    assert len(training_gate.training_items(other)) == 7


# ── Results ───────────────────────────────────────────────────────────────────


def check(project: Project, member: Membership, code: int, said: int | None, **fields: datetime) -> Seat:
    """A mixed-in item with this key, answered by the member."""
    (item,) = known(project, code, training=False)
    seat = Seat.objects.create(item=item, number=1, seats=3)
    make_label(seat, member, said, **fields)
    return seat


def test_results_by_person_hold_marks_and_checks_with_their_interval(project: Project, wren: Membership) -> None:
    known(project, 0, 1)
    go_through(wren, [True, False])
    for said in (1, 1, 1, 2, None):
        check(project, wren, 1, said)
    make_member(project, pseudonym="aphid")
    aphid, result = training_results.people_results(project)
    assert (aphid.member.pseudonym, list(aphid.attempts), aphid.checks) == ("aphid", [], None)
    assert [(mark.correct, mark.answered) for mark in result.marks] == [(1, 2)]
    assert result.checks is not None
    assert (result.checks.part, result.checks.n) == (3, 4)  # not sure gave no category
    # Wilson, 3 of 4, z = 1.96: (0.75 + 3.8416/8 ± 1.96 √(0.75·0.25/4 + 3.8416/64)) / (1 + 3.8416/4) = 0.301 … 0.954
    assert result.checks.interval.low == pytest.approx(0.3006, abs=1e-3)
    assert result.checks.interval.high == pytest.approx(0.9544, abs=1e-3)
    rows = list(training_results.results_table(project))
    assert rows[0][0] == "annotator"
    assert rows[2][:3] == ["wren", "", "1"]
    assert rows[2][-5:-2] == ["4", "3", "0.7500"]


def test_figures_of_an_item_count_training_and_checks_by_the_key_of_now(
    project: Project, wren: Membership, admin: Membership
) -> None:
    (item,) = known(project, 0)
    heron = make_member(project)
    for member, code in ((wren, 1), (heron, 1)):
        training.begin_attempt(member)
        training.store_training_answer(member, item.public_id, TrainingReply(category(project, code)))
    seat = Seat.objects.create(item=item, number=1, seats=3)
    make_label(seat, make_member(project), 0)
    (row,) = training_results.known_items(project)
    figure = training_results.control_item_figures([row])[item.pk]
    assert (figure.answered, figure.right, figure.often, figure.often_times) == (3, 1, (1,), 2)
    assert figure.doubtful
    control_items.mark_control_item(item, admin, control_items.KnownAnswerKey(category(project, 1), training=True))
    (row,) = training_results.known_items(project)
    assert training_results.control_item_figures([row])[item.pk].right == 2
    assert not TrainingAnswer.objects.filter(correct=True).exists()  # what they were told stays


def test_ones_own_checks_are_told_a_day_late_and_only_as_sums(project: Project, wren: Membership) -> None:
    known(project, 0, 1)
    go_through(wren, [True, False])
    yesterday = timezone.now() - timedelta(days=1)
    old = [check(project, wren, 1, code, created_at=yesterday) for code in (1, 2, 1, 1)]
    new = check(project, wren, 1, 2)
    own = training_results.own_results(wren)
    assert (own.checks_right, own.checks) == (0, 0)  # four: a fifth makes a figure
    old += [check(project, wren, 1, code, created_at=yesterday) for code in (1, 2)]
    own = training_results.own_results(wren)
    assert training_results.own_totals(wren) == (5, 7)
    assert (own.checks_right, own.checks) == (4, 5)  # the sixth waits for four more
    assert (own.right, own.n) == (5, 7)
    assert {answer.item_id for answer in own.answers}.isdisjoint({seat.item_id for seat in (*old, new)})


def test_rules_are_stored_with_an_event_that_says_what_they_are_now(project: Project, admin: Membership) -> None:
    project.check_percent = 10
    training.change_training_rules(admin, project, ["check_percent"])
    project.refresh_from_db()
    assert project.check_percent == 10
    assert Event.objects.get(verb="training_rules").facts == {"check_percent": 10}


def test_checks_that_were_handed_out_are_in_the_results_and_the_audit_is_content() -> None:
    project = make_project(check_percent=50)
    checks = [make_item(project), make_item(project)]
    for code, item in enumerate(checks):
        control_items.mark_control_item(item, None, control_items.KnownAnswerKey(category(project, code)))
    for _ in range(8):
        make_open_item(project)
    people = [make_member(project) for _ in range(5)]
    for person in people:
        for _ in range(10):
            outcome = claim.claim(person)
            if isinstance(outcome, HeldSeat):
                answer = Answer(category=1)
                assert isinstance(submit.submit_label(person, outcome.seat.public_id, uuid4(), answer), Stored)
    results = training_results.people_results(project)
    asked = [each.checks for each in results if each.checks is not None]
    assert sum(rate.n for rate in asked) == Seat.objects.filter(item__in=checks, label__isnull=False).count() > 0
    right = Seat.objects.filter(item=checks[1], label__isnull=False).count()
    assert sum(rate.part for rate in asked) == right
    assert set(Item.objects.filter(pk__in=[each.pk for each in checks]).values_list("stage", flat=True)) == {"known"}
    assert read_dashboard(project).counts.known == 2
    assert audit(project) == []
