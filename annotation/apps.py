"""The annotation app."""

from django.apps import AppConfig
from django.conf import settings

from annotation.core import append_only, text_index  # noqa: F401  register their system checks
from annotation.domain import choices
from annotation.domain.design.changes import ChangeKind
from annotation.domain.folding import lemmas
from annotation.domain.glossary.disguises import How
from annotation.domain.patterns import Mechanism
from annotation.domain.releases.diff import ChangeReason
from annotation.domain.releases.splits import Tie
from annotation.domain.reports import ReportAnswer
from providers.roles import ModelRole
from runs.methods import method
from vocabulary.display_names import register_labels

_CLOSED_SETS = (
    *(choices.Stage, choices.Reason, choices.Level, choices.Source, choices.Policy, choices.Modality),
    *(choices.PriorState, choices.Role, choices.Difficulty, choices.CompetenceMethod, choices.EventVerb),
    *(choices.GlossaryKind, choices.GlossaryStatus, choices.GlossarySourceKind, choices.FILTER_LABELS),
    *(Mechanism, ChangeReason, Tie, How, ChangeKind, ReportAnswer),
)


class AnnotationConfig(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.members.accounts import addresses, api_tokens, open_sessions  # noqa: F401  hear what is saved

        method.register_method("prior", "annotation.priors.method.PriorMethod")
        method.register_method("picture_text", "annotation.picture_text.method.PictureTextMethod")
        lemmas.FOLDER = settings.VAR_DIR / "dictionaries"
        register_labels(*_CLOSED_SETS)
        register_labels(ModelRole)  # `providers` is no Django app
