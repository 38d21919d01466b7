"""export_training SLUG --out DIR: write what a model is trained on, for `python -m generation.coarl`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from generation.files.training_export import write_training_files


class Command(JsonCommand):
    help = (
        "Write explanations, approved replies, preferences and critics' scores of a project as training files, split "
        "by post. docs/coarl.md says what is done with them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new or an empty folder")
        parser.add_argument("--injected", action="store_true", help="write the samples too, which models wrote")

    def answer(self, **options: Any) -> Any:
        project, folder = project_named(options["slug"]), options["out"]
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is there already and not an empty folder: name another one.")
        return write_training_files(project, folder, injected=options["injected"])
