from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from config import shared_parts


class Command(JsonCommand):
    help = "Say whether key, files and database are those of the site's other processes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--adopt", action="store_true", help="take those of this process for the site's")

    def answer(self, **options: Any) -> Any:
        if options["adopt"]:
            shared_parts.adopt()
        different = shared_parts.differences()
        return {"ok": not different, "differences": different}

    def show(self, value: Any) -> None:
        for sentence in value["differences"] or ["Key, files and database are those of the site."]:
            self.stdout.write(sentence)
