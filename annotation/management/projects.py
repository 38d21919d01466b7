"""The project and the items that a command's arguments name."""

import csv
from itertools import chain

from django.core.management.base import CommandError
from django.db.models import QuerySet

from annotation.models import Item, Project


def project_named(slug: str, *, to_change: bool = False) -> Project:
    """Return the project with this slug. Raises CommandError where there is none, or it may not change and should."""
    try:
        project = Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        raise CommandError(f"There is no project {slug!r}; `create_project` makes one.") from None
    if to_change and project.is_closed:
        raise CommandError(f"The project {slug!r} is archived or about to be deleted: nothing in it changes.")
    return project


def named_items(items: QuerySet[Item], written: str, purpose: str) -> QuerySet[Item]:
    """Return the items whose external ids are written, separated by commas; one that holds a comma in quotation marks.

    Raises CommandError if there is none, or one that is not among `items`; `purpose` ends its sentence, such as
    "that can be looked at".
    """
    cells = chain.from_iterable(csv.reader([written], skipinitialspace=True))
    names = [name.strip() for name in cells if name.strip()]
    if not names:
        raise CommandError("--items names no item: write external ids, separated by commas.")
    chosen = items.filter(external_id__in=names)
    there = set(chosen.values_list("external_id", flat=True))
    if missing := [name for name in names if name not in there]:
        raise CommandError(f"The project has no item {missing[0]!r} {purpose}.")
    return chosen
