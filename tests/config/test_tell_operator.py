"""An operator hears of what failed by mail, or the command fails too."""

from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command


def test_the_addresses_in_the_contact_are_told(settings: Any) -> None:
    settings.EMAIL_HOST, settings.OPERATOR_CONTACT = (
        "smtp.example.org",
        "Call 12 or write to a@example.org, b@example.org",
    )
    call_command("tell_operator", "interplay-backup failed on one.\nThe journal says why.")
    (message,) = mail.outbox
    assert message.to == ["a@example.org", "b@example.org"]
    assert message.subject == f"{settings.SITE_URL}: interplay-backup failed on one."


@pytest.mark.parametrize(("host", "contact"), [("", "a@example.org"), ("smtp.example.org", "room 12")])
def test_without_a_way_to_tell_it_fails(settings: Any, host: str, contact: str) -> None:
    settings.EMAIL_HOST, settings.OPERATOR_CONTACT = host, contact
    with pytest.raises(CommandError, match="Nobody was told: set EMAIL_HOST, and an e-mail address"):
        call_command("tell_operator", "x")
    assert mail.outbox == []


def test_a_mail_server_that_refuses_is_named(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> int:
        raise ConnectionRefusedError("refused")

    settings.EMAIL_HOST, settings.OPERATOR_CONTACT = "smtp.example.org", "a@example.org"
    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    with pytest.raises(CommandError, match="smtp.example.org refused the mail"):
        call_command("tell_operator", "x")
