"""Archiving and deletion of a project, and both undone.

An archived project is read-only. A deleted one is read-only for seven days and then purged. In both, no item is
assigned, imported or changed: pages, API and commands refuse when they fetch the project (`Project.is_closed`). Open
work is ended here, or must end first.
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
"""The time between the request for a deletion and the deletion."""


class UnderWay(Exception):
    """An import, a release or a change of many items is running; it must end or be cancelled first."""

    code = "under_way"


class NotSo(Exception):
    """The project is not in the state that the action needs."""

    code = "not_so"


@short_transaction
def archive(project: Project, admin: Membership) -> None:
    """Make the project read-only until it is unarchived. Raises UnderWay, NotSo."""
    locked = _locked_project(project)
    if locked.is_closed:
        raise NotSo
    _close(locked, admin)
    Project.objects.filter(pk=locked.pk).update(archived_at=timezone.now(), is_open=False)
    record(EventVerb.PROJECT_ARCHIVED, project=locked, actor=admin, row=locked.public_id)


@short_transaction
def unarchive(project: Project, admin: Membership) -> None:
    """Make an archived project writable; it stays closed for labelling until an admin opens it. Raises NotSo."""
    locked = _locked_project(project)
    if locked.archived_at is None or locked.delete_after is not None:
        raise NotSo
    Project.objects.filter(pk=locked.pk).update(archived_at=None)
    record(EventVerb.PROJECT_UNARCHIVED, project=locked, actor=admin, row=locked.public_id)


@short_transaction
def ask_deletion(project: Project, admin: Membership) -> Deletion:
    """Schedule the purge of the project in seven days; until then it is read-only. Raises UnderWay, NotSo."""
    locked = _locked_project(project)
    if locked.delete_after is not None:
        raise NotSo
    _close(locked, admin)
    due = timezone.now() + WAIT
    Project.objects.filter(pk=locked.pk).update(delete_after=due, is_open=False)
    row = Deletion.objects.create(project_key=locked.public_id, slug=locked.slug, asked_by=admin.user, due_at=due)
    record(EventVerb.DELETION_ASKED, project=locked, actor=admin, row=locked.public_id, due=due.isoformat())
    return row


@short_transaction
def cancel_deletion(project: Project, admin: Membership) -> None:
    """Cancel the deletion; the project is as before, but closed for labelling.

    Raises NotSo if none is scheduled or it is due.
    """
    locked, now = _locked_project(project), timezone.now()
    if locked.delete_after is None or locked.delete_after <= now:
        raise NotSo
    Project.objects.filter(pk=locked.pk).update(delete_after=None)
    Deletion.objects.filter(project_key=locked.public_id, finished_at=None, cancelled_at=None).update(cancelled_at=now)
    record(EventVerb.DELETION_CANCELLED, project=locked, actor=admin, row=locked.public_id)


def _locked_project(project: Project) -> Project:
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _close(project: Project, admin: Membership) -> None:
    """End open work: held seats, waiting files, invitations, runs. Raises UnderWay."""
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
