"""Two accounts never share an address that was confirmed, and a link for a new password goes to one account."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.core import mail as outbox
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

import builders
from annotation.mail import queue, send
from annotation.models import Mail, User
from concurrency import at_once

RESET = "/accounts/password/reset/"
WAYS = ["wren@example.org", "WREN@Example.org", "ｗren@example.org"]


@pytest.fixture(autouse=True)
def _a_mail_server(settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)


def sent():
    for row in Mail.objects.order_by("pk"):
        send.send_mail(row.pk)
    return outbox.outbox


def has(name, address="wren@example.org", **fields):
    user = User.objects.filter(username=name).first() or builders.make_user(name)
    return EmailAddress.objects.create(user=user, email=address, **fields)


@pytest.mark.django_db
@pytest.mark.parametrize("written", WAYS)
def test_the_database_takes_a_confirmed_address_once_however_it_is_written(written):  # B129
    has("wren", verified=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        has("thief", written, verified=True)
    has("thief", written)
    with pytest.raises(IntegrityError), transaction.atomic():
        row = EmailAddress.objects.get(user__username="thief")
        row.verified = True
        row.save()


def confirm(row):
    link = reverse("account_confirm_email", args=[EmailConfirmationHMAC(row).key])
    return Client().post(link).status_code


@pytest.mark.django_db
def test_the_second_one_who_confirms_is_refused():
    assert (confirm(has("wren")), confirm(has("thief"))) == (302, 302)
    assert [row.user.username for row in EmailAddress.objects.filter(verified=True)] == ["wren"]


@pytest.mark.django_db(transaction=True)
def test_of_several_who_confirm_at_once_one_gets_the_address():
    rows = [has(f"person-{number}") for number in range(6)]
    assert set(at_once([lambda row=row: confirm(row) for row in rows])) <= {200, 302}
    assert EmailAddress.objects.filter(verified=True).count() == 1


@pytest.mark.django_db
def test_a_confirmation_that_loses_the_race_says_so_and_is_no_fault(monkeypatch):
    has("wren", verified=True)
    monkeypatch.setattr(EmailAddress, "can_set_verified", lambda self: True)
    assert confirm(has("thief")) in (200, 302)
    assert EmailAddress.objects.filter(verified=True).count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("written", WAYS[:2])
def test_a_link_goes_to_who_confirmed_the_address_and_to_nobody_who_typed_it_in(written):
    for name in ("thief", "thief2"):
        has(name, primary=True)
        User.objects.filter(username=name).update(email="wren@example.org")
    has("wren", verified=True)
    assert Client().post(RESET, {"email": written}).status_code == 302
    (mail,) = sent()
    assert mail.to == ["wren@example.org"] and "wren" in mail.body and "thief" not in mail.body


@pytest.mark.django_db
def test_a_link_goes_to_one_account_where_nobody_has_confirmed_the_address():
    for name in ("wren", "wren2", "wren3"):
        builders.make_user(name, email="Wren@Example.org")
    Client().post(RESET, {"email": "wren@example.org"})
    (mail,) = sent()
    assert mail.to == ["wren@example.org"]


@pytest.mark.django_db
def test_a_site_admin_gives_no_account_the_address_of_another(settings):
    ada = User.objects.create_superuser("ada", email="ada@example.org")
    has("wren", verified=True)
    robin = builders.make_user("robin")
    client = Client()
    client.force_login(ada)
    page = reverse("admin:annotation_user_change", args=[robin.pk])
    fields = {"username": "robin", "date_joined_0": "2026-01-01", "date_joined_1": "00:00", "is_active": "on"}
    for taken in ("wren@EXAMPLE.org", "ADA@example.org"):
        said = client.post(page, fields | {"email": taken}).content.decode()
        assert "Another account has this address." in said
    client.post(page, fields | {"email": "Robin@Example.org"})
    robin.refresh_from_db()
    assert robin.email == "robin@example.org"


@pytest.mark.django_db
def test_old_addresses_are_written_in_one_way_and_the_later_account_confirms_again(capsys):
    first, later = has("wren", verified=True), has("robin", "robin@example.org", verified=True)
    mine = has("kim", "kim@example.org", verified=True)
    twice = has("kim", "kim2@example.org")
    rows, users = EmailAddress.objects, User.objects
    rows.filter(pk=later.pk).update(email="Wren@Example.org")
    rows.filter(pk=twice.pk).update(email="KIM@example.org")
    users.filter(username="kim").update(email="KIM@example.org")
    change = import_module("annotation.migrations.0025_addresses_are_written_in_one_way").write_in_one_way
    change(SimpleNamespace(get_model=lambda app, model: {"EmailAddress": EmailAddress, "User": User}[model]), None)
    assert list(rows.order_by("pk").values_list("pk", "email", "verified")) == [
        (first.pk, "wren@example.org", True),
        (later.pk, "wren@example.org", False),
        (mine.pk, "kim@example.org", True),
    ]
    assert users.get(username="kim").email == "kim@example.org"
    assert "has to confirm it again" in capsys.readouterr().out
