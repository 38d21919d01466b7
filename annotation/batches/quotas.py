"""Quotas: how many labels one person may give in a project, for everybody or for single people."""

from collections.abc import Mapping
from uuid import UUID

from annotation.assignment.release_seats import reset_idle_members
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.models import Membership, Project, record


@short_transaction
def change_campaign(admin: Membership, quota: int | None, new_batches: str) -> bool:
    """Set the quota of a person in the project and the state of batches that imports bring; whether that is new."""
    project = Project.objects.select_for_update(no_key=True).get(pk=admin.project_id)
    changed = [
        name for name, value in (("quota", quota), ("new_batches", new_batches)) if getattr(project, name) != value
    ]
    if not changed:
        return False
    Project.objects.filter(pk=project.pk).update(quota=quota, new_batches=new_batches)
    record(EventVerb.CHANGE_SETTINGS, project=project, actor=admin, row=project.public_id, fields=changed)
    reset_idle_members(project)
    return True


@short_transaction
def change_quotas(admin: Membership, quotas: Mapping[UUID, int | None]) -> int:
    """Give these members of the project their own quotas (None: the project's); how many changed."""
    members = Membership.objects.select_for_update(no_key=True).filter(project=admin.project_id, public_id__in=quotas)
    changed = 0
    for member in members.order_by("pk"):
        quota = quotas[member.public_id]
        if member.quota != quota:
            Membership.objects.filter(pk=member.pk).update(quota=quota)
            record(
                EventVerb.QUOTA,
                project=admin.project,
                actor=admin,
                row=member.public_id,
                before=member.quota,
                after=quota,
            )
            changed += 1
    if changed:
        reset_idle_members(admin.project_id)
    return changed
