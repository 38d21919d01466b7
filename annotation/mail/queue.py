"""E-mail that the site sends by itself: stored, then sent by a worker after the commit.

Nothing is stored where no mail server is set (`EMAIL_HOST`). Facts are names, numbers, dates and addresses of pages;
never a text of an item.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac

from annotation.core.sealed import seal
from annotation.domain.outgoing import MailKind, MailState
from annotation.models import Mail, Project, User
from runs.queue.task_messages import enqueue_task
from runs.sql.database_clock import database_now

TASK = "annotation.tasks.send_mail"
MOST_TO_ONE = 10
"""The most mails to one address in a day; further ones are not sent."""
MOST_OF_AN_ACCOUNT = 20
"""The most mails that one account causes in a day, to whatever addresses it names."""
MOST_OF_A_PROJECT = 100
"""The most mails to people outside that one project causes in a day."""
KEPT = timedelta(days=30)
"""How long it is remembered that a mail was sent; its address and content are gone at once."""
_DAY = timedelta(days=1)


def sends_mail() -> bool:
    """Return whether this site sends e-mail."""
    return bool(settings.EMAIL_HOST)


def queue_mail(
    kind: MailKind,
    address: str,
    facts: Mapping[str, str | int],
    *,
    user: User | None = None,
    project: Project | None = None,
    language: str = "",
) -> bool:
    """Store a mail and let a worker send it after the commit.

    `user`: the account that it is for, if any; it is then sent only while the account has this address.
    Returns False if this site sends none, or if the address or the project has had too many today.
    """
    if not sends_mail():
        return False
    now = database_now()
    digest, lately = digest_of(address), now - _DAY
    # What one's account says of itself has a limit of its own: no other mail can use it up.
    own = (MailKind.ACCOUNT, MailKind.ACCOUNT_NOTICE)
    alike = Q(kind=kind) if kind in own else ~Q(kind__in=own)
    if Mail.objects.filter(alike, address_digest=digest, created_at__gte=lately).count() >= MOST_TO_ONE:
        return False
    caused = Mail.objects.filter(kind=kind, user=user, created_at__gte=lately)
    if kind in own and caused.count() >= MOST_OF_AN_ACCOUNT and user is not None:
        return False
    outside = Mail.objects.filter(project=project, user=None, created_at__gte=lately)
    if project is not None and user is None and outside.count() >= MOST_OF_A_PROJECT:
        return False
    mail = Mail.objects.create(
        kind=kind,
        address=address,
        address_digest=digest,
        user=user,
        project=project,
        language=language,
        due_at=now,
        created_at=now,
        sealed_facts=seal(dict(facts)),
    )
    transaction.on_commit(partial(ring, mail.pk))
    return True


def digest_of(address: str) -> str:
    """Return a keyed digest of an address, by which mails to it are counted."""
    return salted_hmac("annotation.mail", address.strip().casefold(), algorithm="sha256").hexdigest()


def ring(mail_id: int) -> bool:
    """Enqueue the task that sends. Return False if the broker is down; the sweeper enqueues it later."""
    return enqueue_task(TASK, mail_id)


def enqueue_due() -> int:
    """Enqueue the mails that are due, and forget old ones. This is a step of the sweeper. Return how many."""
    now = database_now()
    Mail.objects.filter(finished_at__lt=now - KEPT).delete()
    unclaimed = now - timedelta(seconds=30)
    due = Mail.objects.filter(state=MailState.WAITING, due_at__lte=now, created_at__lt=unclaimed)
    due = due.exclude(lease_until__gt=now).order_by("due_at")[:200]
    return sum(ring(mail_id) for mail_id in due.values_list("pk", flat=True))
