"""`manage.py import_items SLUG FILE`: items, labels, priors, intents and gold out of a file, all rows or none."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import is_zipfile

from django.core.management.base import CommandError, CommandParser

from annotation.domain.choices import SourceLabels
from annotation.domain.formats.base import Format, LabelUse, Mapped, Unreadable
from annotation.domain.formats.encodings import ENCODINGS
from annotation.domain.imports.redaction import Mask
from annotation.imports.archives import Progress
from annotation.imports.column_names import COLUMN_NAMES
from annotation.imports.elsewhere import bring, is_elsewhere
from annotation.imports.examples import EXAMPLES
from annotation.imports.options import (
    SHOWN_ERRORS,
    BadTranslation,
    BadUpdate,
    ImportOptions,
    ImportReport,
    Update,
    read_update,
    translations,
)
from annotation.imports.run import import_file
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named

_IN_WORDS = ("errors", "columns", "missing_names", "changed_ids")
"""Keys of the answer that the command says in sentences."""


class Command(JsonCommand):
    report: ImportReport | None = None
    help = "Import items with what is known about them; a dry run shows what would be stored."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?")
        parser.add_argument("file", nargs="?", help="a table, a ZIP with its pictures, or an https or s3 address")
        parser.add_argument("--columns", action="store_true", help="list the names of columns that are read, and end")
        parser.add_argument(
            "--example",
            choices=[str(choice) for choice in EXAMPLES],
            help="write the example file of a format to stdout",
        )
        parser.add_argument("--format", choices=[choice.value for choice in Format], default=Format.AUTO.value)
        parser.add_argument("--images", metavar="PATH", help="a folder or a ZIP with the pictures that the table names")
        parser.add_argument("--encoding", choices=list(ENCODINGS), default="", help="of a table that is not UTF-8")
        parser.add_argument("--table", default="", help="the table to read where a ZIP holds several")
        parser.add_argument("--sheet", default="", help="the sheet of a workbook; else the first with rows")
        parser.add_argument("--dry-run", action="store_true", help="check every row, store nothing")
        parser.add_argument("--source-labels", choices=[choice.value for choice in SourceLabels], default="seats")
        parser.add_argument("--update", default="", metavar="fill", help="fill what is empty in items, by their id")
        parser.add_argument("--mask", default="", metavar="KINDS", help="handles,urls,emails,phones")
        parser.add_argument(
            "--only-new", "--skip-existing", action="store_true", help="pass over rows whose id is there already"
        )
        parser.add_argument("--seats-from-data", action="store_true", help="rows may have more labels than seats")
        parser.add_argument("--leave-out-bad-rows", action="store_true", help="store the others")
        parser.add_argument("--batch", default="", help="for rows that name none")
        parser.add_argument("--source", default="", help="for rows that name none")
        parser.add_argument("--licence", default="", help="for rows that name none")
        columns = parser.add_argument_group("tables of any shape")
        for name in ("text", "label", "image", "id", "annotator"):
            columns.add_argument(f"--{name}-column", default="", metavar="NAME")
        columns.add_argument(
            "--ignore-column", action="append", default=[], metavar="NAME", help="pass over what looks like labels"
        )
        columns.add_argument("--map", action="append", default=[], metavar="VALUE=CATEGORY", dest="mapping")
        columns.add_argument("--label-is", choices=[choice.value for choice in LabelUse], default="intended")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["example"] and not options["as_json"]:
            self.stdout.flush()
            sys.stdout.buffer.write(EXAMPLES[Format(options["example"])].read_bytes())
            return
        super().handle(*args, **options)

    def answer(self, **options: Any) -> Any:
        if options["columns"]:
            return {", ".join(names): str(meaning) for names, meaning in COLUMN_NAMES}
        if options["example"]:
            raise CommandError("--example writes the file itself: leave out --json.")
        if not options["slug"] or not options["file"]:
            raise CommandError("Name the project and the file: import_items SLUG FILE.")
        project = project_named(options["slug"], to_change=True)
        images = _pictures(options["images"])
        try:
            with _opened(options["file"]) as file:
                self.report = import_file(
                    project,
                    file,
                    _options(options),
                    images=images,
                    dry_run=options["dry_run"],
                    watch=self._watch,
                    spacious=True,
                )
        except Unreadable as fault:
            raise CommandError(fault.error.reason) from fault
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}.") from fault
        return self.report.answer()

    def failed(self, value: Any) -> bool:
        return self.report is not None and bool(self.report.errors) and not self.report.stored

    def show(self, value: Any) -> None:
        report = self.report
        if report is None:  # the table of columns
            for names, meaning in value.items():
                self.stdout.write(f"{names}: {meaning}")
            return
        super().show({name: figure for name, figure in value.items() if name not in _IN_WORDS})
        for error in report.errors[:SHOWN_ERRORS]:
            self.stdout.write(f"{error.place}: {error.reason}" if error.line else error.reason)
        if len(report.errors) > SHOWN_ERRORS:
            self.stdout.write(f"… and {len(report.errors) - SHOWN_ERRORS:,} more")
        for column in report.columns:
            self.stdout.write(_column_line(column))
        for sentence in _sentences(report):
            self.stdout.write(sentence)
        if report.errors and not report.stored:
            self.stdout.write("Nothing was stored.")

    def _watch(self, progress: Progress) -> None:
        self.say(f"{progress.rows_done:,} rows, {progress.share:.0%}, {progress.rate:,.0f} a second")


def _column_line(column: dict[str, Any]) -> str:
    """Return what became of a column, with its most frequent values."""
    values = sorted(column["values"].items(), key=lambda pair: (-pair[1], pair[0]))[:6]
    counts = f": {', '.join(f'{value} {count:,}' for value, count in values)}" if values else ""
    return f"column {column['name']} → {column['became'] or 'passed over'}, {column['rows']:,} rows{counts}"


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """Open the file; it is fetched if it is named by an address. Raises Unreadable and OSError."""
    if not is_elsewhere(name):
        with open(name, "rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as fetched:
        bring(name, fetched)
        yield fetched


def _pictures(path: str | None) -> Path | None:
    if path is None:
        return None
    place = Path(path)
    if not place.is_dir() and not is_zipfile(place):
        raise CommandError(f"{path} is no folder and no ZIP.")
    return place


def _options(options: dict[str, Any]) -> ImportOptions:
    for name, limit in (("batch", 100), ("source", 500), ("licence", 200)):
        if len(options[name]) > limit:
            raise CommandError(f"--{name} is longer than {limit} characters.")
    return ImportOptions(
        format=Format(options["format"]),
        mapped=Mapped(
            text=options["text_column"],
            label=options["label_column"],
            image=options["image_column"],
            id=options["id_column"],
            annotator=options["annotator_column"],
            values=_translations(options["mapping"]),
            label_is=LabelUse(options["label_is"]),
        ),
        source_labels=SourceLabels(options["source_labels"]),
        update=_update(options["update"]),
        masks=_masks(options["mask"]),
        skip_existing=options["only_new"],
        seats_from_data=options["seats_from_data"],
        leave_out=options["leave_out_bad_rows"],
        table=options["table"],
        batch=options["batch"],
        source=options["source"],
        licence=options["licence"],
        encoding=options["encoding"],
        sheet=options["sheet"],
        ignore=frozenset(options["ignore_column"]),
    )


def _update(value: str) -> Update | None:
    try:
        return read_update(value)
    except BadUpdate as fault:
        raise CommandError(f"--update: {fault.sentence}") from fault


def _translations(pairs: list[str]) -> dict[str, str]:
    try:
        return translations(pairs)
    except BadTranslation as fault:
        raise CommandError(f"--map {str(fault)!r}: write VALUE=CATEGORY.") from fault


def _masks(words: str) -> frozenset[Mask]:
    try:
        return frozenset(Mask(word.strip()) for word in words.split(",") if word.strip())
    except ValueError as fault:
        raise CommandError(f"--mask knows {', '.join(Mask)}.") from fault


def _sentences(report: ImportReport) -> Iterator[str]:
    """Yield what is to be said about pictures, rows that are there already, and passages."""
    if report.missing_images:
        yield f"{report.missing_images:,} pictures are not there: {', '.join(report.missing_names)}"
    if report.changed:
        shown = ", ".join(report.changed_ids)
        yield f"{report.changed:,} rows differ from the items of their id, which stay: {shown}"
    if report.existing:
        yield "Labels and answers of rows whose id is there are left out and not compared."
    if report.rationales_left:
        yield (
            f"Marked passages of {report.rationales_left:,} rows stay in their provenance: some of their people marked "
            "nothing, and the file does not say who."
        )
    if report.extra_pictures:
        yield f"{report.extra_pictures:,} pictures belong to no row: {', '.join(report.extra_names)}"
