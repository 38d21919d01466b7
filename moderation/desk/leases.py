"""Which reviewer has which disputed post in front of them.

A lease is renewed by activity and lapses by itself; nobody else is given the post meanwhile, and nobody else's
decision about it is taken. A person has one post at a time: taking the next gives the last one back.
"""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Item, Membership
from moderation.desk.queue import Asked, candidates
from moderation.desk.settings import rules_of
from moderation.models import Lease

TRIES = 16
"""How many posts of the queue are tried before somebody is told that there is none: others may be as quick."""


class Leased(Exception):
    """Somebody else has the post in front of them until `lease.expires_at`."""

    code = "leased"

    def __init__(self, lease: Lease) -> None:
        super().__init__(f"{lease.reviewer} has the item until {lease.expires_at:%H:%M}.")
        self.lease = lease


@short_transaction
def take(item: Item, reviewer: Membership) -> Lease | None:
    """Put the disputed post in front of the reviewer, or keep it there for longer.

    None where it is not disputed (any more). Raises Leased.
    """
    held = lock_item(item)
    if held.stage != Stage.DISPUTED or not reviewer.reviews:
        return None
    refuse_others(held, reviewer)
    Lease.objects.filter(reviewer=reviewer).exclude(item=held).delete()
    until = timezone.now() + timedelta(minutes=rules_of(reviewer.project).lease_minutes)
    lease, _new = Lease.objects.update_or_create(item=held, defaults={"reviewer": reviewer, "expires_at": until})
    return lease


def take_next(reviewer: Membership, asked: Asked, beside: Item | None = None) -> Item | None:
    """The first post of the queue that is free for the reviewer, leased to them; None where there is none.

    `beside` is left out: the post that was just passed on.
    """
    queue = candidates(reviewer, asked)
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
    """Do nothing unless somebody else has the post. Raises Leased."""
    lease = in_force().filter(item=item).exclude(reviewer=reviewer).select_related("reviewer").first()
    if lease is not None:
        raise Leased(lease)


def give_back(item: Item, reviewer: Membership) -> bool:
    """Let others have the post; whether the reviewer had it."""
    gone, _by_model = Lease.objects.filter(item=item, reviewer=reviewer).delete()
    return bool(gone)


def in_force() -> QuerySet[Lease]:
    """The leases that have not lapsed."""
    return Lease.objects.filter(expires_at__gt=timezone.now())
