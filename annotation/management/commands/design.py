"""design SLUG [FILE.json]: print a project's design, or put another in force."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.design.file import BadDesign, as_json
from annotation.management.commands.create_project import read_file
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.projects.design import change_design, design_of


class Command(JsonCommand):
    help = "Print a project's design as JSON, or put the design of FILE.json in force and print what changed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project's address")
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE.json", help="the design to put in force")

    def show(self, value: Any) -> None:
        """Print a design as the JSON of its file, so that the output can be used as one."""
        if "categories" in value:
            self.stdout.write(json.dumps(value, indent=2, ensure_ascii=False))
        else:
            super().show(value)

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=options["file"] is not None)
        if options["file"] is None:
            return as_json(design_of(project))
        try:
            changed = change_design(project, read_file(options["file"]), admin=None)
        except BadDesign as bad:
            raise CommandError(f"{options['file']}: {bad.sentence} Nothing changed.") from None
        return {
            "project": project.slug,
            "changes": [asdict(change) for change in changed.categories],
            "questions": [asdict(change) for change in changed.questions],
            "choose": changed.choose,
        }
