"""What waits, is stuck and has failed lately: each kind of work counted where it stands."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

import builders
from annotation.consensus.exclude import report_item
from annotation.consensus.reports import answer_reports
from annotation.core.jobs import LAPSE
from annotation.domain.choices import Role
from annotation.domain.outgoing import DeliveryState, MailKind, MailState
from annotation.domain.reports import ReportAnswer
from annotation.models import BulkOrder, Delivery, Import, ImportState, JobState, Mail, Report, Webhook
from annotation.operations import waiting_work
from annotation.operations.waiting_work import LATELY, WaitingReports, Work, read_work
from annotation.webhooks.change import store
from runs.models import Run
from scripted_runs import Rounds, queued, register

pytestmark = pytest.mark.django_db

LONG = timedelta(hours=1)


def figures() -> dict[str, Work]:
    return {work.kind: work for work in read_work()}


@pytest.fixture
def admin():
    return builders.make_member(builders.make_project(), Role.ADMIN)


@pytest.fixture
def webhook(admin) -> Webhook:
    store(admin, "https://receiver.example.org/", ["item.closed"])
    return Webhook.objects.get()


def order(admin, state: str, **fields) -> BulkOrder:
    return BulkOrder.objects.create(
        project=admin.project, ordered_by=admin, key=uuid4(), act="open", state=state, **fields
    )


def test_a_site_at_rest_has_nothing():
    assert set(figures().values()) == {Work(kind) for kind in figures()}


def test_reported_posts_wait_from_their_first_report_until_they_are_answered():
    project = builders.make_project()
    items = [builders.make_open_item(project) for _ in "ab"]
    reports = [report_item(item, builders.make_member(project)) for item in (*items, items[0])]
    Report.objects.filter(pk=reports[0].pk).update(created_at=timezone.now() - LONG)
    waiting = waiting_work.read_reports()
    assert (waiting.posts, waiting.oldest) == (2, pytest.approx(LONG.total_seconds(), abs=30))
    for item in items:
        item.refresh_from_db()
        answer_reports(item, None, item.version, ReportAnswer.KEPT_OUT, "I looked.")
    assert waiting_work.read_reports() == WaitingReports(posts=0, oldest=0.0)


def test_jobs_are_counted_where_they_stand(admin):
    now = timezone.now()
    order(admin, JobState.QUEUED, created_at=now - LONG)
    order(admin, JobState.QUEUED)
    order(admin, JobState.WORKING, beat_at=now)
    order(admin, JobState.WORKING, beat_at=now - LAPSE - timedelta(seconds=5))
    order(admin, JobState.FAILED, finished_at=now - LONG)
    order(admin, JobState.FAILED, finished_at=now - LATELY - LONG)
    order(admin, JobState.DONE, finished_at=now)
    work = figures()["bulk_change"]
    assert (work.waiting, work.working, work.stuck, work.failed) == (2, 2, 1, 1)
    assert work.oldest == pytest.approx(LONG.total_seconds(), abs=30)


def test_an_import_waits_in_either_phase_and_not_while_a_person_looks_at_it(admin):
    def uploaded(state: str, **fields) -> None:
        Import.objects.create(project=admin.project, file_name="a.csv", sha256="0" * 64, state=state, **fields)

    uploaded(ImportState.UPLOADED)
    uploaded(ImportState.IMPORTING)  # nobody has begun to store it
    uploaded(ImportState.CHECKED)
    uploaded(ImportState.IMPORTING, beat_at=timezone.now())
    work = figures()["import"]
    assert (work.waiting, work.working, work.stuck) == (2, 1, 0)


def test_runs_are_due_or_wait_for_later_or_have_lost_their_worker(monkeypatch):
    register(Rounds(), monkeypatch)
    now = timezone.now()
    queued(not_before=now - LONG)
    queued(not_before=now + LONG)
    queued(state="running", lease_until=now + LONG)
    queued(state="running", lease_until=now - LONG)
    queued(state="failed", finished_at=now - LONG)
    queued(state="failed", finished_at=now - LATELY - LONG)
    work = figures()["run"]
    assert (work.waiting, work.later, work.working, work.stuck, work.failed) == (1, 1, 2, 1, 1)
    assert work.oldest == pytest.approx(LONG.total_seconds(), abs=30)
    assert Run.objects.count() == 6


def test_messages_of_a_webhook_wait_for_a_receiver_that_failed_or_was_switched_off(webhook):
    def message(state: str, **fields) -> None:
        Delivery.objects.create(
            webhook=webhook,
            key=str(uuid4()),
            happening="item.closed",
            happened_at=timezone.now(),
            state=state,
            **fields,
        )

    message(DeliveryState.WAITING)
    message(DeliveryState.GIVEN_UP, tried_at=timezone.now())
    assert (figures()["webhook"].waiting, figures()["webhook"].later, figures()["webhook"].failed) == (1, 0, 1)
    Webhook.objects.update(resume_at=timezone.now() + LONG)
    assert (figures()["webhook"].waiting, figures()["webhook"].later, figures()["webhook"].stuck) == (0, 1, 0)
    Webhook.objects.update(resume_at=None, disabled_at=timezone.now())
    assert (figures()["webhook"].waiting, figures()["webhook"].later, figures()["webhook"].stuck) == (0, 1, 1)


def test_mail_is_due_or_waits_or_was_given_up():
    def mail(state: str, **fields) -> None:
        fields = {"kind": MailKind.ACCESS_ASKED, "due_at": timezone.now(), **fields}
        Mail.objects.create(address="a@example.org", address_digest="0", state=state, **fields)

    mail(MailState.WAITING, due_at=timezone.now() - LONG)
    mail(MailState.WAITING, due_at=timezone.now() + LONG)
    mail(MailState.GIVEN_UP, finished_at=timezone.now())
    mail(MailState.SENT, finished_at=timezone.now())
    work = figures()["mail"]
    assert (work.waiting, work.later, work.failed) == (1, 1, 1)
    assert work.oldest == pytest.approx(LONG.total_seconds(), abs=30)
