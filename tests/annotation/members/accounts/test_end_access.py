"""The command that ends every way in but passwords: on a copy that others run, or after a leak (T42)."""

import json
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from annotation.domain.outgoing import MailKind
from annotation.mail import queue
from annotation.models import Mail, Webhook
from site_objects import A, D, World, module_world, the_download, the_link, the_webhook, world

pytestmark = pytest.mark.django_db

__all__ = ["module_world", "world"]


def ended(*arguments: str, capsys: Any) -> dict[str, Any]:
    call_command("end_access", *arguments, "--json")
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


@pytest.fixture
def ways_in(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what opens something: the request, and its status while the way is open."""
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)
    user = world.members[A].user
    assert user is not None
    SocialAccount.objects.create(user=user, provider="oidc", uid="sub-1")
    queue.queue_mail(MailKind.ACCESS_ASKED, "wren@example.org", {"n": 1}, user=user)
    the_webhook(world)
    session = Client()
    session.force_login(user)
    token = AuthToken.objects.create(user)[1]
    download = reverse("annotation:public-download", kwargs=the_download(world))
    invitation = reverse("annotation:invitation", kwargs=the_link(world))
    return {
        "session": lambda: session.get("/me/").status_code,
        "token": lambda: Client().get("/api/v1/projects/", headers={"authorization": f"Token {token}"}).status_code,
        "invitation": lambda: Client().get(invitation).status_code,
        "data": lambda: Client().get(download).status_code,
    }


def test_it_counts_first_and_changes_nothing(ways_in: dict[str, Any], capsys: Any) -> None:
    before = {name: ask() for name, ask in ways_in.items()}
    counted = ended(capsys=capsys)
    assert {name: ask() for name, ask in ways_in.items()} == before == dict.fromkeys(ways_in, 200)
    names = ("sessions", "tokens", "connected accounts", "invitations", "webhooks", "e-mails that wait")
    assert all(counted[name] >= 1 for name in (*names, "links to unpublished data"))
    assert counted["ended"] is False


def test_it_ends_every_way_in_but_the_password(ways_in: dict[str, Any], world: World, capsys: Any) -> None:
    counted = ended(capsys=capsys)
    assert ended("--yes", capsys=capsys) == counted | {"ended": True}
    came = {name: ask() for name, ask in ways_in.items()}
    assert came == {"session": 302, "token": 401, "invitation": 404, "data": 404}
    assert not (SocialAccount.objects.exists() or Webhook.objects.exists() or Mail.objects.exists())
    assert not any(value for name, value in ended(capsys=capsys).items() if name not in ("ok", "ended"))
    user = world.members[D].user
    assert user is not None
    user.set_password("a long enough passphrase")
    user.save()
    fields = {"login": user.username, "password": "a long enough passphrase"}
    assert Client().post("/accounts/login/", fields).status_code == 302
