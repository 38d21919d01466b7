"""What a page answers that fails: 404 where its project or the viewer's membership ended meanwhile, else a fault."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve
from django.utils import timezone

from annotation.models import Membership, Project
from builders import make_member, make_project
from config.web.ended_project import EndedProject

pytestmark = pytest.mark.django_db
FAULTS = (Project.DoesNotExist("gone"), DatabaseError("Save with update_fields did not affect any rows."), ValueError())


def refuse(request: HttpRequest) -> HttpResponse:
    """Stand for the next step of the chain, which these tests never come to."""
    raise AssertionError("A fault is answered without asking the view again.")


def answer(member: Membership, fault: Exception, path: str = "/p/garden/label/") -> HttpResponse | None:
    """Return the answer to a view of this member that ended with the fault."""
    request = RequestFactory().get(path)
    request.user, request.resolver_match = member.user, resolve(path)
    return EndedProject(refuse).process_exception(request, fault)


@pytest.fixture
def member() -> Membership:
    return make_member(make_project("garden"))


def leave(member: Membership) -> None:
    Membership.objects.filter(pk=member.pk).update(active=False)


def rename(member: Membership) -> None:
    Project.objects.filter(pk=member.project_id).update(slug="elsewhere")


def fall_due(member: Membership) -> None:
    Project.objects.filter(pk=member.project_id).update(delete_after=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("end", (leave, rename, fall_due))
def test_a_fault_after_the_end_is_404(member: Membership, end: Callable[[Membership], None]) -> None:
    end(member)
    for fault in FAULTS:
        page, operation = answer(member, fault), answer(member, fault, "/api/v1/projects/garden/next/")
        assert page is not None and operation is not None
        assert page.status_code == operation.status_code == 404
        assert b'"code": "not_found"' in operation.content


def test_an_address_of_a_project_that_never_was_leaves_no_line_in_the_log(
    client: Client, member: Membership, caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(member.user)
    for path in ("/p/never-was/label/", "/p/never-was/items/", "/api/v1/projects/never-was/items/"):
        assert client.get(path).status_code == 404
    assert "ended" not in caplog.text
    Membership.objects.filter(pk=member.pk).update(active=False)
    assert answer(member, ValueError()) is not None
    assert "its project or membership ended" in caplog.text


def test_a_fault_while_the_project_goes_on_stays_one(member: Membership) -> None:
    Project.objects.update(delete_after=timezone.now() + timedelta(days=1))  # it is read until then
    assert [answer(member, fault) for fault in FAULTS] == [None] * len(FAULTS)
    assert answer(member, ValueError(), "/me/") is None


def test_a_link_without_a_project_in_its_address_ends_alike(member: Membership) -> None:
    page = answer(member, Project.DoesNotExist(), "/invite/token/")
    assert page is not None and page.status_code == 404


def test_a_database_that_is_away_is_told_as_such(member: Membership) -> None:
    leave(member)
    assert answer(member, OperationalError("database is locked")) is None
