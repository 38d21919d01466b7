"""A project's end, and the way back: archived it is only read; deleted it waits seven days, closed, then is purged.

Nothing of an archived or deleted project is handed out, imported or changed: pages, API and commands refuse where
they look for the project (`Project.is_closed`), and what was under way is ended here or has to end first.
"""

from datetime import timedelta

from django.utils import timezone

from annotation.assignment.release_seats import free_seats_of_member
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.models import (
    BulkOrder,
    Deletion,
    Import,
    ImportState,
    Invitation,
    Job,
    Membership,
    Project,
    ReleaseOrder,
    Seat,
    record,
)
from runs.control import start
from runs.queue.delete import project_runs

WAIT = timedelta(days=7)
"""From asking for a deletion until it is carried out."""


class UnderWay(Exception):
    """An import, a release or a change of many items is being carried out; it has to end, or be cancelled, first."""

    code = "under_way"


class NotSo(Exception):
    """The project is not, or no longer, in the state that the act begins with."""

    code = "not_so"


@short_transaction
def archive(project: Project, admin: Membership) -> None:
    """Make the project read-only, until it is unarchived. Raises UnderWay, NotSo."""
    held = _held(project)
    if held.is_closed:
        raise NotSo
    _close(held, admin)
    Project.objects.filter(pk=held.pk).update(archived_at=timezone.now(), is_open=False)
    record(EventVerb.PROJECT_ARCHIVED, project=held, actor=admin, row=held.public_id)


@short_transaction
def unarchive(project: Project, admin: Membership) -> None:
    """Make an archived project one that is worked in; it stays closed for labelling until opened. Raises NotSo."""
    held = _held(project)
    if held.archived_at is None or held.delete_after is not None:
        raise NotSo
    Project.objects.filter(pk=held.pk).update(archived_at=None)
    record(EventVerb.PROJECT_UNARCHIVED, project=held, actor=admin, row=held.public_id)


@short_transaction
def ask_deletion(project: Project, admin: Membership) -> Deletion:
    """Have the project purged in seven days; until then it is only read. Raises UnderWay, NotSo."""
    held = _held(project)
    if held.delete_after is not None:
        raise NotSo
    _close(held, admin)
    due = timezone.now() + WAIT
    Project.objects.filter(pk=held.pk).update(delete_after=due, is_open=False)
    row = Deletion.objects.create(project_key=held.public_id, slug=held.slug, asked_by=admin.user, due_at=due)
    record(EventVerb.DELETION_ASKED, project=held, actor=admin, row=held.public_id, due=due.isoformat())
    return row


@short_transaction
def cancel_deletion(project: Project, admin: Membership) -> None:
    """Keep the project after all; it is as it was before, but closed for labelling. Raises NotSo once it is due."""
    held, now = _held(project), timezone.now()
    if held.delete_after is None or held.delete_after <= now:
        raise NotSo
    Project.objects.filter(pk=held.pk).update(delete_after=None)
    Deletion.objects.filter(project_key=held.public_id, finished_at=None, cancelled_at=None).update(cancelled_at=now)
    record(EventVerb.DELETION_CANCELLED, project=held, actor=admin, row=held.public_id)


def _held(project: Project) -> Project:
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _close(project: Project, admin: Membership) -> None:
    """End what would go on by itself: seats that people hold, files that wait, invitations, runs. Raises UnderWay."""
    imports = Import.objects.filter(project=project)
    orders = ReleaseOrder.objects.filter(project=project, state__in=Job.ACTIVE)
    changes = BulkOrder.objects.filter(project=project, state__in=Job.ACTIVE)
    if imports.filter(state=ImportState.IMPORTING).exists() or orders.exists() or changes.exists():
        raise UnderWay
    waiting = (ImportState.UPLOADED, ImportState.CHECKING, ImportState.CHECKED)
    Invitation.objects.filter(project=project, accepted_at=None, revoked_at=None).update(revoked_at=timezone.now())
    imports.filter(state__in=waiting).update(state=ImportState.CANCELLED, finished_at=timezone.now())
    holders = Seat.objects.filter(item__project=project, expires_at__isnull=False).values("annotator")
    for member in Membership.objects.filter(pk__in=holders):
        free_seats_of_member(member, admin)
    start.cancel_run_queryset(project_runs(project.public_id))
