"""The subjects of this app's runs: answered posts, samples, pictures of pools. The audit asks for them."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from generation.models import Exchange, PoolPicture, Sample


def exchanges(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the answered posts."""
    return Exchange.objects.filter(project=project).values("public_id")


def samples(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the samples."""
    return Sample.objects.filter(project=project).values("public_id")


def pictures(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the pictures in pools."""
    return PoolPicture.objects.filter(pool__project=project).values("public_id")
