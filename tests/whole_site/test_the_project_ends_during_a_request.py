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
        end(self)

    def post(self, page: str, *parts: object, **fields: object) -> int:
        return self.browser.post(reverse(page, args=(self.project.slug, *parts)), fields).status_code


def end(*campaigns: Campaign) -> None:
    keys = [campaign.project.pk for campaign in campaigns]
    Project.objects.filter(pk__in=keys).update(delete_after=timezone.now() - timedelta(hours=1))
    purge.purge_due()


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


class Visits:
    """Visits of new campaigns, each of which is purged before a statement."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.campaigns = visit, list[Campaign]()

    def __call__(self, statement: int | None) -> Statements:
        """Visit a new campaign. No answer is a fault."""
        campaign, faults = Campaign(), []
        self.campaigns.append(campaign)

        def note_fault(**_: object) -> None:
            faults.append(format_exc())

        got_request_exception.connect(note_fault)
        with before_statement(statement, campaign.end) as seen:
            status = self.visit(campaign)
        assert status < 500, "\n".join(faults)
        return seen

    def leave_nothing(self) -> None:
        """End what is left and sweep once. Nothing of any campaign stays."""
        end(*self.campaigns)
        sweep()
        assert [left for campaign in self.campaigns if (left := left_of(campaign.project))] == []


@pytest.mark.parametrize("visit", VISITS)
def test_a_project_that_is_purged_right_after_the_door_is_no_fault(visit: Visit) -> None:
    visits = Visits(visit)
    door = next(number for number, text in enumerate(visits(None).texts) if 'FROM "annotation_membership"' in text)
    assert visits(door + 1).happened
    visits.leave_nothing()


@pytest.mark.slow
@pytest.mark.parametrize("visit", VISITS)
def test_a_project_may_be_purged_before_any_statement_of_a_request(visit: Visit) -> None:
    """A statement is left out where nobody else could write before it: there the request would go on undisturbed.

    What a transaction has locked stays so until its end.
    """
    visits, happened, locking = Visits(visit), 0, list[object]()
    undisturbed = visits(None)
    for number, transaction in enumerate(undisturbed.transactions):
        if undisturbed.closed[number] or (transaction is not None and transaction in locking):
            continue
        if visits(number).happened:
            happened += 1
        else:
            locking.append(transaction)
    assert happened >= 3
    visits.leave_nothing()
