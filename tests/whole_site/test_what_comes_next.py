"""Each page of a campaign tells a newcomer in a line what comes next."""

import pytest
from django.test import Client

from annotation.domain.choices import Role
from annotation.models import Membership
from tests.support import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Membership:
    project = builders.make_project("garden", is_open=True)
    builders.make_open_item(project, "One.")
    return builders.make_member(project, Role.ADMIN, Role.REVIEWER, Role.ANNOTATOR)


def page(member: Membership, address: str) -> str:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return " ".join(client.get(f"/p/garden/{address}", follow=True).content.decode().split())


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("import/", "Check the file"),
        ("batches/", "Open one to hand out its posts. People invites annotators and reviewers."),
        ("dashboard/", "Next: settle what is disputed, then prepare a release."),
        ("desk/", "Open a post. Votes and notes stand beside it, without names."),
        ("releases/", "Publish it when you are ready."),
        ("label/", "Press the key of a category, then Enter."),
    ],
)
def test_a_page_says_what_comes_next(admin: Membership, address: str, words: str) -> None:
    assert words in page(admin, address)


def test_a_reviewer_is_not_told_of_what_admins_do(admin: Membership) -> None:
    reviewer = builders.make_member(admin.project, Role.REVIEWER)
    text = page(reviewer, "dashboard/")
    assert "Next: settle what is disputed." in text and "then prepare a release" not in text


def test_the_keys_are_told_at_the_first_post_of_a_day_alone(admin: Membership) -> None:
    builders.make_label(builders.make_open_item(admin.project).seat_rows.get(number=1), admin, 1)
    assert "Press the key of a category" not in page(admin, "label/")
