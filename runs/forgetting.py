"""Removing the runs of a project that is deleted, with their turns and the project's account."""

from uuid import UUID

from django.db.models import QuerySet

from runs.models import Account, Run, Turn


def runs_of(project: UUID) -> QuerySet[Run]:
    """All runs of the project, whatever their state."""
    return Run.objects.filter(project=project)


def forget_some(project: UUID, at_most: int) -> int:
    """Remove some runs of the project for good, within the caller's transaction; how many.

    The project's account goes with the last of them.
    """
    keys = list(runs_of(project).order_by("pk").values_list("pk", flat=True)[:at_most])
    Run.objects.filter(forked_from__in=keys).update(forked_from=None)
    Turn.objects.filter(run__in=keys)._raw_delete(Turn.objects.db)
    Run.objects.filter(pk__in=keys)._raw_delete(Run.objects.db)
    if not keys:
        Account.objects.filter(project=project).delete()
    return len(keys)
