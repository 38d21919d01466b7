"""The Celery app. Its tasks carry the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready

from config.server import celery_filesystem, gc_freeze, scheduling

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

celery_filesystem.use_atomic_transport()


def _start_lease_keeper(**_: Any) -> None:
    from runs.queue import lease_keeper  # noqa: PLC0415 (needs the models, which are there once the worker starts)

    lease_keeper.KEEPER.start()


worker_init.connect(_start_lease_keeper)  # before the worker lowers its priority
worker_init.connect(scheduling.schedule_worker)
worker_ready.connect(gc_freeze.freeze_loaded_objects)
app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
