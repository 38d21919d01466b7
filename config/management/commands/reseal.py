from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from config import sealed_values


class Command(JsonCommand):
    help = (
        "Seal anew, with the current key, what a former key of the site sealed: webhook secrets, waiting mails, second "
        "steps. The site may run meanwhile. It may be stopped and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="only count")

    def answer(self, **options: Any) -> Any:
        counts = sealed_values.count_all() if options["dry_run"] else sealed_values.reseal_all(self.say)
        lost = sum(count.lost for count in counts.values())
        return {"ok": not lost, "columns": {name: asdict(count) for name, count in counts.items()}}

    def show(self, value: Any) -> None:
        for name, count in value["columns"].items():
            figures = f"{count['current']:,} by the current key, {count['former']:,} by a former one"
            self.stdout.write(f"{name}: {figures}, {count['lost']:,} by no key that is set")
            for row in count["lost_rows"]:
                self.stdout.write(f"  no key opens {row}")
