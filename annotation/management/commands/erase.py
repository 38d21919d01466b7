"""erase USERNAME: empty somebody's account; what they labelled stays under their pseudonyms."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.site_counts import site_counts
from annotation.members.erasure import CannotErase, erase
from annotation.models import User


class Command(JsonCommand):
    help = "Empty an account for good: no name, address or sign-in is left; labels stay under the pseudonyms."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def answer(self, **options: Any) -> Any:
        user = User.objects.filter(username__iexact=options["username"]).first()
        if user is None:
            raise CommandError("There is no account of this name.")
        try:
            erased = erase(user)
        except CannotErase as cannot:
            raise CommandError(cannot.sentence) from None
        return {"site": site_counts(), "ok": True, "account": erased.username, "memberships": erased.memberships}
