"""import_glossary SLUG FILE: add the entries of a CSV, TSV or JSONL file to a project's glossary."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.glossary import files
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named


class Command(JsonCommand):
    help = "Add the entries of a file to a project's glossary: all of them or none. Columns: term, meaning, and more."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("file", type=Path, help="CSV, TSV or JSON lines")
        parser.add_argument("--approve", action="store_true", help="the entries count at once, not as proposals")
        parser.add_argument("--dry-run", action="store_true", help="say what would come of it, store nothing")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        admin = project.memberships.filter(administers=True, active=True).order_by("pk").first()
        if admin is None:
            raise CommandError("The project has no active admin in whose name entries could be added: `add_member`.")
        try:
            with options["file"].open("rb") as stream:
                outcome = files.import_entries(admin, stream, approved=options["approve"], dry_run=options["dry_run"])
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}.") from None
        errors = [{"line": error.line, "code": error.code, "reason": error.reason} for error in outcome.errors]
        return {"added": outcome.added, "known": outcome.known, "dry_run": options["dry_run"], "errors": errors}
