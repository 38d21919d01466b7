"""release SLUG --out DIR: an immutable release of a project, kept by the site and copied to a folder."""

from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError, CommandParser

from annotation.domain.choices import Level, Source
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.domain.releases.splits import MAX_SEED, BadShares, Shares
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Project
from annotation.releases.build import CannotRelease, check_target, copy_to, release
from annotation.releases.files import Changed
from annotation.releases.selection import MAX_TOPICS, Selection, Splitting
from annotation.releases.split import BadSplitList, keep_list

Chosen = TypeVar("Chosen", bound=StrEnum)


class Command(JsonCommand):
    help = "Release the gold of a project: its items in the formats you name, hashes, a dataset card, a citation."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("--out", required=True, type=Path, help="a new or empty folder for a copy of the release")
        parser.add_argument(
            "--formats", nargs="+", default=["csv"], help=f"beside JSONL: {', '.join(ReleaseFormat)}; none: JSONL only"
        )
        parser.add_argument(
            "--scope",
            choices=list(map(str, Scope)),
            default=Scope.GOLD.value,
            help="closed: with votes, and what is no gold",
        )
        parser.add_argument("--no-media", action="store_true", help="hashes in place of pictures")
        parser.add_argument("--no-texts", action="store_true", help="hashes in place of texts and what quotes them")
        parser.add_argument("--no-picture-texts", action="store_true", help="without the words read in pictures")
        parser.add_argument("--licences", nargs="+", default=[], metavar="LICENCE", help="only items under these")
        parser.add_argument("--splits", metavar="80/10/10", help="train, dev and test; what is alike is never parted")
        parser.add_argument("--seed", type=int, default=0, help="of the splits; other posts give other parts")
        parser.add_argument("--topics", type=int, default=0, help="so many topics of the texts are never parted")
        parser.add_argument(
            "--split-list",
            type=Path,
            metavar="FILE",
            help="parts of an earlier release to keep: id,split or JSON lines",
        )
        parser.add_argument("--levels", nargs="+", default=[], help=f"only these: {', '.join(Level)}")
        parser.add_argument("--sources", nargs="+", default=[], help=f"only these: {', '.join(Source)}")
        parser.add_argument("--notes", action="store_true", help="with the annotators' notes (read them first)")
        parser.add_argument(
            "--fresh-pseudonyms", action="store_true", help="names that cannot be matched with other releases"
        )

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        formats = [] if options["formats"] == ["none"] else options["formats"]
        selection = Selection(
            levels=chosen(Level, options["levels"], "--levels"),
            sources=chosen(Source, options["sources"], "--sources"),
            notes=options["notes"],
            fresh_pseudonyms=options["fresh_pseudonyms"],
            scope=Scope(options["scope"]),
            formats=chosen(ReleaseFormat, formats, "--formats"),
            media=not options["no_media"],
            texts=not options["no_texts"],
            picture_texts=not options["no_picture_texts"],
            licences=tuple(options["licences"]),
            split=splitting(project, options),
        )
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


def splitting(project: Project, options: dict[str, Any]) -> Splitting | None:
    """How the release is divided. Raises CommandError."""
    if not options["splits"]:
        if options["split_list"] or options["topics"] or options["seed"]:
            raise CommandError("--split-list, --topics and --seed need --splits, which says how items are divided.")
        return None
    if not 0 <= options["seed"] <= MAX_SEED or not 0 <= options["topics"] <= MAX_TOPICS:
        raise CommandError(f"--seed is 0 to {MAX_SEED}, --topics 0 to {MAX_TOPICS}.")
    try:
        shares, frozen = Shares.read_whole(options["splits"]), ""
        if options["split_list"]:
            with options["split_list"].open("rb") as file:
                frozen = str(keep_list(project, None, options["split_list"].name, file).public_id)
    except (BadShares, BadSplitList) as fault:
        raise CommandError(str(fault)) from None
    except OSError as fault:
        raise CommandError(f"{options['split_list']} cannot be read: {fault.strerror}.") from None
    return Splitting(shares, options["seed"], options["topics"], frozen)


def chosen(kind: type[Chosen], words: list[str], option: str) -> tuple[Chosen, ...]:
    """Return the members named, by blanks or commas, in the order of the set. Raises CommandError for another word."""
    named = {word for written in words for word in written.split(",") if word}
    unknown = sorted(named - set(kind))
    if unknown:
        raise CommandError(f"{option}: {unknown[0]!r} is none of {', '.join(kind)}.")
    return tuple(member for member in kind if member.value in named)
