"""text_index: fold the texts that are not folded yet, and create what is missing of the index of text search."""

from typing import Any

from django.core.management import CommandError
from django.db import connection

from annotation.core import text_index
from annotation.management.json_command import JsonCommand


class Command(JsonCommand):
    help = (
        "Fold texts for search that are not folded yet, and create what is missing of its index. "
        "Labelling waits while PostgreSQL builds it."
    )

    def answer(self, **options: Any) -> Any:
        count = text_index.fill(connection)
        if not text_index.create(connection):
            raise CommandError(
                "The extension pg_trgm is not there and may not be created by this role. "
                "Let an administrator of the database run CREATE EXTENSION pg_trgm first."
            )
        return {"text_index": "there", "folded": count}
