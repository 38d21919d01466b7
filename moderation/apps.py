"""The moderation app: methods that look at items and give verdicts."""

from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from annotation import rooms
from runs import method

_OF_A_POST = ("item-runs", "item-scores", "evidence")


def may_be_decided_anew(item: Any) -> bool:
    """Whether a reviewer's decision about the item can be replaced; the rule is looked up once apps are there."""
    found: bool = import_string("moderation.deciding.may_be_replaced")(item)
    return found


class ModerationConfig(AppConfig):
    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        method.register("arcade", "moderation.methods.arcade.Arcade")
        method.register("antihateagent", "moderation.methods.antihateagent.AntiHateAgent")
        method.register("baseline", "moderation.methods.baseline.Baseline")
        method.register("explain", "moderation.methods.explain.Explain")
        method.register("predict", "moderation.methods.predict.Predict")
        method.register("score", "moderation.methods.score.Scoring")
        rooms.places.append(
            rooms.Place(
                "moderation:desk",
                "sees_debates",  # admins set its rules, and read along
                _("Desk"),
                ("desk", "desk-item", "desk-missing", "desk-accept", "desk-rules", "desk-figures", "appeals"),
                first=True,
            )
        )
        rooms.actions += [
            rooms.Action("moderation:desk-item", _("Settle this dispute"), ("disputed",), "sees_debates", main=True),
            rooms.Action("moderation:desk-anew", _("Decide anew"), ("gold", "excluded"), fits=may_be_decided_anew),
            rooms.Action("moderation:appeal", _("Appeal"), ("gold",), opens="sees_debates"),
            rooms.Action("moderation:statement", _("Statement of reasons"), ("gold",), opens="sees_debates"),
        ]
        rooms.places.append(
            rooms.Place(
                "moderation:runs",
                "sees_debates",
                _("Debates"),
                (
                    "runs",
                    "run",
                    "item-runs",
                    "item-scores",
                    "evidence",
                    "compare",
                    "repeats",
                    "perspectives",
                    "perspective",
                ),
                group=rooms.MODELS,
            )
        )
        pages = ("evaluations", "evaluation", "evaluation-start")
        rooms.places.append(
            rooms.Place("moderation:evaluations", "sees_debates", _("Evaluations"), pages, group=rooms.MODELS)
        )
        rooms.places.append(
            rooms.Place(
                "moderation:scores",
                "sees_debates",
                _("Scores"),
                ("scores", "score-review", "score-review-results", "group-lists"),
                group=rooms.MODELS,
            )
        )
        rooms.copies += ["moderation.desk_rules.copy", "moderation.group_lists.copy", "moderation.perspectives.copy"]
        rooms.chores["evaluations_finished"] = "moderation.evaluating.carry_all_on"
        rooms.places.append(
            rooms.Place(
                "moderation:documents", "administers", _("Documents"), ("documents", "document"), group=rooms.MODELS
            )
        )
        rooms.samples.append("moderation.demonstrating.bring_in")
        rooms.own_data.append("moderation.own_data.PARTS")
        rooms.tabs.append(rooms.Tab("moderation:item-runs", _("Debates")))
        rooms.tabs.append(rooms.Tab("moderation:item-scores", _("Scores"), beside=True))
        rooms.tabs.append(rooms.Tab("moderation:evidence", _("Evidence"), checks_claims=True, beside=True))
