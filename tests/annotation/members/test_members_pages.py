"""What admins see of a person and may change: roles, pseudonym, quota, access; and two-step sign-in of a project."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from knox.models import AuthToken

from annotation.domain.choices import Role, SecondFactor
from annotation.domain.questions.question import QuestionKind
from annotation.members import participation
from annotation.models import Batch, Event, Membership, Project, Seat
from builders import make_label, make_member, make_open_item, make_picture, make_project, make_user
from markup import compact
from question_builders import answered, make_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="My garden")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, user=make_user("lead"))


@pytest.fixture
def person(project: Project) -> Membership:
    return make_member(
        project, user=make_user("wren.jay", email="jay@example.org", first_name="Ada"), pseudonym="p-one"
    )


@pytest.fixture
def desk(admin: Membership) -> Client:
    return client_of(admin)


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page_of(person: Membership, act: str = "") -> str:
    return f"/p/garden/people/{person.public_id}/{act}"


def text_of(page: Any) -> str:
    text: str = page.content.decode()
    return text


# ── The page of a person ──────────────────────────────────────────────────────


def test_the_page_of_a_person_says_what_stands(desk, project, person):
    make_label(make_open_item(project).seat_rows.first(), person, 1)
    Batch.objects.create(project=project, name="three of us", limited=True).members.add(person)
    participation.consent(person)
    Membership.objects.filter(pk=person.pk).update(quota=250)
    page = text_of(desk.get(page_of(person)))
    for said in ("wren.jay", "p-one", "three of us", "250", "their labels stay in use", "not set up"):
        assert said in page
    assert "Label posts, see and correct their own labels" in page


def test_the_page_of_a_person_has_a_fixed_number_of_queries(desk, project, person, django_assert_max_num_queries):
    for number in range(3):
        make_label(make_open_item(project).seat_rows.first(), person, 1)
        Batch.objects.create(project=project, name=f"team {number}", limited=True).members.add(person)
    with django_assert_max_num_queries(11):
        assert desk.get(page_of(person)).status_code == 200


def test_a_person_of_another_project_is_not_found(desk):
    foreign = make_member(make_project("other"))
    assert desk.get(page_of(foreign)).status_code == 404
    assert desk.post(page_of(foreign, "erase/"), {"pseudonym": foreign.pseudonym}).status_code == 404


def test_one_person_has_several_roles(desk, person):
    desk.post(page_of(person, "roles/"), {"annotates": "on", "reviews": "on"})
    person.refresh_from_db()
    assert person.roles == (Role.ANNOTATOR, Role.REVIEWER)


def test_an_admin_who_gives_up_the_role_is_led_out(desk, admin, project):
    assert "make somebody else admin first" in text_of(
        desk.post(page_of(admin, "roles/"), {"reviews": "on"}, follow=True)
    )
    make_member(project, Role.ADMIN)
    assert desk.post(page_of(admin, "roles/"), {"reviews": "on"})["Location"] == "/"


# ── Pseudonyms ────────────────────────────────────────────────────────────────


def test_an_admin_gives_another_pseudonym_or_draws_one(desk, person):
    assert desk.post(page_of(person, "name/"), {"pseudonym": "Blue Tit"}).status_code == 302
    person.refresh_from_db()
    assert person.pseudonym == "Blue Tit"
    desk.post(page_of(person, "name/"), {"draw": "1", "pseudonym": ""})
    person.refresh_from_db()
    assert re.fullmatch(r"[a-z]{4}\d\d", person.pseudonym)
    assert "Blue Tit" not in repr(list(Event.objects.values()))


@pytest.mark.parametrize("name", ["wren.jay", "WREN", "xx-Jay-xx", "jay@example.org", "Äda", "jaywren"])
def test_a_pseudonym_that_tells_who_it_is_is_refused_and_stays_in_the_field(desk, person, name):
    page = desk.post(page_of(person, "name/"), {"pseudonym": name})
    assert page.status_code == 422 and "looks like the person" in text_of(page)
    assert f'value="{name}"' in text_of(page)
    person.refresh_from_db()
    assert person.pseudonym == "p-one"


def test_a_pseudonym_is_one_persons(desk, project, person):
    make_member(project, pseudonym="Robin")
    page = desk.post(page_of(person, "name/"), {"pseudonym": "robin"})
    assert page.status_code == 422 and "has this pseudonym already" in text_of(page)


# ── Quota and access ──────────────────────────────────────────────────────────


def test_a_quota_is_set_and_lifted(desk, person):
    for typed, stored in (("40", 40), ("", None)):
        desk.post(page_of(person, "quota/"), {"quota": typed})
        person.refresh_from_db()
        assert person.quota == stored
    assert desk.post(page_of(person, "quota/"), {"quota": "-1"}).status_code == 422


def test_access_ends_and_begins_again(desk, project, person):
    item = make_open_item(project)
    Seat.objects.filter(pk=item.seat_rows.first().pk).update(annotator=person, expires_at="2099-01-01T00:00Z")
    desk.post(page_of(person, "end/"))
    person.refresh_from_db()
    assert not person.active and not Seat.objects.filter(annotator=person).exists()
    assert client_of(person).get("/p/garden/label/").status_code == 404
    desk.post(page_of(person, "again/"))
    assert client_of(person).get("/p/garden/history/").status_code == 200


def test_nobody_ends_their_own_access(desk, admin):
    assert "You cannot end your own access" in text_of(desk.post(page_of(admin, "end/"), follow=True))


# ── Two-step sign-in ──────────────────────────────────────────────────────────


def ask(project: Project, policy: SecondFactor) -> None:
    Project.objects.filter(pk=project.pk).update(second_factor=policy)


def set_up(member: Membership, kind: str = "totp") -> None:
    Authenticator.objects.create(user=member.user, type=kind, data={})


@pytest.mark.parametrize(
    ("policy", "role", "status"),
    [
        (SecondFactor.NONE, Role.ADMIN, 200),
        (SecondFactor.STAFF, Role.ANNOTATOR, 200),
        (SecondFactor.STAFF, Role.REVIEWER, 403),
        (SecondFactor.STAFF, Role.ADMIN, 403),
        (SecondFactor.EVERYONE, Role.ANNOTATOR, 403),
    ],
)
def test_whom_a_project_asks_for_a_second_step_is_sent_to_set_it_up(project, policy, role, status):
    member = make_member(project, role)
    ask(project, policy)
    client = client_of(member)
    for address in ("/p/garden/guidelines/", "/p/garden/help/"):
        page = client.get(address)
        assert page.status_code == status
        assert ('href="/accounts/2fa/"' in text_of(page).partition("<main")[2]) == (status == 403)
    assert client.get("/").status_code == 200
    set_up(member)
    assert client.get("/p/garden/guidelines/").status_code == 200


def test_recovery_codes_alone_are_no_second_step(project):
    member = make_member(project)
    ask(project, SecondFactor.EVERYONE)
    set_up(member, "recovery_codes")
    assert client_of(member).get("/p/garden/guidelines/").status_code == 403


def test_forms_and_pictures_are_shut_too(project):
    member = make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    picture = make_picture(project)
    client = client_of(member)
    assert client.get(f"/media/{picture.public_id}/").status_code == 200
    ask(project, SecondFactor.STAFF)
    assert client.get(f"/media/{picture.public_id}/").status_code == 404
    assert client.post("/p/garden/leave/").status_code == 403
    set_up(member)
    assert client.get(f"/media/{picture.public_id}/").status_code == 200


def test_the_api_answers_with_a_code(project):
    member = make_member(project)
    _row, token = AuthToken.objects.create(user=member.user)
    ask(project, SecondFactor.EVERYONE)
    answer = Client().get("/api/v1/projects/garden/", headers={"authorization": f"Token {token}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_needed")


def test_who_is_not_bound_costs_no_query(project, django_assert_num_queries):
    member = make_member(project)
    client = client_of(member)
    client.get("/p/garden/help/")
    ask(project, SecondFactor.STAFF)
    with django_assert_num_queries(5):  # session, person, membership, whether there are pictures and posts
        client.get("/p/garden/help/")
    ask(project, SecondFactor.EVERYONE)
    set_up(member)
    with django_assert_num_queries(6):
        client.get("/p/garden/help/")


def settings_with(project: Project, **changed: str) -> dict[str, str]:
    kept = ("name", "policy", "low_quality_threshold", "extra_seats", "prior_display", "order", "lease_minutes")
    return {name: str(getattr(project, name)) for name in (*kept, "daily_goal")} | changed


def test_an_admin_does_not_shut_themselves_out(desk, admin, project):
    page = desk.post("/p/garden/settings/", settings_with(project, second_factor="staff"))
    assert page.status_code == 422 and "you would shut yourself out" in text_of(page)
    project.refresh_from_db()
    assert project.second_factor == SecondFactor.NONE
    set_up(admin)
    assert desk.post("/p/garden/settings/", settings_with(project, second_factor="staff")).status_code == 302
    project.refresh_from_db()
    assert project.second_factor == SecondFactor.STAFF


def test_settings_without_the_new_fields_change_neither(desk, project):
    Project.objects.update(on_withdrawal="remove")
    assert desk.post("/p/garden/settings/", settings_with(project)).status_code == 302
    project.refresh_from_db()
    assert (project.on_withdrawal, project.second_factor, project.consent_version) == ("remove", "none", 1)


def test_my_history_shows_my_answers_as_they_were_asked(project, person):
    make_question(project, "severity", QuestionKind.SCALE, wording={"": "How bad?"}, high={"": "severe"})
    make_question(project, "words", QuestionKind.SPAN, wording={"": "Which words?"})
    (seat,) = make_open_item(project, "A post about a garden.", seats=1).seat_rows.all()
    make_label(seat, person, 1, answers=answered(severity=5, words=[[7, 12]]))
    make_question(project, "severity", QuestionKind.SCALE, version=2, wording={"": "How severe?"}, points=9)
    text = compact(client_of(person).get("/p/garden/history/").content.decode())
    assert "How bad?" in text and "5 / 5 (severe)" in text and '<q lang="en">about</q>' in text
    assert "How severe?" not in text
