from typing import Any

from annotation.management.json_command import JsonCommand
from config.models import Pulse
from config.queue_readers import unread_queues
from config.web.health import LATE


class Command(JsonCommand):
    help = (
        "Say whether worker and beat were seen alive in the last 90 seconds, and each queue has a worker; else exit 1."
    )

    def answer(self, **options: Any) -> dict[str, object]:
        last, unread = Pulse.last("worker"), unread_queues()
        is_well = Pulse.is_fresh("worker", LATE) and not unread
        return {"ok": is_well, "seen": last.isoformat() if last else None, "unread_queues": unread}
