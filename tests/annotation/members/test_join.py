"""Projects and members, by verb and by command."""

import json

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

import builders
from annotation.domain.choices import Policy, Role
from annotation.members import participation
from annotation.members.join import BadMember, add_member
from annotation.models import Category, Event, Membership, Project, User
from annotation.projects.create import BadProject, create_project

pytestmark = pytest.mark.django_db


def said(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    call_command(*words, "--json")
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


# ── create_project ────────────────────────────────────────────────────────────


def test_a_project_has_the_six_categories_and_guidelines_from_the_start(capsys):
    assert said(capsys, "create_project", "winter") == {"project": "winter"}
    project = Project.objects.get(slug="winter")
    assert (project.name, project.seats, project.policy, project.is_open) == ("winter", 3, Policy.REVIEW, True)
    assert [(row.code, row.name, row.hateful, row.key) for row in project.categories.all()] == [
        (0, "NotHate", False, "0"),
        (1, "Racist", True, "1"),
        (2, "Sexist", True, "2"),
        (3, "Homophobic", True, "3"),
        (4, "Religion", True, "4"),
        (5, "OtherHate", True, "5"),
    ]
    assert all(row.definition for row in project.categories.all())
    assert project.guidelines.get().number == 1
    assert Event.objects.get(project=project).verb == "project_created"


def test_name_seats_policy_and_categories_are_taken(capsys, tmp_path):
    file = tmp_path / "categories.json"
    rows = [{"code": 0, "name": "normal", "hateful": False}, {"code": 1, "name": "hatespeech", "hateful": True}]
    file.write_text(json.dumps(rows), encoding="utf-8")
    options = ["--name", "Two ways", "--seats", "5", "--policy", "paper", "--categories", str(file)]
    said(capsys, "create_project", "two", *options)
    project = Project.objects.get(slug="two")
    assert (project.name, project.seats, project.policy) == ("Two ways", 5, Policy.PAPER)
    assert list(project.categories.values_list("name", "key")) == [("normal", "0"), ("hatespeech", "1")]


@pytest.mark.parametrize(
    ("site_admins", "words", "admin"),
    [
        pytest.param(["ada"], [], "ada", id="the only site admin"),
        pytest.param(["ada", "grace"], [], None, id="one of several is not guessed"),
        pytest.param(["ada", "grace"], ["--admin", "grace"], "grace", id="named"),
        pytest.param(["ada"], ["--admin", "wren"], "wren", id="no site admin"),
        pytest.param([], [], None, id="nobody"),
    ],
)
def test_who_makes_a_project_can_be_in_it_at_once(capsys, site_admins, words, admin):
    builders.make_user("wren")
    for name in site_admins:
        builders.make_user(name, is_superuser=True)
    builders.make_user("gone", is_superuser=True, is_active=False)
    assert said(capsys, "create_project", "winter", *words).get("admin") == admin
    members = Membership.objects.filter(administers=True, annotates=False).values_list("user__username", flat=True)
    assert list(members) == ([] if admin is None else [admin])


def test_an_admin_who_is_nobody_is_refused_and_no_project_made():
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("create_project", "winter", "--admin", "nobody")
    assert not Project.objects.exists()


@pytest.mark.parametrize("slug", ["", "a b", "-a", "a/b", "../x", "ä", "x" * 65, "<b>", "a\x00"])
def test_an_address_that_is_none_is_refused(slug):
    with pytest.raises(BadProject) as bad:
        create_project(slug)
    assert bad.value.code == "bad_slug"


def test_an_address_is_taken_once_in_whatever_case():
    create_project("winter")
    with pytest.raises(BadProject) as bad:
        create_project("Winter")
    assert bad.value.code == "slug_taken"


@pytest.mark.parametrize("name", ["x" * 121, "a\x00b", "\ud800", "\u200b"])
def test_a_name_that_cannot_be_stored_or_seen_is_refused(name):
    with pytest.raises(BadProject):
        create_project("winter", name=name)
    assert not Project.objects.exists()


@pytest.mark.parametrize("seats", ["1", "0", "-3", "16"])
def test_fewer_than_two_or_more_than_fifteen_seats_are_refused(seats):
    with pytest.raises(CommandError, match="2 to 15"):
        call_command("create_project", "winter", "--seats", seats)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"code": 0}', "A design has no field 'code'"),
        ("[]", "2 to"),
        ('[{"code": 0, "name": "a", "hateful": false}]', "2 to"),
        (json.dumps([{"code": n, "name": f"n{n}", "hateful": False} for n in range(5000)]), "2 to"),
        (json.dumps([{"code": n, "name": f"{n}" + "x" * 5000, "hateful": False} for n in range(2)]), "60"),
        ('[{"code": 0, "name": "a", "hateful": false}, {"code": 0, "name": "b", "hateful": true}]', "share the code"),
        (
            '[{"code": 0, "name": "a", "hateful": false, "key": "</script><script>"},'
            ' {"code": 1, "name": "b", "hateful": true}]',
            "a key is one of",
        ),
    ],
)
def test_a_list_of_categories_that_cannot_be_is_refused_with_what_to_change(tmp_path, content, sentence):  # B37, B50
    file = tmp_path / "categories.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=sentence):
        call_command("create_project", "winter", "--categories", str(file))
    assert not Category.objects.exists() and not Project.objects.exists()


def test_a_missing_or_foreign_file_is_named(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("create_project", "winter", "--categories", str(tmp_path / "none.json"))
    (tmp_path / "latin").write_bytes(b'["\xe9"]')
    with pytest.raises(CommandError, match="not UTF-8"):
        call_command("create_project", "winter", "--categories", str(tmp_path / "latin"))


def test_who_creates_a_project_is_its_admin():
    user = builders.make_user()
    project = create_project("winter", creator=user)
    assert Membership.objects.get(project=project, user=user).has(Role.ADMIN)


# ── add_member ────────────────────────────────────────────────────────────────


def test_a_new_person_gets_an_account_and_a_password_shown_once(capsys):
    create_project("winter")
    answer = said(capsys, "add_member", "winter", "wren", "annotator", "--email", "wren@example.org")
    assert answer["member"] == "wren" and answer["created"] is True
    user = authenticate(None, username="wren", password=answer["password"])
    assert user is not None and user.email == "wren@example.org" and not user.is_staff
    again = said(capsys, "add_member", "winter", "wren", "annotator")
    assert again == {"member": "wren", "created": False}


def test_a_second_role_is_added_to_the_first(capsys):
    project = create_project("winter")
    add_member(project, "wren", Role.ANNOTATOR)
    add_member(project, "WREN", Role.REVIEWER)
    member = Membership.objects.get(project=project)
    assert member.roles == (Role.ANNOTATOR, Role.REVIEWER)
    assert User.objects.count() == 1


def test_the_pseudonym_says_nothing_about_the_person():
    member = add_member(create_project("winter"), "wren", Role.ANNOTATOR).membership
    assert "wren" not in member.pseudonym and str(member.user_id) not in member.pseudonym.strip("0123456789")


def test_an_ended_membership_begins_again():
    project = create_project("winter")
    member = add_member(project, "wren", Role.ANNOTATOR).membership
    participation.withdraw(member)
    joined = add_member(project, "wren", Role.ANNOTATOR)
    assert not joined.created and joined.membership.active


@pytest.mark.parametrize("username", ["", "a b", "<img src=x>", "x" * 151, "a\x00", "\ud800", "a/b"])
def test_a_user_name_that_is_none_is_refused(username):  # B49
    with pytest.raises(BadMember) as bad:
        add_member(create_project("winter"), username, Role.ANNOTATOR)
    assert bad.value.code == "bad_username"
    assert not User.objects.exists()


def test_a_closed_account_and_a_wrong_address_are_refused():
    project = create_project("winter")
    builders.make_user("wren", is_active=False)
    with pytest.raises(BadMember, match="closed"):
        add_member(project, "wren", Role.ANNOTATOR)
    with pytest.raises(BadMember, match="no e-mail address"):
        add_member(project, "robin", Role.ANNOTATOR, email="robin@")


def test_an_unknown_project_or_role_is_named():
    with pytest.raises(CommandError, match="no project 'winter'"):
        call_command("add_member", "winter", "wren", "annotator")
    create_project("winter")
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("add_member", "winter", "wren", "owner")
