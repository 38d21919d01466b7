from typing import Any

from django.core.management.base import CommandParser

from annotation.management.json_command import JsonCommand
from config import sealed_values, shared_parts


class Command(JsonCommand):
    help = (
        "Say whether key, files and database are those of the site's other processes, and which secrets in the "
        "database a former key holds."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--adopt", action="store_true", help="take those of this process for the site's")

    def answer(self, **options: Any) -> Any:
        if options["adopt"]:
            shared_parts.adopt()
        different = shared_parts.differences()
        counts = sealed_values.count_all().values()
        former, lost = sum(count.former for count in counts), sum(count.lost for count in counts)
        return {"ok": not different and not lost, "differences": different, "by_a_former_key": former, "lost": lost}

    def show(self, value: Any) -> None:
        for sentence in value["differences"] or ["Key, files and database are those of the site."]:
            self.stdout.write(sentence)
        if former := value["by_a_former_key"]:
            self.stdout.write(f"A former key holds {former:,} secrets in the database: run `manage.py reseal`.")
        else:
            self.stdout.write("No former key is needed for a secret in the database.")
        if lost := value["lost"]:
            self.stdout.write(f"No key that is set opens {lost:,} of them: `manage.py reseal --dry-run` names them.")
