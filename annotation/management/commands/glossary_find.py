"""glossary_find SLUG FILE: say which approved terms of a project's glossary the texts of a file contain, and where."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.glossary import entries
from annotation.management.projects import project_named
from annotation.models import Project


class Command(BaseCommand):
    help = "Find the approved terms of a project's glossary in texts: one line for every line of the file."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the project")
        parser.add_argument("file", type=Path, help='JSON lines {"id", "text"}; - is the standard input')
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON lines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._find(options)
        except CommandError as error:
            if options["as_json"]:
                self.stdout.write(json.dumps({"error": str(error)}, ensure_ascii=False))
            raise

    def _find(self, options: dict[str, Any]) -> None:
        project = project_named(options["slug"])
        try:
            if str(options["file"]) == "-":
                self._print(project, sys.stdin, options["as_json"])
            else:
                with options["file"].open(encoding="utf-8") as lines:
                    self._print(project, lines, options["as_json"])
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}.") from None
        except UnicodeDecodeError:
            raise CommandError(f"{options['file']} is not UTF-8.") from None

    def _print(self, project: Project, lines: Iterable[str], as_json: bool) -> None:
        find = entries.finder(project)
        for name, text in _texts(lines):
            terms = [place.as_json() for place in find(text)]
            if as_json:
                self.stdout.write(json.dumps({"id": name, "terms": terms}, ensure_ascii=False))
            else:
                listed = ", ".join(f"{term['term']} {term['start']}-{term['end']} ({term['how']})" for term in terms)
                self.stdout.write(f"{name}: {listed or '-'}")


def _texts(lines: Iterable[str]) -> Iterator[tuple[Any, str]]:
    """Yield the id and the text of each line. Raises CommandError with the number of a wrong line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or "id" not in row or not isinstance(row.get("text"), str):
            raise CommandError(f'Line {number} is no object with "id" and "text".')
        yield row["id"], row["text"]
