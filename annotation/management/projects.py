"""The project that a command's argument names."""

from django.core.management.base import CommandError

from annotation.models import Project


def project_named(slug: str, *, to_change: bool = False) -> Project:
    """Return the project with this slug. Raises CommandError where there is none, or it may not change and should."""
    try:
        project = Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        raise CommandError(f"There is no project {slug!r}; `create_project` makes one.") from None
    if to_change and project.is_closed:
        raise CommandError(f"The project {slug!r} is archived or about to be deleted: nothing in it changes.")
    return project
