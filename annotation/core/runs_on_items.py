"""Which runs are about items of the project: others are about cases of an evaluation, or about rows of another app."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.core import extensions
from annotation.models import Project
from runs.domain.states import ASIDE
from runs.models import Run


def other_subjects() -> Mapping[str, Callable[[Project], QuerySet[Any, Any]]]:
    """Return the methods whose runs are about rows of another app, each with the query for the ids of these rows."""
    return {name: ids for extension in extensions.registered() for name, ids in extension.run_subjects.items()}


def runs_on_items(project: Project) -> QuerySet[Run]:
    """Return the project's runs whose `subject` is the public id of an item."""
    runs = Run.objects.filter(project=project.public_id)
    for posts in extensions.pasted_posts(project.public_id):
        runs = runs.exclude(subject__in=posts.values("public_id"))
    return runs.exclude(variant__startswith=ASIDE).exclude(method__in=other_subjects())
