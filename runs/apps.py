"""The runs app: it queues, performs and keeps runs of methods."""

from django.apps import AppConfig

from runs.domain.states import Reason, RunState, TurnState
from runs.sql import database_time
from vocabulary.display_names import register_labels

database_time.install()


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_labels(RunState, TurnState, Reason)
