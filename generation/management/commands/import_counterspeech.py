"""import_counterspeech SLUG FILE: import human replies into the store of exemplars."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from generation.domain.counterspeech.intentconan import READ, BadFile
from generation.files.import_replies import MOST_BYTES, Report, import_rows

SHOWN = 20


class Command(JsonCommand):
    help = (
        "Import posts with replies (columns of IntentCONANv2: id, hatespeech, csType, counterspeech and the seven "
        "explanations; or of CONAN: cn_id, hateSpeech, counterSpeech, hsType, hsSubType, cnType) into the store "
        "of exemplars of a project. All rows or none; every bad row is named."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("file", help=".csv, .tsv, .jsonl or .json")
        parser.add_argument(
            "--column", action="append", default=[], metavar="OURS=THEIRS", help=f"ours: {', '.join(READ)}"
        )
        parser.add_argument("--source", default="", help="where the rows come from")
        parser.add_argument("--licence", default="")
        parser.add_argument("--dry-run", action="store_true", help="read everything, store nothing")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        path = Path(options["file"])
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        if path.stat().st_size > MOST_BYTES:
            raise CommandError(f"{path} has more than {MOST_BYTES // 1_000_000} MB: split it.")
        for name, most in (("source", 500), ("licence", 200)):
            if len(options[name]) > most:
                raise CommandError(f"--{name} is longer than {most} characters.")
        try:
            report = import_rows(
                project,
                path.read_bytes(),
                path.name,
                mapping=_mapping(options["column"]),
                source=options["source"],
                licence=options["licence"],
                dry_run=options["dry_run"],
            )
        except BadFile as fault:
            raise CommandError(str(fault)) from None
        return _told(report)

    def show(self, value: Any) -> None:
        super().show({name: figure for name, figure in value.items() if name != "errors"})
        for error in value["errors"][:SHOWN]:
            self.stdout.write(f"line {error['line']}: {error['reason']}")
        if len(value["errors"]) > SHOWN:
            self.stdout.write(f"… and {len(value['errors']) - SHOWN:,} more")
        if value["errors"]:
            self.stdout.write("Nothing was stored.")


def _told(report: Report) -> dict[str, Any]:
    errors = [{"line": error.line, "reason": error.reason} for error in report.errors]
    counted = {"intents": report.intents, "registers": report.registers, "unread_types": report.unread}
    return {"ok": report.ok, "rows": report.rows, "stored": report.stored, **counted, "errors": errors}


def _mapping(pairs: list[str]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not equals or not theirs:
            raise CommandError(f"--column takes OURS=THEIRS, not {pair!r}.")
        mapping[ours.strip()] = theirs.strip()
    return mapping
