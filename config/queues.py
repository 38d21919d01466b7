"""Which queue a task waits in, and which queues a worker takes from: imports need not wait for debates."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

import kombu


class Work(StrEnum):
    """The kinds of work that wait apart."""

    RUNS = "runs"
    IMPORTS = "imports"
    RELEASES = "releases"
    FIGURES = "figures"
    REST = "rest"
    """All else: sweeps, changes of many items, mail, webhooks; and what former versions have enqueued."""


RUN_TASK, JOB_TASK = "runs.tasks.perform_run", "annotation.tasks.perform_job"
_OF_JOBS = {
    "import": Work.IMPORTS,
    "picture_reading": Work.IMPORTS,
    "release": Work.RELEASES,
    "competence": Work.FIGURES,
    "figures": Work.FIGURES,
}
"""Where a job waits, by the name of its kind; others are REST."""


def work_of(task: str, args: Sequence[Any]) -> Work:
    """Return the kind of work that a task with these arguments is."""
    if task == RUN_TASK:
        return Work.RUNS
    return _OF_JOBS.get(str(args[0]), Work.REST) if task == JOB_TASK and args else Work.REST


class Queues:
    """The queues of one site. Sites that share a broker have different prefixes."""

    def __init__(self, prefix: str) -> None:
        self.default = prefix
        self.names = {work: prefix if work is Work.REST else f"{prefix}-{work}" for work in Work}

    def declared(self) -> "list[kombu.Queue]":
        """Return the queues as Celery wants them."""
        return [
            kombu.Queue(name, kombu.Exchange(name, type="direct"), routing_key=name) for name in self.names.values()
        ]

    def of(self, works: Collection[str]) -> list[str]:
        """Return the names of the queues for these kinds of work."""
        return [name for work, name in self.names.items() if work in works]

    def route(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any], **_: Any
    ) -> dict[str, str]:
        """Return where a task is sent; called by Celery for each."""
        return {"queue": self.names[work_of(name, args)]}
