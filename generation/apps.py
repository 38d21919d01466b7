"""The generation app: counterspeech and samples, written by models and people together."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from annotation import rooms
from runs import method

_COUNTERSPEECH = (
    *("overview", "exchange", "item-counterspeech", "reply", "compare-replies", "standings", "dataset", "rules"),
    *("explanations", "candidates", "reply-write", "reply-submit", "reply-take-back", "reply-discard"),
    *("reply-approve", "reply-return", "reply-comment"),
)
_SAMPLES = (
    *("injection", "injection-batch", "pools", "pool", "injection-material", "sample-review", "samples", "sample"),
    *("injection-report", "injection-add", "injection-file", "injection-begin", "injection-targets", "sample-reject"),
    *("pool-items", "pool-files", "injection-triggers", "injection-words"),
)
"""Where these places of a project's header are the current ones."""


class GenerationConfig(AppConfig):
    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        method.register("counter_explain", "generation.methods.counter_explain.CounterExplain")
        method.register("counterspeech", "generation.methods.counterspeech.Counterspeech")
        method.register("counterscore", "generation.methods.counterscore.Counterscore")
        method.register("injection", "generation.methods.injection.Injection")
        method.register("pool_prior", "generation.methods.pool_prior.PoolPrior")
        rooms.places.append(rooms.Place("generation:overview", "sees_debates", _("Counterspeech"), _COUNTERSPEECH))
        rooms.places.append(
            rooms.Place("generation:injection", "sees_debates", _("Samples"), _SAMPLES, group=rooms.POSTS)
        )
        rooms.subjects |= dict.fromkeys(
            ("counter_explain", "counterspeech", "counterscore"), "generation.subjects.exchanges"
        )
        rooms.subjects |= {
            "injection": "generation.subjects.samples",
            "pool_prior": "generation.subjects.pictures",
        }
        rooms.samples.append("generation.demonstrating.bring_in")
        rooms.own_data.append("generation.own_data.PARTS")
        rooms.tabs.append(rooms.Tab("generation:item-counterspeech", _("Counterspeech")))
