"""Every kind of job by its name: what a worker's task performs, and what the page of queues shows."""

from collections.abc import Mapping
from typing import Any

from annotation.analytics.quality.competence import COMPETENCE
from annotation.analytics.stored_figures import FIGURES
from annotation.core.jobs import JobKind
from annotation.imports.job import IMPORTS
from annotation.items.bulk_job import BULK_CHANGES
from annotation.picture_text.job import READINGS
from annotation.releases.job import RELEASES

JOB_KINDS: Mapping[str, JobKind[Any]] = {
    kind.name: kind for kind in (IMPORTS, RELEASES, BULK_CHANGES, COMPETENCE, FIGURES, READINGS)
}
