from typing import Any

from annotation.management.json_command import JsonCommand
from config.models import Pulse
from config.web.health import LATE


class Command(JsonCommand):
    help = "Say whether worker and beat were seen alive in the last 90 seconds; exit 1 if not."

    def answer(self, **options: Any) -> dict[str, object]:
        last = Pulse.last("worker")
        return {"ok": Pulse.is_fresh("worker", LATE), "seen": last.isoformat() if last else None}
