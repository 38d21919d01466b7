"""What an address names, or 404."""

from typing import TypeVar
from uuid import UUID

from django.db.models import Manager, Model, QuerySet
from django.http import Http404

from annotation.models import Project

T = TypeVar("T")
Row = TypeVar("Row", bound=Model)


def found(thing: T | None) -> T:
    """Return the thing. Raises Http404 if it is None: the address names nothing that the viewer may see."""
    if thing is None:
        raise Http404
    return thing


def one(rows: QuerySet[Row] | Manager[Row], project: Project, public_id: UUID) -> Row:
    """Return the row of the project that the address names. Raises Http404 if there is none, or it is of another."""
    return found(rows.filter(project=project, public_id=public_id).first())
