"""Leases of disputed posts: which reviewer works on which post.

Activity renews a lease; without activity it expires, by the database's clock. Until then no other reviewer gets the
post or decides about it.
A reviewer has one post at a time: taking the next post ends the earlier lease.
"""

from django.db.models import QuerySet

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Item, Membership
from moderation.desk.queue import QueueFilters, kept_from, ready
from moderation.desk.settings import rules_of
from moderation.models import Lease
from runs.sql.database_clock import seconds_from_now

TRIES = 16
"""The number of posts that are tried before the queue counts as empty; other reviewers may take them first."""


class Leased(Exception):
    """Another reviewer works on the post until `lease.expires_at`."""

    code = "leased"

    def __init__(self, lease: Lease) -> None:
        super().__init__(f"{lease.reviewer} has the item until {lease.expires_at:%H:%M}.")
        self.lease = lease


@short_transaction
def take(item: Item, reviewer: Membership) -> Lease | None:
    """Give the disputed post to the reviewer, or renew their lease of it. Return the lease.

    Returns None if the item is not disputed, is set aside for others, or the member does not review.
    Raises Leased.
    """
    locked = lock_item(item)
    if locked.stage != Stage.DISPUTED or not reviewer.reviews:
        return None
    if kept_from(reviewer).filter(item=locked).exists():
        return None
    refuse_others(locked, reviewer)
    Lease.objects.filter(reviewer=reviewer).exclude(item=locked).delete()
    until = seconds_from_now(60 * rules_of(reviewer.project).lease_minutes)
    if not Lease.objects.filter(item=locked).update(reviewer=reviewer, expires_at=until):
        Lease.objects.create(item=locked, reviewer=reviewer, expires_at=until)
    return Lease.objects.get(item=locked)


def take_next(reviewer: Membership, filters: QueueFilters, beside: Item | None = None) -> Item | None:
    """Take the first post of the queue that waits for nobody else for the reviewer. Return it.

    Returns None if there is none. `beside`, the post that was just finished, is left out.
    """
    queue = ready(reviewer, filters)
    if beside is not None:
        queue = queue.exclude(pk=beside.pk)
    for item in queue.prefetch_related(None)[:TRIES]:
        try:
            if take(item, reviewer) is not None:
                return item
        except Leased:
            continue
    return None


def refuse_others(item: Item, reviewer: Membership) -> None:
    """Refuse the reviewer if somebody else works on the post.

    Raises Leased.
    """
    lease = in_force().filter(item=item).exclude(reviewer=reviewer).select_related("reviewer").first()
    if lease is not None:
        raise Leased(lease)


def give_back(item: Item, reviewer: Membership) -> bool:
    """End the reviewer's lease of the post. Return whether there was one."""
    deleted, _by_model = Lease.objects.filter(item=item, reviewer=reviewer).delete()
    return bool(deleted)


def in_force() -> QuerySet[Lease]:
    """Return the leases that have not expired."""
    return Lease.objects.filter(expires_at__gt=seconds_from_now(0))
