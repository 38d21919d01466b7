"""Who is shown a picture, and with which headers (threat T6)."""

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.assignment import claim
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Reason, Role, Stage
from annotation.models import Item, Membership, Project, Seat
from annotation.training import attempts
from annotation.training.control_items import KnownAnswerKey, mark_control_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return builders.make_open_item(project, picture=builders.make_picture(project))


def asked(member: Membership | None, item: Item, name: str) -> int:
    client = Client()
    if member is not None and member.user is not None:
        client.force_login(member.user)
    assert item.picture is not None
    return client.get(reverse(f"annotation:{name}", args=[item.picture.public_id])).status_code


def test_reviewers_and_admins_see_pictures_and_annotators_only_the_blurred_one(project: Project, item: Item) -> None:
    seen = {
        role: (
            asked(builders.make_member(project, role), item, "media"),
            asked(builders.make_member(project, role), item, "media-blurred"),
        )
        for role in Role
    }
    assert seen == {Role.ANNOTATOR: (404, 200), Role.REVIEWER: (200, 200), Role.ADMIN: (200, 200)}


def test_an_annotator_sees_a_picture_they_revealed_at_their_own_seat(project: Project, item: Item) -> None:
    member, other = builders.make_member(project), builders.make_member(project)
    seat = item.seat_rows.first()
    assert seat is not None
    Seat.objects.filter(pk=seat.pk).update(annotator=member, reveals=1)
    assert (asked(member, item, "media"), asked(other, item, "media")) == (200, 404)


def test_foreign_members_and_strangers_see_nothing(item: Item) -> None:
    foreign = builders.make_member(builders.make_project("other"), Role.ADMIN)
    assert [asked(foreign, item, name) for name in ("media", "media-blurred")] == [404, 404]
    assert [asked(None, item, name) for name in ("media", "media-blurred")] == [302, 302]


def test_a_reported_items_picture_is_locked_for_everybody(project: Project, item: Item) -> None:
    Item.objects.filter(pk=item.pk).update(excluded_for=Reason.REPORTED)
    admin = builders.make_member(project, Role.ADMIN)
    assert [asked(admin, item, name) for name in ("media", "media-blurred")] == [404, 404]


def test_so_it_is_at_the_seats_and_in_the_training_of_other_items_with_the_same_picture(
    project: Project, item: Item
) -> None:
    member, admin = builders.make_member(project), builders.make_member(project, Role.ADMIN)
    known = builders.make_item(project, stage=Stage.READY, picture=item.picture)
    mark_control_item(known, admin, KnownAnswerKey(builders.category(project, 1), "It says so.", True))
    seat = claim.claim(member).seat
    Seat.objects.filter(pk=seat.pk).update(reveals=1)
    attempts.begin_attempt(member)
    client = Client()
    client.force_login(member.user)
    addresses = [
        reverse(f"annotation:{place}-{kind}", args=["garden", row.public_id])
        for place, row in (("seat", seat), ("training", known))
        for kind in ("picture", "blurred")
    ]
    assert [client.get(address).status_code for address in addresses] == [200] * 4
    report_item(builders.make_item(project, picture=item.picture), member)
    assert [client.get(address).status_code for address in addresses] == [404] * 4


def test_a_picture_is_served_as_nothing_but_a_picture(project: Project, item: Item, client: Client) -> None:
    admin = builders.make_member(project, Role.ADMIN)
    assert admin.user is not None
    assert item.picture is not None
    client.force_login(admin.user)
    answer = client.get(reverse("annotation:media", args=[item.picture.public_id]))
    assert answer["Content-Type"] == "image/png"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["Content-Disposition"] == "inline"
    assert "private" in answer["Cache-Control"]
