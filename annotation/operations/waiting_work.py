"""What waits for workers on the whole site, what is stuck, and what failed lately. Read by a page and by metrics.

Each figure is one statement on an index, or on a table with one row for each thing that somebody ordered. The clock
is the database's.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, DurationField, ExpressionWrapper, F, Min, Q, QuerySet, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from annotation.core.jobs import UNCLAIMED, JobKind
from annotation.domain.outgoing import DeliveryState, MailState
from annotation.models import Delivery, Job, JobState, Mail, Project, Report, Webhook
from annotation.operations.job_kinds import JOB_KINDS
from annotation.picture_text import method as picture_text_method
from annotation.priors import method as prior_method
from runs.domain.states import RunState
from runs.models import Run
from runs.sql.database_clock import seconds_from_now

LATELY = timedelta(days=1)
"""How long something that failed is counted and listed."""
SHOWN = 20
"""The most jobs of one kind, and the most runs, that are listed."""
RUNS, WEBHOOKS, MAILS = "run", "webhook", "mail"


@dataclass(frozen=True)
class Work:
    """One kind of work. `waiting` is what is due; `later` waits for a busy provider or a receiver that failed."""

    kind: str
    waiting: int = 0
    later: int = 0
    working: int = 0
    oldest: float = 0.0
    """Seconds for which the oldest that is due waits."""
    stuck: int = 0
    """Work whose worker has shown no sign of life for too long."""
    failed: int = 0
    """What failed, or was given up, within `LATELY`."""


@dataclass(frozen=True)
class WaitingReports:
    """Reported posts that wait for an admin's answer on the whole site."""

    posts: int
    oldest: float
    """Seconds since the first report that waits."""


def read_reports() -> WaitingReports:
    """Return how many reported posts wait for an answer, and for how long."""
    figures = Report.objects.filter(answered_at=None).aggregate(
        posts=Count("item", distinct=True), oldest=_age("created_at", Q())
    )
    return WaitingReports(**_seconds(figures))


def read_work() -> list[Work]:
    """Return all kinds of work, runs first."""
    return [_runs(), *(_jobs(kind) for kind in JOB_KINDS.values()), _webhooks(), _mails()]


def failed_runs() -> QuerySet[Run]:
    """Return the runs that failed lately."""
    return Run.objects.filter(state=RunState.FAILED, finished_at__gte=_lately())


def retriable_runs() -> QuerySet[Run]:
    """Return the runs that failed lately and may go on: their project is open, and nothing was stored for their end.

    What reads text and pictures has stored that it failed; the project's page asks it again by new runs.
    """
    closed = Project.objects.exclude(archived_at=None, delete_after=None)
    stored = (prior_method.NAME, picture_text_method.NAME)
    return failed_runs().exclude(method__in=stored).exclude(project__in=closed.values("public_id"))


def lapsed_runs() -> QuerySet[Run]:
    """Return the runs whose worker has renewed no lease."""
    return Run.objects.filter(state=RunState.RUNNING, lease_until__lte=Now())


class JobsOfKind:
    """The conditions under which a job of one kind waits, is worked on, is stuck or has failed lately."""

    def __init__(self, kind: JobKind[Any]) -> None:
        self.rows: QuerySet[Any] = kind.model._default_manager.all()
        self.waiting, self.stuck, working = Q(), Q(), Q()
        for phase in kind.phases:
            self.waiting |= phase.is_waiting
            self.stuck |= phase.is_abandoned
            working |= Q(state=phase.working) & ~phase.is_waiting
        self.working = working
        self.failed = Q(state=JobState.FAILED, finished_at__gte=_lately())

    def listed(self) -> list[Job]:
        """Return the newest jobs that wait for long, are stuck or have failed lately, with what is shown of them.

        `is_stuck` says whether its worker shows no sign of life.
        """
        waits = self.waiting & Q(created_at__lt=seconds_from_now(-UNCLAIMED.total_seconds()))
        rows = self.rows.filter(waits | self.stuck | self.failed).order_by("-pk").select_related("project")
        columns = ("public_id", "state", "problem", "created_at", "finished_at", "project__name", "project__slug")
        is_stuck = Case(When(self.stuck, then=True), default=False, output_field=BooleanField())
        return list(rows.annotate(is_stuck=is_stuck).only(*columns)[:SHOWN])


def _runs() -> Work:
    due = Q(not_before__lte=Now())
    queued = Run.objects.filter(state=RunState.QUEUED).aggregate(
        waiting=Count("pk", filter=due), later=Count("pk", filter=~due), oldest=_age("not_before", due)
    )
    running = Run.objects.filter(state=RunState.RUNNING).aggregate(
        working=Count("pk"), stuck=Count("pk", filter=Q(lease_until__lte=Now()))
    )
    return Work(RUNS, **_seconds(queued), **running, failed=failed_runs().count())


def _jobs(kind: JobKind[Any]) -> Work:
    jobs = JobsOfKind(kind)
    figures = jobs.rows.order_by().aggregate(
        waiting=Count("pk", filter=jobs.waiting),
        working=Count("pk", filter=jobs.working),
        oldest=_age("created_at", jobs.waiting),
        stuck=Count("pk", filter=jobs.stuck),
        failed=Count("pk", filter=jobs.failed),
    )
    return Work(kind.name, **_seconds(figures))


def _webhooks() -> Work:
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING, webhook__project__delete_after=None).order_by()
    due = Q(webhook__disabled_at=None) & (Q(webhook__resume_at=None) | Q(webhook__resume_at__lte=Now()))
    figures = waiting.aggregate(
        waiting=Count("pk", filter=due), later=Count("pk", filter=~due), oldest=_age("happened_at", due)
    )
    given_up = Delivery.objects.filter(state=DeliveryState.GIVEN_UP, tried_at__gte=_lately())
    return Work(WEBHOOKS, **_seconds(figures), stuck=disabled_webhooks().count(), failed=given_up.order_by().count())


def disabled_webhooks() -> QuerySet[Webhook]:
    """Return the webhooks that were switched off after too many failures."""
    return Webhook.objects.filter(disabled_at__isnull=False, project__delete_after=None)


def _mails() -> Work:
    due = Q(due_at__lte=Now())
    figures = Mail.objects.filter(state=MailState.WAITING).aggregate(
        waiting=Count("pk", filter=due), later=Count("pk", filter=~due), oldest=_age("due_at", due)
    )
    given_up = Mail.objects.filter(state=MailState.GIVEN_UP, finished_at__gte=_lately())
    return Work(MAILS, **_seconds(figures), failed=given_up.count())


def _lately() -> Any:
    return seconds_from_now(-LATELY.total_seconds())


def _age(field: str, condition: Q) -> Combinable:
    return ExpressionWrapper(Now() - Min(F(field), filter=condition), DurationField())


def _seconds(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the figures with the age in seconds; what does not wait has none."""
    age: timedelta | None = figures["oldest"]
    return {**figures, "oldest": max(0.0, age.total_seconds()) if age else 0.0}
