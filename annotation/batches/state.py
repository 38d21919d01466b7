"""Batches: which of them are handed out, to whom and in which order.

A `Batch` row says what an admin decided; `Item.queue` is what handing out reads. Every act changes rows and notes in
the same transaction that the queues lag behind (`Project.queues_settled`); then `settle_queues` puts the items right,
some at a time, and the sweeper does where a process died in between. Acts and settling hold the project's row, so that
of several at once each sees what the one before left, and the last one leaves queues that agree with the rows.

Queues are kept for items of every stage: one that comes back to labelling is in the right queue already. Seats that
are held when a batch pauses may still be filled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.assignment.release_seats import reset_idle_members
from annotation.core.transactions import short_transaction
from annotation.domain.choices import BatchState, EventVerb, Stage
from annotation.domain.workforce.queues import BatchNow, Queues, queues
from annotation.models import Batch, Item, Membership, Project, record

AT_ONCE = 5_000
"""Items put right in one transaction: SQLite has one writer, and nobody should wait long for it."""

Keys = Sequence[int]


class WrongBatchState(Exception):
    """The batch's state does not allow this act: somebody else was first, or the page was old."""

    code = "batch_not_so"


class NotAnAnnotator(Exception):
    """A batch can be limited only to active annotators of its project, and a member is none."""

    code = "not_an_annotator"


def batch_of(project: Project, **chosen: Any) -> Batch | None:
    """Return the project's batch with this `public_id` or `name`.

    Returns None if there is none. The batch without a name is there while a post that people label names no batch.
    """
    row = Batch.objects.filter(project=project, **chosen).first()
    if row is not None and not row.name:
        nameless = Item.objects.filter(project=project, batch="").exclude(stage=Stage.KNOWN)
        return row if nameless.exists() else None
    return row


# ── What an admin does ────────────────────────────────────────────────────────


@short_transaction
def ensure_batches(project: Project, names: Iterable[str], state: BatchState | None = None) -> None:
    """Create rows for the batches without one, in this state or in the project's default.

    A name without a row that items carry already counts as open, and stays so.
    """
    locked = hold(project)
    distinct_names = set(names)
    missing = distinct_names - set(
        Batch.objects.filter(project=locked, name__in=distinct_names).values_list("name", flat=True)
    )
    if not missing:
        return
    names_of_items = (
        Item.objects.filter(project=locked, batch__in=missing).order_by().values_list("batch", flat=True).distinct()
    )
    under_way = set() if state is not None else set(names_of_items)
    fresh = state if state is not None else BatchState(locked.new_batches)
    Batch.objects.bulk_create(
        Batch(project=locked, name=name, state=BatchState.OPEN if name in under_way else fresh)
        for name in sorted(missing)
    )
    _lag(locked)


def open_batches(project: Project, actor: Membership | None, names: Iterable[str]) -> None:
    """Open these batches from any state; those without a row get one. The caller updates the queues of items."""
    names = list(names)
    ensure_batches(project, names, BatchState.OPEN)
    _change_states(project, actor, names, BatchState.OPEN, EventVerb.BATCH_OPENED, tuple(BatchState))


def open_waiting(project: Project, actor: Membership | None) -> None:
    """Open all batches that wait to be opened; paused and closed ones stay as they are.

    The caller updates the queues of items.
    """
    waiting = Batch.objects.filter(project=project, state=BatchState.WAITING)
    names = list(waiting.values_list("name", flat=True))
    if names:
        _change_states(project, actor, names, BatchState.OPEN, EventVerb.BATCH_OPENED, (BatchState.WAITING,))


def pause_batch(batch: Batch, actor: Membership | None) -> None:
    """Give out no item of the batch until it is resumed.

    Raises WrongBatchState if it is not open.
    """
    _change_state(batch, actor, BatchState.PAUSED, EventVerb.BATCH_PAUSED, (BatchState.OPEN,))


def resume_batch(batch: Batch, actor: Membership | None) -> None:
    """Give out items of the batch again.

    Raises WrongBatchState if it is neither paused nor closed.
    """
    _change_state(batch, actor, BatchState.OPEN, EventVerb.BATCH_RESUMED, (BatchState.PAUSED, BatchState.CLOSED))


def close_batch(batch: Batch, actor: Membership | None) -> None:
    """Close the batch: nothing more of it is given out, and others stop waiting for a pilot.

    Unfinished items stay unfinished.

    Raises WrongBatchState if it is closed.
    """
    _change_state(
        batch,
        actor,
        BatchState.CLOSED,
        EventVerb.BATCH_CLOSED,
        (BatchState.WAITING, BatchState.OPEN, BatchState.PAUSED),
    )


def limit_batch(batch: Batch, actor: Membership | None, members: Iterable[Membership]) -> None:
    """Limit the batch to these members.

    Raises NotAnAnnotator if one is no active annotator of the project.
    """
    member_ids = {member.pk for member in members}

    @short_transaction
    def limited() -> None:
        locked = hold(batch.project)
        people = Membership.objects.filter(project=locked, pk__in=member_ids, active=True, annotates=True)
        if people.count() != len(member_ids):
            raise NotAnAnnotator
        Batch.objects.filter(pk=batch.pk).update(limited=True)
        batch.members.set(member_ids)
        record(EventVerb.BATCH_LIMITED, project=locked, actor=actor, row=batch.public_id, members=len(member_ids))
        _lag(locked)
        reset_idle_members(locked)

    limited()
    update_item_queues(batch.project)


def unlimit_batch(batch: Batch, actor: Membership | None) -> None:
    """Open the batch to every annotator of the project; the list of its members is cleared."""

    @short_transaction
    def opened() -> None:
        locked = hold(batch.project)
        if not Batch.objects.filter(pk=batch.pk, limited=True).update(limited=False):
            return
        batch.members.clear()
        record(EventVerb.BATCH_FOR_ALL, project=locked, actor=actor, row=batch.public_id)
        _lag(locked)

    opened()
    update_item_queues(batch.project)


def set_pilot(batch: Batch, actor: Membership | None, *, pilot: bool) -> None:
    """Make the batch the pilot, which the others wait for until it is closed, or an ordinary batch again.

    A project has at most one pilot: an earlier one becomes ordinary.
    """

    @short_transaction
    def changed() -> None:
        locked = hold(batch.project)
        if not Batch.objects.filter(pk=batch.pk, pilot=not pilot).update(pilot=pilot):
            return
        if pilot:
            Batch.objects.filter(project=locked, pilot=True).exclude(pk=batch.pk).update(pilot=False)
        record(
            EventVerb.BATCH_PILOT if pilot else EventVerb.BATCH_NO_PILOT,
            project=locked,
            actor=actor,
            row=batch.public_id,
        )
        _lag(locked)

    changed()
    update_item_queues(batch.project)


def set_priority(batch: Batch, actor: Membership | None, priority: int) -> int:
    """Give all items of the batch this priority, higher first; return how many changed."""
    items = Item.objects.filter(project=batch.project, batch=batch.name).exclude(priority=priority)
    changed = _some_at_a_time(
        list(items.order_by("pk").values_list("pk", flat=True)),
        lambda keys: _locked(items, keys).update(priority=priority),
    )
    record(
        EventVerb.BATCH_PRIORITY,
        project=batch.project,
        actor=actor,
        row=batch.public_id,
        priority=priority,
        items=changed,
    )
    return changed


ACTS: Mapping[str, Callable[[Batch, Membership | None], None]] = {
    "pause": pause_batch,
    "resume": resume_batch,
    "close": close_batch,
    "pilot": lambda batch, actor: set_pilot(batch, actor, pilot=True),
    "no-pilot": lambda batch, actor: set_pilot(batch, actor, pilot=False),
}
"""What a batch can be asked for by one word, on its page and over the API."""


def batch_names(project: Project) -> list[str]:
    """Return the names of the batches that the project's items are in, "" among them, in the order of the database.

    One step in an index for each: to read the names of all items takes 0.3 s for a million.
    """
    later = Item.objects.filter(project=project).order_by("batch").values_list("batch", flat=True)
    names: list[str] = []
    name = later.first()
    while name is not None:
        names.append(name)
        name = later.filter(batch__gt=name).first()
    return names


# ── Putting the items in their queues ─────────────────────────────────────────


def update_item_queues(project: Project, items: Iterable[int] | None = None) -> int:
    """Put items into the queues that the batch rows give them; return how many were in another one.

    With `items` (primary keys) only those, in the caller's transaction if there is one.
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


def update_lagging_queues(**of: Any) -> int:
    """Update queues that are older than their batches; return of how many projects. A sweeper's step: processes die."""
    lagging = list(Project.objects.filter(queues_settled=False, **of))
    for project in lagging:
        update_item_queues(project)
    return len(lagging)


def read_batch_queues(project: Project) -> Queues:
    """Return the queue of every batch as its row says now."""
    rows = Batch.objects.filter(project=project).values_list("pk", "name", "state", "pilot", "limited")
    return queues(
        BatchNow(key, name, BatchState(state), pilot=pilot, limited=limited)
        for key, name, state, pilot, limited in rows
    )


def _lagging(project: Project) -> list[int]:
    """Return items in another queue than their batch's, those in labelling first."""
    now = read_batch_queues(project)
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
    now = read_batch_queues(hold(project))
    rows = _lock(Item.objects.filter(project=project), keys)
    wrong: dict[int | None, list[int]] = defaultdict(list)
    for key, batch, queue in rows.values_list("pk", "batch", "queue"):
        if now.of(batch) != queue:
            wrong[now.of(batch)].append(key)
    for queue, item_keys in wrong.items():
        Item.objects.filter(pk__in=item_keys).update(queue=queue)
    if any(queue is not None for queue in wrong):
        reset_idle_members(project)
    return sum(map(len, wrong.values()))


@short_transaction
def _is_settled(project: Project) -> bool:
    """Note that the queues agree with the rows, if they do: nobody changes a batch while this looks."""
    locked = hold(project)
    if _lagging(locked):
        return False
    Project.objects.filter(pk=locked.pk, queues_settled=False).update(queues_settled=True)
    return True


# ── How an act is carried out ─────────────────────────────────────────────────


def hold(project: Project) -> Project:
    """Lock the project's row, so that acts on its batches run one after the other."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _lag(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(queues_settled=False)


def _change_state(
    batch: Batch, actor: Membership | None, state: BatchState, verb: EventVerb, before: tuple[BatchState, ...]
) -> None:
    if not _change_states(batch.project, actor, [batch.name], state, verb, before):
        raise WrongBatchState
    update_item_queues(batch.project)


@short_transaction
def _change_states(
    project: Project,
    actor: Membership | None,
    names: Sequence[str],
    state: BatchState,
    verb: EventVerb,
    before: tuple[BatchState, ...],
) -> bool:
    """Give the batches of these names the state where they had one of those before; whether any had another."""
    locked = hold(project)
    rows = Batch.objects.filter(project=locked, name__in=names, state__in=before).exclude(state=state)
    changed = list(rows)
    for batch in changed:
        Batch.objects.filter(pk=batch.pk).update(state=state)
        record(verb, project=locked, actor=actor, row=batch.public_id, before=batch.state)
    if changed:
        _lag(locked)
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
