"""Items created by other apps: they pass the same checks as imported rows and are stored in the same way.

Use it for a few items whose pictures the project already has; files are imported by `imports/run.py`.
"""

from collections.abc import Sequence

from annotation.assignment.release_seats import reset_idle_members
from annotation.batches.open_items import open_items
from annotation.batches.state import ensure_batches, update_item_queues
from annotation.core.bulk_insert import Sender
from annotation.domain.choices import BatchState, EventVerb
from annotation.domain.formats.base import BadValue, Row
from annotation.domain.imports.row import RowReader
from annotation.imports.options import ImportOptions, terms_of
from annotation.imports.store import ItemStore
from annotation.models import Batch, Item, Membership, Picture, Project, record


def prepare(project: Project, batch: str) -> None:
    """Create the row of the batch if it is missing. Call it before the transaction that stores items."""
    ensure_batches(project, [batch])


def take_in(project: Project, rows: Sequence[tuple[Row, Picture | None]], actor: Membership | None) -> list[Item]:
    """Store these rows as items, in the given order, within the caller's transaction.

    Raises BadValue for a row that an import would refuse, and for an id that exists already.
    """
    reader = RowReader(terms_of(project, ImportOptions()))
    # No row is None: only labels of a source can differ.
    items = [(item, picture.sha256 if picture else "") for row, picture in rows if (item := reader.read(row))]
    names = [row.external_id for row, _picture in rows]
    if (existing := Item.objects.filter(project=project, external_id__in=names).first()) is not None:
        raise BadValue("id_exists", f"The project has an item {existing.external_id} already.", "id")
    pictures = {picture.sha256: picture.pk for _row, picture in rows if picture is not None}
    with Sender() as sender:
        ItemStore(project, pictures, sender).store(items)
    record(EventVerb.IMPORTED, project=project, actor=actor, items=len(items), labels=0, priors=0, format="made here")
    reset_idle_members(project)
    stored = {item.external_id: item for item in Item.objects.filter(project=project, external_id__in=names)}
    return [stored[name] for name in names]


def settle(project: Project, batch: str, actor: Membership | None) -> None:
    """Put the new items into their queues, and open them if the project wants that. Call it after the transaction."""
    update_item_queues(project)
    open_batches = Batch.objects.filter(project=project, name=batch, state=BatchState.OPEN)
    if project.new_batches == BatchState.OPEN and open_batches.exists():
        open_items(project, actor, batch)
