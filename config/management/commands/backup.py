from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from config import backup


class Command(JsonCommand):
    help = "Back up database and files into a new folder, with checksums; the site may run meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path)
        parser.add_argument("--check", action="store_true", help="only compare a backup with its checksums")
        parser.add_argument(
            "--incomplete", action="store_true", help="go on although files are missing or of another site"
        )

    def answer(self, **options: Any) -> Any:
        if options["check"]:
            wrong = backup.problems(options["folder"])
            return {"ok": not wrong, "problems": wrong}
        try:
            return backup.make(options["folder"], incomplete=options["incomplete"])
        except backup.BadBackup as fault:
            raise CommandError(str(fault)) from None
