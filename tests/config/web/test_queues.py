"""The page of queues: only the site's staff sees it, it takes few statements, and each button does what it says."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.core.jobs import LAPSE
from annotation.domain.choices import Role
from annotation.domain.outgoing import DeliveryState
from annotation.models import BulkOrder, Delivery, Event, JobState, Prior, Webhook
from annotation.operations import sweep
from annotation.priors.method import NAME as PRIOR
from annotation.webhooks.change import store
from config.models import Pulse
from config.web import queues
from markup import compact
from runs.models import Pause, Run, WorkerLoad
from runs.queue import task_messages
from scripted_runs import Rounds, queued, register, step

pytestmark = pytest.mark.django_db

LONG = timedelta(hours=1)
STATEMENTS = 31
"""2 of the session and its user, 1 of the sweep, 14 of work, 1 of workers, 1 of pauses, 6 of jobs, 2 of lapsed runs and
their projects, 2 of failed ones, 1 of webhooks."""


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(builders.make_user(is_staff=True))
    return client


@pytest.fixture
def admin():
    return builders.make_member(builders.make_project(), Role.ADMIN)


@pytest.fixture
def rounds(monkeypatch):
    return register(Rounds([[step("a")]]), monkeypatch)


@pytest.fixture
def told(monkeypatch) -> list[tuple]:
    """What workers were told."""
    tasks: list[tuple] = []
    monkeypatch.setattr("annotation.core.jobs.enqueue_task", lambda *task: tasks.append(task) or True)
    monkeypatch.setattr(task_messages, "enqueue_task", lambda *task: tasks.append(task) or True)
    return tasks


def order(admin, state: str = JobState.QUEUED, **fields) -> BulkOrder:
    fields = {"created_at": timezone.now() - LONG, **fields}
    return BulkOrder.objects.create(
        project=admin.project, ordered_by=admin, key=uuid4(), act="open", state=state, **fields
    )


def failed_run(project=None, **fields) -> Run:
    fields = {"state": "failed", "reason": "timeout", "finished_at": timezone.now(), **fields}
    return queued(project and project.public_id, **fields)


def press(client: Client, act: str, **fields: object) -> str:
    """Press a button; return the message of the page that follows."""
    answer = client.post("/queues/do/", {"act": act, **fields}, follow=True)
    assert answer.redirect_chain == [("/queues/", 302)]
    return " ".join(str(message) for message in answer.context["messages"])


# ── Who may ───────────────────────────────────────────────────────────────────


def test_only_staff_sees_the_page_and_its_link_and_presses_its_buttons(client, admin):
    missing = client.get("/nowhere-at-all/").status_code
    for user in (None, admin.user):
        if user:
            client.force_login(user)
            assert b"/queues/" not in client.get("/").content
        assert client.get("/queues/").status_code in (missing, 302)
        assert client.post("/queues/do/", {"act": "repair"}).status_code in (missing, 302)
    client.force_login(builders.make_user(is_staff=True))
    assert b'href="/queues/"' in client.get("/").content
    assert client.get("/queues/").status_code == 200


@pytest.mark.parametrize(
    "form",
    [
        {"act": "explode"},
        {},
        {"act": "send", "kind": "import", "id": str(uuid4())},
        {"act": "cancel", "kind": "run", "id": str(uuid4())},
        {"act": "cancel", "kind": "import", "id": "7"},
        {"act": "switch-on", "id": str(uuid4())},
        {"act": "cancel-run"},
    ],
)
def test_what_no_button_sends_is_not_found(staff, form):
    assert staff.post("/queues/do/", form).status_code == 404


def test_the_buttons_are_no_links(staff):
    assert staff.get("/queues/do/").status_code == 405
    assert staff.post("/queues/").status_code == 405


# ── What is shown ─────────────────────────────────────────────────────────────


def test_a_site_at_rest_says_so(staff):
    Pulse.beat("worker")
    WorkerLoad.objects.create(process="lab:7", at=timezone.now(), runs=3, delay=0.25)
    page = compact(staff.get("/queues/").content.decode())
    assert "lab:7" in page
    for heading in (
        "Nobody sweeps",
        "Jobs to look at",
        "Runs without",
        "Runs that failed",
        "Webhooks that",
        "does not",
    ):
        assert heading not in page


def test_what_is_wrong_is_named(staff, admin, monkeypatch):
    Pause.objects.create(provider="openai", detail="The key is not valid.", until=timezone.now() + LONG)
    Pause.objects.create(provider="lab", model="lab:locked", detail="No access.", until=timezone.now() + LONG)
    order(admin, JobState.FAILED, finished_at=timezone.now(), problem="The disk is full.")
    monkeypatch.setattr(task_messages, "queue_lengths", lambda: None)
    page = compact(staff.get("/queues/").content.decode())
    assert "lab:locked is not answering" in page
    for sentence in ("Nobody sweeps", "The broker does not answer", "The key is not valid.", "The disk is full."):
        assert sentence in page
    assert admin.project.name in page


def test_the_page_takes_the_same_statements_however_much_is_wrong(staff, admin, rounds):
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert staff.get("/queues/").status_code == 200
        return len(captured)

    store(admin, "https://receiver.example.org/", ["item.closed"])
    Webhook.objects.update(disabled_at=timezone.now())
    trouble(admin, 1)
    assert statements() == STATEMENTS
    trouble(admin, 3)
    assert statements() == STATEMENTS


def trouble(admin, number: int) -> None:
    for _ in range(number):
        order(admin)
        order(admin, JobState.WORKING, beat_at=timezone.now() - LONG)
        order(admin, JobState.FAILED, finished_at=timezone.now())
        failed_run(admin.project)
        queued(admin.project.public_id, state="running", lease_until=timezone.now() - LONG)


@pytest.mark.parametrize(("language", "heading"), [("ko", "대기열"), ("zh-hans", "队列")])
def test_the_page_speaks_the_persons_language(client, admin, rounds, language, heading):
    client.force_login(builders.make_user(is_staff=True, language=language))
    trouble(admin, 1)
    page = compact(client.get("/queues/").content.decode())
    assert f"<h1>{heading}</h1>" in page
    assert "Nobody sweeps" not in page and "Put back" not in page


# ── What is pressed ───────────────────────────────────────────────────────────


def test_a_worker_is_told_of_a_waiting_job_again(staff, admin, told):
    row = order(admin)
    assert "told" in press(staff, "send", kind="bulk_change", id=row.public_id)
    assert told == [("annotation.tasks.perform_job", "bulk_change", row.pk)]


def test_it_is_said_if_no_worker_can_be_told(staff, admin, monkeypatch):
    monkeypatch.setattr("annotation.core.jobs.enqueue_task", lambda *task: False)
    assert "broker does not answer" in press(staff, "send", kind="bulk_change", id=order(admin).public_id)


def test_a_waiting_job_is_cancelled_at_once_and_a_stuck_one_by_the_next_worker(staff, admin, told):
    waiting = order(admin)
    stuck = order(admin, JobState.WORKING, beat_at=timezone.now() - LAPSE - LONG)
    for row in (waiting, stuck):
        assert "cancelled" in press(staff, "cancel", kind="bulk_change", id=row.public_id)
        row.refresh_from_db()
    assert waiting.state == JobState.CANCELLED
    assert (stuck.state, stuck.cancel_requested) == (JobState.WORKING, True)
    assert ("annotation.tasks.perform_job", "bulk_change", stuck.pk) in told
    done = order(admin, JobState.DONE)
    assert "ended in the meantime" in press(staff, "cancel", kind="bulk_change", id=done.public_id)


def test_runs_without_a_sign_of_life_go_back_into_the_queue(staff, rounds, told):
    lost = queued(state="running", owner="gone.1.x", lease_until=timezone.now() - LONG)
    assert press(staff, "put-back") == "1 run goes on."
    lost.refresh_from_db()
    assert (lost.state, lost.lost_workers) == ("queued", 1)
    assert told == [("runs.tasks.perform_run", lost.pk)]


def test_a_run_without_a_sign_of_life_is_cancelled(staff, rounds, told):
    lost = queued(state="running", owner="gone.1.x", lease_until=timezone.now() - LONG)
    assert "cancelled" in press(staff, "cancel-run", id=lost.public_id)
    lost.refresh_from_db()
    assert lost.cancel_requested
    assert "ended in the meantime" in press(staff, "cancel-run", id=failed_run().public_id)


def test_runs_that_failed_for_one_reason_are_queued_again(staff, rounds, admin):
    first, second = failed_run(admin.project), failed_run(admin.project)
    other = failed_run(admin.project, reason="bad_request")
    assert press(staff, "retry", method="rounds", reason="timeout") == "2 runs are queued again."
    for run, state in ((first, "queued"), (second, "queued"), (other, "failed")):
        run.refresh_from_db()
        assert run.state == state


def test_one_press_queues_no_more_than_it_says(staff, rounds, admin, monkeypatch):
    monkeypatch.setattr(queues, "MOST_RETRIED", 2)
    for _ in range(3):
        failed_run(admin.project)
    assert "Try 2 again" in compact(staff.get("/queues/").content.decode())
    assert press(staff, "retry", method="rounds", reason="timeout") == "2 runs are queued again."
    assert press(staff, "retry", method="rounds", reason="timeout") == "1 run is queued again."


def test_runs_of_a_closed_project_and_priors_are_not_queued_again_here(staff, rounds, admin):
    archived = builders.make_project(archived_at=timezone.now())
    failed_run(archived)
    item = builders.make_item(admin.project)
    prior = failed_run(admin.project, method=PRIOR, subject=item.public_id, variant="text")
    Prior.objects.create(item=item, modality="text", state="failed", run_id=prior.public_id, model="file:sample")
    page = compact(staff.get("/queues/").content.decode())
    assert "again</button>" not in page and "asked again on the project" in page
    for method in ("rounds", PRIOR):
        assert press(staff, "retry", method=method, reason="timeout") == "0 runs are queued again."
    assert set(Run.objects.values_list("state", flat=True)) == {"failed"}


def test_a_webhook_that_was_switched_off_is_switched_on(staff, admin):
    store(admin, "https://receiver.example.org/", ["item.closed"])
    webhook = Webhook.objects.get()
    Delivery.objects.create(
        webhook=webhook, key="a", happening="item.closed", happened_at=timezone.now(), state=DeliveryState.WAITING
    )
    Webhook.objects.update(disabled_at=timezone.now(), failures=12)
    assert "on again" in press(staff, "switch-on", id=webhook.public_id)
    webhook.refresh_from_db()
    assert (webhook.disabled_at, webhook.failures) == (None, 0)
    event = Event.objects.filter(verb="webhook_changed").latest("pk")
    assert (event.actor, event.facts) == (None, {"what": "on"})


def test_everything_that_was_left_behind_is_put_right_at_once(staff, admin, told):
    row = order(admin)
    assert "put right" in press(staff, "repair")
    assert ("annotation.tasks.perform_job", "bulk_change", row.pk) in told


def test_a_step_that_failed_is_named(staff, monkeypatch, told):
    def broken() -> int:
        raise ZeroDivisionError

    monkeypatch.setitem(sweep.STEPS, "seats_freed", broken)
    assert "seats_freed" in press(staff, "repair")


@pytest.mark.parametrize("lengths", [{"rest": 7}, {"runs": 7, "imports": 0, "releases": 0, "figures": 0, "rest": 0}])
def test_messages_of_the_broker_are_shown_by_queue_and_as_all_work_where_there_is_one(staff, monkeypatch, lengths):
    monkeypatch.setattr(task_messages, "queue_lengths", lambda: lengths)
    page = compact(staff.get("/queues/").content.decode())
    assert ("All work" in page) == (len(lengths) == 1)
    assert ("All else" in page) == (len(lengths) > 1)
    assert "<dd>7</dd>" in page
