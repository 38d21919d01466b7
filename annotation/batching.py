"""Batches: which of them are handed out, to whom and in which order.

A `Batch` row says what an admin decided; `Item.queue` is what handing out reads. Every act changes rows and notes in
the same transaction that the queues lag behind (`Project.queues_settled`); then `settle_queues` puts the items right,
some at a time, and the sweeper does where a process died in between. Acts and settling hold the project's row, so that
of several at once each sees what the one before left, and the last one leaves queues that agree with the rows.

Queues are kept for items of every stage: one that comes back to labelling is in the right queue already. Seats that
are held when a batch pauses may still be filled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.domain.queues import BatchNow, Queues, queues
from annotation.domain.words import BatchState, Stage
from annotation.freeing import wake
from annotation.models import Batch, Item, Membership, Project, record
from annotation.transactions import short_transaction

AT_ONCE = 5_000
"""Items put right in one transaction: SQLite has one writer, and nobody should wait long for it."""
PRIORITIES = (-100, 100)
"""The lowest and the highest priority of a batch."""

Keys = Sequence[int]


class NotSo(Exception):
    """The batch is not in a state from which this can be done; somebody was first, or the page was old."""

    code = "batch_not_so"


class NotAnAnnotator(Exception):
    """A batch is limited to active annotators of its project, and one of these is none."""

    code = "not_an_annotator"


# ── What an admin does ────────────────────────────────────────────────────────


@short_transaction
def ensure(project: Project, names: Iterable[str], state: BatchState | None = None) -> None:
    """See to it that these batches have rows; new ones get the state, or the one that the project gives them.

    A name that items carry already without a row counts as open, and stays so.
    """
    held = _hold(project)
    wanted = set(names)
    missing = wanted - set(Batch.objects.filter(project=held, name__in=wanted).values_list("name", flat=True))
    if not missing:
        return
    there = Item.objects.filter(project=held, batch__in=missing).order_by().values_list("batch", flat=True).distinct()
    under_way = set() if state is not None else set(there)
    fresh = state if state is not None else BatchState(held.new_batches)
    Batch.objects.bulk_create(
        Batch(project=held, name=name, state=BatchState.OPEN if name in under_way else fresh)
        for name in sorted(missing)
    )
    _lag(held)


def open_batches(project: Project, actor: Membership | None, names: Iterable[str]) -> None:
    """Let these batches be handed out, whatever they were; those without a row get one."""
    names = list(names)
    ensure(project, names, BatchState.OPEN)
    if _change_states(project, actor, names, BatchState.OPEN, "batch_opened", tuple(BatchState)):
        settle_queues(project)


def open_waiting(project: Project, actor: Membership | None) -> None:
    """Let all batches be handed out that wait to be opened; paused and closed ones stay as they are."""
    waiting = Batch.objects.filter(project=project, state=BatchState.WAITING)
    names = list(waiting.values_list("name", flat=True))
    if names and _change_states(project, actor, names, BatchState.OPEN, "batch_opened", (BatchState.WAITING,)):
        settle_queues(project)


def pause(batch: Batch, actor: Membership | None) -> None:
    """Hand nothing of the batch out until it is resumed. Raises NotSo where it is not open."""
    _one(batch, actor, BatchState.PAUSED, "batch_paused", (BatchState.OPEN,))


def resume(batch: Batch, actor: Membership | None) -> None:
    """Hand the batch out again. Raises NotSo where it is neither paused nor closed."""
    _one(batch, actor, BatchState.OPEN, "batch_resumed", (BatchState.PAUSED, BatchState.CLOSED))


def close(batch: Batch, actor: Membership | None) -> None:
    """The batch is done with: nothing more of it is handed out, and others stop waiting for a pilot.

    What is unfinished stays unfinished. Raises NotSo where it is closed.
    """
    _one(batch, actor, BatchState.CLOSED, "batch_closed", (BatchState.WAITING, BatchState.OPEN, BatchState.PAUSED))


def limit(batch: Batch, actor: Membership | None, members: Iterable[Membership]) -> None:
    """Keep the batch for these people. Raises NotAnAnnotator where one is no active annotator of the project."""
    wanted = {member.pk for member in members}

    @short_transaction
    def limited() -> None:
        held = _hold(batch.project)
        people = Membership.objects.filter(project=held, pk__in=wanted, active=True, annotates=True)
        if people.count() != len(wanted):
            raise NotAnAnnotator
        Batch.objects.filter(pk=batch.pk).update(limited=True)
        batch.members.set(wanted)
        record("batch_limited", project=held, actor=actor, row=batch.public_id, members=len(wanted))
        _lag(held)
        wake(held)

    limited()
    settle_queues(batch.project)


def open_to_all(batch: Batch, actor: Membership | None) -> None:
    """Let every annotator of the project have the batch; who it was limited to is forgotten."""

    @short_transaction
    def opened() -> None:
        held = _hold(batch.project)
        if not Batch.objects.filter(pk=batch.pk, limited=True).update(limited=False):
            return
        batch.members.clear()
        record("batch_for_all", project=held, actor=actor, row=batch.public_id)
        _lag(held)

    opened()
    settle_queues(batch.project)


def set_pilot(batch: Batch, actor: Membership | None, *, pilot: bool) -> None:
    """Make it the pilot, for which the other batches wait until it is closed, or an ordinary batch again.

    A project has one pilot at most: the one before is ordinary then.
    """

    @short_transaction
    def changed() -> None:
        held = _hold(batch.project)
        if not Batch.objects.filter(pk=batch.pk, pilot=not pilot).update(pilot=pilot):
            return
        if pilot:
            Batch.objects.filter(project=held, pilot=True).exclude(pk=batch.pk).update(pilot=False)
        record("batch_pilot" if pilot else "batch_no_pilot", project=held, actor=actor, row=batch.public_id)
        _lag(held)

    changed()
    settle_queues(batch.project)


def set_priority(batch: Batch, actor: Membership | None, priority: int) -> int:
    """Give all items of the batch this priority, higher first; how many were changed."""
    items = Item.objects.filter(project=batch.project, batch=batch.name).exclude(priority=priority)
    changed = _some_at_a_time(
        list(items.order_by("pk").values_list("pk", flat=True)),
        lambda keys: _locked(items, keys).update(priority=priority),
    )
    record("batch_priority", project=batch.project, actor=actor, row=batch.public_id, priority=priority, items=changed)
    return changed


# ── Putting the items in their queues ─────────────────────────────────────────


def settle_queues(project: Project, items: Iterable[int] | None = None) -> int:
    """Put items into the queues that the batch rows give them; how many were in another one.

    With `items` (keys) only those, in the caller's transaction if there is one: for whoever changes their batch.
    Without, all items of the project, some in each transaction and those in labelling first.
    """
    if items is not None:
        return _some_at_a_time(sorted(items), lambda keys: _settle(project, keys))
    changed = 0
    while True:
        lagging = _lagging(project)
        changed += _some_at_a_time(lagging, lambda keys: _settle(project, keys))
        if _is_settled(project):
            return changed


def settle_left_behind() -> int:
    """Settle the projects whose queues lag behind their batches since a process died; how many. The sweeper's step."""
    lagging = list(Project.objects.filter(queues_settled=False))
    for project in lagging:
        settle_queues(project)
    return len(lagging)


def queues_now(project: Project) -> Queues:
    """The queue of every batch as its row says now."""
    rows = Batch.objects.filter(project=project).values_list("pk", "name", "state", "pilot", "limited")
    return queues(
        BatchNow(key, name, BatchState(state), pilot=pilot, limited=limited)
        for key, name, state, pilot, limited in rows
    )


def _lagging(project: Project) -> list[int]:
    """Items in another queue than their batch's, those in labelling first."""
    now = queues_now(project)
    items = Item.objects.filter(project=project)
    pairs = items.order_by().values_list("batch", "queue").distinct()
    batches = {batch for batch, queue in pairs if now.of(batch) != queue}
    if not batches:
        return []
    rows = items.filter(batch__in=batches).order_by("pk").values_list("pk", "batch", "queue", "stage")
    wrong = [(stage != Stage.LABELLING, key) for key, batch, queue, stage in rows if now.of(batch) != queue]
    return [key for _, key in sorted(wrong)]


def _settle(project: Project, keys: Keys) -> int:
    """Put these items right and wake who waits, if any can be handed out now."""
    now = queues_now(_hold(project))
    rows = _lock(Item.objects.filter(project=project), keys)
    wrong: dict[int | None, list[int]] = defaultdict(list)
    for key, batch, queue in rows.values_list("pk", "batch", "queue"):
        if now.of(batch) != queue:
            wrong[now.of(batch)].append(key)
    for queue, those in wrong.items():
        Item.objects.filter(pk__in=those).update(queue=queue)
    if any(queue is not None for queue in wrong):
        wake(project)
    return sum(map(len, wrong.values()))


@short_transaction
def _is_settled(project: Project) -> bool:
    """Note that the queues agree with the rows, if they do: nobody changes a batch while this looks."""
    held = _hold(project)
    if _lagging(held):
        return False
    Project.objects.filter(pk=held.pk, queues_settled=False).update(queues_settled=True)
    return True


# ── How an act is carried out ─────────────────────────────────────────────────


def _hold(project: Project) -> Project:
    """The project's row, locked: acts on its batches come one after the other."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _lag(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(queues_settled=False)


def _one(batch: Batch, actor: Membership | None, state: BatchState, verb: str, before: tuple[BatchState, ...]) -> None:
    if not _change_states(batch.project, actor, [batch.name], state, verb, before):
        raise NotSo
    settle_queues(batch.project)


@short_transaction
def _change_states(
    project: Project,
    actor: Membership | None,
    names: Sequence[str],
    state: BatchState,
    verb: str,
    before: tuple[BatchState, ...],
) -> bool:
    """Give the batches of these names the state where they had one of those before; whether any had another."""
    held = _hold(project)
    rows = Batch.objects.filter(project=held, name__in=names, state__in=before).exclude(state=state)
    changed = list(rows)
    for batch in changed:
        Batch.objects.filter(pk=batch.pk).update(state=state)
        record(verb, project=held, actor=actor, row=batch.public_id, before=batch.state)
    if changed:
        _lag(held)
    return bool(changed)


def _locked(items: QuerySet[Item], keys: Keys) -> QuerySet[Item]:
    """Those of the items with these keys, to be changed, their rows locked."""
    return Item.objects.filter(pk__in=list(_lock(items, keys).values_list("pk", flat=True)))


def _lock(items: QuerySet[Item], keys: Keys) -> QuerySet[Item]:
    """Those of the items with these keys; reading them locks their rows, in the order of keys."""
    return items.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True, of=("self",))


def _some_at_a_time(keys: Keys, act: Callable[[Keys], int]) -> int:
    acted: Any = short_transaction(act)
    return sum(acted(keys[start : start + AT_ONCE]) for start in range(0, len(keys), AT_ONCE))
