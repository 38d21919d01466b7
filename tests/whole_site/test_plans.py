"""On PostgreSQL no page, claim or answer reads posts, seats or labels from end to end, however many there are."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

import builders
import many_posts
from annotation.batches.open_items import open_items
from annotation.domain.choices import Role, Stage
from annotation.models import Item, Label, Membership, Project, Seat
from annotation.priors import requests as requests_of_priors
from plans import explained

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

POSTS = 200_000
TABLES = tuple(model._meta.db_table for model in (Item, Seat, Label))
API = "/api/v1/projects/garden"

ADMIN = (
    *("items/", "items/?page=150", "items/?order=newest", "items/?stage=labelling", "items/?batch=batch+03"),
    *("items/?q=zzqq", "items/?q=about", "items/?after={item}", "items/?before={item}", "items/{item}/"),
    *("batches/", "batches/teams/", "dashboard/", "quality/", "influence/", "people/", "releases/", "import/"),
    *("training/setup/", "training/setup/?after=", "hours/", "priors/", "priors/progress/"),
)
"""Not in it: filters without an index of their own (level, pattern, category …).

The page of priors counts all posts when it is opened first, and keeps what it counted.
"""
BESIDE = ("items/", "batches/", "quality/", "influence/", "priors/", "releases/", "people/")
"""Pages of a small project beside the large one."""


@pytest.fixture
def project(settings, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL plans by statistics")
    settings.RATE_LIMITED = False
    monkeypatch.setattr(requests_of_priors, "_SLOW", 0)
    project = builders.make_project("garden", new_batches="open")
    many_posts.fill(project, [builders.make_member(project) for _ in range(40)], POSTS)
    return project


def browser_of(member: Membership) -> Client:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client


def requests(project: Project) -> Iterator[tuple[Client, str]]:
    """Yield every request with who makes it."""
    item = Item.objects.filter(project=project).order_by("pk")[POSTS // 2]
    annotator = Membership.objects.filter(project=project).order_by("pk")[0]
    label = Label.objects.filter(annotator=annotator).order_by("pk")[1000]
    admin, reviewer, worker, fresh = (
        browser_of(member)
        for member in (
            builders.make_member(project, Role.ADMIN),
            builders.make_member(project, Role.REVIEWER),
            annotator,
            builders.make_member(project),
        )
    )
    yield from ((admin, f"/p/garden/{page.format(item=item.public_id)}") for page in ADMIN)
    yield from ((admin, f"{API}/{page}") for page in ("items/", "items/?after=", "batches/", "quotas/", "decisions/"))
    yield admin, f"{API}/labels/given/?after="
    yield admin, f"{API}/training/posts/?after="
    yield admin, f"{API}/items/?after={item.public_id}&limit=200"
    yield from ((reviewer, f"/p/garden/{page}") for page in ("items/", "desk/", "desk/?order=age"))
    yield reviewer, f"{API}/disputes/"
    yield from ((worker, f"/p/garden/history/{page}") for page in ("", "?page=5", f"?after={label.seat.public_id}"))
    yield worker, f"{API}/labels/?after={label.public_id}"
    yield from ((fresh, f"/p/garden/label/{page}") for page in ("", "ahead/"))
    small = builders.make_project("small", new_batches="open")
    people = [builders.make_member(small) for _ in range(3)]
    for _ in range(10):
        builders.make_labelled_item(small, people, (1, 1, 1))
    beside = browser_of(builders.make_member(small, Role.ADMIN))
    yield from ((beside, f"/p/small/{page}") for page in BESIDE)


def test_no_request_reads_a_table_of_many_posts_from_end_to_end(project):
    scans, blocks = {}, {}
    for client, address in requests(project):
        client.get(address)  # what is counted once a day is counted now
        with explained() as plans:
            response = client.get(address)
        assert response.status_code == 200, (address, response.content[:500])
        if found := plans.scans_of(*TABLES):
            scans[address] = found
        blocks[address.partition("=")[0]] = plans.blocks
    assert scans == {}
    assert blocks["/p/garden/items/?after"] < 2 * blocks["/p/garden/items/"]
    assert blocks["/p/garden/history/?after"] < 2 * blocks["/p/garden/history/"]
    assert blocks[f"{API}/items/?after"] < 2 * blocks[f"{API}/items/"]
    claims_and_answers(project)
    opening(project)


def opening(project: Project) -> None:
    """Open more posts than one transaction takes, of two stages: what it reads does not depend on what others hold."""
    posts = Item.objects.filter(project=project, stage=Stage.LABELLING, taken=0).order_by("pk")
    keys = list(posts.values_list("pk", flat=True)[:1_500])
    Seat.objects.filter(item__in=keys).delete()
    Item.objects.filter(pk__in=keys).update(stage=Stage.READY)
    Item.objects.filter(pk__in=keys[:20]).update(stage=Stage.IMPORTED)
    with explained() as plans:
        assert open_items(project).opened == len(keys)
    assert plans.scans_of(*TABLES) == []
    assert Seat.objects.filter(item__in=keys).count() == 3 * len(keys)


def claims_and_answers(project: Project) -> None:
    """Label three posts on the page and three over the API."""
    member = builders.make_member(project)
    browser, swapped = browser_of(member), {"HX-Request": "true", "HX-Target": "main"}
    category = builders.category(project, 1)
    for _ in range(3):
        with explained() as plans:
            browser.get("/p/garden/label/")
            seat = Seat.objects.filter(annotator=member, expires_at__isnull=False).order_by("-shown_at").first()
            assert seat is not None
            form = {"category": str(category.code), "key": str(uuid4())}
            browser.post(f"/p/garden/label/{seat.public_id}/", form, headers=swapped)
            given = browser.post(f"{API}/next/").json()["seat"]
            answer = {"category": category.code, "key": str(uuid4())}
            browser.post(f"{API}/seats/{given}/label/", answer, content_type="application/json")
        assert plans.scans_of(*TABLES) == []
    assert Label.objects.filter(annotator=member).count() == 6
