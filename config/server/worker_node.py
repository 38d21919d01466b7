"""What sets one worker apart from the others on a broker: its name, and the queues that it takes from."""

import os
import secrets
import socket
from collections.abc import Collection
from typing import Any

from celery import bootsteps
from celery.utils.nodenames import default_nodename

from config.queues import Work


def node_name(prefix: str, works: Collection[str]) -> str:
    """Return the name of a worker: its site, its purpose, its process, and its machine.

    A part of it is drawn: two containers may have one host name, and process 1 each.
    """
    purpose = "all" if set(works) == set(Work) else "+".join(sorted(works))
    return f"{prefix}.{purpose}.{os.getpid()}-{secrets.token_hex(3)}@{socket.gethostname()}"


def name_worker(instance: Any, prefix: str, works: Collection[str]) -> None:
    """Give a worker this name, unless its command names it (`-n`)."""
    if instance.hostname == default_nodename(""):
        instance.hostname = node_name(prefix, works)


class QueuesRead(bootsteps.StartStopStep):
    """Tells the other processes of the site which queues this worker takes from, while the broker has it."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        from runs.queue import worker_load  # noqa: PLC0415 (needs the models, which are there once the worker starts)

        worker_load.begin_reading(queue.name for queue in parent.task_consumer.queues)

    def stop(self, parent: Any) -> None:
        from runs.queue import worker_load  # noqa: PLC0415 (as above)

        worker_load.stop_reading()
