"""text_index: create what is missing of the index of text search, after the extension pg_trgm was added by hand."""

from typing import Any

from django.core.management import CommandError
from django.db import connection

from annotation.core import text_index
from annotation.management.json_command import JsonCommand


class Command(JsonCommand):
    help = "Create what is missing of the index of text search. Labelling waits while PostgreSQL builds it."

    def answer(self, **options: Any) -> Any:
        if not text_index.create(connection):
            raise CommandError(
                "The extension pg_trgm is not there and may not be created by this role. "
                "Let an administrator of the database run CREATE EXTENSION pg_trgm first."
            )
        return {"text_index": "there"}
