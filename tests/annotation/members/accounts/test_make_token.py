"""A token without a browser: the command make_token."""

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from annotation.domain.choices import Role, SecondFactor
from annotation.mail.send import message_of
from annotation.models import Mail, User
from builders import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def wren() -> User:
    user = make_user("wren", email="wren@example.org")
    make_member(make_project("garden"), Role.ADMIN, user=user)
    return user


def made(capsys: Any, *arguments: str) -> dict[str, Any]:
    call_command("make_token", *arguments, "--json")
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


def slugs(token: str) -> list[str] | int:
    answer = Client().get("/api/v1/projects/", headers={"Authorization": f"Token {token}"})
    return [row["slug"] for row in answer.json()] if answer.status_code == 200 else answer.status_code


def test_the_token_opens_what_the_person_may_open_for_so_many_days(wren: User, capsys: Any) -> None:
    value = made(capsys, "Wren", "--days", "3")
    assert (value["account"], value["closed_to_it"], slugs(value["token"])) == ("wren", [], ["garden"])
    assert abs(AuthToken.objects.get().expiry - timezone.now() - timedelta(days=3)) < timedelta(minutes=1)
    assert value["token"] not in str(AuthToken.objects.values())
    AuthToken.objects.update(expiry=timezone.now())
    assert slugs(value["token"]) == 401


def test_on_the_terminal_stdout_holds_the_token_alone(wren: User, capsys: Any) -> None:
    call_command("make_token", "wren")
    shown = capsys.readouterr()
    assert slugs(shown.out.strip()) == ["garden"]
    assert "It works for 90 days, as wren. It is not shown again." in shown.err


def test_the_owner_is_told_by_mail_without_the_token(wren: User, capsys: Any, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    token = made(capsys, "wren")["token"]
    message = message_of(Mail.objects.get())
    assert (message.to, message.subject) == (["wren@example.org"], "A token for your account")
    assert "90 days" in message.body and token not in message.body


@pytest.mark.parametrize("replaced", [8, 64])
def test_a_token_is_renewed_by_a_new_one_that_ends_it(wren: User, capsys: Any, replaced: int) -> None:
    former = made(capsys, "wren")["token"]
    for _ in range(9):
        made(capsys, "wren")
    with pytest.raises(CommandError, match="has 10 tokens, which is the most"):
        made(capsys, "wren")
    capsys.readouterr()
    token = made(capsys, "wren", "--replace", former[:replaced])["token"]
    assert (slugs(former), slugs(token), AuthToken.objects.count()) == (401, ["garden"], 10)


def test_a_project_that_asks_for_a_second_step_is_named(wren: User, capsys: Any) -> None:
    make_member(make_project("locked", second_factor=SecondFactor.EVERYONE), Role.ANNOTATOR, user=wren)
    assert made(capsys, "wren")["closed_to_it"] == ["locked"]
    call_command("make_token", "wren")
    assert "The project locked asks for two-step sign-in" in capsys.readouterr().err
    TOTP.activate(wren, "JBSWY3DPEHPK3PXP")
    assert made(capsys, "wren")["closed_to_it"] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "There is no account of this name."),
        (["wren", "--days", "0"], "--days is a number from 1 to 90."),
        (["wren", "--days", "91"], "--days is a number from 1 to 90."),
        (["wren", "--replace", "abcdefgh"], "has no token, or several, that begin so."),
        (["wren", "--replace", "a"], "Give the first 8 letters of one, or more."),
        (["gone"], "The account gone is closed"),
        (["new"], "a password that somebody else saw"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(wren: User, arguments: list[str], sentence: str) -> None:
    make_user("gone", is_active=False)
    make_user("new", must_change_password=True)
    with pytest.raises(CommandError, match=sentence):
        call_command("make_token", *arguments)
    assert not AuthToken.objects.exists()
