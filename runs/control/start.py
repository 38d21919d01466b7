"""Queue, cancel and retry runs. Rows change in the caller's transaction; Celery tasks are enqueued on commit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import EmptyResultSet
from django.db import IntegrityError, connection, transaction
from django.db.models import F, IntegerField, QuerySet
from django.db.models.functions import Cast, Ceil, Now

from providers import wiring
from runs import origin
from runs.domain.states import OPEN, Reason, RunState, TurnState
from runs.methods.method import Limits, method_named
from runs.models import Account, Run, Turn
from runs.queue import lease, task_messages
from runs.sql.planner_statistics import refresh_statistics

RESUMABLE = (RunState.FAILED, RunState.CANCELLED)
"""The ends at which a run itself may go on; it keeps its saved answers."""

_BATCH = 500
# Without the columns that the database fills itself.
_COLUMNS = [column for column in Run._meta.concrete_fields if column.name not in {"id", "not_before", "created_at"}]
# SQL of a version 4 UUID.
_RANDOM_ID = {
    "postgresql": "gen_random_uuid()",
    "sqlite": (
        "lower(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || substr('89ab', 1 + abs(random() %% 4), 1)"
        " || substr(hex(randomblob(2)), 2) || hex(randomblob(6)))"
    ),
}


@dataclass(frozen=True)
class RunRequest:
    """A run to queue. `variant` and `repeat` distinguish runs of one method on one subject."""

    method: str
    project: UUID
    subject: UUID
    model_plan: Mapping[str, str]
    variant: str = ""
    repeat: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    started_by: UUID | None = None
    limits: Limits | None = None
    """What the run may use; None for the limits of its method."""


def queue_runs(requests: Iterable[RunRequest], *, enqueue: bool = True) -> int:
    """Queue these runs and enqueue tasks for them on commit. Return how many are new.

    A run that is open already (same method, subject, variant and repeat) is not queued twice.
    """
    queued = 0
    projects: set[UUID] = set()
    batch: list[Run] = []
    with transaction.atomic():
        for request in requests:
            batch.append(build_run(request))
            projects.add(request.project)
            if len(batch) == _BATCH:
                queued += _queue(batch)
                batch = []
        queued += _queue(batch)
        Account.objects.bulk_create([Account(project=project) for project in projects], ignore_conflicts=True)
        refresh_statistics(queued, Run)
        if queued and enqueue:
            transaction.on_commit(partial(_enqueue_projects, tuple(projects)))
    return queued


def queue_run_per_subject(subjects: QuerySet[Any, Any], like: RunRequest, *, enqueue: bool = True) -> int:
    """Queue a run like `like` for each subject. Return how many are new.

    `subjects` is a query of one column named `subject`, the public ids; `like.subject` is ignored. This is one
    statement in the database, so that a hundred thousand runs take seconds.
    """
    with transaction.atomic():
        Account.objects.get_or_create(project=like.project)
        queued = _insert_per_subject(subjects, build_run(like))
        refresh_statistics(queued, Run)
        if queued and enqueue:
            transaction.on_commit(partial(_enqueue_projects, (like.project,)))
    return queued


def cancel_runs(runs: Sequence[UUID]) -> int:
    """Cancel these runs. Return how many were still open."""
    return cancel_run_queryset(Run.objects.filter(public_id__in=runs))


def cancel_run_queryset(runs: QuerySet[Run]) -> int:
    """Cancel the runs of a queryset. Return how many were still open.

    Queued runs end at once; running ones after the calls that are already made.
    """
    with transaction.atomic():
        ended = runs.filter(state=RunState.QUEUED).update(
            state=RunState.CANCELLED, reason=Reason.USER, cancel_requested=True, finished_at=Now()
        )
        requested = runs.filter(state=RunState.RUNNING, cancel_requested=False).update(cancel_requested=True)
    return ended + requested


def retry_run(run: UUID, *, enqueue: bool = True) -> bool:
    """Queue a failed or cancelled run again. Return False for other runs, and if one like it is open.

    Saved answers stay; only what has none is asked. The run may use its limits once more.
    """
    try:
        with transaction.atomic():
            stopped = Run.objects.select_for_update().filter(public_id=run, state__in=RESUMABLE).first()
            if stopped is None:
                return False
            Turn.objects.filter(run=stopped, state=TurnState.FAILED).delete()
            Run.objects.filter(pk=stopped.pk).update(
                state=RunState.QUEUED,
                reason="",
                detail="",
                outcome=None,
                finished_at=None,
                cancel_requested=False,
                not_before=Now(),
                rung_at=None,
                lost_workers=0,
                waits=0,
                pauses_caused=0,
                request_id=origin.request_id.get(),
                traceparent=origin.tracing.traceparent(),
                call_limit=F("call_limit") + F("calls"),
                token_limit=F("token_limit") + F("tokens"),
                seconds_limit=F("seconds_limit") + Cast(Ceil("seconds"), IntegerField()),
            )
            if enqueue:
                transaction.on_commit(partial(_enqueue_projects, (stopped.project,)))
    except IntegrityError:  # one like it was queued meanwhile
        return False
    return True


def build_run(request: RunRequest) -> Run:
    """Return the row of a requested run, not saved."""
    limits = request.limits or _with_room_to_think(method_named(request.method).limits, request.model_plan)
    return Run(
        public_id=uuid4(),
        method=request.method,
        project=request.project,
        subject=request.subject,
        variant=request.variant,
        repeat=request.repeat,
        options=dict(request.options),
        model_plan=dict(request.model_plan),
        provider=next(iter(request.model_plan.values()), "").partition(":")[0],
        started_by=request.started_by,
        request_id=origin.request_id.get(),
        traceparent=origin.tracing.traceparent(),
        call_limit=limits.calls,
        token_limit=limits.tokens,
        seconds_limit=limits.seconds,
    )


def _with_room_to_think(limits: Limits, model_plan: Mapping[str, str]) -> Limits:
    """Return the limits of a method with what the planned models may think in addition with each call."""
    room = max((wiring.profile_of(name).room_to_think for name in model_plan.values()), default=0)
    return replace(limits, tokens=limits.tokens + limits.calls * room)


def _queue(batch: Sequence[Run]) -> int:
    if not batch:
        return 0
    Run.objects.bulk_create(batch, ignore_conflicts=True)
    return Run.objects.filter(public_id__in=[run.public_id for run in batch], state__in=OPEN).count()


def _insert_per_subject(subjects: QuerySet[Any, Any], like: Run) -> int:
    try:
        subject_sql, subject_values = subjects.order_by().query.sql_with_params()
    except EmptyResultSet:  # Django sees that no subject can fit
        return 0
    special = {"public_id": _RANDOM_ID[connection.vendor], "subject": "wanted.subject"}
    selected = [special.get(column.name, f"CAST(%s AS {column.db_type(connection)})") for column in _COLUMNS]
    values = [
        column.get_db_prep_save(getattr(like, column.attname), connection)
        for column in _COLUMNS
        if column.name not in special
    ]
    names = ", ".join(str(column.column) for column in _COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Run._meta.db_table} ({names}) SELECT {', '.join(selected)} "
            # SQLite needs "WHERE true" to tell the query from the ON CONFLICT clause.
            f"FROM ({subject_sql}) AS wanted WHERE true ON CONFLICT DO NOTHING",
            [*values, *subject_values],
        )
        return int(cursor.rowcount)


def _enqueue_projects(projects: Sequence[UUID]) -> None:
    task_messages.enqueue_runs(lease.due_run_ids(projects))
