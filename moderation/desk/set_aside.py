"""Posts that are set aside: assigned to a reviewer, or parked with a note until a day.

Nobody else is led to such a post, and nobody else decides it. Whoever wants it nevertheless ends that first; who set
it aside, when, why and until when stays on record.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.models import Item, Membership, Project, record
from annotation.review import adjudicate
from moderation.desk import appeals, leases, queue
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Lease, Proposal, SetAside
from runs.sql.database_clock import database_now


class KeptForAnother(PermissionError):
    """The post is assigned to somebody else, or parked; `row` says by whom and why."""

    code = "set_aside"

    def __init__(self, row: SetAside) -> None:
        super().__init__(f"Set aside by {row.by}.")
        self.row = row


class BadSetAside(ValueError):
    """The post cannot be set aside so: not disputed, no note, a past day, or a person who may not decide it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class SetAsideWish:
    """Why a post is set aside, until when (None: until somebody takes it), and for whom (None: it is parked)."""

    note: str = ""
    until: datetime | None = None
    reviewer: Membership | None = None


@short_transaction
def set_aside(item: Item, by: Membership, wish: SetAsideWish) -> SetAside:
    """Assign the disputed post to the reviewer of the wish, or park it. It replaces what was set before.

    Raises BadSetAside, NotAllowed; Leased or KeptForAnother where the post is somebody else's now.
    """
    locked = lock_item(item)
    if not (by.active and (by.reviews or by.administers)):
        raise adjudicate.NotAllowed
    _check(locked, wish)
    leases.refuse_others(locked, by)
    refuse_others(locked, by)
    end_all(locked)
    Lease.objects.filter(item=locked).delete()
    row = SetAside.objects.create(
        item=locked, round=locked.round, reviewer=wish.reviewer, note=wish.note.strip(), by=by, until=wish.until
    )
    verb = ModerationVerb.ASSIGNED if wish.reviewer else ModerationVerb.PARKED
    record(verb, project=locked.project, actor=by, item=locked, row=row.public_id)
    return row


@short_transaction
def end(item: Item, by: Membership) -> bool:
    """Make a post that is set aside everybody's again, and give it to `by` if they review. Return whether it was.

    Raises Leased if somebody else was first.
    """
    locked = lock_item(item)
    leases.refuse_others(locked, by)
    row = in_force(locked)
    if row is not None:
        end_all(locked)
        record(ModerationVerb.SET_ASIDE_ENDED, project=locked.project, actor=by, item=locked, row=row.public_id)
    leases.take(locked, by)
    return row is not None


def end_all(item: Item) -> None:
    """End what sets the post aside, also rows of earlier rounds. Call it inside the transaction of what ends it."""
    SetAside.objects.filter(item=item, ended_at__isnull=True).update(ended_at=timezone.now())


def in_force(item: Item) -> SetAside | None:
    """Return the row that sets the post aside now.

    Returns None if there is none.
    """
    return queue.set_aside_rows().filter(item=item).select_related("reviewer", "by").first()


def reviewers_of(project: Project) -> list[Membership]:
    """Return the people to whom a post of the project can be assigned, by name."""
    return list(Membership.objects.filter(project=project, active=True, reviews=True).order_by("pseudonym"))


def refuse_others(item: Item, reviewer: Membership) -> None:
    """Refuse the reviewer if the post is parked, or assigned to somebody else.

    Raises KeptForAnother.
    """
    row = queue.kept_from(reviewer).filter(item=item).select_related("reviewer", "by").first()
    if row is not None:
        raise KeptForAnother(row)


def _check(item: Item, wish: SetAsideWish) -> None:
    """Check that the post can be set aside so. Raises BadSetAside."""
    if item.stage != Stage.DISPUTED:
        raise BadSetAside("not_disputed")
    if wish.reviewer is None and not wish.note.strip():
        raise BadSetAside("note_missing")
    if wish.until is not None and wish.until <= database_now():
        raise BadSetAside("past_day")
    if wish.reviewer is not None and not _may_decide(item, wish.reviewer):
        raise BadSetAside("may_not_decide")


def _may_decide(item: Item, reviewer: Membership) -> bool:
    same_project = reviewer.project_id == item.project_id and reviewer.active and reviewer.reviews
    proposed = Proposal.objects.filter(item=item, item_version=item.version, reviewer=reviewer)
    if not same_project or proposed.exists():
        return False
    return adjudicate.may_settle(item, reviewer) and not appeals.is_own(item, reviewer)
