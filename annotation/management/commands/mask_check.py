"""mask_check FILE: what masking would find in texts, and what they would become; nothing is imported."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.domain.masking.mask import Mask, find, mask
from annotation.imports.options import read_masks, read_regions
from vocabulary.refusals import Refused


class Command(BaseCommand):
    help = (
        "Show what --mask of import_items would find in each text of a file, and what the text would become. The file "
        "has a JSON object with id and text in each line, or a text in each line. Nothing is imported or stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--kinds", default=",".join(Mask), metavar="KINDS", help="as of --mask; default: all")
        parser.add_argument(
            "--regions", default="", metavar="KR,US", help="countries of telephone numbers; default: by script"
        )
        parser.add_argument("--json", action="store_true", help="a JSON object for each text, in a line of its own")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            kinds, regions = read_masks(options["kinds"]), read_regions(options["regions"])
        except Refused as fault:
            raise CommandError(str(fault)) from None
        for name, text in _texts(options["file"]):
            masked, found = mask(text, kinds, regions)[0], find(text, kinds, regions)
            if options["json"]:
                places = [{"kind": str(each.kind), "start": each.start, "end": each.end} for each in found]
                self.stdout.write(json.dumps({"id": name, "masked": masked, "found": places}, ensure_ascii=False))
            elif found:
                self.stdout.write(f"{name}: {masked}")


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of a file, line by line. Raises CommandError for a line that is no text."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _text_of(line.rstrip("\r\n"), number)
    except OSError as fault:
        raise CommandError(f"{path} cannot be read: {fault.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not in UTF-8: save it as UTF-8.") from None


def _text_of(line: str, number: int) -> tuple[str, str]:
    if not line.lstrip().startswith("{"):
        return str(number), line
    try:
        row = json.loads(line)
    except ValueError:
        raise CommandError(f"Line {number} is no JSON object: write one with id and text, or a text alone.") from None
    text = row.get("text")
    if not isinstance(text, str):
        raise CommandError(f"Line {number} has no text: write an object with id and text.")
    return str(row.get("id", number)), text
