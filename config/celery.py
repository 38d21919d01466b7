"""The Celery app. Its tasks carry the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os

from celery import Celery
from celery.signals import worker_init, worker_ready

from config.server import celery_filesystem, gc_freeze, scheduling

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

celery_filesystem.use_atomic_transport()
worker_init.connect(scheduling.schedule_worker)
worker_ready.connect(gc_freeze.freeze_loaded_objects)
app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
