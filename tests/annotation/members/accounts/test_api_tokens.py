"""When tokens for the API end, and what making one asks for (threats L27)."""

import pytest
from django.test import Client
from knox.models import AuthToken

from annotation.domain.choices import Role
from annotation.members.accounts import api_tokens
from annotation.members.participation import deactivate, withdraw
from annotation.models import Membership, TokenUse, User
from builders import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
PASSWORD, OTHER = "a long enough phrase", "another long phrase here"


@pytest.fixture
def member() -> Membership:
    user = make_user("wren")
    user.set_password(PASSWORD)
    user.save()
    return make_member(make_project("garden"), Role.ANNOTATOR, user=user)


@pytest.fixture
def token(member: Membership) -> str:
    _row, token = AuthToken.objects.create(member.user)
    assert status(token) == 200
    return str(token)


def status(token: str) -> int:
    return Client().get("/api/v1/projects/", headers={"Authorization": f"Token {token}"}).status_code


def signed_in() -> Client:
    browser = Client()
    assert browser.post("/accounts/login/", {"login": "wren", "password": PASSWORD}).status_code == 302
    return browser


def test_tokens_end_when_the_password_is_changed_on_its_page(token: str) -> None:
    browser = signed_in()
    fields = {"oldpassword": PASSWORD, "password1": OTHER, "password2": OTHER}
    assert browser.post("/accounts/password/change/", fields).status_code == 302
    assert status(token) == 401


def test_tokens_end_when_somebody_else_sets_the_password(member: Membership, token: str) -> None:
    user = User.objects.get(username="wren")
    user.set_password(OTHER)
    user.save(update_fields=["password"])
    assert status(token) == 401


def test_signing_in_keeps_tokens_also_when_the_hash_is_made_anew(token: str, settings: object) -> None:
    User.objects.filter(username="wren").update(password="md5$salt$" + "0" * 32)
    User.objects.get(username="wren").check_password("wrong")
    user = User.objects.get(username="wren")
    user.set_password(PASSWORD)
    user._password = None  # as Django does where it only stores the hash in a newer form
    user.save(update_fields=["password"])
    assert status(token) == 200
    signed_in()
    assert status(token) == 200


@pytest.mark.parametrize("end", [withdraw, lambda member: deactivate(member, None)])
def test_tokens_end_with_the_last_membership(end: object, member: Membership, token: str) -> None:
    second = make_member(make_project("yard"), Role.ANNOTATOR, user=member.user)
    end(second)  # type: ignore[operator]
    assert status(token) == 200
    end(member)  # type: ignore[operator]
    assert status(token) == 401


def test_making_a_token_asks_for_the_password_and_then_makes_it(member: Membership) -> None:
    browser = Client()
    browser.force_login(member.user)
    assert browser.get("/me/tokens/").status_code == 200
    asked = browser.post("/me/tokens/")
    assert asked.status_code == 302 and "/accounts/reauthenticate/" in asked["Location"]
    assert not AuthToken.objects.exists()
    wrong = browser.post(asked["Location"], {"password": "wrong"})
    assert wrong.status_code == 200 and not AuthToken.objects.exists()
    made = browser.post(asked["Location"], {"password": PASSWORD, "next": "/me/tokens/"}, follow=True)
    assert AuthToken.objects.count() == 1
    assert "Your new token" in made.content.decode()


def test_ending_one_asks_for_nothing(member: Membership, token: str) -> None:
    browser = Client()
    browser.force_login(member.user)
    row = AuthToken.objects.get()
    assert browser.post(f"/me/tokens/{row.token_key}/end/").status_code == 302
    assert status(token) == 401


def used(token: str, address: str = "192.0.2.7", client: str = "crowd-sync/2.1") -> None:
    answer = Client(REMOTE_ADDR=address).get(
        "/api/v1/projects/", headers={"Authorization": f"Token {token}", "User-Agent": client}
    )
    assert answer.status_code == 200


def test_the_page_shows_when_and_where_each_token_was_last_used(member: Membership) -> None:
    _row, token = AuthToken.objects.create(member.user)
    browser = Client()
    browser.force_login(member.user)
    assert "never" in browser.get("/me/tokens/").content.decode()
    used(token)
    page = browser.get("/me/tokens/").content.decode()
    assert "192.0.2.7" in page and "crowd-sync/2.1" in page and "never" not in page
    used(token, "2001:db8::9", "<script>\x07" + "x" * 300)
    page = browser.get("/me/tokens/").content.decode()
    assert "2001:db8::9" in page and "192.0.2.7" not in page and "<script>x" not in page
    assert len(TokenUse.objects.get().client) == 100


def test_the_same_use_writes_once_in_five_minutes(token: str) -> None:
    used(token)
    first = TokenUse.objects.get().at
    used(token)
    assert TokenUse.objects.get().at == first


def test_what_is_known_of_a_token_goes_with_it(member: Membership, token: str) -> None:
    used(token)
    api_tokens.end_tokens(member.user)
    assert not TokenUse.objects.exists()
