"""password_link USERNAME: print a link by which somebody sets a new password."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.open_account import open_account
from annotation.members.accounts.password_links import password_link


class Command(JsonCommand):
    help = "Print a link that sets a new password for an account: it works once, within a day."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def answer(self, **options: Any) -> Any:
        user = open_account(options["username"])
        return {"ok": True, "account": user.username, "link": password_link(user)}
