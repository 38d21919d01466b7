"""The app that connects the others."""

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register

from config.contact_check import check_contact


class SiteConfig(AppConfig):
    """Makes the folders that the queue needs, and counts what happens if /metrics is read."""

    name = "config"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        for folder in settings.QUEUE_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
        register(check_contact, deploy=True)
        if settings.MODEL_EMBEDDING:  # only then: its check loads a vendor's library
            from config.checks import check_embedding

            register(check_embedding)
        if settings.METRICS:
            from config.monitoring import counters

            counters.listen()
        if settings.TRACES:
            from config.monitoring import tracing

            tracing.start()
