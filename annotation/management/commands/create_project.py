"""create_project SLUG: begin a labelling campaign."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.categories import DEFAULT_CATEGORIES, BadCategories, read_categories
from annotation.domain.choices import Policy
from annotation.domain.votes import Category
from annotation.management.json_command import JsonCommand
from annotation.projects.create import BadProject, create_project

FILE_LIMIT = 2**20
"""Bytes of a file of categories."""


class Command(JsonCommand):
    help = "Create a project with its categories; `add_member` brings people in, `import_items` posts."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project's address: letters, digits, - and _")
        parser.add_argument("--name", default="", help="what people read; default: the address")
        parser.add_argument(
            "--categories",
            type=Path,
            metavar="FILE.json",
            help="a list of {code, name, hateful, aliases?, definition?, key?}; default: the six of the H-VLI paper",
        )
        parser.add_argument("--seats", type=int, default=3, help="annotators per item, 2 to 15; default 3")
        parser.add_argument("--policy", choices=list(Policy), default=Policy.REVIEW, help="default: review")

    def answer(self, **options: Any) -> Any:
        try:
            project = create_project(
                options["slug"],
                name=options["name"],
                categories=_read(options["categories"]) if options["categories"] else DEFAULT_CATEGORIES,
                seats=options["seats"],
                policy=Policy(options["policy"]),
            )
        except (BadProject, BadCategories) as bad:
            raise CommandError(bad.sentence) from None
        return {"project": project.slug}


def _read(path: Path) -> tuple[Category, ...]:
    """Return the categories of a file. Raises BadCategories, and CommandError where the file cannot be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_LIMIT + 1)
        if len(raw) > FILE_LIMIT:
            raise CommandError(f"{path} is larger than {FILE_LIMIT:,} bytes: that is no list of categories.")
        rows = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8: save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not JSON: {error}.") from None
    if not isinstance(rows, list):
        raise CommandError(f"{path} must hold a list of categories: [{{code, name, hateful}}, …].")
    return read_categories(rows)
