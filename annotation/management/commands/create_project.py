"""create_project SLUG: begin a labelling campaign."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.choices import Policy
from annotation.domain.design.file import BadDesign, Design
from annotation.management.json_command import JsonCommand
from annotation.models import User
from annotation.projects.create import BadProject, create_project
from annotation.projects.templates import FILE_LIMIT, HVLI, TITLES, parse_design, template


class Command(JsonCommand):
    help = "Create a project with its design; `add_member` brings people in, `import_items` posts."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project's address: letters, digits, - and _")
        parser.add_argument("--name", default="", help="what people read; default: the address")
        design = parser.add_mutually_exclusive_group()
        design.add_argument("--template", choices=list(TITLES), default=HVLI, help="a design of ours; default: h-vli")
        design.add_argument(
            "--design", type=Path, metavar="FILE.json", help="a design of yours, as `manage.py design SLUG` prints it"
        )
        design.add_argument(
            "--categories",
            dest="design",
            type=Path,
            metavar="FILE.json",
            help="the same; a list of {code, name, hateful, aliases?, definition?, key?, colour?} is enough",
        )
        parser.add_argument("--seats", type=int, default=3, help="annotators per item, 2 to 15; default 3")
        parser.add_argument("--policy", choices=list(map(str, Policy)), default=Policy.REVIEW, help="default: review")

        parser.add_argument("--admin", metavar="NAME", help="who becomes its admin; default: the only site admin")

    def answer(self, **options: Any) -> Any:
        admin = first_admin(options["admin"])
        try:
            project = create_project(
                options["slug"],
                name=options["name"],
                design=read_file(options["design"]) if options["design"] else template(options["template"]),
                seats=options["seats"],
                policy=Policy(options["policy"]),
                creator=admin,
            )
        except BadProject as bad:
            raise CommandError(bad.sentence) from None
        return {"project": project.slug} | ({} if admin is None else {"admin": admin.username})


def first_admin(name: str | None) -> User | None:
    """Return the account of that name, or the only site admin. Returns None if there are several or none of these.

    Raises CommandError if there is no such account.
    """
    accounts = User.objects.filter(is_active=True)
    if name is None:
        site_admins = accounts.filter(is_superuser=True).order_by("pk")[:2]
        return site_admins[0] if len(site_admins) == 1 else None
    account = accounts.filter(username=name).first()
    if account is None:
        raise CommandError(f"There is no account {name!r}; `createsuperuser` or `add_member` makes one.")
    return account


def read_file(path: Path) -> Design:
    """Return the design of a file. Raises CommandError."""
    try:
        with path.open("rb") as file:
            return parse_design(file.read(FILE_LIMIT + 1))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except BadDesign as bad:
        raise CommandError(f"{path}: {bad.sentence}") from None
