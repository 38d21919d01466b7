"""A file that a worker touches while it lives, for health checks of containers.

`celery inspect ping` asks by the broker: it takes seconds of processor time, and a broker that is away would have every
worker killed. The age of a file costs nothing and says only whether this process still does its work.
"""

from pathlib import Path
from typing import Any

from celery import bootsteps
from django.conf import settings

SECONDS = 10.0
"""Between two touches. Health checks take a file of a minute ago for that of a dead worker."""


class HeartbeatFile(bootsteps.StartStopStep):
    """Touches WORKER_HEARTBEAT_FILE by the worker's own timer, from its start to its end."""

    requires = ("celery.worker.components:Timer",)

    def include_if(self, parent: Any) -> bool:
        return bool(settings.WORKER_HEARTBEAT_FILE)

    def start(self, parent: Any) -> None:
        file = Path(settings.WORKER_HEARTBEAT_FILE)
        file.touch()
        parent.timer.call_repeatedly(SECONDS, file.touch)

    def stop(self, parent: Any) -> None:
        Path(settings.WORKER_HEARTBEAT_FILE).unlink(missing_ok=True)
