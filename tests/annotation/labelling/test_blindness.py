"""Whoever may still be asked for their own view sees neither others' votes nor the intent (design sections 4, 12)."""

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from annotation.review.expert_replacement import look_at_votes
from annotation.review.queue import may_see_intent, may_see_votes

pytestmark = pytest.mark.django_db

ANNOTATOR, REVIEWER, ADMIN = Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN


def item_with(project: Project, *codes: int | None, seats: int = 3) -> Item:
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_open_item(
        project, seats=seats, intended=builders.category(project, 5), target_group="gardeners"
    )
    for seat, member, code in zip(item.seat_rows.order_by("number"), members, codes, strict=False):
        builders.make_label(seat, member, code)
    close_item(item)
    item.refresh_from_db()
    return item


@pytest.mark.parametrize(
    ("roles", "open_item", "unsure", "disputed"),
    [
        ((ANNOTATOR,), False, False, False),
        ((REVIEWER,), False, False, True),
        ((ANNOTATOR, REVIEWER), False, False, True),
        ((ADMIN,), True, True, True),
        ((ANNOTATOR, ADMIN), False, True, True),
        ((REVIEWER, ADMIN), False, False, True),
    ],
)
def test_who_sees_votes(roles, open_item, unsure, disputed):
    project = builders.make_project()
    viewer = builders.make_member(project, *roles)
    assert may_see_votes(item_with(project, 0, 1), viewer) is open_item
    assert may_see_votes(item_with(project, 0, 1, None), viewer) is unsure
    assert may_see_votes(item_with(project, 0, 1, 2), viewer) is disputed


def test_whoever_gave_up_their_own_view_sees_the_votes():
    project = builders.make_project()
    viewer, item = builders.make_member(project, REVIEWER), item_with(project, 0, 1, None)
    look_at_votes(item, viewer)
    assert may_see_votes(item, viewer)


@pytest.mark.parametrize(
    ("roles", "open_item", "unsure", "disputed"),
    [
        ((ANNOTATOR,), False, False, False),
        ((ANNOTATOR, REVIEWER), False, False, True),
        ((REVIEWER, ADMIN), False, False, True),
        ((ADMIN,), True, True, True),
    ],
)
def test_who_sees_the_intent(roles, open_item, unsure, disputed):
    project = builders.make_project()
    viewer = builders.make_member(project, *roles)
    assert may_see_intent(item_with(project, 0, 1), viewer) is open_item
    assert may_see_intent(item_with(project, 0, 1, None), viewer) is unsure
    assert may_see_intent(item_with(project, 0, 1, 2), viewer) is disputed


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


@pytest.mark.parametrize(("codes", "hidden"), [((0, 1), True), ((0, 1, None), True), ((0, 1, 2), False)])
def test_the_items_page_and_the_api_keep_to_it(codes, hidden):
    project = builders.make_project("garden")
    viewer = builders.make_member(project, ANNOTATOR, REVIEWER)
    item = item_with(project, *codes)
    client = client_of(viewer)
    page = client.get(reverse("annotation:item", args=["garden", item.public_id])).content.decode()
    assert ("gardeners" not in page) is hidden
    assert ('<article class="ballot' not in page) is hidden
    for address in (f"/api/v1/projects/garden/items/{item.public_id}/", "/api/v1/projects/garden/items/"):
        answer = client.get(address, headers={"accept": "application/json"})
        assert answer.status_code == 200, answer.content
        rows = answer.json()
        row = rows["results"][0] if "results" in rows else rows
        assert (row["intended"], row["target_group"]) == ((None, "") if hidden else (5, "gardeners"))
