"""A platform's own values for statements of reasons, and what a project made like another takes from it."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Reason, Role
from annotation.models import Event, Item, Membership, Project
from annotation.projects.clone import clone_project
from annotation.review.adjudicate import decide_item
from builders import category, make_labelled_item, make_member, make_project
from moderation.desk import statements
from moderation.desk.settings import rules_of, set_rules, set_value_lists
from moderation.hatexscore import group_lists
from moderation.models import Statement

pytestmark = pytest.mark.django_db

LISTS = {"category": ["hate speech", "fraud"], "territorial_scope": ["DE", "FR"]}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


@pytest.fixture
def item(project: Project) -> Item:
    """A post that a reviewer decided."""
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [0, 1, 2], external_id="post-1")
    close_item(made)
    made.refresh_from_db()
    decide_item(made, make_member(project, Role.REVIEWER), made.version, "The roses.", category(project, 1))
    made.refresh_from_db()
    return made


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def upload(member: Membership, content: bytes) -> Any:
    file = SimpleUploadedFile("values.json", content)
    return client_of(member).post(reverse("moderation:desk-values", args=["garden"]), {"file": file})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"puid": ["a"]}', "There is no field"),
        (b'{"category": []}', "needs a list of 1 to 500 values"),
        (b'{"category": ["' + b"x" * 501 + b'"]}', "a text of 1 to 500 characters"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing_and_says_why(admin: Membership, content: bytes, said: str) -> None:
    answer = upload(admin, content)
    assert answer.status_code == 422 and said in answer.content.decode()
    assert rules_of(admin.project).value_lists == {}


def test_the_values_close_the_fields_and_are_taken_out_again(item: Item, admin: Membership) -> None:
    assert upload(admin, json.dumps(LISTS).encode()).status_code == 302
    rules = client_of(admin).get(reverse("moderation:desk-rules", args=["garden"])).content.decode()
    assert "hate speech, fraud" in rules
    client = client_of(make_member(item.project, Role.REVIEWER))
    place = reverse("moderation:statement", args=["garden", item.public_id])
    page = client.get(place).content.decode()
    assert '<option value="hate speech">' in page
    assert 'type="checkbox" name="territorial_scope" value="DE"' in page
    fields = statements.filled(item)
    assert fields["category"] == ""  # the project's category is none of the platform's
    sent = {name: value for name, value in fields.items() if value not in ("", False, [])}
    sent |= {"decision_visibility": "Removed", "content_type": "text", "territorial_scope": ["DE", "FR"]}
    refused = client.post(place, sent | {"category": "1 Racist"})
    assert refused.status_code == 422 and not Statement.objects.exists()
    assert client.post(place, sent | {"category": "hate speech"}).status_code == 302
    assert Statement.objects.get().fields["territorial_scope"] == ["DE", "FR"]
    assert upload(admin, b"{}").status_code == 302
    assert '<option value="hate speech">' not in client.get(place).content.decode()
    assert Event.objects.filter(verb="value_lists").count() == 2


def test_the_api_holds_a_statement_to_the_values_too(item: Item, admin: Membership) -> None:
    set_value_lists(admin, LISTS)
    client = client_of(make_member(item.project, Role.REVIEWER))
    place = f"/api/v1/projects/garden/items/{item.public_id}/statement/"
    fields = statements.filled(item) | {"decision_visibility": "Removed", "category": "1 Racist"}
    refused = client.post(place, fields, content_type="application/json")
    assert refused.status_code == 422 and "hate speech, fraud" in refused.content.decode()
    made = client.post(place, fields | {"category": "fraud"}, content_type="application/json")
    assert made.status_code == 201


def test_a_project_made_like_another_has_its_rules_values_and_lists(project: Project, admin: Membership) -> None:
    set_rules(admin, 7, [Reason.NO_MAJORITY], False)
    set_value_lists(admin, LISTS)
    group_lists.add(project, "work", {"Work": ["nurse"]}, admin)
    made = clone_project(admin, "second", "A second one")
    rules = rules_of(made)
    assert (rules.lease_minutes, rules.second_for, rules.appeals) == (7, ["no_majority"], False)
    assert rules.value_lists == LISTS
    assert group_lists.named(made, "work") == {"Work": ("nurse",)}
    plain = clone_project(make_member(make_project("bare"), Role.ADMIN), "third", "A third one")
    assert rules_of(plain).lease_minutes == 15 and group_lists.lists_of(plain) == []
