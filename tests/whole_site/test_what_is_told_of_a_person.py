"""What the people of a project are told of one person, over every address that they may open, and every file.

Two promises of the consent: admins see how somebody labels and never their skips, pauses, opt-outs and check-ins; and
the user name of somebody who left is shown nowhere in the project.
"""

import difflib
import io
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.choices import EventVerb, Role
from annotation.members import participation
from annotation.members.invitations import invite
from annotation.models import (
    CheckIn,
    Event,
    Invitation,
    Membership,
    OptOut,
    PostponedSeat,
    Skip,
    TrainingAttempt,
    User,
    WorkDay,
    event_of,
)
from builders import make_user
from site_addresses import ROUTES, Route
from site_objects import A, D, R, World, module_world, project, with_, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]

QUALITY_TABLES = ("people", "work", "trends", "drift", "pairs", "versions")
DASHBOARD_TABLES = ("annotators", "pairs", "days")
MORE = [
    *(("annotation:quality-table", with_(name=lambda _world, name=name: name)) for name in QUALITY_TABLES),
    *(("annotation:dashboard-table", with_(name=lambda _world, name=name: name)) for name in DASHBOARD_TABLES),
    *(("annotation:items-file", with_(kind=lambda _world, kind=kind: kind)) for kind in ("csv", "jsonl")),
    ("annotation:items", project),
]
"""Addresses beside those of `ROUTES`: each table of the figures, each file of the items."""
_CHANGING = re.compile(
    rb'(?:name="(?:csrfmiddlewaretoken|invite-key|key)" value=|"X-CSRFToken": *|"as_of":)"[^"]+"|"longest_wait":[0-9.]+'
    rb"|(?:under a minute|(?:a|[0-9]+)(?:\xc2\xa0| )(?:second|minute)s?)(?: ago)?|for [0-9]+ s\."
)
"""What differs from one look at a page to the next: keys of forms, and how long ago something was."""


@pytest.fixture
def addresses(world: World) -> list[tuple[str, str]]:
    """Every address with a page, an answer or a file for admins or reviewers, with the name of its route."""
    routes = [(name, route.parts) for name, route in ROUTES.items() if _is_read_by_the_project(route)]
    found = [(name, reverse(name, kwargs=parts(world))) for name, parts in [*routes, *MORE]]
    for person in Membership.objects.filter(project=world.project, user__isnull=False):
        found += [(name, reverse(name, args=[world.project.slug, person.public_id])) for name in _ABOUT_ONE]
    files = [file["path"] for file in world.release.manifest["files"]]
    found += [("a file", reverse("annotation:release-file", args=[world.project.slug, 1, path])) for path in files]
    asked = [("items that were skipped", f"{reverse('annotation:items', args=[world.project.slug])}?skipped=yes")]
    return [*found, *asked]


_ABOUT_ONE = ("annotation:member", "annotation:quality-person", "api:member")


def _is_read_by_the_project(route: Route) -> bool:
    return "get" in route.methods and route.roles is not None and bool({R, D} & set(route.roles))


def walk(world: World, addresses: list[tuple[str, str]]) -> dict[tuple[str, str, str], bytes]:
    """Return what admins, reviewers and site admins are sent by every address, by who asks, route and address."""
    site_admin = User.objects.get(username="site-admin")
    sent = {}
    for who, user in [("admin", world.members[D].user), ("reviewer", world.members[R].user), ("site", site_admin)]:
        client = Client(raise_request_exception=False)
        client.force_login(user)
        for name, address in administration() if who == "site" else addresses:
            with transaction.atomic():
                answer = client.get(address)
                content = b"".join(answer.streaming_content) if answer.streaming else answer.content
                transaction.set_rollback(True)
            assert answer.status_code < 500, (who, address)
            if answer.status_code == 200:
                sent[who, name, address] = _CHANGING.sub(b"", b"".join(_unpacked(content)))
    return sent


def administration() -> Iterator[tuple[str, str]]:
    """The site administration's pages about members and events, list, search and each row."""
    for model in ("membership", "event"):
        listed = reverse(f"admin:annotation_{model}_changelist")
        yield from ((model, listed), (model, f"{listed}?q=canary-username"))
        rows = Membership if model == "membership" else Event
        for key in rows.objects.order_by("pk").values_list("pk", flat=True):
            yield model, reverse(f"admin:annotation_{model}_change", args=[key])


def _unpacked(content: bytes) -> Iterator[bytes]:
    if not content.startswith(b"PK"):
        yield content
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name.encode() + archive.read(name)


# ── Skips, pauses, opt-outs, check-ins ────────────────────────────────────────


def plant(world: World, careful: Membership, other: Membership, now: datetime) -> None:
    """Let one member skip, put aside, pause, opt out, check in and set own limits; the other one does nothing of it."""
    today, keys = timezone.localdate(now), count(900_001)  # the same keys each time: the administration shows them

    def write(verb: EventVerb, **about: Any) -> None:
        event = event_of(verb, **about)
        event.at, event.pk = now, next(keys)
        event.save(force_insert=True)

    for item in (world.item, world.open_item):
        Skip.objects.create(item=item, annotator=careful, reason="canary-reason", created_at=now)
        for verb in (EventVerb.SKIPPED, EventVerb.GLOSSARY_OPENED):
            write(verb, project=world.project, actor=careful, item=item, row=item.public_id)
        write(EventVerb.SEAT_LAPSED, project=world.project, item=item, row=item.public_id, holder="canary-holder")
    PostponedSeat.objects.create(seat=world.seat, member=careful, created_at=now)
    WorkDay.objects.create(member=careful, day=today, skips=7, shown=61, severe=43, breaks=5, last_act_at=now)
    OptOut.objects.create(member=careful, target_group="canary-group", created_at=now)
    for days in range(15):
        CheckIn.objects.create(member=careful, day=today - timezone.timedelta(days=days), mood=1, at=now)
    Membership.objects.filter(pk=careful.pk).update(severe_a_day=3, minutes_a_day=17)
    for member in sorted((careful, other), key=lambda member: member.pk):
        answered = 2 if member == careful else 6  # both marks are 100 %
        done = {"correct": answered, "answered": answered, "total": 6, "passed": True, "finished_at": now}
        TrainingAttempt.objects.update_or_create(member=member, number=1, defaults=done)
        facts = {"correct": answered, "answered": answered, "total": 6, "passed": True}
        write(EventVerb.TRAINING_FINISHED, project=world.project, actor=member, row=world.item.public_id, **facts)


def test_l28_nothing_that_admins_get_changes_when_another_person_skipped_paused_opted_out_or_checked_in(
    world: World, addresses: list[tuple[str, str]]
):
    """The same acts are one person's, then the other's: who looks at both cannot tell which of the two it was."""
    make_user("site-admin", is_staff=True, is_superuser=True)
    one, two, now = world.members[A], world.other, timezone.now()
    sent = []
    for careful, other in ((one, two), (two, one)):
        with transaction.atomic():
            plant(world, careful, other, now)
            sent.append(walk(world, addresses))
            transaction.set_rollback(True)
    first, second = sent
    assert first.keys() == second.keys() and len(first) > 100
    told = [key for key in first if first[key] != second[key]]
    assert not told, [_difference(key, first[key], second[key]) for key in told]
    for key, content in first.items():
        for mark in (b"canary-reason", b"canary-holder", b"canary-group"):
            assert mark not in content, (key, mark)


def _difference(key: tuple[str, str, str], one: bytes, two: bytes) -> tuple[tuple[str, str, str], list[str]]:
    lines = difflib.unified_diff(one.decode().splitlines(), two.decode().splitlines(), "one", "two", n=1, lineterm="")
    return key, list(lines)[:20]


# ── The name of somebody who left ─────────────────────────────────────────────


@pytest.fixture
def leaver(world: World) -> Membership:
    """An annotator with a name, an address and an invitation whose note says who they are."""
    leaver = world.other
    names = {"username": "canary-username", "email": "canary-username@example.org", "first_name": "canary-username"}
    User.objects.filter(pk=leaver.user_id).update(**names)
    invitation = invite(world.members[D], [Role.ANNOTATOR], note="for canary-username").invitation
    Invitation.objects.filter(pk=invitation.pk).update(accepted_by=leaver, accepted_at=timezone.now())
    return Membership.objects.get(pk=leaver.pk)


def where_named(world: World, addresses: list[tuple[str, str]]) -> set[str]:
    asked = [(name, address) for name, address in addresses if "q=canary" not in address]
    return {name for (_who, name, address), sent in walk(world, asked).items() if _names(sent, address)}


def _names(sent: bytes, address: str) -> bool:
    return b"canary-username" in (sent.replace(b"q=canary-username", b"").replace(b'value="canary-username"', b""))


def test_l31_the_name_of_somebody_who_left_is_shown_nowhere_in_the_project_until_they_agree_again(
    world: World, addresses: list[tuple[str, str]], leaver: Membership
):
    """All is walked while the name may be shown and after it went; then what showed it, to see whether it is back."""
    make_user("site-admin", is_staff=True, is_superuser=True)
    everywhere = {"annotation:members", "annotation:member", "api:members", "api:member", "api:invitations"}
    assert where_named(world, addresses) == everywhere | {"membership"}
    participation.withdraw(leaver)
    assert where_named(world, addresses) == set()
    shown = [(name, address) for name, address in addresses if name in everywhere]
    participation.reactivate(leaver, by=world.members[D])  # an admin alone does not bring the name back
    assert where_named(world, shown) == set()
    participation.consent(leaver)
    assert where_named(world, shown) == everywhere | {"membership"}


def test_the_name_of_somebody_whose_access_an_admin_ended_goes_when_they_leave_themselves(
    world: World, leaver: Membership
):
    participation.deactivate(leaver, by=world.members[D])
    assert Membership.objects.get(pk=leaver.pk).shown_username == "canary-username"
    participation.withdraw(leaver)
    assert Membership.objects.get(pk=leaver.pk).shown_username == ""


def test_people_who_left_are_listed_by_their_pseudonym(world: World):
    """The order of names would tell whose pseudonym it is."""
    for name, pseudonym in (("anna", "zebra"), ("mara", "mole"), ("zoe", "ant")):
        member = Membership.objects.create(
            project=world.project, user=make_user(name), pseudonym=pseudonym, annotates=True, active=False
        )
        if name != "mara":
            Membership.objects.filter(pk=member.pk).update(withdrawn_at=timezone.now())
    ended = Membership.objects.filter(project=world.project, active=False).accounts_by_name()
    assert [member.pseudonym for member in ended] == ["ant", "mole", "zebra"]
