"""Figures of large projects: computed by a worker, stored with their moment, shown at once.

The figures of a small project are computed while the page waits. For a larger one, the first viewer after a change of
its rows starts one job (`core/jobs.py`); everybody else sees the figures stored before, with their moment, until it is
done. The log tells of changes: each act that changes figures writes an event. What writes none (a prior that arrives)
is covered by OLDEST.

Whether somebody may see figures is decided by the pages and the API, as for figures that are computed at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from annotation.analytics.agreement.labels import Agreement, read_agreement
from annotation.analytics.closed_items import LabelsRead
from annotation.analytics.dashboard import Dashboard, live_parts, read_dashboard
from annotation.analytics.influence.figures import Influence, read_influence
from annotation.analytics.quality.annotators import QualityReport, read_quality
from annotation.core.jobs import Heartbeat, JobKind, Phase
from annotation.core.snapshots import snapshot
from annotation.core.typed_json import form_of, from_json, to_json
from annotation.domain.choices import FigureKind
from annotation.models import Event, Figures, Item, JobState, Project, Seat
from runs.sql.read_replica import from_replica

T = TypeVar("T")
W = TypeVar("W")

MOST_ITEMS, MOST_LABELS = 5_000, 2_000
"""The largest project whose figures are computed while the page waits: they take about 300 ms at most."""
PAUSE = timedelta(minutes=1)
"""How old figures are at least before a view has them computed anew …"""
PAUSE_FACTOR = 10
"""… and in how many times the duration of their computing: a busy project costs a tenth of one worker at most."""
OLDEST = timedelta(hours=1)
"""Older figures count as out of date even if the log has nothing new."""
OVERLAP = timedelta(minutes=1)
"""Events this much older than the newest one are counted too: a transaction may commit after a later one."""


@dataclass(frozen=True)
class _Kind(Generic[W]):
    name: FigureKind
    of: type[W]
    read: Callable[[Project, LabelsRead], W]


_DASHBOARD = _Kind(FigureKind.DASHBOARD, Dashboard, read_dashboard)
_QUALITY = _Kind(FigureKind.QUALITY, QualityReport, read_quality)
_KINDS: dict[str, _Kind[Any]] = {kind.name.value: kind for kind in (_DASHBOARD, _QUALITY)}


@dataclass(frozen=True)
class Shown(Generic[T]):
    """Figures with their moment. Without a `value` none are stored yet, and a job computes them."""

    kind: FigureKind
    value: T | None = None
    as_of: datetime | None = None
    row: Figures | None = None
    """Where they are stored."""
    stored: bool = True
    """Whether they come from a worker, and not from this request."""
    out_of_date: bool = False
    job: Figures | None = None
    """The job that waits or works."""
    failed: Figures | None = None
    """The newest job, if it failed."""

    @property
    def key(self) -> str:
        """The public id of the row; empty if there is none."""
        return str(self.row.public_id) if self.row else ""

    @property
    def percent(self) -> int:
        """How much of the job is done."""
        return round(100 * self.job.share) if self.job else 0


# ── Looking at figures ────────────────────────────────────────────────────────


def dashboard(project: Project) -> Shown[Dashboard]:
    """Return the figures of the dashboard."""
    shown = _shown(project, _DASHBOARD, read_dashboard, lambda whole: whole)
    return replace(shown, value=live_parts(project, shown.value)) if shown.stored and shown.value else shown


def quality(project: Project) -> Shown[QualityReport]:
    """Return the figures of the annotators over time."""
    return _shown(project, _QUALITY, read_quality, lambda whole: whole)


def agreement(project: Project) -> Shown[Agreement]:
    """Return the agreement; that of a large project is stored with the dashboard."""
    return _shown(project, _DASHBOARD, read_agreement, lambda whole: whole.agreement)


def influence(project: Project) -> Shown[Influence]:
    """Return the influence of priors; that of a large project is stored with the dashboard."""
    return _shown(project, _DASHBOARD, _read_influence, lambda whole: whole.influence)


def is_small(project: Project) -> bool:
    """Return whether the project's figures are computed while the page waits."""
    items = Item.objects.filter(project=project).values("taken")[: MOST_ITEMS + 1]
    counted = items.aggregate(items=Count("taken"), labels=Sum("taken"))
    return counted["items"] <= MOST_ITEMS and (counted["labels"] or 0) <= MOST_LABELS


def _read_influence(project: Project) -> Influence:
    with snapshot():
        return read_influence(project)


def moment(project: Project, name: FigureKind) -> Shown[Any]:
    """Return when the stored figures were computed, and the job that computes them anew, without the figures."""
    return _stored(project, _KINDS[name])[0]


def _shown(project: Project, kind: _Kind[W], read_now: Callable[[Project], T], part: Callable[[W], T]) -> Shown[T]:
    if is_small(project):
        return Shown(kind.name, as_of=timezone.now(), value=read_now(project), stored=False)
    shown, may_begin = _stored(project, kind)
    if shown.out_of_date and may_begin:
        shown = replace(shown, job=begin(project, kind.name))
    return replace(shown, value=part(from_json(kind.of, shown.row.result))) if shown.row else shown


def _stored(project: Project, kind: _Kind[W]) -> tuple[Shown[Any], bool]:
    """Return what is stored, without the figures, and whether a view may begin a job."""
    rows = list(Figures.objects.filter(project=project, kind=kind.name).defer("result")[:10])
    form = form_of(kind.of)
    row = next((row for row in rows if row.state == JobState.DONE and row.form == form), None)
    job = next((row for row in rows if row.state in Figures.ACTIVE), None)
    shown = Shown[Any](
        kind.name,
        as_of=None if row is None else row.as_of,
        row=row,
        out_of_date=row is None or _is_out_of_date(row),
        job=job,
        failed=rows[0] if rows and rows[0].state == JobState.FAILED else None,
    )
    return shown, job is None and _may_begin(rows)


def _may_begin(rows: list[Figures]) -> bool:
    """Return whether the last job ended long enough ago for another that nobody pressed a button for."""
    if not rows or rows[0].finished_at is None:
        return True
    duration = rows[0].finished_at - (rows[0].begun_at or rows[0].finished_at)
    return timezone.now() - rows[0].finished_at >= max(PAUSE, PAUSE_FACTOR * duration)


# ── Changes since ─────────────────────────────────────────────────────────────


def _events_after(project_id: int, since: datetime | None) -> QuerySet[Event]:
    events = Event.objects.filter(project=project_id)
    return events if since is None else events.filter(at__gt=since)


def _is_out_of_date(row: Figures) -> bool:
    if row.as_of is None or timezone.now() - row.as_of > OLDEST:
        return True
    return _events_after(row.project_id, row.since)[: row.events + 1].count() != row.events


def _known_events(project: Project) -> dict[str, Any]:
    """Return what the log holds now, as columns of the row."""
    newest = Event.objects.filter(project=project).order_by("-at").values_list("at", flat=True).first()
    since = None if newest is None else newest - OVERLAP
    return {"as_of": timezone.now(), "since": since, "events": _events_after(project.pk, since).count()}


# ── The job ───────────────────────────────────────────────────────────────────


def begin(project: Project, kind: FigureKind) -> Figures | None:
    """Have the figures computed; return the job that is already queued or working, if there is one.

    Returns None if that one ended at this moment.
    """
    under_way = Figures.objects.filter(project=project, kind=kind, state__in=Figures.ACTIVE).defer("result")
    if (row := under_way.first()) is not None:
        return row
    try:
        with transaction.atomic():
            row = Figures.objects.create(project=project, kind=kind)
    except IntegrityError:  # another viewer came at the same moment
        return under_way.first()
    FIGURES.begin(row)
    return row


def _compute(row: Figures, heartbeat: Heartbeat[Figures]) -> None:
    kind = _KINDS[row.kind]
    with from_replica():
        newest_events = _known_events(row.project)  # before the rows: a later event makes the figures old
        labels = Seat.objects.filter(item__project=row.project, label__isnull=False).count()
        value = kind.read(row.project, lambda read: heartbeat.note(share=min(0.95, read / (labels or 1))))
    result = to_json(kind.of, value)
    with transaction.atomic():
        FIGURES.finish(row, share=1, result=result, form=form_of(kind.of), **newest_events)
        Figures.objects.filter(project=row.project_id, kind=row.kind, pk__lt=row.pk).delete()


FIGURES = JobKind("figures", Figures, phases=(Phase(_compute),))
