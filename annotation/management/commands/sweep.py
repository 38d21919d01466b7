from typing import Any

from annotation.management.json_command import JsonCommand
from annotation.models import Project
from annotation.operations import sweep


class Command(JsonCommand):
    help = "Put right what a crash, a lost message or a closed browser left behind; print how much of each."

    def answer(self, **options: Any) -> dict[str, int]:
        Project.objects.exists()  # a database that is away is said once, and not by each step as -1
        return sweep.sweep()

    def failed(self, value: Any) -> bool:
        return any(count < 0 for count in value.values())
