"""The options of a debate of perspectives."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.pages.form_fields import offer
from moderation.domain.predict.protocol import History
from moderation.methods.debate_method import OptionForm
from moderation.methods.model_choices import model_choices
from moderation.perspectives import edit


class PredictForm(OptionForm):
    """Options of one debate. `debate_rounds` is the option `rounds`, since ARCADE's field has that name."""

    judge_field = "debate_judge"

    debate_rounds = forms.TypedChoiceField(
        label=_("Length of the debate"),
        choices=[("2", _("arguments and responses")), ("1", _("arguments only"))],
        coerce=int,
        empty_value="",
        required=False,
    )
    history = forms.ChoiceField(
        label=_("The judge reads"),
        choices=[(History.ARGUMENTS, _("the arguments")), (History.TRANSCRIPTS, _("also what each side was given"))],
        required=False,
    )
    without = forms.ChoiceField(label=_("Leave out"), required=False)
    criteria = forms.BooleanField(label=_("Perspectives have criteria"), initial=True, required=False)
    examples = forms.BooleanField(label=_("Perspectives see the nearest examples"), initial=True, required=False)
    describe = forms.BooleanField(label=_("Describe a picture first"), initial=True, required=False)
    debate_judge = forms.ChoiceField(label=_("Who judges"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offer(self, "debate_judge", model_choices())
        perspectives = edit.active_perspectives(project)
        offer(self, "without", [("", _("nobody")), *((row.code, row.name) for row in perspectives)])

    @classmethod
    def options(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the run's options for these cleaned values."""
        options = super().options(values)
        if "debate_rounds" in options:
            options["rounds"] = options.pop("debate_rounds")
        return options
