"""The Celery tasks of the app: jobs (`core.jobs`), messages of webhooks, e-mail. Workers discover them here."""

import logging
from typing import Any

from celery import shared_task

from annotation.analytics.competence import COMPETENCE
from annotation.core.jobs import TASK, JobKind
from annotation.imports.job import IMPORTS
from annotation.items.bulk_job import BULK_CHANGES
from annotation.mail import queue as mail_queue
from annotation.mail import send as mail_sending
from annotation.picture_text.job import READINGS
from annotation.releases.job import RELEASES
from annotation.webhooks import send as webhook_messages

log = logging.getLogger(__name__)

_KINDS: dict[str, JobKind[Any]] = {kind.name: kind for kind in (IMPORTS, RELEASES, BULK_CHANGES, COMPETENCE, READINGS)}


@shared_task(name=TASK)
def perform_job(kind: str, job_id: int) -> None:
    """Perform a job if it is due. Messages from a release with other kinds of job change nothing."""
    if kind in _KINDS:
        _KINDS[kind].perform(job_id)
    else:
        log.warning("there are no %r jobs: the message for job %s is dropped", kind, job_id)


@shared_task(name=webhook_messages.TASK)
def send_webhook(webhook_id: int) -> None:
    """Send the messages of a webhook that wait."""
    webhook_messages.send_due(webhook_id)


@shared_task(name=mail_queue.TASK)
def send_mail(mail_id: int) -> None:
    """Send an e-mail that waits."""
    mail_sending.send_mail(mail_id)
