"""Delete the runs of a project that is purged, with their turns and the project's account."""

from uuid import UUID

from django.db.models import QuerySet

from runs.models import Account, Run, Turn


def project_runs(project: UUID) -> QuerySet[Run]:
    """Return all runs of the project, whatever their state."""
    return Run.objects.filter(project=project)


def delete_project_runs(project: UUID, at_most: int) -> int:
    """Delete up to `at_most` runs of the project in the caller's transaction. Return how many.

    The project's account is deleted once no run is left.
    """
    keys = list(project_runs(project).order_by("pk").values_list("pk", flat=True)[:at_most])
    Run.objects.filter(forked_from__in=keys).update(forked_from=None)
    Turn.objects.filter(run__in=keys)._raw_delete(Turn.objects.db)
    Run.objects.filter(pk__in=keys)._raw_delete(Run.objects.db)
    if not keys:
        Account.objects.filter(project=project).delete()
    return len(keys)
