"""Reports wait for an answer; a post that is put back stands where it stood."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat, NothingLeft, TooLate
from annotation.consensus import reports
from annotation.consensus.close import close_item, lock_item, move_locked_item
from annotation.consensus.exclude import report_item, withdraw_item
from annotation.consensus.reports import AnsweredMeanwhile, ProjectClosed, answer_reports
from annotation.domain.choices import OnWithdrawal, Reason, Role, Source, Stage
from annotation.domain.reports import ReportAnswer
from annotation.labelling.submit import take_back_label
from annotation.labelling.withdraw_labels import withdraw_labels_of
from annotation.media.pictures import full_for
from annotation.members.participation import withdraw
from annotation.models import Event, Item, Membership, Project, Report, Seat, Skip
from annotation.operations.audit import audit
from annotation.review.adjudicate import reopen_closed_item
from annotation.training.control_items import KnownAnswerKey, mark_control_item

pytestmark = pytest.mark.django_db

OUTCOME = (
    *("stage", "excluded_for", "category", "categories", "hateful", "level", "category_source", "aligned", "pattern"),
    *("difficulty", "gold_at", "closed_at", "round", "seats", "taken", "queue"),
)


@pytest.fixture
def project() -> Project:
    return builders.make_project()


@pytest.fixture
def admin(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [builders.make_member(project) for _ in "abc"]


def stands(item: Item) -> dict[str, Any]:
    """Return all that is decided about an item, its labels in force and its open disputes."""
    row = Item.objects.filter(pk=item.pk).values(*OUTCOME).get()
    labels = sorted(Seat.objects.filter(item=item, label__isnull=False).values_list("number", "label"))
    disputes = sorted(item.disputes.filter(settled_at=None).values_list("pk", "reason", "opened_at"))
    return {**row, "labels": labels, "disputes": disputes}


def answer(item: Item, by: Membership | None, what: ReportAnswer = ReportAnswer.PUT_BACK) -> reports.ReportedPost:
    item.refresh_from_db()
    return answer_reports(item, by, item.version, what, "I looked at it.")


def problems(project: Project) -> list[str]:
    """Return what the audit finds, but for the labels: the builders store them without an event."""
    return [problem for problem in audit(project) if not problem.startswith("Label ")]


def half_labelled(project: Project, people: list[Membership]) -> Item:
    item = builders.make_open_item(project)
    for seat, person in zip(item.seat_rows.order_by("number"), people[:2], strict=False):
        builders.make_label(seat, person, 1)
    return item


def excluded_by_votes(item: Item) -> Item:
    locked = lock_item(item)
    move_locked_item(locked, Stage.EXCLUDED, excluded_for=Reason.LOW_QUALITY)
    return item


def known(item: Item, admin: Membership) -> Item:
    Item.objects.filter(pk=item.pk).update(stage=Stage.READY)
    item.refresh_from_db()
    mark_control_item(item, admin, KnownAnswerKey(builders.category(item.project, 1), "", False))
    return item


def test_a_post_that_is_put_back_stands_where_it_stood_at_every_stage(project, admin, people):
    gold, disputed = (builders.make_labelled_item(project, people, codes) for codes in ((1, 1, 1), (0, 1, 2)))
    begun = half_labelled(project, people)
    for item in (gold, disputed):
        close_item(item)
    withdrawn = builders.make_item(project)
    withdraw_item(withdrawn, admin, "Asked to.")
    came_as_gold = builders.make_item(
        project, stage=Stage.GOLD, category=builders.category(project, 1), hateful=True, gold_at=timezone.now(),
        category_source=Source.IMPORTED,
    )  # fmt: skip
    items = [gold, disputed, begun, withdrawn, came_as_gold, known(builders.make_open_item(project), admin)]
    items += [builders.make_item(project, stage=stage) for stage in (Stage.IMPORTED, Stage.READY)]
    items.append(builders.make_open_item(project))
    items.append(excluded_by_votes(builders.make_labelled_item(project, people, (None, None, None))))
    before = [stands(item) for item in items]
    assert {row["stage"] for row in before} == set(Stage)
    for item in items:
        report_item(item, people[0])
        assert stands(item)["excluded_for"] == Reason.REPORTED
        answer(item, admin)
    assert [stands(item) for item in items] == before


@pytest.mark.parametrize("what", [ReportAnswer.KEPT_OUT, ReportAnswer.HANDED_OVER])
def test_a_post_that_is_kept_out_stays_out_with_its_picture_locked(project, admin, what):
    picture = builders.make_picture(project)
    item = builders.make_open_item(project, picture=picture)
    report_item(item, builders.make_member(project))
    answer(item, admin, what)
    assert (stands(item)["stage"], stands(item)["excluded_for"]) == (Stage.EXCLUDED, Reason.REPORTED)
    assert full_for(admin.user, picture.public_id) is None
    assert reports.waiting_posts(Report.objects.all()) == []


def test_a_post_that_is_put_back_unlocks_its_picture_and_comes_to_others_but_not_to_who_reported_it(project, admin):
    picture = builders.make_picture(project)
    reporter, other = builders.make_member(project), builders.make_member(project)
    item = builders.make_open_item(project, picture=picture)
    seat = claim.claim(reporter)
    assert isinstance(seat, HeldSeat)
    report_item(item, reporter)
    answer(item, admin)
    assert full_for(admin.user, picture.public_id) == picture
    assert isinstance(claim.claim(reporter), NothingLeft)
    taken = claim.claim(other)
    assert isinstance(taken, HeldSeat) and taken.seat.item == item


def test_who_reported_a_post_after_labelling_it_does_not_get_it_again_by_taking_the_label_back(project, admin):
    reporter = builders.make_member(project)
    item = builders.make_open_item(project)
    label = builders.make_label(item.seat_rows.get(number=1), reporter, 1)
    report_item(item, reporter)
    answer(item, admin)
    assert take_back_label(reporter, label.public_id) == TooLate(label)
    assert not Seat.objects.filter(annotator=reporter, expires_at__isnull=False).exists()


def test_each_answer_is_an_event_with_its_reason_and_answers_all_reports_of_the_post(project, admin, people):
    item = builders.make_open_item(project)
    for person in people[:2]:
        report_item(item, person, "Look.")
    post = answer(item, admin, ReportAnswer.HANDED_OVER)
    assert [report.reporter for report in post.reports] == people[:2]
    event = Event.objects.get(verb="report_answered")
    told = {"answer": "handed_over", "reason": "I looked at it.", "stage": "excluded", "reports": 2}
    assert (event.item, event.actor, event.facts) == (item, admin, told)
    rows = Report.objects.values_list("answer", "reason", "answered_by", "stage_before").distinct()
    assert list(rows) == [("handed_over", "I looked at it.", admin.pk, "labelling")]
    assert problems(project) == []


def test_a_site_admin_who_is_no_member_answers_without_a_name(project):
    item = builders.make_open_item(project)
    report_item(item, builders.make_member(project))
    answer(item, None)
    assert Event.objects.get(verb="report_answered").actor is None
    assert reports.reported_post(item).first.answered_by is None


def test_whoever_comes_second_is_told_and_a_double_click_is_one_answer(project, admin):
    item, second = builders.make_open_item(project), builders.make_member(project, Role.ADMIN)
    report_item(item, builders.make_member(project))
    item.refresh_from_db()
    seen = item.version
    for _ in range(2):
        answer_reports(item, admin, seen, ReportAnswer.KEPT_OUT, "It is to stay out.")
    with pytest.raises(AnsweredMeanwhile):
        answer_reports(item, second, seen, ReportAnswer.PUT_BACK, "Harmless.")
    assert Event.objects.filter(verb="report_answered").count() == 1
    assert stands(item)["stage"] == Stage.EXCLUDED


def test_who_has_not_seen_the_newest_report_does_not_answer_it(project, admin, people):
    item = builders.make_open_item(project)
    report_item(item, people[0])
    item.refresh_from_db()
    report_item(item, people[1], "There is more.")
    with pytest.raises(AnsweredMeanwhile):
        answer_reports(item, admin, item.version, ReportAnswer.PUT_BACK, "Harmless.")
    answer(item, admin)
    assert stands(item)["stage"] == Stage.LABELLING


def test_a_post_is_reported_and_answered_again_and_again(project, admin, people):
    item = builders.make_labelled_item(project, people, (1, 1, 1))
    close_item(item)
    before = stands(item)
    for what in (ReportAnswer.PUT_BACK, ReportAnswer.KEPT_OUT, ReportAnswer.PUT_BACK):
        report_item(item, people[0])  # the third time while it is out: it stood where it stood at the second
        answer(item, admin, what)
    assert stands(item) == before
    assert len(reports.answered_posts(Report.objects.all())) == 3
    assert problems(project) == []


@pytest.mark.parametrize("codes", [(1, 1, 1), (0, 1, 2)])
def test_labels_that_were_withdrawn_meanwhile_are_asked_again(project, admin, people, codes):
    Project.objects.filter(pk=project.pk).update(on_withdrawal=OnWithdrawal.REMOVE)
    item = builders.make_labelled_item(project, people, codes)
    close_item(item)
    report_item(item, people[0])
    leaver = Membership.objects.get(pk=people[0].pk)
    withdraw(leaver)
    leaver.refresh_from_db()
    withdraw_labels_of(leaver)
    answer(item, admin)
    now = stands(item)
    assert (now["stage"], now["category"], len(now["labels"])) == (Stage.LABELLING, None, 2)
    assert not Report.objects.filter(answered_at=None).exists()


def test_nothing_is_put_back_into_an_archived_project_but_it_can_be_kept_out(project, admin):
    item = builders.make_open_item(project)
    report_item(item, builders.make_member(project))
    Project.objects.filter(pk=project.pk).update(archived_at=timezone.now())
    with pytest.raises(ProjectClosed):
        answer(item, admin)
    answer(item, admin, ReportAnswer.KEPT_OUT)
    assert not Report.objects.filter(answered_at=None).exists()


def test_a_reopened_post_has_its_answer(project, admin, people):
    item = builders.make_labelled_item(project, people, (1, 1, 1))
    close_item(item)
    report_item(item, people[0])
    item.refresh_from_db()
    reopen_closed_item(item, admin, item.version, "Cleared by the legal desk.")
    post = reports.reported_post(item)
    assert (post.first.answer, post.first.reason) == (ReportAnswer.PUT_BACK, "Cleared by the legal desk.")
    assert Skip.objects.get(item=item).annotator == people[0]
    assert problems(project) == []


def test_a_report_of_before_the_stage_was_kept_is_put_back_by_its_labels(project, admin, people):
    items = [builders.make_labelled_item(project, people, codes) for codes in ((1, 1, 1), (0, 1, 2))]
    items.append(half_labelled(project, people))
    for item in items:
        close_item(item)
        report_item(item, people[0])
    Report.objects.update(stage_before="", before={})
    for item in items:
        answer(item, admin)
    assert [stands(item)["stage"] for item in items] == [Stage.GOLD, Stage.DISPUTED, Stage.LABELLING]


@pytest.mark.parametrize(("hateful", "stage"), [(True, Stage.GOLD), (None, Stage.READY)])
def test_so_is_one_that_nobody_labelled(project, admin, hateful, stage):
    fields = {"category": builders.category(project, 1), "hateful": True} if hateful else {}
    item = builders.make_item(project, stage=Stage.READY, **fields)
    report_item(item, admin)
    Report.objects.update(stage_before="", before={})
    answer(item, admin)
    assert stands(item)["stage"] == stage


def test_admins_answer_for_their_projects_and_site_admins_for_all_but_what_is_due_for_its_purge(project, admin):
    other, doomed = builders.make_project(), builders.make_project()
    Project.objects.filter(pk=doomed.pk).update(delete_after=timezone.now() - timedelta(minutes=1))
    for each in (project, other, doomed):
        report_item(builders.make_open_item(each), builders.make_member(each))
    operator = builders.make_user(is_staff=True)
    reviewer = builders.make_member(project, Role.REVIEWER)
    former = builders.make_member(project, Role.ADMIN, active=False)
    counts = [reports.count_waiting_posts(person) for person in (admin.user, operator, reviewer.user, former.user)]
    assert counts == [1, 2, 0, 0]
