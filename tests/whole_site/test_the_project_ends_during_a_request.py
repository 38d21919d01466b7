"""A project is purged right before any SQL statement of a request: no answer is a fault, and nothing is left behind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from traceback import format_exc
from uuid import uuid4

import pytest
from django.core.signals import got_request_exception
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.choices import Role
from annotation.models import Membership, Project, Seat
from annotation.operations.sweep import sweep
from annotation.projects import purge
from at_statement import Statements, before_statement
from builders import make_member, make_open_item, make_project
from project_rows import left_of
from release_builders import make_gold

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Campaign:
    """A new project whose admin holds a seat, and the admin's browser."""

    project: Project = field(default_factory=make_project)
    admin: Membership = field(init=False)
    seat: Seat = field(init=False)
    browser: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def __post_init__(self) -> None:
        self.admin = make_member(self.project, *Role)
        for _ in range(2):
            make_open_item(self.project)
        make_gold(self.project, [make_member(self.project) for _ in range(3)])
        held = claim(self.admin)
        assert isinstance(held, HeldSeat)
        self.seat = held.seat
        self.browser.force_login(self.admin.user)

    def end(self) -> None:
        Project.objects.filter(pk=self.project.pk).update(delete_after=timezone.now() - timedelta(hours=1))
        purge.purge_due()

    def post(self, page: str, *parts: object, **fields: object) -> int:
        return self.browser.post(reverse(page, args=(self.project.slug, *parts)), fields).status_code


def upload(campaign: Campaign) -> int:
    file = BytesIO(b"id,text\n1,A new post.\n")
    file.name = "posts.csv"
    return campaign.post("annotation:import", file=file)


def claim_post(campaign: Campaign) -> int:
    Seat.objects.filter(pk=campaign.seat.pk).update(annotator=None, held_at=None, expires_at=None, shown_at=None)
    return campaign.browser.get(reverse("annotation:label", args=(campaign.project.slug,))).status_code


def label(campaign: Campaign) -> int:
    return campaign.post("annotation:submit", campaign.seat.public_id, category="1", key=uuid4())


def order_release(campaign: Campaign) -> int:
    return campaign.post("annotation:releases", key=uuid4())


def change_settings(campaign: Campaign) -> int:
    return campaign.post(
        "annotation:project-settings", name="Other", policy="review", prior_display="shown", order="breadth",
        lease_minutes=20, low_quality_threshold=1, extra_seats=0, daily_goal=0, consent_text="Another.",
    )  # fmt: skip


def start_runs(campaign: Campaign) -> int:
    address = reverse("runs-api:runs", args=(campaign.project.slug,))
    return campaign.browser.post(address, {"method": "baseline"}, "application/json").status_code


Visit = Callable[[Campaign], int]
VISITS = (upload, claim_post, label, order_release, change_settings, start_runs)


def visit_while_it_ends(visit: Visit, statement: int | None) -> Statements:
    """Visit a new campaign that is purged before the statement. No answer is a fault, and nothing is left."""
    campaign, faults = Campaign(), []

    def note_fault(**_: object) -> None:
        faults.append(format_exc())

    got_request_exception.connect(note_fault)
    with before_statement(statement, campaign.end) as seen:
        status = visit(campaign)
    assert status < 500, "\n".join(faults)
    campaign.end()
    sweep()
    assert left_of(campaign.project) == {}
    return seen


@pytest.mark.parametrize("visit", VISITS)
def test_a_project_that_is_purged_right_after_the_door_is_no_fault(visit: Visit) -> None:
    texts = visit_while_it_ends(visit, None).texts
    door = next(number for number, text in enumerate(texts) if 'FROM "annotation_membership"' in text)
    assert visit_while_it_ends(visit, door + 1).happened


@pytest.mark.slow
@pytest.mark.parametrize("visit", VISITS)
def test_a_project_may_be_purged_before_any_statement_of_a_request(visit: Visit) -> None:
    happened = number = 0
    while number < len((seen := visit_while_it_ends(visit, number)).texts):
        happened += seen.happened
        number += 1
    assert happened >= 3
