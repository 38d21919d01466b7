"""Celery's filesystem transport, with messages that appear in the folder complete.

Kombu creates a message's file and writes it afterwards; a worker that reads in between gets nothing and ends with a
JSON error. Here the file gets its name after it is written.
"""

import os
import time
import uuid
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """Writes each message under another name first."""

    def _put(self, *message: Any, **kwargs: Any) -> None:
        """Put a message onto a queue (queue, payload). The file's name is Kombu's: the time, then the queue."""
        queue, payload = message  # not by name: Kombu's classes call the second one differently
        name = os.path.join(self.data_folder_out, f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg")
        with open(f"{name}.part", "w", encoding="utf-8") as file:
            file.write(dumps(payload))
        os.replace(f"{name}.part", name)


class Transport(filesystem.Transport):
    """The transport with that channel."""

    Channel = Channel


def use_atomic_transport() -> None:
    """Use this transport for filesystem:// addresses."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
