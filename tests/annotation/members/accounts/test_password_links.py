"""A link for a new password: who may make one, for whom, and what it does."""

import json

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.domain.choices import EventVerb, Role
from annotation.domain.outgoing import MailKind
from annotation.mail import queue
from annotation.members.accounts.password_links import may_make_link
from annotation.members.join import add_member
from annotation.models import Event, Mail, record
from builders import make_member, make_project, make_user

pytestmark = pytest.mark.django_db

NEW = "another passphrase of mine"


@pytest.fixture
def project():
    return make_project("garden")


@pytest.fixture
def admin(project):
    return make_member(project, Role.ADMIN)


@pytest.fixture
def person(project, admin):
    """Somebody whose account the admin made."""
    return add_member(project, "wren", Role.ANNOTATOR, actor=admin).membership


def client_of(member):
    client = Client()
    client.force_login(member.user)
    return client


def made_link(admin, person):
    page = client_of(admin).post(f"/p/garden/people/{person.public_id}/password-link/")
    assert page.status_code == 200
    return page.context["link"]


def use(link, password=NEW, client=None):
    client = client or Client()
    page = client.get(link.replace("http://127.0.0.1:8000", ""), follow=True)
    path = page.redirect_chain[-1][0] if page.redirect_chain else link
    return client.post(path, {"password1": password, "password2": password})


def signs_in(password=NEW):
    return Client().post("/accounts/login/", {"login": "wren", "password": password}).status_code == 302


def test_the_link_sets_a_password_once(admin, person):
    link = made_link(admin, person)
    assert link.startswith("http://127.0.0.1:8000/accounts/password/reset/key/")
    assert use(link).status_code == 302 and signs_in()
    use(link, "a third passphrase of theirs")
    assert signs_in() and not signs_in("a third passphrase of theirs")


def test_the_link_works_for_one_day(admin, person, settings):
    assert settings.PASSWORD_RESET_TIMEOUT == 24 * 60 * 60
    link = made_link(admin, person)
    settings.PASSWORD_RESET_TIMEOUT = -1
    use(link)
    assert not signs_in()


def test_a_link_alone_changes_nothing_and_the_log_says_who_made_it(admin, person):
    before = person.user.password
    made_link(admin, person)
    person.user.refresh_from_db()
    assert person.user.password == before
    told = Event.objects.get(verb=EventVerb.PASSWORD_LINK_MADE)
    assert (told.actor, told.row, told.facts) == (admin, person.public_id, {})
    page = client_of(admin).get(f"/p/garden/people/{person.public_id}/").content.decode()
    assert "/password/reset/key/" not in page  # it was shown once


def test_the_second_step_is_still_asked_for(admin, person):
    TOTP.activate(person.user, "JBSWY3DPEHPK3PXP")
    use(made_link(admin, person))
    answer = Client().post("/accounts/login/", {"login": "wren", "password": NEW})
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")


def somebody_elses(admin):
    make_user("wren", last_login=timezone.now())
    return add_member(admin.project, "wren", Role.ANNOTATOR, actor=admin).membership


def of_two_projects(admin):
    person = add_member(admin.project, "wren", Role.ANNOTATOR, actor=admin).membership
    make_member(make_project("elsewhere"), user=person.user)
    record(EventVerb.LABELLED, project=admin.project, actor=person)
    return person


def of_the_site(admin):
    return make_member(admin.project, user=make_user("wren", is_staff=True))


def closed(admin):
    return make_member(admin.project, user=make_user("wren", is_active=False))


@pytest.mark.parametrize("whose", [somebody_elses, of_two_projects, of_the_site, closed, lambda admin: admin])
def test_no_link_for_an_account_that_is_not_of_this_admins_projects_alone(admin, whose):
    person = whose(admin)
    assert not may_make_link(admin, person)
    assert client_of(admin).post(f"/p/garden/people/{person.public_id}/password-link/").status_code == 404
    assert not Event.objects.filter(verb=EventVerb.PASSWORD_LINK_MADE).exists()


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_only_admins_make_one(project, person, role):
    other = make_member(project, role)
    assert client_of(other).post(f"/p/garden/people/{person.public_id}/password-link/").status_code == 404


def test_the_person_is_told_where_mail_is_sent(admin, person, settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)
    person.user.email = "wren@example.org"
    person.user.save()
    made_link(admin, person)
    assert Mail.objects.get().kind == MailKind.ACCOUNT_NOTICE


def test_the_command_prints_a_link(person, capsys):
    call_command("password_link", "WREN", "--json")
    link = json.loads(capsys.readouterr().out)["link"]
    assert use(link).status_code == 302 and signs_in()
    with pytest.raises(CommandError, match="no account of this name"):
        call_command("password_link", "nobody")
