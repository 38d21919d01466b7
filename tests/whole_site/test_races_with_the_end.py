"""People label, import, release and run models while somebody leaves, is erased, or the whole project is purged."""

import time
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from traceback import format_exc
from uuid import uuid4

import pytest
from django.core.signals import got_request_exception
from django.test import Client
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.answer import Answer
from annotation.domain.choices import OnWithdrawal, Role, Stage
from annotation.labelling import submit, withdraw_labels
from annotation.members import participation
from annotation.members.erasure import erase
from annotation.models import Deletion, Item, Label, Membership, Project, Seat
from annotation.operations.audit import audit
from annotation.operations.sweep import sweep
from annotation.projects import lifecycle, purge
from builders import make_member, make_open_item, make_project
from concurrency import at_once
from project_rows import left_of
from release_builders import make_gold

pytestmark = pytest.mark.django_db(transaction=True)


def work(member: Membership) -> list[object]:
    """Label until there is nothing left, or until it is refused; return what came of each answer."""
    outcomes: list[object] = []
    while isinstance(held := claim(member), HeldSeat):
        outcomes.append(submit.submit_label(member, held.seat.public_id, uuid4(), Answer(category=1)))
    return outcomes


def finish(members: list[Membership]) -> None:
    Membership.objects.update(idle_until=None)
    for member in members:
        work(member)


@pytest.fixture
def crew() -> list[Membership]:
    project = make_project(on_withdrawal=OnWithdrawal.REMOVE)
    for _ in range(12):
        make_open_item(project)
    return [make_member(project) for _ in range(5)]


def test_somebody_withdraws_while_everybody_and_they_themselves_label(crew: list[Membership]) -> None:
    leaver, *others = crew
    at_once([lambda member=member: work(member) for member in crew] + [lambda: participation.withdraw(leaver)])
    withdraw_labels.withdraw_labels_of(leaver)
    finish(others)
    assert not Seat.objects.filter(annotator=leaver).exists()
    assert set(Item.objects.values_list("stage", flat=True)) == {Stage.GOLD}
    assert audit(leaver.project) == []


def test_an_account_is_erased_while_its_person_labels(crew: list[Membership]) -> None:
    leaver, *others = crew
    user = leaver.user
    at_once([lambda member=member: work(member) for member in crew] + [lambda: erase(user)])
    finish(others)
    leaver.refresh_from_db()
    assert not leaver.active and leaver.user is not None and not leaver.user.is_active
    held = Seat.objects.filter(annotator=leaver)
    assert not held.filter(label=None).exists(), "a seat is held by somebody who is gone"
    assert set(Item.objects.values_list("stage", flat=True)) == {Stage.GOLD}
    assert Label.objects.count() == Seat.objects.exclude(annotator=None).count()
    assert audit(leaver.project) == []


@pytest.fixture
def garden() -> Project:
    project = make_project("garden")
    people = [make_member(project) for _ in range(3)]
    for _ in range(30):
        make_open_item(project)
    for _ in range(5):
        make_gold(project, people)
    return project


def visits(member: Membership, visit: Callable[[Client], int], statuses: list[int]) -> Callable[[], None]:
    """Return what makes six visits, one after the other, and notes the statuses of the answers."""
    client = Client(raise_request_exception=False)
    client.force_login(member.user)
    return lambda: statuses.extend(visit(client) for _ in range(6))


def upload(client: Client) -> int:
    file = BytesIO(f"id,text\n{uuid4()},A new post.\n".encode())
    file.name = "posts.csv"
    return client.post("/p/garden/import/", {"file": file}).status_code


def label(client: Client) -> int:
    page = client.get("/p/garden/label/")
    seat = page.context.get("seat") if page.status_code == 200 and page.context else None
    if seat is None:
        return page.status_code
    return client.post(f"/p/garden/label/{seat.public_id}/", {"category": "1", "key": str(uuid4())}).status_code


def order_release(client: Client) -> int:
    return client.post("/p/garden/releases/", {"key": str(uuid4())}).status_code


def start_runs(client: Client) -> int:
    return client.post("/api/v1/projects/garden/runs/", {"method": "baseline"}, "application/json").status_code


def test_a_project_is_purged_while_people_label_import_release_and_run_models(garden: Project) -> None:
    admin = make_member(garden, Role.ADMIN, Role.REVIEWER)
    theirs = make_member(make_project("orchard"))
    make_open_item(theirs.project)
    statuses: list[int] = []
    faults: list[str] = []

    def note_fault(**_: object) -> None:
        faults.append(format_exc())

    def end() -> None:
        for _attempt in range(600):
            try:
                lifecycle.ask_deletion(garden, admin)
                break
            except lifecycle.UnderWay:  # a file of posts or a release is just being taken
                time.sleep(0.05)
        Project.objects.filter(pk=garden.pk).update(delete_after=timezone.now() - timedelta(hours=1))
        purge.purge_due()

    annotators = Membership.objects.filter(project=garden, annotates=True, administers=False).select_related("user")
    got_request_exception.connect(note_fault)
    at_once(
        [
            *(visits(member, label, statuses) for member in annotators),
            *(visits(admin, visit, statuses) for visit in (upload, order_release, start_runs)),
            end,
        ]
    )
    for _ in range(3):
        sweep()
    assert {status for status in statuses if status >= 500} <= {503}, "\n".join(faults)
    assert Deletion.objects.get(slug="garden").finished_at is not None
    assert left_of(garden) == {}
    work(theirs)
    assert audit(theirs.project) == []
