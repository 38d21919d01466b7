"""The bell: Celery carries the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os

from celery import Celery
from celery.signals import worker_init, worker_ready

from config import giving_way, loaded, whole_messages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

whole_messages.use()
worker_init.connect(giving_way.to_pages)
worker_ready.connect(loaded.set_aside)
app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
