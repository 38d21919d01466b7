from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.site_counts import site_counts
from config.recovery import backup

_NEXT = (
    "Now run `manage.py migrate`, `manage.py check --database default` and `manage.py audit`, which looks at every "
    "project; then start the site."
)
_WHAT_WORKS = (
    "Passwords, API tokens, invitations and links to unpublished data work as they did when the backup was made, also "
    "those that were ended since. `manage.py end_access` counts and ends all but passwords. With another SECRET_KEY "
    "nobody signs in with an app or a recovery code, and webhooks send nothing: their secrets cannot be opened."
)


class Command(JsonCommand):
    help = "Put a backup into an empty database and an empty storage of files, after comparing its checksums."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path)

    def answer(self, **options: Any) -> Any:
        try:
            restored = backup.restore(options["folder"])
        except backup.BadBackup as fault:
            raise CommandError(str(fault)) from None
        self.say(_WHAT_WORKS)
        self.say(_NEXT)
        return {"site": site_counts(), **restored}
