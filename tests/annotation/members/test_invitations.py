"""Invitations: a link lets one person in, once, until it expires; whatever is not open looks the same."""

import io
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.domain.choices import Role
from annotation.members import invitations, participation
from annotation.members.join import BadMember
from annotation.models import Batch, Event, Invitation, Membership, User
from builders import make_member, make_project, make_user
from concurrency import at_once
from config.monitoring.logging_filters import Redacting

pytestmark = pytest.mark.django_db

PASSWORD = "garden-gate-at-dusk"
NEW = {"username": "wren", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def admin() -> Membership:
    return make_member(make_project("garden", name="My garden"), Role.ADMIN)


@pytest.fixture
def desk(admin: Membership) -> Client:
    client = Client()
    client.force_login(admin.user)
    return client


def link(made: invitations.Invited) -> str:
    return f"/invite/{made.token}/"


def text_of(page: Any) -> str:
    text: str = page.content.decode()
    return text


# ── The verbs ─────────────────────────────────────────────────────────────────


def test_a_new_person_comes_in_with_the_roles_of_the_invitation(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR, Role.REVIEWER])
    outcome = invitations.accept_anew(made.token, "wren", PASSWORD)
    assert isinstance(outcome, invitations.Accepted)
    assert outcome.member.roles == (Role.ANNOTATOR, Role.REVIEWER)
    assert outcome.member.user.check_password(PASSWORD)
    assert "wren" not in outcome.member.pseudonym


def test_an_invitation_lets_one_person_in(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    invitations.accept(made.token, make_user())
    assert invitations.accept(made.token, make_user()) == invitations.NotOpen()
    assert invitations.accept_anew(made.token, "wren", PASSWORD) == invitations.NotOpen()
    assert not User.objects.filter(username="wren").exists()


def test_the_database_keeps_no_token(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR], note="for Wren")
    row = Invitation.objects.values().get()
    assert made.token not in repr(row) + repr(list(Event.objects.values()))


def test_an_invitation_expires(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR], days=1)
    assert made.invitation.expires_at - timezone.now() < timedelta(days=1)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert invitations.find(made.token) is None
    assert invitations.accept(made.token, make_user()) == invitations.NotOpen()


def test_an_invitation_ends_with_the_rights_of_its_maker(admin):
    made = invitations.invite(admin, [Role.ADMIN])
    second = make_member(admin.project, Role.ADMIN)
    participation.deactivate(admin, by=second)
    assert invitations.accept(made.token, make_user()) == invitations.NotOpen()
    row = invitations.invitations_of(admin.project).get()
    assert invitations.state_of(row, timezone.now()) is invitations.State.REVOKED


def test_a_member_gains_what_is_new_and_keeps_what_they_have(admin):
    member = make_member(admin.project, Role.REVIEWER)
    made = invitations.invite(admin, [Role.ANNOTATOR])
    outcome = invitations.accept(made.token, member.user)
    assert isinstance(outcome, invitations.Accepted) and outcome.member.pk == member.pk
    assert outcome.member.roles == (Role.ANNOTATOR, Role.REVIEWER)


def test_a_link_that_gives_nothing_new_is_not_used_up(admin):
    made = invitations.invite(admin, [Role.ADMIN])
    assert isinstance(invitations.accept(made.token, admin.user), invitations.MemberAlready)
    assert invitations.find(made.token) is not None


def test_ended_access_is_not_opened_by_a_link(admin):
    member = make_member(admin.project, Role.ANNOTATOR)
    participation.deactivate(member, by=admin)
    made = invitations.invite(admin, [Role.ANNOTATOR])
    assert invitations.accept(made.token, member.user) == invitations.AccessEnded()
    member.refresh_from_db()
    assert not member.active and invitations.find(made.token) is not None


def test_whoever_is_invited_to_a_team_is_in_it(admin):
    team = Batch.objects.create(project=admin.project, name="three", limited=True)
    made = invitations.invite(admin, [Role.ANNOTATOR], team=team)
    outcome = invitations.accept(made.token, make_user())
    assert isinstance(outcome, invitations.Accepted)
    assert list(team.members.all()) == [outcome.member]


def test_a_team_is_for_people_who_label(desk, admin):
    team = Batch.objects.create(project=admin.project, name="three", limited=True)
    with pytest.raises(ValueError, match="annotators alone"):
        invitations.invite(admin, [Role.REVIEWER], team=team)
    page = desk.post(
        "/p/garden/people/invitations/", {"invite-roles": ["reviewer"], "invite-days": "7", "invite-team": team.pk}
    )
    assert page.status_code == 422 and "A team labels" in text_of(page)


def test_a_team_that_was_opened_to_everybody_meanwhile_takes_nobody(admin):
    team = Batch.objects.create(project=admin.project, name="three", limited=True)
    made = invitations.invite(admin, [Role.ANNOTATOR], team=team)
    Batch.objects.update(limited=False)
    assert isinstance(invitations.accept(made.token, make_user()), invitations.Accepted)
    assert not team.members.exists()


def test_a_name_that_is_taken_leaves_the_invitation_open(admin):
    make_user("Wren")
    made = invitations.invite(admin, [Role.ANNOTATOR])
    with pytest.raises(BadMember) as refused:
        invitations.accept_anew(made.token, "wren", PASSWORD)
    assert refused.value.code == "username_taken"
    assert invitations.find(made.token) is not None


def test_nobody_takes_the_name_of_an_erased_account(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    with pytest.raises(BadMember):
        invitations.accept_anew(made.token, "Erased-123", PASSWORD)


@pytest.mark.parametrize(("roles", "days"), [([], 14), ([Role.ANNOTATOR], 0), ([Role.ANNOTATOR], 61)])
def test_an_invitation_needs_a_role_and_1_to_60_days(admin, roles, days):
    with pytest.raises(ValueError, match="1 to 60 days"):
        invitations.invite(admin, roles, days=days)


# ── The pages ─────────────────────────────────────────────────────────────────


def test_an_admin_makes_a_link_that_is_shown_once(desk, admin):
    form = {"invite-roles": ["annotator"], "invite-days": "7", "invite-note": "for the Tuesday group"}
    page = desk.post("/p/garden/people/invitations/", form)
    assert page.status_code == 200
    row = Invitation.objects.get()
    shown = text_of(page)
    token = shown.partition("/invite/")[2].partition("/")[0]
    assert invitations.find(token) == row and f'value="http://127.0.0.1:8000/invite/{token}/"' in shown
    again = text_of(desk.get("/p/garden/people/"))
    assert token not in again and "for the Tuesday group" in again


def test_a_form_that_is_sent_twice_makes_one_invitation_and_shows_its_link_again(desk, admin):
    key = re.search(r'name="invite-key" value="([^"]+)"', text_of(desk.get("/p/garden/people/")))[1]
    form = {"invite-key": key, "invite-roles": ["annotator"], "invite-days": "7", "invite-note": "for Wren"}
    pages = [text_of(desk.post("/p/garden/people/invitations/", form)) for _ in range(3)]
    tokens = {page.partition("/invite/")[2].partition("/")[0] for page in pages}
    assert len(tokens) == 1 and invitations.find(tokens.pop()) == Invitation.objects.get()
    assert Event.objects.filter(verb="invited").count() == 1
    # Other values, another form, or another admin make another one.
    other = make_member(admin.project, Role.ADMIN)
    desk.post("/p/garden/people/invitations/", form | {"invite-note": "for Robin"})
    desk.post("/p/garden/people/invitations/", form | {"invite-key": "another"})
    invitations.invite(other, [Role.ANNOTATOR], days=7, note="for Wren", form_key=key)
    assert Invitation.objects.count() == 4
    # So does the same form once the first invitation is used up.
    for used_up in ({"revoked_at": timezone.now()}, {"expires_at": timezone.now()}):
        Invitation.objects.filter(created_by=admin).update(**used_up)
        page = text_of(desk.post("/p/garden/people/invitations/", form))
        assert invitations.find(page.partition("/invite/")[2].partition("/")[0]).note == "for Wren"


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_make_one_invitation(admin):
    made = at_once([lambda: invitations.invite(admin, [Role.ANNOTATOR], form_key="one") for _ in range(4)])
    assert len({invited.token for invited in made}) == 1 and [invited.is_new for invited in made].count(True) == 1
    assert Invitation.objects.count() == 1


def test_a_wrong_invitation_is_refused_with_what_was_typed(desk):
    page = desk.post("/p/garden/people/invitations/", {"invite-days": "61", "invite-note": "for Wren"})
    assert page.status_code == 422
    assert "Choose at least one role." in text_of(page) and 'value="for Wren"' in text_of(page)
    assert not Invitation.objects.exists()


def test_a_team_of_another_project_cannot_be_chosen(desk):
    foreign = Batch.objects.create(project=make_project("other"), name="three", limited=True)
    form = {"invite-roles": ["annotator"], "invite-days": "7", "invite-team": str(foreign.pk)}
    assert desk.post("/p/garden/people/invitations/", form).status_code == 422


def test_the_page_of_people_has_a_fixed_number_of_queries(desk, admin, django_assert_num_queries):
    for _ in range(3):
        made = invitations.invite(admin, [Role.ANNOTATOR])
        invitations.accept(made.token, make_user())
    with django_assert_num_queries(7):
        assert desk.get("/p/garden/people/").status_code == 200


def test_a_guest_makes_an_account_and_lands_on_the_consent(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    guest = Client()
    page = guest.get(link(made))
    assert page.status_code == 200 and "My garden" in text_of(page)
    assert admin.pseudonym not in text_of(page) and admin.user.username not in text_of(page)
    answer = guest.post(link(made), NEW)
    assert (answer.status_code, answer["Location"]) == (302, "/p/garden/consent/")
    assert guest.get("/p/garden/consent/").status_code == 200
    assert guest.get(link(made)).status_code == 404


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "wrenwrenwren", "again": "wrenwrenwren"}, "too similar to the username"),
        ({"again": "another-gate-at-dusk"}, "are not the same"),
        ({"username": "two words"}, "letters, digits"),
    ],
)
def test_a_bad_name_or_password_is_refused_and_the_name_stays(admin, change, said):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    page = Client().post(link(made), NEW | {"username": "wrenwren"} | change)
    assert page.status_code == 422 and said in text_of(page)
    assert f'value="{change.get("username", "wrenwren")}"' in text_of(page)
    assert User.objects.count() == 1 and invitations.find(made.token) is not None


def test_who_has_an_account_signs_in_and_comes_back(admin):
    make_user("wren", PASSWORD)
    made = invitations.invite(admin, [Role.ANNOTATOR])
    guest = Client()
    assert f'href="/accounts/login/?next={link(made)}"' in text_of(guest.get(link(made)))
    signed_in = guest.post("/accounts/login/", {"login": "wren", "password": PASSWORD, "next": link(made)})
    assert signed_in["Location"] == link(made)
    assert "You are signed in as wren." in text_of(guest.get(link(made)))
    assert guest.post(link(made))["Location"] == "/p/garden/consent/"


def test_a_reviewer_and_an_admin_begin_elsewhere(admin):
    for role, place in ((Role.REVIEWER, "/p/garden/desk/"), (Role.ADMIN, "/p/garden/dashboard/")):
        guest = Client()
        guest.force_login(make_user())
        assert guest.post(link(invitations.invite(admin, [role])))["Location"] == place


def test_whose_access_has_ended_is_told_so(admin):
    member = make_member(admin.project)
    participation.deactivate(member, by=admin)
    guest = Client()
    guest.force_login(member.user)
    page = guest.post(link(invitations.invite(admin, [Role.ANNOTATOR])))
    assert page.status_code == 409 and "Your access to this project has ended" in text_of(page)


def test_links_that_are_not_open_are_one_calm_page(admin):
    used, revoked, expired = (invitations.invite(admin, [Role.ANNOTATOR]) for _ in range(3))
    invitations.accept(used.token, make_user())
    assert invitations.revoke(admin, revoked.invitation.public_id)
    Invitation.objects.filter(pk=expired.invitation.pk).update(expires_at=timezone.now())
    pages = [Client().get(address) for address in (*map(link, (used, revoked, expired)), "/invite/never-was-one/")]
    assert {page.status_code for page in pages} == {404}
    one_time = re.compile(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": *)"[^"]+"')
    assert len({one_time.sub("", text_of(page)) for page in pages}) == 1
    assert "not open" in text_of(pages[0])


def test_admins_read_in_the_list_what_became_of_each_invitation(desk, admin):
    notes = ("first", "second", "third", "fourth")
    _open, used, revoked, expired = (invitations.invite(admin, [Role.ANNOTATOR], note=note) for note in notes)
    invitations.accept(used.token, make_user())
    invitations.revoke(admin, revoked.invitation.public_id)
    Invitation.objects.filter(pk=expired.invitation.pk).update(expires_at=timezone.now())
    page = text_of(desk.get("/p/garden/people/"))
    rows = {note: next(row for row in page.split("<tr") if re.search(rf">\s*{note}\s*<", row)) for note in notes}
    states = {note: re.findall(r'<span class="chip[^"]*">\s*([a-z]+)\s*</span>', row)[-1] for note, row in rows.items()}
    assert states == {"first": "open", "second": "used", "third": "revoked", "fourth": "expired"}
    assert [note for note, row in rows.items() if "Revoke" in row] == ["first", "fourth"]


def test_an_invitation_is_revoked_once_and_a_used_one_never(desk, admin):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    address = f"/p/garden/people/invitations/{made.invitation.public_id}/end/"
    assert "is revoked" in text_of(desk.post(address, follow=True))
    assert "used or revoked already" in text_of(desk.post(address, follow=True))
    assert invitations.find(made.token) is None


def test_links_are_tried_ten_times_a_minute(admin, rate_limits):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    guest = Client()
    statuses = [guest.post(link(made), NEW | {"again": "x"}).status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]


def test_no_token_reaches_a_log_line(admin):
    made = invitations.invite(admin, [Role.ANNOTATOR])
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(Redacting("%(message)s"))
    logging.getLogger().addHandler(handler)
    try:
        invitations.revoke(admin, made.invitation.public_id)
        Client().get(link(made))
        Client().get("/no-such-page/", {"next": link(made)})
        logging.getLogger("django.request").warning("Not Found: /accounts/login/?next=%%2Finvite%%2F%s%%2F", made.token)
    finally:
        logging.getLogger().removeHandler(handler)
    assert "invite" in written.getvalue() and made.token not in written.getvalue()
