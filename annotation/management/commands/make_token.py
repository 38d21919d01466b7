"""make_token USERNAME: print a token for the API, for programs of people who sign in nowhere."""

import logging
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from knox.models import AuthToken
from knox.settings import CONSTANTS, knox_settings

from annotation.core import second_factor
from annotation.management.json_command import JsonCommand
from annotation.management.open_account import open_account
from annotation.members.accounts.api_tokens import make_token, tell_of_token
from annotation.models import Membership, User

log = logging.getLogger(__name__)

MOST_DAYS = knox_settings.TOKEN_TTL.days
SHORTEST = 8
"""How much of a token must be given to say which one is meant."""


class Command(JsonCommand):
    help = "Print a new token for the API, once. It may do what the person may do."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")
        parser.add_argument("--days", type=int, default=MOST_DAYS, help="how long it works (default %(default)s)")
        parser.add_argument(
            "--replace", default="", metavar="TOKEN", help="end this token of theirs; its first letters will do"
        )

    def answer(self, **options: Any) -> Any:
        user = open_account(options["username"])
        if user.must_change_password:
            raise CommandError(
                f"The account {user.username} has a password that somebody else saw: no token works before they choose "
                f"their own. `manage.py password_link {user.username}` prints a link for that."
            )
        if not 1 <= options["days"] <= MOST_DAYS:
            raise CommandError(f"--days is a number from 1 to {MOST_DAYS}.")
        replaced = _stored_beginning(user, options["replace"]) if options["replace"] else ""
        token = make_token(user, timedelta(days=options["days"]), replaced=replaced)
        if token is None:
            most = knox_settings.TOKEN_LIMIT_PER_USER
            raise CommandError(
                f"The account {user.username} has {most} tokens, which is the most. Name one to --replace."
            )
        tell_of_token(user, options["days"])
        log.info("account %s: a token was made by command", user.public_id)
        return {
            "ok": True,
            "account": user.username,
            "token": token,
            "days": options["days"],
            "closed_to_it": _closed_to(user),
        }

    def show(self, value: Any) -> None:
        self.stdout.write(value["token"])
        self.say(f"It works for {value['days']} days, as {value['account']}. It is not shown again.")
        for slug in value["closed_to_it"]:
            self.say(f"The project {slug} asks for two-step sign-in, and refuses it until the account has that.")


def _stored_beginning(user: User, given: str) -> str:
    """Return as much of a token as is stored, from that or less. Raises CommandError unless one token begins so."""
    beginning = given[: CONSTANTS.TOKEN_KEY_LENGTH]
    found = AuthToken.objects.filter(user=user, token_key__startswith=beginning).values_list("token_key", flat=True)
    if len(beginning) < SHORTEST or len(found) != 1:
        raise CommandError(
            f"The account {user.username} has no token, or several, that begin so. Give the first {SHORTEST} letters "
            "of one, or more."
        )
    return str(found[0])


def _closed_to(user: User) -> list[str]:
    """Return the projects of the person that ask for a second step which the account does not have."""
    theirs = Membership.objects.filter(user=user, active=True)
    closed = theirs.exclude(second_factor.lets_in(user))
    return list(closed.order_by("project__slug").values_list("project__slug", flat=True))
