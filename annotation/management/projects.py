"""The project that a command's argument names."""

from django.core.management.base import CommandError

from annotation.models import Project


def project_named(slug: str) -> Project:
    """The project with this slug. Raises CommandError where there is none."""
    try:
        return Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        raise CommandError(f"There is no project {slug!r}; `create_project` makes one.") from None
