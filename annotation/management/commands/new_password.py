"""new_password USERNAME: let somebody in again who forgot their password."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.members.join import renew_password
from annotation.models import User


class Command(JsonCommand):
    help = "Give an account a new password, print it once, and ask for another one at the next sign-in."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def answer(self, **options: Any) -> Any:
        user = User.objects.filter(username__iexact=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no account {options['username'][:150]!r} that somebody can sign in with.")
        return {"member": user.username, "password": renew_password(user)}
