"""Sending the messages of webhooks: in their order, one worker at a webhook, with growing pauses after failures.

A message may arrive twice (a worker died after the answer); its id stays the same.
"""

import json
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.core.sealed import CannotOpen, unseal
from annotation.domain.outgoing import (
    MOST_ATTEMPTS,
    MOST_FAILURES,
    DeliveryState,
    Happening,
    delay_after,
    signature,
)
from annotation.models import Delivery, Project, Webhook
from annotation.webhooks.happenings import read_happenings
from providers import wiring_web
from providers.http.safe_urls import FetchFault
from runs.queue.task_messages import enqueue_task
from runs.sql.database_clock import database_now

TASK = "annotation.tasks.send_webhook"
SECONDS = 20.0
"""A worker sends to one webhook for so long, then others have their turn."""
_LEASE = timedelta(seconds=60)
KEPT = timedelta(days=30)
"""How long finished messages stay on the page."""
KEY_LOST = "key_lost"
_TESTS = Delivery.objects.filter(state=DeliveryState.WAITING, happening=Happening.TEST)
_ON = Q(~Exists(Project.objects.exclude(delete_after=None).filter(pk=OuterRef("project"))), disabled_at=None)
"""That a webhook is switched on. It joins nothing: the update that takes the lease must look at the row itself, since
PostgreSQL asks a subquery only once, before it waits for another worker that takes the same lease."""


def ring(webhook_id: int) -> bool:
    """Enqueue the task that sends. Return False if the broker is down; the sweeper enqueues it later."""
    return enqueue_task(TASK, webhook_id)


def look_and_ring() -> int:
    """Read what happened for every webhook, forget old messages, and enqueue those with something to send.

    This is a step of the sweeper. Return how many were enqueued.
    """
    now = database_now()
    Delivery.objects.filter(tried_at__lt=now - KEPT).exclude(state=DeliveryState.WAITING).delete()
    for webhook in Webhook.objects.filter(_ON).select_related("project"):
        read_happenings(webhook)
    due = _free(Webhook.objects.all(), now).filter(deliveries__state=DeliveryState.WAITING).distinct()
    return sum(ring(webhook_id) for webhook_id in due.values_list("pk", flat=True))


def send_due(webhook_id: int) -> None:
    """Send what waits, oldest first, until it fails or the time is over; do nothing while another worker sends.

    Test messages go first. They are sent also while the receiver rests after a failure; the others then wait on.
    """
    now = database_now()
    rows = Webhook.objects.filter(pk=webhook_id)
    if not _free(rows, now).update(lease_until=now + _LEASE):
        return
    webhook = rows.select_related("project").first()
    if webhook is None:
        return
    until, more = time.monotonic() + SECONDS, True
    try:
        while more and time.monotonic() < until:
            delivery = _next(webhook)
            more = delivery is not None and _attempt(webhook, delivery)
    finally:
        rows.update(lease_until=None)
    if more:
        ring(webhook_id)


def _free(rows: QuerySet[Webhook], now: datetime) -> QuerySet[Webhook]:
    """Return those that are switched on, that no worker sends to, and that may be sent something now."""
    may_send = Q(resume_at=None) | Q(resume_at__lte=now) | Exists(_TESTS.filter(webhook=OuterRef("pk")))
    return rows.filter(_ON, Q(lease_until=None) | Q(lease_until__lt=now), may_send)


def _next(webhook: Webhook) -> Delivery | None:
    """Return the message to send next: the oldest test, else the oldest one if the receiver does not rest."""
    if test := _TESTS.filter(webhook=webhook).order_by("pk").first():
        return test
    resume_at = Webhook.objects.filter(pk=webhook.pk).values_list("resume_at", flat=True).first()
    if resume_at is not None and resume_at > database_now():
        return None
    return webhook.deliveries.filter(state=DeliveryState.WAITING).order_by("pk").first()


def message_of(webhook: Webhook, delivery: Delivery) -> bytes:
    """Return the body of a message: the same bytes at each attempt."""
    message = {
        "id": str(delivery.public_id),
        "event": delivery.happening,
        "at": delivery.happened_at.isoformat(),
        "site": settings.SITE_URL,
        "project": webhook.project.slug,
        "data": delivery.facts,
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def headers_of(secret: str, delivery: Delivery, body: bytes, timestamp: int) -> dict[str, str]:
    """Return the headers of one attempt."""
    return {
        "Content-Type": "application/json",
        "X-Interplay-Event": delivery.happening,
        "X-Interplay-Delivery": str(delivery.public_id),
        "X-Interplay-Timestamp": str(timestamp),
        "X-Interplay-Signature": f"sha256={signature(secret, timestamp, body)}",
    }


def _attempt(webhook: Webhook, delivery: Delivery) -> bool:
    """Send one message once and store what came of it. Return whether to go on with the next one.

    A test is tried once and counts as no failure of the webhook.
    """
    began, status, problem = time.monotonic(), None, ""
    body = message_of(webhook, delivery)
    try:
        headers = headers_of(unseal(webhook.sealed_secret), delivery, body, int(time.time()))
        status = wiring_web.webhook_poster().post(webhook.address, body, headers)
    except FetchFault as fault:
        problem = fault.code
    except CannotOpen:
        problem = KEY_LOST
    taken = status is not None and 200 <= status < 300
    _store(delivery, taken, status=status, problem=problem, seconds=round(time.monotonic() - began, 2))
    if taken:
        Webhook.objects.filter(pk=webhook.pk).update(failures=0, resume_at=None, lease_until=database_now() + _LEASE)
    elif delivery.happening != Happening.TEST:
        _pause(webhook.pk, delivery.attempts + 1)
    return taken or delivery.happening == Happening.TEST


def _store(delivery: Delivery, taken: bool, **outcome: Any) -> None:
    given_up = not taken and (delivery.happening == Happening.TEST or delivery.attempts + 1 >= MOST_ATTEMPTS)
    state = DeliveryState.DELIVERED if taken else DeliveryState.GIVEN_UP if given_up else DeliveryState.WAITING
    Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING).update(
        state=state, attempts=F("attempts") + 1, tried_at=database_now(), **outcome
    )


def _pause(webhook_id: int, attempts: int) -> None:
    """Let the receiver rest after a failure; switch it off after too many in a row."""
    now, rows = database_now(), Webhook.objects.filter(pk=webhook_id)
    rows.update(failures=F("failures") + 1, resume_at=now + delay_after(attempts))
    rows.filter(failures__gte=MOST_FAILURES).update(disabled_at=now)
