"""add_member SLUG USERNAME ROLE: bring a person into a project."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.choices import Role
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.members.join import BadMember, add_member


class Command(JsonCommand):
    help = "Give a person a role in a project; makes the account, and prints its password once, where there is none."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("username")
        parser.add_argument("role", choices=list(map(str, Role)))
        parser.add_argument("--email", default="", help="an address; nobody needs one")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        try:
            joined = add_member(
                project, options["username"], Role(options["role"]), email=options["email"], shows_password=True
            )
        except BadMember as bad:
            raise CommandError(bad.sentence) from None
        name = joined.membership.user.username if joined.membership.user else ""
        answer = {"member": name, "created": joined.created}
        return answer if joined.password is None else {**answer, "password": joined.password}
