from typing import Any

from annotation import sweeping
from annotation.management.json_command import JsonCommand


class Command(JsonCommand):
    help = "Put right what a crash, a lost message or a closed browser left behind; print how much of each."

    def answer(self, **options: Any) -> dict[str, int]:
        return sweeping.sweep()

    def failed(self, value: Any) -> bool:
        return any(count < 0 for count in value.values())
