"""release_diff SLUG OLDER NEWER: what changed between two releases, and why."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.releases.columns import joined
from annotation.domain.releases.diff import Named
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Project, Release
from annotation.releases.diff import between


class Command(JsonCommand):
    help = "Compare two releases of a project: added, removed, relabelled and moved items, by id, with the reason."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("older", type=int, help="the version of the older release")
        parser.add_argument("newer", type=int, help="the version of the newer release")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"])
        older, newer = (_release(project, options[name]) for name in ("older", "newer"))
        try:
            return between(older, newer)
        except OSError as fault:
            raise CommandError(f"A file of one of the releases is lost: {fault.filename}.") from None

    def show(self, value: Any) -> None:
        for kind, n in value["counts"].items():
            reasons = ", ".join(f"{why} {m:,}" for why, m in value["reasons"].get(kind, {}).items())
            self.stdout.write(f"{kind}: {n:,}" + (f" ({reasons})" if reasons else ""))
        for change in value["relabelled"]:
            before, now = (_codes_text(change[name]) for name in ("from", "to"))
            self.stdout.write(f"{change['id']}: {before} → {now} ({change['why']})")
        for moved in value.get("moved", ()):
            self.stdout.write(f"{moved['id']}: {moved['from']} → {moved['to']}")


def _codes_text(named: Named) -> str:
    """Return the codes of categories as releases write them into a cell; a dash where there is none."""
    codes = named if isinstance(named, tuple) else [] if named is None else [named]
    return joined(codes) or "–"


def _release(project: Project, number: int) -> Release:
    release = Release.objects.filter(project=project, number=number).first()
    if release is None:
        raise CommandError(f"{project.slug} has no release {number}.")
    return release
