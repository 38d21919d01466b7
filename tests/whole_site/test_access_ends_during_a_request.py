"""Somebody loses a role, their access or their account right before a statement of a request of theirs (threat T41).

The request is one from before or one from after: it is stored whole or refused, never a fault, and the next one of the
same open page is refused.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.choices import EventVerb, Role
from annotation.members import participation
from annotation.members.erasure import erase
from annotation.members.roles import change_roles
from annotation.models import Event, Invitation, Label, Membership, Project, Seat, User
from at_statement import before_statement
from builders import make_member, make_open_item, make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

STEP = 3
"""Every third statement is tried; the first number differs from case to case."""


class Desk:
    """A person at an open page: their roles, a held seat, a session and a token; another admin is there too."""

    def __init__(self) -> None:
        self.project: Project = make_project()
        self.boss, self.member = make_member(self.project, Role.ADMIN), make_member(self.project, *Role)
        make_open_item(self.project)
        held = claim(self.member)
        assert isinstance(held, HeldSeat)
        self.seat: Seat = held.seat
        assert self.member.user is not None
        self.user: User = self.member.user
        self.browser = Client(raise_request_exception=False)
        self.browser.force_login(self.user)
        self.token = AuthToken.objects.create(self.user)[1]

    def address(self, page: str, *parts: object) -> str:
        return reverse(page, args=(self.project.slug, *parts))

    def refreshed(self) -> Membership:
        return Membership.objects.get(pk=self.member.pk)


def demoted(desk: Desk) -> None:
    change_roles(desk.boss, desk.refreshed(), {"annotates": False, "reviews": True, "administers": False})


def removed(desk: Desk) -> None:
    participation.deactivate(desk.refreshed(), desk.boss)


def erased(desk: Desk) -> None:
    erase(User.objects.get(pk=desk.user.pk), desk.boss)


def status_of(answer: HttpResponseBase) -> int:
    """Return the status; 401 where the answer leads to the sign-in."""
    return 401 if "/accounts/login/" in answer.headers.get("Location", "") else answer.status_code


def label(desk: Desk) -> int:
    address = desk.address("annotation:submit", desk.seat.public_id)
    return status_of(desk.browser.post(address, {"category": "1", "key": uuid4()}))


def invite(desk: Desk) -> int:
    fields = {"invite-roles": "annotator", "invite-days": 14}
    return status_of(desk.browser.post(desk.address("annotation:invitations"), fields))


def rename(desk: Desk) -> int:
    headers = {"authorization": f"Token {desk.token}"}
    fields = {"name": "Another name"}
    return (
        Client(raise_request_exception=False)
        .patch(desk.address("api:settings"), fields, "application/json", headers=headers)
        .status_code
    )


EVENTS: list[Callable[[Desk], None]] = [demoted, removed, erased]
REQUESTS: list[Callable[[Desk], int]] = [label, invite, rename]


def stored(desk: Desk) -> dict[str, Any]:
    """Return what the requests change."""
    events = Event.objects.filter(project=desk.project, actor=desk.member)
    return {
        "label": (
            Label.objects.filter(annotator=desk.member).count(),
            Seat.objects.filter(label__isnull=False).count(),
        ),
        "invite": (
            Invitation.objects.filter(project=desk.project).count(),
            events.filter(verb=EventVerb.INVITED).count(),
        ),
        "rename": (
            int(Project.objects.get(pk=desk.project.pk).name == "Another name"),
            int(events.filter(verb=EventVerb.CHANGE_SETTINGS).exists()),
        ),
    }


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("send", REQUESTS)
def test_a_request_is_one_from_before_or_one_from_after(send: Callable[[Desk], int], event: Callable[[Desk], None]):
    first = Desk()
    with before_statement(None, lambda: None) as seen:
        assert send(first) < 400
    assert stored(first)[send.__name__] == (1, 1)
    happened = 0
    for number in range(len(send.__name__) % STEP, len(seen.texts), STEP):
        desk = Desk()
        before = stored(desk)
        with before_statement(number, lambda desk=desk: event(desk)) as during:  # type: ignore[misc]  # of a lambda
            status = send(desk)
        if not during.happened:
            event(desk)
        happened += during.happened
        assert status < 500, (number, seen.texts[number])
        after = stored(desk)[send.__name__]
        changed = tuple(new - old for new, old in zip(after, before[send.__name__], strict=True))
        assert changed == ((1, 1) if status < 400 else (0, 0)), (number, status, seen.texts[number])
        assert not Seat.objects.filter(annotator=desk.member, label=None).exists()
        assert send(desk) in (401, 403, 404), number
        assert stored(desk)[send.__name__] == after
    assert happened
