"""password_link USERNAME: print a link by which somebody sets a new password."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.members.password_links import password_link
from annotation.models import User


class Command(JsonCommand):
    help = "Print a link that sets a new password for an account: it works once, within a day."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def answer(self, **options: Any) -> Any:
        user = User.objects.filter(username__iexact=options["username"]).first()
        if user is None:
            raise CommandError("There is no account of this name.")
        if not user.is_active:
            raise CommandError(f"The account {user.username} is closed; a site admin can open it.")
        return {"ok": True, "account": user.username, "link": password_link(user)}
