"""The app that connects the others."""

from django.apps import AppConfig
from django.conf import settings

from config import celery


class SiteConfig(AppConfig):
    """Binds shared tasks to the site's Celery app and makes the folders that its queue needs."""

    name = "config"
    default_auto_field = "django.db.models.BigAutoField"
    celery_app = celery.app

    def ready(self) -> None:
        for folder in settings.QUEUE_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
