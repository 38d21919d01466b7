"""Setting up a project's webhook: address, secret, what it is told of."""

import secrets
from collections.abc import Collection
from uuid import uuid4

from django.db import transaction

from annotation.core.sealed import seal
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.domain.outgoing import DeliveryState, Happening
from annotation.models import Delivery, Membership, Project, Webhook, record
from annotation.webhooks.send import ring
from runs.sql.database_clock import database_now

TESTS_AT_ONCE = 5
"""The most test messages that wait."""


@short_transaction
def store(admin: Membership, address: str, happenings: Collection[str]) -> str:
    """Store address and happenings of the project's webhook, each happening once.

    Return the secret of a new one, which is shown once; "" for one that existed.
    """
    secret = add(admin, address, happenings)
    if secret is None:
        Webhook.objects.filter(project=admin.project).update(address=address, happenings=sorted(set(happenings)))
        _record(admin, "changed")
    return secret or ""


@short_transaction
def add(admin: Membership, address: str, happenings: Collection[str]) -> str | None:
    """Give the project a webhook, and return its secret, which is shown once.

    Returns None if the project has one already, and then changes nothing.
    """
    Project.objects.select_for_update(no_key=True).get(pk=admin.project_id)  # two admins may add one at the same time
    if Webhook.objects.filter(project=admin.project_id).exists():
        return None
    secret = _new_secret()
    Webhook.objects.create(
        project=admin.project,
        address=address,
        happenings=sorted(set(happenings)),
        sealed_secret=seal(secret),
        created_by=admin,
        created_at=(now := database_now()),
        read_until=now,
    )
    _record(admin, "made")
    return secret


@short_transaction
def renew_secret(admin: Membership, webhook: Webhook) -> str:
    """Give the webhook a new secret and return it; messages are signed with it from now on."""
    secret = _new_secret()
    Webhook.objects.filter(pk=webhook.pk).update(sealed_secret=seal(secret))
    _record(admin, "new secret")
    return secret


@short_transaction
def switch_on(admin: Membership | None, webhook: Webhook) -> None:
    """Send again what waits, after the webhook was switched off; what was given up is not sent.

    Without an `admin` of the project, the site's staff did it.
    """
    Webhook.objects.filter(pk=webhook.pk).update(disabled_at=None, failures=0, resume_at=None)
    record(EventVerb.WEBHOOK_CHANGED, project=webhook.project, actor=admin, what="on")
    transaction.on_commit(lambda: ring(webhook.pk))


@short_transaction
def remove(admin: Membership, webhook: Webhook) -> None:
    """Remove the webhook with all messages."""
    webhook.delete()
    _record(admin, "removed")


def send_test(webhook: Webhook) -> Delivery | None:
    """Let a worker send a test message at once, also while the receiver rests after a failure.

    Returns None if the webhook is switched off, or if others still wait.
    """
    waiting = webhook.deliveries.filter(state=DeliveryState.WAITING, happening=Happening.TEST)
    if webhook.disabled_at is not None or waiting.count() >= TESTS_AT_ONCE:
        return None
    with transaction.atomic():
        delivery = Delivery.objects.create(
            webhook=webhook, key=f"{Happening.TEST}:{uuid4()}", happening=Happening.TEST, happened_at=database_now()
        )
        transaction.on_commit(lambda: ring(webhook.pk))
    return delivery


def _new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def _record(admin: Membership, what: str) -> None:
    record(EventVerb.WEBHOOK_CHANGED, project=admin.project, actor=admin, what=what)
