"""The bell: Celery carries the ids of rows to look at; the rows themselves are the truth (design section 7)."""

import os

from celery import Celery

from config import whole_messages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

whole_messages.use()
app = Celery("interplay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
