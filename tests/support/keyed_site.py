"""A site with something of each kind that its key seals. Called in a process of that site."""

from typing import Any

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

from annotation.domain.choices import Role
from annotation.domain.outgoing import Happening, MailKind
from annotation.mail.queue import queue_mail
from annotation.members.join import add_member
from annotation.models import Delivery, User, Webhook
from annotation.projects.create import create_project
from annotation.webhooks import change
from runs.sql.database_clock import database_now

PASSWORD = "a passphrase of several words"


def make(receiver: str, people: int) -> dict[str, Any]:
    """Create a project whose webhook tells the receiver, and people with a second step. Return their secrets."""
    admin = add_member(create_project("keyed"), "admin", Role.ADMIN).membership
    webhook = change.add(admin, receiver, [Happening.RUN_ENDED])
    secrets = {f"person-{number}": _second_step(f"person-{number}") for number in range(people)}
    return {"webhook": webhook, "people": secrets}


def _second_step(name: str) -> str:
    user = User.objects.create_user(name, password=PASSWORD)
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    return secret


def queue(first: int, messages: int) -> None:
    """Let so many messages of the webhook wait, and one mail."""
    webhook = Webhook.objects.get()
    now = database_now()
    Delivery.objects.bulk_create(
        Delivery(
            webhook=webhook,
            key=f"{number}",
            happening=Happening.RUN_ENDED,
            happened_at=now,
            facts={"number": number},
        )
        for number in range(first, first + messages)
    )
    change.ring(webhook.pk)
    facts = {"project": "Keyed", "link": f"http://example.org/invite/{first}/", "roles": "annotator", "until": "2100"}
    assert queue_mail(MailKind.INVITATION, f"person-{first}@example.org", facts)


def problems() -> list[str]:
    """Return what the attempts at messages met that were not taken."""
    return list(Delivery.objects.exclude(problem="").values_list("problem", flat=True))
