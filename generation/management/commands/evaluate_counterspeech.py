"""evaluate_counterspeech SLUG FILE: measure candidates against human replies, as in the paper's Table 2."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from annotation.management.projects import project_named
from generation.counterspeech.evaluate import COLUMNS, evaluate
from generation.domain.counterspeech.intentconan import COLUMNS as FILE_COLUMNS
from generation.domain.counterspeech.intentconan import BadFile
from generation.files.import_replies import MOST_BYTES
from providers.messages import ProviderError, Refused

_WIDTH = 64


class Command(JsonCommand):
    help = "Hold a project's candidates to reference replies in a file (columns of IntentCONANv2), a row for each way."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("file", help=".csv, .tsv, .jsonl or .json; the id is the item's, or the text is the post's")
        parser.add_argument(
            "--column", action="append", default=[], metavar="OURS=THEIRS", help=f"ours: {', '.join(FILE_COLUMNS)}"
        )

        parser.add_argument("--language", default="en", help="of the replies, for BERTScore's model (en, zh, ko …)")

    def answer(self, **options: Any) -> Any:
        project, path = project_named(options["slug"]), Path(options["file"])
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise CommandError(f"{path} is no file, or larger than {MOST_BYTES // 1_000_000} MB.")
        mapping = {}
        for pair in options["column"]:
            ours, _equals, theirs = pair.partition("=")
            mapping[ours.strip()] = theirs.strip()
        try:
            table = evaluate(project, path.read_bytes(), path.name, mapping, language=options["language"])
        except (BadFile, ProviderError, Refused) as fault:
            raise CommandError(str(fault)) from None
        return {
            "references": table.references,
            "unmatched": table.unmatched,
            "rows": list(table.rows),
            "notes": list(table.notes),
            "errors": [{"line": error.line, "reason": error.reason} for error in table.errors],
        }

    def show(self, value: Any) -> None:
        self.stdout.write(f"{value['references']} references, {value['unmatched']} without a candidate")
        self.stdout.write("  ".join(["way".ljust(_WIDTH), "n".rjust(5), *(name.rjust(5) for name in COLUMNS)]))
        for row in value["rows"]:
            way = _name_of(row)
            figures = ("–" if row[name] is None else f"{row[name]:.3f}" for name in COLUMNS)
            parts = [way.ljust(_WIDTH), str(row["replies"]).rjust(5)]
            parts += [figure.rjust(max(5, len(name))) for figure, name in zip(figures, COLUMNS, strict=True)]
            self.stdout.write("  ".join(parts))
        for note in value["notes"]:
            self.stdout.write(note)
        for error in value["errors"][:20]:
            self.stdout.write(f"line {error['line']}: {error['reason']}")


def _name_of(row: dict[str, Any]) -> str:
    """Return the name of a row: what decides the way of writing first, the model, which may be long, last."""
    number = f"N = {row['candidates']}" if row["candidates"] else "N unknown"
    writer = f"trained: {row['trained']}" if row["trained"] else str(row["written_by"])
    ablations = f" ({' '.join(row['ablations'])})" if row["ablations"] else ""
    posts = ", samples" if row["injected"] else ""
    return f"{number} by {row['chosen_by']}, {row['prompt']}{ablations}{posts}, {writer}, {row['model']}"
