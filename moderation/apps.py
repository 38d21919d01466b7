"""The moderation app: methods that look at items and give verdicts."""

from django.apps import AppConfig

from runs import method


class ModerationConfig(AppConfig):
    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        method.register("arcade", "moderation.methods.arcade.Arcade")
        method.register("baseline", "moderation.methods.baseline.Baseline")
        method.register("explain", "moderation.methods.explain.Explain")
