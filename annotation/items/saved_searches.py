"""Saved searches over items: each person's own, and those shared with the project's staff."""

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotation.items.search import asked_in, find_items, query_of
from annotation.models import Membership, SavedSearch

MOST = 50
"""The maximum number of saved searches of one person in a project."""


class NameTaken(ValueError):
    """The person already has a search of this name."""

    code = "search_name_taken"


class TooMany(ValueError):
    """The person has the maximum number of saved searches."""

    code = "too_many_searches"


def open_to(member: Membership) -> QuerySet[SavedSearch]:
    """Return the member's own searches and the shared ones of the project, by name."""
    visible = Q(member=member) | Q(shared=True)
    return (
        SavedSearch.objects.filter(visible, project=member.project_id).select_related("member").order_by("name", "pk")
    )


def save(member: Membership, name: str, query: str, *, shared: bool = False) -> SavedSearch:
    """Save a search under a name. Raises UnknownFilter for an invalid query, NameTaken, TooMany."""
    filters = asked_in(query)
    find_items(member, filters)
    if SavedSearch.objects.filter(member=member).count() >= MOST:
        raise TooMany
    try:
        with transaction.atomic():
            return SavedSearch.objects.create(
                project=member.project, member=member, name=name, query=query_of(filters), shared=shared
            )
    except IntegrityError:
        raise NameTaken from None


def change(search: SavedSearch, name: str, *, shared: bool) -> None:
    """Rename one's own search, or change whether it is shared. Raises NameTaken."""
    try:
        with transaction.atomic():
            SavedSearch.objects.filter(pk=search.pk).update(name=name, shared=shared)
    except IntegrityError:
        raise NameTaken from None
