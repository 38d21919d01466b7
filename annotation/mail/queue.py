"""E-mail that the site sends by itself: stored, then sent by a worker after the commit.

Nothing is stored where no mail server is set (`EMAIL_HOST`). Facts are names, numbers, dates and addresses of pages;
never a text of an item.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from annotation.core.sealed import seal
from annotation.domain.outgoing import MailKind, MailState
from annotation.models import Mail, Project, User
from runs.queue.task_messages import enqueue_task
from runs.sql.database_clock import database_now

TASK = "annotation.tasks.send_mail"
OF_AN_ACCOUNT = (MailKind.ACCOUNT, MailKind.ACCOUNT_NOTICE)
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
    if not takes_mail(address, user=user, project=project, kind=kind):
        return False
    now = database_now()
    mail = Mail.objects.create(
        kind=kind,
        address=address,
        address_digest=digest_of(address),
        user=user,
        project=project,
        language=language,
        due_at=now,
        created_at=now,
        sealed_facts=seal(dict(facts)),
    )
    transaction.on_commit(partial(ring, mail.pk))
    return True


def takes_mail(
    address: str, *, user: User | None = None, project: Project | None = None, kind: MailKind | None = None
) -> bool:
    """Return whether a mail to the address would be stored now, by the same rules as `queue_mail`.

    Links and notices of one's account have limits of their own: no other mail can use them up.
    """
    if not sends_mail():
        return False
    lately = Mail.objects.filter(created_at__gte=database_now() - _DAY)
    is_own = kind in OF_AN_ACCOUNT
    alike = lately.filter(kind=kind) if is_own else lately.exclude(kind__in=OF_AN_ACCOUNT)
    if alike.filter(address_digest=digest_of(address)).count() >= MOST_TO_ONE:
        return False
    if is_own and alike.filter(user=user).count() >= MOST_OF_AN_ACCOUNT and user is not None:
        return False
    outside = lately.filter(project=project, user=None)
    return project is None or user is not None or outside.count() < MOST_OF_A_PROJECT


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
