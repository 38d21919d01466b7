"""What this app's runs are about: posts that are answered, samples, pictures of pools; asked by the audit."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from generation.models import Exchange, PoolPicture, Sample


def exchanges(project: Project) -> QuerySet[Any, Any]:
    """The public ids of the posts that are answered."""
    return Exchange.objects.filter(project=project).values("public_id")


def samples(project: Project) -> QuerySet[Any, Any]:
    """The public ids of the samples."""
    return Sample.objects.filter(project=project).values("public_id")


def pictures(project: Project) -> QuerySet[Any, Any]:
    """The public ids of the pictures in pools."""
    return PoolPicture.objects.filter(pool__project=project).values("public_id")
