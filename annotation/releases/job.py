"""Releases that admins order on a page: small ones are built while the page waits, larger ones by a worker."""

from functools import partial
from uuid import UUID

from annotation.core.jobs import Heartbeat, JobKind, Phase
from annotation.models import Membership, Release, ReleaseOrder
from annotation.releases.build import CannotRelease, nothing_fits, release
from annotation.releases.request import Selection

SMALL = 3000
"""The maximum number of items of a release that is built while the page waits; that takes a second or two."""


def order_release(member: Membership, key: UUID, selection: Selection) -> ReleaseOrder:
    """Order a release and return its order. The same key again returns the same order.

    A small release is done, or has failed, when this returns; a larger one is enqueued.

    Raises CannotRelease if nothing fits.
    """
    total = selection.items(member.project).count()
    if total == 0:
        raise CannotRelease("nothing_to_release", nothing_fits(selection))
    order_values = {"ordered_by": member, "options": selection.model_dump(mode="json"), "items_total": total}
    row, new = ReleaseOrder.objects.get_or_create(project=member.project, key=key, defaults=order_values)
    if new:
        RELEASES.begin(row)
        row.refresh_from_db()
    return row


def _build(row: ReleaseOrder, heartbeat: Heartbeat[ReleaseOrder]) -> None:
    release(
        row.project,
        row.ordered_by,
        Selection.model_validate(row.options),
        progress=lambda done, total: heartbeat.note(items_done=done, items_total=total),
        on_stored=partial(_stored, row),
    )


def _stored(row: ReleaseOrder, release: Release) -> None:
    """End the order in the transaction that stores the release, so that no order makes two releases.

    Raises JobCancelled if the order was cancelled in the meantime.
    """
    RELEASES.finish(row, release=release, items_done=release.items, items_total=release.items)


RELEASES = JobKind(
    "release",
    ReleaseOrder,
    phases=(Phase(_build),),
    is_small=lambda row: row.items_total <= SMALL,
    related=("project", "ordered_by"),
)
