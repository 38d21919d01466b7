"""The subjects of this app's runs: answered posts, samples, pictures of pools. The audit asks for them."""

from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from annotation.models import Project
from generation.models import Exchange, PoolPicture, Sample


def exchanges(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the answered posts."""
    return Exchange.objects.filter(project=project).values("public_id")


def pasted_posts(project: UUID) -> QuerySet[Any, Any]:
    """Return the pasted posts of the project with this public id: `public_id` and `text`."""
    pasted = Exchange.objects.filter(project__public_id=project, item=None)
    return pasted.values("public_id", text=F("pasted"))


def samples(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the samples."""
    return Sample.objects.filter(project=project).values("public_id")


def pictures(project: Project) -> QuerySet[Any, Any]:
    """Return the public ids of the pictures in pools."""
    return PoolPicture.objects.filter(pool__project=project).values("public_id")
