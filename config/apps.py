"""The app that connects the others."""

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register

from config import operator_warnings, pending_migrations
from config.contact_check import check_contact
from config.plain_connections import check_plain_connections


class SiteConfig(AppConfig):
    """Makes the folders that the queue needs, and counts what happens if /metrics is read."""

    name = "config"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        for folder in settings.QUEUE_FOLDERS:
            folder.mkdir(parents=True, exist_ok=True)
        register(check_contact, deploy=True)
        register(check_plain_connections, deploy=True)
        register(pending_migrations.check, Tags.database)
        register(operator_warnings.check)
        register(operator_warnings.check_admin_path, Tags.urls)
        if settings.MODEL_EMBEDDING:  # only then: its check loads a vendor's library
            from config.checks import check_embedding

            register(check_embedding)
        if settings.METRICS:
            from config.monitoring import counters

            counters.listen()
        if settings.TRACES:
            from config.monitoring import tracing

            tracing.start()
