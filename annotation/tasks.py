"""The Celery task of the app, which performs a job (`core.jobs`). Workers discover it here."""

import logging
from typing import Any

from celery import shared_task

from annotation.analytics.competence import COMPETENCE
from annotation.core.jobs import TASK, JobKind
from annotation.imports.job import IMPORTS
from annotation.items.bulk_job import BULK_CHANGES
from annotation.picture_text.job import READINGS
from annotation.releases.job import RELEASES

log = logging.getLogger(__name__)

_KINDS: dict[str, JobKind[Any]] = {kind.name: kind for kind in (IMPORTS, RELEASES, BULK_CHANGES, COMPETENCE, READINGS)}


@shared_task(name=TASK)
def perform_job(kind: str, job_id: int) -> None:
    """Perform a job if it is due. Messages from a release with other kinds of job change nothing."""
    if kind in _KINDS:
        _KINDS[kind].perform(job_id)
    else:
        log.warning("there are no %r jobs: the message for job %s is dropped", kind, job_id)
