from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.site_counts import site_counts
from config.recovery import backup, backup_check, backup_rotation


class Command(JsonCommand):
    help = "Back up database and files into a new folder, with checksums; the site may run meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "folder", type=Path, help="a new folder; with --keep-daily or --keep-weekly that of all backups"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only say whether a backup is whole: compare checksums, restore it beside the site, audit it",
        )
        parser.add_argument(
            "--incomplete", action="store_true", help="go on although files are missing or of another site"
        )
        how = "keep the newest backup of each of the last N {} that have one, and remove older ones"
        for period in ("daily", "weekly"):
            parser.add_argument(
                f"--keep-{period}", type=int, metavar="N", help=how.format({"daily": "days", "weekly": "weeks"}[period])
            )

    def answer(self, **options: Any) -> Any:
        folder, incomplete = options["folder"], options["incomplete"]
        daily, weekly = options["keep_daily"], options["keep_weekly"]
        rotates = daily is not None or weekly is not None
        if min(daily or 0, weekly or 0) < 0 or (rotates and not (daily or weekly)):
            raise CommandError("--keep-daily and --keep-weekly are whole numbers, and one of them is at least 1.")
        if options["check"]:
            if rotates:
                raise CommandError("--check makes and removes no backup: leave --keep-daily and --keep-weekly out.")
            return backup_check.checked(folder)
        try:
            if rotates:
                held = backup_rotation.make(folder, daily=daily or 0, weekly=weekly or 0, incomplete=incomplete)
            else:
                held = backup.make(folder, incomplete=incomplete)
        except backup.BadBackup as fault:
            raise CommandError(str(fault)) from None
        return {"site": site_counts(), **held}
