"""A body with a field that does not exist: refused, and nothing changes."""

from typing import Any

import pytest
from django.test import Client

from annotation.domain.choices import Role
from annotation.models import Membership, Project
from builders import make_item, make_member, make_project, make_user

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def admin() -> Membership:
    return make_member(make_project("garden"), Role.ADMIN)


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_misspelt_field_of_a_new_project_makes_no_project() -> None:
    staff = client_of(make_user("boss", is_staff=True))
    answer = staff.post("/api/v1/projects/", {"slug": "yard", "seat": 5}, content_type=JSON)
    assert (answer.status_code, answer.json()["field"]) == (400, "seat")
    assert answer.json()["detail"] == "There is no such field; there are slug, name, seats, policy, template, design."
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("patch", "members/{member}/", {"nmae": "x"}, "nmae"),
        ("post", "members/", {"username": "kim", "role": "annotator", "admin": True}, "admin"),
        ("post", "invitations/", {"roles": ["annotator"], "day": 3}, "day"),
        ("post", "releases/", {"spilts": "80/10/10"}, "spilts"),
        ("put", "open/", {"open": True, "close": False}, "close"),
        ("patch", "settings/", {"seats": 5}, "seats"),
        ("post", "runs/", {"method": "arcade", "item": ["a"]}, "item"),
        ("post", "batches/", {"nam": "first"}, "nam"),
    ],
)
def test_a_field_that_does_not_exist_is_named(
    admin: Membership, method: str, path: str, body: dict[str, Any], field: str
) -> None:
    address = f"/api/v1/projects/garden/{path.format(member=admin.public_id)}"
    answer = getattr(client_of(admin.user), method)(address, body, content_type=JSON)
    assert answer.status_code == 400 and field in answer.json()["detail"] + answer.json().get("field", ""), (
        answer.json()
    )


@pytest.mark.parametrize("page", [3, 4, 999999999])
def test_a_page_beyond_the_last_one_is_empty(admin: Membership, page: int) -> None:
    for _ in range(3):
        make_item(admin.project)
    answer = client_of(admin.user).get("/api/v1/projects/garden/items/", {"limit": "2", "page": page})
    assert (answer.json()["page"], answer.json()["pages"], answer.json()["results"]) == (page, 2, [])


@pytest.mark.parametrize("page", ["9007199254740993", "9" * 5000])
def test_a_page_too_large_for_any_list_is_refused(admin: Membership, page: str) -> None:
    answer = client_of(admin.user).get("/api/v1/projects/garden/items/", {"limit": "2", "page": page})
    assert (answer.status_code, answer.json()["field"]) == (400, "page")
