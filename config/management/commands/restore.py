from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from config import backup


class Command(JsonCommand):
    help = "Put a backup into an empty database and an empty storage of files, after comparing its checksums."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path)

    def answer(self, **options: Any) -> Any:
        try:
            return backup.restore(options["folder"])
        except backup.BadBackup as fault:
            raise CommandError(str(fault)) from None
