"""check_release DIR: prove that a release is whole and unchanged. Needs no database."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.releases.files import problems
from annotation.releases.folders import LocalFolder


class Command(JsonCommand):
    help = "Verify the files of a release against its manifest."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="the folder of the release")

    def answer(self, **options: Any) -> Any:
        folder: Path = options["folder"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        faults = problems(LocalFolder(folder))
        return {"ok": not faults, "problems": faults}

    def show(self, value: Any) -> None:
        for problem in value["problems"]:
            self.stdout.write(problem)
        self.stdout.write("The release is complete and unchanged." if value["ok"] else "The release is NOT intact.")
