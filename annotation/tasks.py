"""The Celery tasks of the app: jobs (`core.jobs`), messages of webhooks, e-mail. Workers discover them here."""

import logging

from celery import shared_task

from annotation.core.jobs import TASK
from annotation.mail import queue as mail_queue
from annotation.mail import send as mail_sending
from annotation.operations.job_kinds import JOB_KINDS
from annotation.webhooks import send as webhook_messages

log = logging.getLogger(__name__)


@shared_task(name=TASK)
def perform_job(kind: str, job_id: int) -> None:
    """Perform a job if it is due. Messages from a release with other kinds of job change nothing."""
    if kind in JOB_KINDS:
        JOB_KINDS[kind].perform(job_id)
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
