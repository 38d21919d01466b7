"""The moderation app: methods that look at items and give verdicts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from annotation import rooms
from runs import method


class ModerationConfig(AppConfig):
    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        method.register("arcade", "moderation.methods.arcade.Arcade")
        method.register("baseline", "moderation.methods.baseline.Baseline")
        method.register("explain", "moderation.methods.explain.Explain")
        rooms.places.append(
            rooms.Place("moderation:runs", "sees_debates", _("Debates"), ("runs", "run", "item-runs", "compare"))
        )
        rooms.tabs.append(rooms.Tab("moderation:item-runs", _("Debates")))
