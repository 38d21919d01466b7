"""import_examples [SLUG] PERSPECTIVE FILE: store labelled texts for a perspective, all rows or none."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.domain.formats.base import Format
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.models import Project
from moderation.models import Perspective
from moderation.perspectives import edit
from moderation.perspectives.import_examples import (
    ANY,
    HATEFUL,
    OTHER,
    ExampleColumns,
    ExampleImportReport,
    import_examples,
)
from providers.messages import ProviderError, Refused

_SHOWN = 20


class Command(JsonCommand):
    help = (
        "Import labelled examples that a perspective's agent may look at. With --dry-run every row is checked and "
        f"nothing is stored. A label is {HATEFUL} or {OTHER}, one of the perspective's own two names, or mapped: "
        f"--map 8={OTHER} --map '{ANY}={HATEFUL}'."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?", default="", help="the project; may be left out where there is only one")
        parser.add_argument("perspective", help="its code, say k-mhas")
        parser.add_argument("file", help="a table with a header, or JSON lines")
        parser.add_argument(
            "--format", choices=[file_format.value for file_format in Format], default=Format.AUTO.value
        )
        parser.add_argument("--text-column", default="text", metavar="NAME")
        parser.add_argument("--label-column", default="label", metavar="NAME")
        parser.add_argument("--map", action="append", default=[], metavar=f"VALUE={HATEFUL}|{OTHER}", dest="mapping")
        parser.add_argument("--source", default="", help="where they come from (default: the file's name)")
        parser.add_argument("--dry-run", action="store_true", help="check every row, store nothing")
        parser.add_argument("--leave-out-bad-rows", action="store_true", help="store the others")
        parser.add_argument("--later", action="store_true", help="leave the vectors to the first run that needs them")

    def answer(self, **options: Any) -> Any:
        perspective = _perspective(_project(options["slug"]), options["perspective"])
        columns = ExampleColumns(
            options["text_column"], options["label_column"], _mapping(options["mapping"]), Format(options["format"])
        )
        try:
            with open(options["file"], "rb") as file:
                self.report = import_examples(
                    perspective,
                    file,
                    columns,
                    source=(options["source"] or Path(options["file"]).name)[:200],
                    dry_run=options["dry_run"],
                    leave_out=options["leave_out_bad_rows"],
                )
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}.") from fault
        if self.report.stored and not options["later"]:
            self._embed(perspective)
        return self.report.answer()

    def failed(self, value: Any) -> bool:
        return bool(self.report.errors) and not self.report.stored

    def show(self, value: Any) -> None:
        report: ExampleImportReport = self.report
        super().show({name: figure for name, figure in value.items() if name != "errors"})
        for error in report.errors[:_SHOWN]:
            self.stdout.write(f"{error.place}: {error.reason}")
        if (more := len(report.errors) + report.more_errors - _SHOWN) > 0:
            self.stdout.write(f"… and {more:,} more")
        if report.errors and not report.stored:
            self.stdout.write("Nothing was stored.")

    def _embed(self, perspective: Perspective) -> None:
        """Embed the stored examples. If that fails they stay stored, and a run computes the missing vectors."""
        reported = 0

        def watch(done: int, count: int) -> None:
            nonlocal reported
            if done == count or done - reported >= 10_000:
                reported = done
                self.say(f"{done:,} of {count:,} embedded")

        try:
            edit.embed_examples(perspective, watch)
        except (ProviderError, Refused) as fault:
            self.say(f"The examples are stored, not embedded yet: {fault}")


def _project(slug: str) -> Project:
    if slug:
        return project_named(slug, to_change=True)
    only = list(Project.objects.filter(archived_at=None, delete_after=None)[:2])
    if len(only) != 1:
        raise CommandError("Name the project: import_examples SLUG PERSPECTIVE FILE.")
    return project_named(only[0].slug, to_change=True)


def _perspective(project: Project, code: str) -> Perspective:
    edit.ensure_perspectives(project)
    perspective = Perspective.objects.filter(project=project, code=code).first()
    if perspective is None:
        codes = ", ".join(Perspective.objects.filter(project=project).values_list("code", flat=True))
        raise CommandError(f"The project has no perspective {code!r}; there are {codes}.")
    perspective.project = project
    return perspective


def _mapping(pairs: list[str]) -> dict[str, str]:
    values = {}
    for pair in pairs:
        value, sign, side = pair.rpartition("=")
        if not sign or not value or side not in (HATEFUL, OTHER):
            raise CommandError(f"--map {pair!r}: write VALUE={HATEFUL} or VALUE={OTHER}.")
        values[value] = side
    return values
