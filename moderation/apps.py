"""The moderation app: methods that look at items and give verdicts."""

from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from annotation.core.extensions import (
    MODELS,
    Action,
    Extension,
    NavigationLink,
    PageKey,
    PageKeys,
    Tab,
    admins,
    debate_viewers,
    register_extension,
)
from annotation.domain.choices import GlossarySourceKind, Stage
from moderation.domain.event_verbs import ModerationVerb
from providers.keyword.model import register_answers
from runs.methods import method
from vocabulary.display_names import register_labels
from vocabulary.registration import register_at_first_use

if TYPE_CHECKING:  # models are loaded after this module
    from django.db.models import QuerySet

    from annotation.models import Project
    from moderation.models import Evidence

_PLACES = (
    NavigationLink(
        "moderation:desk",
        debate_viewers,  # admins set its rules and may read it
        _("Desk"),
        ("desk", "desk-item", "desk-missing", "desk-accept", "desk-rules", "desk-figures", "appeals"),
        first=True,
    ),
    NavigationLink(
        "moderation:runs",
        debate_viewers,
        _("Debates"),
        (
            *("runs", "run", "item-runs", "item-scores", "evidence", "compare", "repeats"),
            *("perspectives", "perspective"),
        ),
        group=MODELS,
    ),
    NavigationLink(
        "moderation:evaluations",
        debate_viewers,
        _("Evaluations"),
        ("evaluations", "evaluation", "evaluation-start", "study", "study-start"),
        group=MODELS,
    ),
    NavigationLink(
        "moderation:scores",
        debate_viewers,
        _("Scores"),
        ("scores", "score-review", "score-review-results", "group-lists"),
        group=MODELS,
    ),
    NavigationLink("moderation:documents", admins, _("Documents"), ("documents", "document"), group=MODELS),
)
_TABS = (
    Tab("moderation:item-runs", _("Debates")),
    Tab("moderation:item-scores", _("Scores"), beside=True),
    Tab("moderation:evidence", _("Evidence"), checks_claims=True, beside=True, of_text="moderation:text-evidence"),
)
_KEYS = PageKeys(
    "moderation",
    _("The reviewers’ desk"),
    debate_viewers,
    (
        PageKey("j", _("Next")),
        PageKey("k", _("Previous")),
        PageKey("r", _("Rationale")),
        PageKey("l", _("Label again")),
        PageKey("x", _("Exclude")),
        PageKey("m", _("More")),
        PageKey("s", _("Start a method")),
        PageKey("b", _("Debates")),
        PageKey("n", _("Next tab")),
        PageKey("g", _("Guidelines")),
        PageKey("c", _("Reasons used before")),
        PageKey("p", _("Assign or park")),
        PageKey("y", _("Take it")),
        PageKey("u", _("Decide it again")),
        PageKey("t", _("The text")),
        PageKey("z", _("Zoom")),
    ),
    app="moderation",
)


class ModerationConfig(AppConfig):
    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_at_first_use(_register)


# These imports are inside the functions: they take 30 MB and half a second, which short commands do not need.


def _register() -> None:
    from moderation.domain.disagreement import Inner
    from moderation.methods.registry import METHODS
    from moderation.models import AppealOutcome, EvaluationState, ScoreState
    from providers.keyword.estimator import ESTIMATES
    from providers.search.faults import SearchFault

    register_labels(ModerationVerb, AppealOutcome, EvaluationState, ScoreState, SearchFault, Inner)
    for debate_method in METHODS.values():
        protocol = debate_method.protocol
        method.register_method(debate_method.name, f"{protocol.__module__}.{protocol.__qualname__}")
        register_answers(debate_method.keyword_answers)
        register_labels(debate_method.words)
    register_answers(ESTIMATES)
    method.register_method("score", "moderation.hatexscore.method.Scoring")
    method.register_method("order_reading", "moderation.methods.order_reading.OrderReader")
    register_extension(_extension())


def _finish_evaluations() -> int:
    from moderation.evaluation.continuation import carry_all_on

    return carry_all_on()


def _add_samples(project: "Project") -> None:
    from moderation.demo.load import bring_in

    bring_in(project)


def _evidence_of(project: "Project") -> "QuerySet[Evidence]":
    from django.db.models import Q

    from moderation.models import Evidence

    return Evidence.objects.filter(Q(item__project=project) | Q(project=project))


def _extension() -> Extension:
    from moderation.debates.order_readings import OrderReadings
    from moderation.desk import settings
    from moderation.desk.decide import may_be_replaced
    from moderation.evidence.claim_checks import EvidenceChecks
    from moderation.evidence.personal_data import PARTS
    from moderation.hatexscore import group_lists
    from moderation.methods.prompt_choice import prompt_set_titles
    from moderation.perspectives import edit

    return Extension(
        navigation=_PLACES,
        page_keys=(_KEYS,),
        tabs=_TABS,
        actions=(
            Action("moderation:desk-item", _("Settle this dispute"), (Stage.DISPUTED,), debate_viewers, main=True),
            Action("moderation:desk-anew", _("Decide again"), (Stage.GOLD, Stage.EXCLUDED), fits=may_be_replaced),
            Action("moderation:appeal", _("Appeal"), (Stage.GOLD,), debate_viewers),
            Action("moderation:statement", _("Statement of reasons"), (Stage.GOLD,), debate_viewers),
        ),
        copy_settings=(settings.copy, group_lists.copy, edit.copy_perspectives),
        sweeper_steps={"evaluations_finished": _finish_evaluations},
        prompt_sets=(prompt_set_titles,),
        add_samples=(_add_samples,),
        personal_data=PARTS,
        claim_checks=EvidenceChecks(),
        order_readings=OrderReadings(),
        glossary_sources={GlossarySourceKind.EVIDENCE: _evidence_of},
    )
