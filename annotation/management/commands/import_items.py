"""`manage.py import_items SLUG FILE`: items, labels, priors, intents and gold out of a file, all rows or none."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import is_zipfile

from django.core.management.base import CommandError, CommandParser

from annotation.domain.formats.base import Format, LabelUse, Mapped, Unreadable
from annotation.domain.formats.columns import ColumnReport
from annotation.domain.formats.labels.category_columns import named_columns
from annotation.imports.elsewhere import bring, is_elsewhere
from annotation.imports.examples import EXAMPLES
from annotation.imports.files.archives import Progress
from annotation.imports.first_rows_table import command_line, table_lines
from annotation.imports.options import COLUMN_NAMES, BadTranslation, ImportOptions, translations
from annotation.imports.report import SHOWN_ERRORS, ImportReport
from annotation.imports.run import import_file
from annotation.imports.sentences import sentences
from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from annotation.management.request_options import add_options, answers_of

_IN_WORDS = (
    *("errors", "columns", "kept", "missing_names", "changed_ids", "orders", "mask_examples", "not_counted"),
    *("grounds", "renamed_names", "twice_encoded_examples", "left", "first_rows", "command"),
)
"""Keys of the answer that the command says in sentences."""


class Command(JsonCommand):
    report: ImportReport | None = None
    command_line = ""
    help = "Import items with what is known about them; a dry run shows what would be stored."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?")
        parser.add_argument(
            "file", nargs="?", help="a table, a ZIP with its pictures, an https or s3 address, or hf://NAME"
        )
        parser.add_argument("--columns", action="store_true", help="list the names of columns that are read, and end")
        parser.add_argument(
            "--example",
            choices=[str(choice) for choice in EXAMPLES],
            help="write the example file of a format to stdout",
        )
        parser.add_argument("--images", metavar="PATH", help="a folder or a ZIP with the pictures that the table names")
        parser.add_argument("--dry-run", action="store_true", help="check every row, store nothing")
        add_options(parser, ImportOptions)
        columns = parser.add_argument_group("tables of any shape")
        for name in ("text", "image", "id", "annotator"):
            columns.add_argument(f"--{name}-column", default="", metavar="NAME")
        columns.add_argument(
            "--label-column", action="append", default=[], metavar="NAME",
            help="given several times: a column of one annotator each, who is called as the column is",
        )  # fmt: skip
        columns.add_argument(
            "--category-column", action="append", default=[], metavar="NAME=CATEGORY",
            help="a column that holds 1 where a post has this category, else 0; NAME alone where it is called so",
        )  # fmt: skip
        columns.add_argument(
            "--none-is",
            default="",
            metavar="CATEGORY",
            help="what a row without a 1 in these columns is; skip: no label",
        )
        columns.add_argument(
            "--answer-column", action="append", default=[], metavar="NAME=QUESTION",
            help="a column that answers a question beside each label; NAME=QUESTION.OPTION holds 1 where it is chosen",
        )  # fmt: skip
        columns.add_argument(
            "--leave-out", "--ignore-column", action="append", default=[], metavar="NAME", dest="ignore",
            help="do not keep a column that the site does not know, or that looks like labels; '*': no such column",
        )  # fmt: skip
        columns.add_argument(
            "--keep-column", action="append", default=[], metavar="NAME", dest="keep",
            help="keep a column as it is although it looks like labels",
        )  # fmt: skip
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
                    options_of(options),
                    images=images,
                    dry_run=options["dry_run"],
                    watch=self._watch,
                    spacious=True,
                    tell_orders=options["dry_run"],
                )
        except Unreadable as fault:
            raise CommandError(fault.error.reason) from fault
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}.") from fault
        answer: dict[str, Any] = {**self.report.answer()}
        if first := self.report.first_rows:
            self.command_line = command_line(project.slug, options["file"], first)
            answer["command"] = self.command_line
        return answer

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
        if report.first_rows:
            self._show_first_rows(report.first_rows)
        for column in report.columns:
            self.stdout.write(_column_line(column))
        for sentence in sentences(report):
            self.stdout.write(sentence)
        if report.errors and not report.stored:
            self.stdout.write("Nothing was stored.")

    def _show_first_rows(self, first: dict[str, Any]) -> None:
        self.stdout.write("The first rows as they stand in the file:")
        for line in table_lines(first):
            self.stdout.write(line)
        self.stdout.write(f"Say which column holds what, for example: {self.command_line}")

    def _watch(self, progress: Progress) -> None:
        self.say(f"{progress.rows_done:,} rows, {progress.share:.0%}, {progress.rate:,.0f} a second")


def _column_line(column: ColumnReport) -> str:
    """Return what became of a column, with its most frequent values."""
    values = sorted(column["values"].items(), key=lambda pair: (-pair[1], pair[0]))[:6]
    counts = f": {', '.join(f'{value} {count:,}' for value, count in values)}" if values else ""
    return f"column {column['name']} → {column['became'] or 'left out'}, {column['rows']:,} rows{counts}"


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


def options_of(options: dict[str, Any]) -> ImportOptions:
    """Return what the arguments of the command ask for. Raises CommandError."""
    named, labels = ("text", "image", "id", "annotator"), tuple(dict.fromkeys(options["label_column"]))
    mapped = Mapped(
        **{name: options[f"{name}_column"] for name in named},
        label=labels[0] if len(labels) == 1 else "",
        raters=labels if len(labels) > 1 else (),
        category_columns=named_columns(options["category_column"]),
        none_is=options["none_is"],
        answer_columns=named_columns(options["answer_column"]),
        values=_translations(options["mapping"]),
        label_is=LabelUse(options["label_is"]),
    )
    own = {"mapped": mapped, "ignore": options["ignore"], "keep": options["keep"]}
    return ImportOptions.of(answers_of(ImportOptions, options) | own)


def _translations(pairs: list[str]) -> dict[str, str]:
    try:
        return translations(pairs)
    except BadTranslation as fault:
        raise CommandError(f"--map {str(fault)!r}: write VALUE=CATEGORY.") from fault
