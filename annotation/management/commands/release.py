"""release SLUG --out DIR: an immutable release of a project's gold, kept by the site and copied to a folder."""

from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError, CommandParser

from annotation.domain.words import Level, Source
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.release_files import Changed
from annotation.release_rows import Selection
from annotation.releasing import CannotRelease, check_target, copy_to, release

Chosen = TypeVar("Chosen", bound=StrEnum)


class Command(JsonCommand):
    help = "Release the gold of a project: JSONL, CSV, pictures, a manifest with hashes and a dataset card."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--out", required=True, type=Path, help="a new or empty folder for a copy of the release")
        parser.add_argument("--levels", nargs="+", default=[], help=f"only these: {', '.join(Level)}")
        parser.add_argument("--sources", nargs="+", default=[], help=f"only these: {', '.join(Source)}")
        parser.add_argument("--notes", action="store_true", help="with the annotators' notes (read them first)")
        parser.add_argument(
            "--fresh-pseudonyms", action="store_true", help="names that cannot be matched with other releases"
        )

    def answer(self, **options: Any) -> Any:
        selection = Selection(
            levels=chosen(Level, options["levels"], "--levels"),
            sources=chosen(Source, options["sources"], "--sources"),
            notes=options["notes"],
            fresh_pseudonyms=options["fresh_pseudonyms"],
        )
        try:
            check_target(options["out"])
            made = release(project_named(options["slug"], to_change=True), None, selection, self._progress)
            copy_to(made, options["out"])
        except CannotRelease as fault:
            raise CommandError(fault.sentence) from None
        except Changed as fault:
            raise CommandError(fault.sentence) from None
        files = [{"path": file["path"], "sha256": file["sha256"]} for file in made.manifest["files"]]
        return {"release": str(made.public_id), "version": made.number, "items": made.items, "files": files}

    def _progress(self, done: int, total: int) -> None:
        if done % 10_000 == 0 or done == total:
            self.say(f"{done:,} of {total:,} items")

    def show(self, value: Any) -> None:
        self.stdout.write(f"Release {value['version']}: {value['items']:,} items in {len(value['files']):,} files.")


def chosen(kind: type[Chosen], words: list[str], option: str) -> tuple[Chosen, ...]:
    """The members named, by blanks or commas, in the order of the set. Raises CommandError for another word."""
    named = {word for written in words for word in written.split(",") if word}
    unknown = sorted(named - set(kind))
    if unknown:
        raise CommandError(f"{option}: {unknown[0]!r} is none of {', '.join(kind)}.")
    return tuple(member for member in kind if member.value in named)
