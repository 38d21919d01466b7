"""Labels and working time of people over the API: for admins, under pseudonyms."""

from datetime import date

import pytest
from rest_framework.test import APIClient

from annotation.domain.choices import Role
from annotation.models import Label, Membership, Project, WorkDay
from builders import make_labelled_item, make_member, make_project

pytestmark = pytest.mark.django_db

HOME = "/api/v1/projects/garden/"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in ("heron", "owl", "wren")]


def caller(member: Membership) -> APIClient:
    client = APIClient()
    client.force_authenticate(member.user)
    return client


@pytest.fixture
def admin(project: Project) -> APIClient:
    return caller(make_member(project, Role.ADMIN, pseudonym="stork"))


def test_labels_in_force_are_listed_with_pseudonyms_in_a_fixed_number_of_queries(
    project, people, admin, django_assert_max_num_queries
):
    for number in range(4):
        make_labelled_item(project, people, [0, 1, 1], text=f"Weeds, {number}.")
    with django_assert_max_num_queries(7):
        page = admin.get(f"{HOME}labels/given/?limit=10").json()
    assert (page["count"], page["pages"], len(page["results"])) == (12, 2, 10)
    newest = Label.objects.order_by("-id").first()
    assert newest is not None
    first = page["results"][0]
    assert (first["id"], first["annotator"], first["category"]) == (str(newest.public_id), "wren", 1)
    assert (first["item"], first["external_id"]) == (str(newest.item.public_id), newest.item.external_id)
    assert {row["annotator"] for row in page["results"]} == {"heron", "owl", "wren"}


def test_hours_are_those_of_the_page(project, people, admin):
    for member, day, seconds, labels in ((0, 3, 600, 5), (0, 4, 90, 1), (1, 4, 3600, 30), (2, 20, 60, 1)):
        WorkDay.objects.create(member=people[member], day=date(2026, 3, day), active_seconds=seconds, labels=labels)
    shown = admin.get(f"{HOME}hours/?first=2026-03-01&last=2026-03-10").json()
    assert shown == {
        "first": "2026-03-01",
        "last": "2026-03-10",
        "people": [
            {"name": "heron", "active_minutes": 11.5, "labels": 6, "days": 2},
            {"name": "owl", "active_minutes": 60.0, "labels": 30, "days": 1},
        ],
        "days": [
            {"name": "heron", "active_minutes": 10.0, "labels": 5, "day": "2026-03-03"},
            {"name": "heron", "active_minutes": 1.5, "labels": 1, "day": "2026-03-04"},
            {"name": "owl", "active_minutes": 60.0, "labels": 30, "day": "2026-03-04"},
        ],
    }
    assert admin.get(f"{HOME}hours/").json()["days"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("first=2026-03-10&last=2026-03-01", "last"),
        ("first=2026-03-01", "last"),
        ("first=yesterday&last=2026-03-01", "first"),
        ("first=2020-03-01&last=2026-03-01", "last"),
        ("from=2026-03-01", "from"),
    ],
)
def test_a_period_that_is_none_is_refused_in_the_pages_words(admin, query, field):
    answer = admin.get(f"{HOME}hours/?{query}")
    assert answer.status_code == 400
    assert field in str(answer.json())


def test_nobody_but_admins_sees_them(project, people):
    for address in ("labels/given/", "hours/"):
        for member in (people[0], make_member(project, Role.REVIEWER)):
            assert caller(member).get(HOME + address).status_code == 404
