"""Open items and projects for labelling: ready items get their seats, by batch or all together.

An item whose picture is missing stays ready until the picture is there; one that waits for priors stays imported.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet

from annotation.assignment.make_seats import make_seats
from annotation.assignment.release_seats import reset_idle_members
from annotation.batches import state
from annotation.core.transactions import short_transaction
from annotation.domain.choices import BatchState, EventVerb, Stage
from annotation.models import Batch as BatchRow
from annotation.models import Item, Membership, Project, Seat, record
from runs.sql.planner_statistics import refresh_statistics

AT_MOST = 50_000
"""Items that one press of a button or one call opens, so that the answer comes within seconds."""
AT_ONCE, AT_FIRST = 5_000, 1_000
"""Items opened in one transaction, and in the first: SQLite has one writer, and nobody should wait long."""


@dataclass(frozen=True)
class OpenedItems:
    """How many items went to labelling, how many did not, and why."""

    opened: int
    missing_pictures: int
    waiting_for_priors: int


@dataclass(frozen=True)
class OpenableBatch:
    """A batch with the number of its items that can be opened."""

    name: str
    ready: int
    missing_pictures: int
    waiting_for_priors: int
    open: int


def open_items(
    project: Project, actor: Membership | None = None, batch: str | None = None, *, at_most: int | None = None
) -> OpenedItems:
    """Open all ready items of the project, or of one batch; with `at_most`, some of them.

    The batch is handed out from then on, and without one all that waited are; paused and closed ones stay so, and
    items of closed ones stay ready. While a pilot is not closed, items of other batches are opened but wait.
    Imported items are ready where the project wants no priors. Each item is opened once, however often and by
    however many this is called; what a crash leaves ready is opened by the next call.
    """
    if batch is None:
        state.ensure_batches(project, state.batch_names(project))
        state.open_waiting(project, actor)
    else:
        state.open_batches(project, actor, [batch])
    opened = _open_all(project, actor, batch, at_most)
    state.update_lagging_queues(pk=project.pk)
    if not project.priors_wanted and (at_most is None or opened < at_most):
        _of(project, batch).filter(stage=Stage.IMPORTED).update(stage=Stage.READY, version=F("version") + 1)
    refresh_statistics(opened, Item, Seat)
    openable = openable_batches(project, batch)
    return OpenedItems(
        opened,
        sum(figures.missing_pictures for figures in openable),
        sum(figures.waiting_for_priors for figures in openable),
    )


@short_transaction
def open_selected_items(project: Project, actor: Membership | None, items: Sequence[int]) -> set[int]:
    """Open those of these items of the project that are ready, but for those of closed batches; which ones were."""
    chosen = Item.objects.filter(project=project, pk__in=items)
    over = BatchRow.objects.filter(project=project, state=BatchState.CLOSED)
    able = chosen.filter(stage__in=_openable(project), picture_missing=False).exclude(batch__in=over.values("name"))
    rows = able.select_for_update(no_key=True, skip_locked=True)
    ready = dict(rows.order_by("pk").values_list("pk", "seats"))
    if ready:
        moved = Item.objects.filter(pk__in=ready, stage__in=_openable(project))
        moved.update(stage=Stage.LABELLING, version=F("version") + 1)
        make_seats(list(ready), max(ready.values()))
        record(EventVerb.OPENED, project=project, actor=actor, items=len(ready))
        reset_idle_members(project)
    if not project.priors_wanted:
        chosen.filter(stage=Stage.IMPORTED).update(stage=Stage.READY, version=F("version") + 1)
    return set(ready)


def openable_batches(project: Project, batch: str | None = None) -> list[OpenableBatch]:
    """Return the project's batches by name (the nameless one first), or one of them, with their openable items."""
    waits = Q(stage=Stage.IMPORTED)
    unseen = Q(picture_missing=True)
    ready = Q(stage__in=_openable(project))
    rows = (
        _of(project, batch)
        .values("batch")
        .annotate(
            ready=Count("batch", filter=ready & ~unseen),
            missing_pictures=Count("batch", filter=ready & unseen),
            waiting_for_priors=Count("batch", filter=waits & ~ready),
            open=Count("batch", filter=Q(stage=Stage.LABELLING)),
        )
        .order_by("batch")
    )
    counts = ("batch", "ready", "missing_pictures", "waiting_for_priors", "open")
    return [OpenableBatch(*row) for row in rows.values_list(*counts)]


def is_batch(project: Project, name: str) -> bool:
    """Whether the project has a batch of this name, by its row or by an item that names it."""
    if "\x00" in name:
        return False
    named = BatchRow.objects.filter(project=project, name=name)
    return named.exists() or Item.objects.filter(project=project, batch=name).exists()


@short_transaction
def set_project_open(project: Project, actor: Membership | None, *, is_open: bool) -> bool:
    """Open or close the project for labelling. While it is closed, no item is given out.

    Answers for items that annotators have in front of them are still stored.

    Returns False if it was so already.
    """
    if not Project.objects.filter(pk=project.pk, is_open=not is_open).update(is_open=is_open):
        return False
    record(
        EventVerb.PROJECT_OPENED if is_open else EventVerb.PROJECT_CLOSED,
        project=project,
        actor=actor,
        row=project.public_id,
    )
    reset_idle_members(project)
    return True


def _of(project: Project, batch: str | None) -> QuerySet[Item]:
    items = Item.objects.filter(project=project)
    return items if batch is None else items.filter(batch=batch)


def _openable(project: Project) -> tuple[Stage, ...]:
    """Return the stages of items that can be opened: imported ones are ready where no priors are wanted."""
    return (Stage.READY,) if project.priors_wanted else (Stage.READY, Stage.IMPORTED)


def _open_all(project: Project, actor: Membership | None, batch: str | None, at_most: int | None) -> int:
    """Open ready items, one key after the other and then those that somebody had locked; return how many.

    One stage after the other: an index holds the items of one in the order of keys. Of two at once it would be sorted
    anew for each transaction.
    """
    opened = 0
    for stage in _openable(project):
        after, since_start = 0, 0
        while at_most is None or opened < at_most:
            count = AT_ONCE if opened else AT_FIRST
            count = count if at_most is None else min(count, at_most - opened)
            keys = _open_some(project, actor, _of(project, batch).filter(stage=stage, pk__gt=after), batch, count)
            if not keys and not since_start:
                break
            after = keys[-1] if keys else 0
            since_start = since_start + len(keys) if keys else 0
            opened += len(keys)
    return opened


@short_transaction
def _open_some(
    project: Project, actor: Membership | None, items: QuerySet[Item], batch: str | None, count: int
) -> Sequence[int]:
    """Open `count` of these items, which are in a stage to be opened; return their keys.

    Each row is written once, with the queue that its batch has now: acts on batches wait for the project's row.
    """
    queues = state.read_batch_queues(state.hold(project))
    ready = items.filter(picture_missing=False)
    if batch is None:
        over = BatchRow.objects.filter(project=project, state=BatchState.CLOSED)
        ready = ready.exclude(batch__in=over.values("name"))
    rows = ready.select_for_update(no_key=True, skip_locked=True).order_by("pk")[:count]
    opened = list(rows.values_list("pk", "batch", "seats"))
    if opened:
        by_queue: dict[int | None, list[int]] = defaultdict(list)
        for key, name, _seats in opened:
            by_queue[queues.of(name)].append(key)
        for queue, keys in by_queue.items():
            moved = Item.objects.filter(pk__in=keys, stage__in=_openable(project))
            moved.update(stage=Stage.LABELLING, queue=queue, version=F("version") + 1)
        make_seats([key for key, _name, _seats in opened], max(seats for _key, _name, seats in opened))
        record(EventVerb.OPENED, project=project, actor=actor, items=len(opened), batch=batch)
        reset_idle_members(project)
    return [key for key, _name, _seats in opened]
