"""Searches over items under a name: each person's own, and those that somebody shared with the project's staff."""

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotation.items.search import asked_in, find_items, query_of
from annotation.models import Membership, SavedSearch

MOST = 50
"""Searches one person may keep in a project."""


class NameTaken(ValueError):
    """The person has a search of this name."""

    code = "search_name_taken"


class TooMany(ValueError):
    """The person keeps as many searches as one may."""

    code = "too_many_searches"


def open_to(member: Membership) -> QuerySet[SavedSearch]:
    """Return the member's own searches and the shared ones of the project, by name."""
    mine = Q(member=member) | Q(shared=True)
    return SavedSearch.objects.filter(mine, project=member.project_id).select_related("member").order_by("name", "pk")


def save(member: Membership, name: str, query: str, *, shared: bool = False) -> SavedSearch:
    """Keep a search under a name. Raises UnknownFilter for what cannot be asked, NameTaken, TooMany."""
    asked = asked_in(query)
    find_items(member, asked)
    if SavedSearch.objects.filter(member=member).count() >= MOST:
        raise TooMany
    try:
        with transaction.atomic():
            return SavedSearch.objects.create(
                project=member.project, member=member, name=name, query=query_of(asked), shared=shared
            )
    except IntegrityError:
        raise NameTaken from None


def change(search: SavedSearch, name: str, *, shared: bool) -> None:
    """Rename one's own search, share it or take it back. Raises NameTaken."""
    try:
        with transaction.atomic():
            SavedSearch.objects.filter(pk=search.pk).update(name=name, shared=shared)
    except IntegrityError:
        raise NameTaken from None
