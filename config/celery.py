"""The Celery app. Its tasks carry the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os
import sys
from typing import Any

from celery import Celery
from celery.signals import (
    before_task_publish,
    celeryd_after_setup,
    celeryd_init,
    task_prerun,
    worker_init,
    worker_ready,
)
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import start
from config.server import celery_filesystem, gc_freeze, heartbeat_file, scheduling, worker_node
from runs import origin
from vocabulary import registration

start.read_settings()
# Django's checks load all pages, which a worker never shows: 50 MB and a second. `migrate` and `check` run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

_REQUEST_ID = "interplay_request_id"

celery_filesystem.use_atomic_transport()


def _start_lease_keeper(**_: Any) -> None:
    from runs.queue import lease_keeper  # noqa: PLC0415 (needs the models, which are there once the worker starts)

    lease_keeper.KEEPER.start()


def _register(**_: Any) -> None:
    registration.complete()  # so that no run waits for it


def _send_request_id(headers: dict[str, Any], **_: Any) -> None:
    """Send the id of the request along with a task, for the worker's log lines."""
    if identifier := origin.request_id.get():
        headers[_REQUEST_ID] = identifier


def _take_request_id(task: Any, **_: Any) -> None:
    """Work for the request that sent the task, or for none; a run that it names knows its own request."""
    origin.request_id.set(str(task.request.get(_REQUEST_ID) or "")[: origin.REQUEST_ID_LENGTH])


def _check_shared_parts(**_: Any) -> None:
    from config import operator_warnings, pending_migrations, shared_parts  # noqa: PLC0415 (need the models too)

    try:
        shared_parts.check_at_start()
    except ImproperlyConfigured as fault:
        sys.exit(f"This worker does not start. {fault}")
    operator_warnings.note_at_start()
    if (found := pending_migrations.note_at_start()) and found.missing:
        sys.exit("This worker does not start: it would fail at each task, and take them from others.")


def _name_worker(instance: Any, **_: Any) -> None:
    worker_node.name_worker(instance, settings.QUEUES.default, settings.WORKER_QUEUES)


def _choose_queues(instance: Any, **_: Any) -> None:
    """Take from the queues of WORKER_QUEUES. The option -Q of the command goes first."""
    if instance.app.conf.task_queues and not instance.app.amqp.queues._consume_from:
        instance.app.amqp.queues.select(settings.QUEUES.of(settings.WORKER_QUEUES))


before_task_publish.connect(_send_request_id)
task_prerun.connect(_take_request_id)
celeryd_init.connect(_name_worker)
celeryd_after_setup.connect(_choose_queues)
worker_init.connect(_check_shared_parts)  # first: a worker of another site must take nothing
worker_init.connect(_register)
worker_init.connect(gc_freeze.freeze_loaded_objects)  # before beat parts from the worker: they share what is frozen
worker_init.connect(_start_lease_keeper)  # before the worker lowers its priority
worker_init.connect(scheduling.schedule_worker)
worker_ready.connect(gc_freeze.freeze_loaded_objects)
app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
if not settings.QUEUE_FOLDERS:
    app.conf.task_queues = settings.QUEUES.declared()
app.steps["worker"].add(heartbeat_file.HeartbeatFile)
app.steps["consumer"].add(worker_node.QueuesRead)
app.autodiscover_tasks()
