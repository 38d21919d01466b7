"""Starting, cancelling: what people ask of runs. Rows change in the caller's transaction; the bell rings on commit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction
from django.db.models import F, IntegerField, QuerySet
from django.db.models.functions import Cast, Ceil, Now

from runs import leasing, tasks
from runs.domain.states import OPEN, Reason, RunState, TurnState
from runs.method import Limits, method_named
from runs.models import Account, Run, Turn

_BATCH = 500
# What the database fills by itself is left out.
_COLUMNS = [column for column in Run._meta.concrete_fields if column.name not in {"id", "not_before", "created_at"}]
# A UUID of version 4, made by the database.
_RANDOM_ID = {
    "postgresql": "gen_random_uuid()",
    "sqlite": (
        "lower(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || substr('89ab', 1 + abs(random() %% 4), 1)"
        " || substr(hex(randomblob(2)), 2) || hex(randomblob(6)))"
    ),
}


@dataclass(frozen=True)
class Wanted:
    """A run that somebody wants. `variant` and `repeat` tell runs of one method on one subject apart."""

    method: str
    project: UUID
    subject: UUID
    model_plan: Mapping[str, str]
    variant: str = ""
    repeat: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    started_by: UUID | None = None
    limits: Limits | None = None
    """What the run may use; None: its method's own."""


def start(wanted: Iterable[Wanted], *, ring: bool = True) -> int:
    """Queue these runs and ring for them on commit; answers how many are new.

    One that is queued or running already (same method, subject, variant and repeat) is not queued twice.
    """
    queued = 0
    projects: set[UUID] = set()
    batch: list[Run] = []
    with transaction.atomic():
        for each in wanted:
            batch.append(row(each))
            projects.add(each.project)
            if len(batch) == _BATCH:
                queued += _queue(batch)
                batch = []
        queued += _queue(batch)
        Account.objects.bulk_create([Account(project=project) for project in projects], ignore_conflicts=True)
        if queued and ring:
            transaction.on_commit(partial(_ring_for, tuple(projects)))
    return queued


def start_for_each(subjects: QuerySet[Any, Any], like: Wanted, *, ring: bool = True) -> int:
    """Queue a run like this one for each subject; answers how many are new.

    `subjects` is a query of one column, their public ids, called `subject`; `like.subject` does not count. One
    statement in the database, so that a hundred thousand take seconds.
    """
    with transaction.atomic():
        Account.objects.get_or_create(project=like.project)
        queued = _insert_for_each(subjects, row(like))
        if queued and ring:
            transaction.on_commit(partial(_ring_for, (like.project,)))
    return queued


def cancel(runs: Sequence[UUID]) -> int:
    """Ask for these runs to end; answers how many were still open. What is queued ends at once."""
    return cancel_all(Run.objects.filter(public_id__in=runs))


def cancel_all(runs: QuerySet[Run]) -> int:
    """The same for a queryset of runs; those under way end after the calls that are already made."""
    with transaction.atomic():
        ended = runs.filter(state=RunState.QUEUED).update(
            state=RunState.CANCELLED, reason=Reason.USER, cancel_requested=True, finished_at=Now()
        )
        asked = runs.filter(state=RunState.RUNNING, cancel_requested=False).update(cancel_requested=True)
    return ended + asked


def retry(run: UUID, *, ring: bool = True) -> bool:
    """Queue a run that failed once more; False if it has not failed, or one like it is under way.

    What was answered stays and is not asked again; only the step that failed is. The run may use its limits anew.
    """
    try:
        with transaction.atomic():
            found = Run.objects.select_for_update().filter(public_id=run, state=RunState.FAILED).first()
            if found is None:
                return False
            Turn.objects.filter(run=found, state=TurnState.FAILED).delete()
            Run.objects.filter(pk=found.pk).update(
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
                call_limit=F("call_limit") + F("calls"),
                token_limit=F("token_limit") + F("tokens"),
                seconds_limit=F("seconds_limit") + Cast(Ceil("seconds"), IntegerField()),
            )
            if ring:
                transaction.on_commit(partial(_ring_for, (found.project,)))
    except IntegrityError:  # another of its kind was started meanwhile
        return False
    return True


def row(each: Wanted) -> Run:
    """The row of a wanted run, not saved."""
    limits = each.limits or method_named(each.method).limits
    return Run(
        public_id=uuid4(),
        method=each.method,
        project=each.project,
        subject=each.subject,
        variant=each.variant,
        repeat=each.repeat,
        options=dict(each.options),
        model_plan=dict(each.model_plan),
        provider=next(iter(each.model_plan.values()), "").partition(":")[0],
        started_by=each.started_by,
        call_limit=limits.calls,
        token_limit=limits.tokens,
        seconds_limit=limits.seconds,
    )


def _queue(batch: Sequence[Run]) -> int:
    if not batch:
        return 0
    Run.objects.bulk_create(batch, ignore_conflicts=True)
    return Run.objects.filter(public_id__in=[run.public_id for run in batch], state__in=OPEN).count()


def _insert_for_each(subjects: QuerySet[Any, Any], like: Run) -> int:
    wanted, values = subjects.order_by().query.sql_with_params()
    special = {"public_id": _RANDOM_ID[connection.vendor], "subject": "wanted.subject"}
    selected = [special.get(column.name, f"CAST(%s AS {column.db_type(connection)})") for column in _COLUMNS]
    given = [
        column.get_db_prep_save(getattr(like, column.attname), connection)
        for column in _COLUMNS
        if column.name not in special
    ]
    names = ", ".join(str(column.column) for column in _COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Run._meta.db_table} ({names}) SELECT {', '.join(selected)} "
            # "WHERE true" parts the query from the conflict's clause; SQLite cannot tell otherwise.
            f"FROM ({wanted}) AS wanted WHERE true ON CONFLICT DO NOTHING",
            [*given, *values],
        )
        return int(cursor.rowcount)


def _ring_for(projects: Sequence[UUID]) -> None:
    tasks.ring(leasing.due(projects))
