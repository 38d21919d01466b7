"""The bell: Celery carries the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
