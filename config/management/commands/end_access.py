"""end_access: end every way into the site but passwords and second steps."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from annotation.members.accounts.end_access import end_access


class Command(JsonCommand):
    help = (
        "End sessions, tokens, invitations, connected accounts and links to unpublished data, remove webhooks and "
        "waiting e-mails: on a copy of the site that others run, and after a leak. Passwords and second steps stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--yes", action="store_true", help="do it; without this it is only counted")

    def answer(self, **options: Any) -> Any:
        return {"ok": True, "ended": options["yes"], **end_access(only_count=not options["yes"])}

    def show(self, value: Any) -> None:
        verb = "ended" if value["ended"] else "would be ended; --yes ends them"
        counts = ", ".join(f"{name}: {n}" for name, n in value.items() if name not in ("ok", "ended"))
        self.stdout.write(f"{counts} ({verb}).")
