"""An admin who adds a person by name learns nothing of other accounts, and puts none of them into a project (B132)."""

import re

import pytest
from django.contrib.auth import authenticate
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.domain.choices import Role
from annotation.members import participation
from annotation.members.join import BadMember, add_person
from annotation.models import Event, Membership, User
from builders import make_member, make_project, make_user

pytestmark = pytest.mark.django_db

PEOPLE, MEMBERS = "/p/winter/people/", "/api/v1/projects/winter/members/"


@pytest.fixture
def admin():
    return make_member(make_project("winter"), Role.ADMIN, user=make_user("wren"), pseudonym="lead")


@pytest.fixture
def visitor(admin):
    client = Client()
    client.force_login(admin.user)
    return client


def without_secrets(text, name):
    """Return an answer without what differs between any two people: the name, the password, ids, times, form keys."""
    text = text.replace(name, "NAME")
    text = re.sub(r"\b[a-z0-9]{5}(-[a-z0-9]{5}){3}\b", "PASSWORD", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "ID", text)
    text = re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]+"', "KEY", text)
    return re.sub(r"(person|annotator|member|[A-Z][a-z]+[ -])[A-Za-z0-9 -]*\d+", "PSEUDONYM", text)


def added(client, name):
    """Add a person by the page; return its status, words, queries and the event, without what differs anyhow."""
    with CaptureQueriesContext(connection) as queries:
        page = client.post(PEOPLE, {"username": name, "role": "annotator"})
    event = Event.objects.latest("pk")
    statements = [re.sub(r"\W.*", "", query["sql"]) for query in queries]
    told = re.search(r'<div class="notice is-good".*?</div>', page.content.decode(), re.DOTALL)
    assert told
    return page.status_code, without_secrets(told[0], name), len(statements), event.verb, sorted(event.facts)


def test_a_name_that_the_site_has_is_answered_as_one_that_it_has_not(visitor):
    make_user("robin")
    make_member(make_project("summer"), user=User.objects.get(username="robin"))
    make_user("closed", is_active=False)
    first = added(visitor, "kim")  # so that what is done once is done
    assert [added(visitor, name) for name in ("robin", "closed", "lee")] == [first] * 3


def test_the_account_is_the_project_s_own_and_the_other_one_is_left_alone(visitor, admin):
    robin = make_user("robin")
    visitor.post(PEOPLE, {"username": "robin", "role": "annotator"})
    made = User.objects.get(username="winter.robin")
    assert made.must_change_password
    assert Membership.objects.get(user=made).annotates
    assert not Membership.objects.filter(user=robin).exists()


def test_the_printed_password_signs_in(visitor):
    page = visitor.post(PEOPLE, {"username": "robin", "role": "annotator"}).content.decode()
    printed = re.search(r"winter\.robin</bdi> · (\S+?)</p>", page)[1]
    assert authenticate(username="winter.robin", password=printed)


def test_a_person_of_the_project_gets_a_further_role_by_either_name(visitor, admin):
    for name, role in (("robin", "annotator"), ("winter.robin", "reviewer"), ("Robin", "admin")):
        visitor.post(PEOPLE, {"username": name, "role": role})
    robin = Membership.objects.get(user__username="winter.robin")
    assert robin.roles == (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN)
    guest = make_member(admin.project, user=make_user("guest"))  # who came by an invitation
    answer = visitor.post(MEMBERS, {"username": "guest", "role": "reviewer"}, "application/json")
    assert (answer.status_code, answer.json()["password"]) == (200, None)
    guest.refresh_from_db()
    assert guest.reviews


def test_the_api_gives_the_made_name_and_its_password(visitor):
    make_user("robin")
    answers = [
        visitor.post(MEMBERS, {"username": name, "role": "annotator"}, "application/json") for name in ("robin", "kim")
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [answer.json()["username"] for answer in answers] == ["winter.robin", "winter.kim"]
    assert all(answer.json()["password"] for answer in answers)
    assert [sorted(answer.json()) for answer in answers][0] == sorted(answers[1].json())


def test_who_has_left_is_not_found_by_their_name(admin):
    made = add_person(admin.project, "robin", Role.ANNOTATOR, actor=admin)
    participation.withdraw(made.membership)
    again = add_person(admin.project, "robin", Role.ANNOTATOR, actor=admin)
    assert again.membership.pk != made.membership.pk
    assert again.membership.user.username == "winter.robin-2"


def test_a_name_of_a_stranger_that_reads_like_the_project_s_gets_a_number(admin):
    make_user("winter.robin")
    made = add_person(admin.project, "robin", Role.ANNOTATOR, actor=admin)
    assert (made.membership.user.username, bool(made.password)) == ("winter.robin-2", True)


@pytest.mark.parametrize("name", ["", "a b", "..", "x" * 150])
def test_a_name_that_is_none_is_refused(admin, name):
    with pytest.raises(BadMember):
        add_person(admin.project, name, Role.ANNOTATOR, actor=admin)
    assert Membership.objects.count() == 1
