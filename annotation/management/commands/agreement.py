"""agreement SLUG: how far the annotators of a project agree, raw, after each step and final."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.analytics.agreement import as_json, read_agreement
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named


class Command(JsonCommand):
    help = "Show the agreement of a project: kappa and alpha raw, after each step and final, levels and patterns."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")

    def answer(self, **options: Any) -> Any:
        return as_json(read_agreement(project_named(options["slug"])))
