"""Which database a command worked on, and how much is in it: the first words of commands that are hard to take back."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from annotation.core.database_faults import database_in_words
from annotation.models import Item, Label, Project, User


def site_counts() -> dict[str, Any]:
    """Return the database in words, and its projects, items, labels and people.

    Whoever meant another database sees it here. Raises DatabaseError if it is away or has no tables.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    at: dict[str, Any] = connection.settings_dict
    host = at["HOST"] or at["OPTIONS"].get("host", "")
    return {
        "database": database_in_words(connection.vendor, at["NAME"], host, at["PORT"]),
        "projects": Project.objects.count(),
        "items": Item.objects.count(),
        "labels": Label.objects.count(),
        "people": User.objects.count(),
    }


def counts_in_words(counts: dict[str, Any]) -> str:
    """Return the same as one line for people."""
    figures = ", ".join(f"{number:,} {name}" for name, number in counts.items() if name != "database")
    return f"Of {counts['database']}: {figures}."
