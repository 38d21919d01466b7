"""release SLUG --out DIR: an immutable release of a project, kept by the site and copied to a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.management.request_options import add_options, answers_of, request_of
from annotation.models import Project
from annotation.releases.build import CannotRelease, check_target, copy_to, release
from annotation.releases.files import Changed
from annotation.releases.people import columns_about_people, with_rare_values
from annotation.releases.request import Selection
from annotation.releases.split import BadSplitList, keep_list


class Command(JsonCommand):
    help = "Release the gold of a project: its items in the formats you name, hashes, a dataset card, a citation."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--out", required=True, type=Path, help="a new or empty folder for a copy of the release")
        add_options(parser, Selection)
        parser.add_argument(
            "--split-list",
            type=Path,
            metavar="FILE",
            help="parts of an earlier release to keep: id,split or JSON lines",
        )

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        selection = selected(project, options)
        for column in with_rare_values(columns_about_people(project)) if selection.people else ():
            self.say(f"{column.column}: {column.rare:,} of {column.values:,} values are shared by fewer than 5 people.")
        try:
            check_target(options["out"])
            new_release = release(project, None, selection, self._progress)
            copy_to(new_release, options["out"])
        except CannotRelease as fault:
            raise CommandError(fault.sentence) from None
        except Changed as fault:
            raise CommandError(fault.sentence) from None
        files = [{"path": file["path"], "sha256": file["sha256"]} for file in new_release.manifest["files"]]
        about = {
            "release": str(new_release.public_id),
            "version": new_release.number,
            "items": new_release.items,
            "files": files,
        }
        return about | {
            name: new_release.manifest[name] for name in ("split", "changes") if name in new_release.manifest
        }

    def _progress(self, done: int, total: int) -> None:
        if done % 10_000 == 0 or done == total:
            self.say(f"{done:,} of {total:,} items")

    def show(self, value: Any) -> None:
        self.stdout.write(f"Release {value['version']}: {value['items']:,} items in {len(value['files']):,} files.")


def selected(project: Project, options: dict[str, Any]) -> Selection:
    """Return the selection. A split list is stored, once the other options are right. Raises CommandError."""
    file, answers = options["split_list"], answers_of(Selection, options)
    selection = request_of(Selection, answers | {"frozen": str(file or "")})
    if not file:
        return selection
    try:
        with file.open("rb") as opened:
            frozen = str(keep_list(project, None, file.name, opened).public_id)
    except BadSplitList as fault:
        raise CommandError(fault.sentence) from None
    except OSError as fault:
        raise CommandError(f"{file} cannot be read: {fault.strerror}.") from None
    return Selection.of(answers | {"frozen": frozen})
