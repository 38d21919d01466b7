"""audit SLUG: prove that no label, decision, turn or file of a project is lost, doubled or orphaned."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.operations.audit import audit


class Command(JsonCommand):
    help = "Compare a project's rows with its events, its files and the rules; name what is lost, doubled or orphaned."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")

    def answer(self, **options: Any) -> Any:
        problems = audit(project_named(options["slug"]))
        return {"ok": not problems, "problems": problems}

    def show(self, value: Any) -> None:
        for problem in value["problems"]:
            self.stdout.write(problem)
        self.stdout.write("Nothing is lost, doubled or orphaned." if value["ok"] else "The project is NOT sound.")
