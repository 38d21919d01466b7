"""The options of an ARCADE debate, in the forms for runs and evaluations."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.pages.form_fields import choices_of, offer
from moderation.domain.arcade import MOST_ROUNDS, Track
from moderation.domain.task import Task
from moderation.domain.tongue import Tongue
from moderation.methods.debate_method import OptionForm
from moderation.methods.model_choices import model_choices

_TRACKS = [(Track.AUTO, _("the gatekeeper chooses")), (Track.DEEP, _("deep dive, no gatekeeper"))]
_TONGUES = choices_of(
    Tongue,
    {
        Tongue.POST: _("the post's, if it is Korean or Chinese"),
        Tongue.ENGLISH: _("English"),
        Tongue.KOREAN: _("Korean"),
        Tongue.CHINESE: _("Chinese"),
    },
)
_NUMBERS = re.compile(r"[\d\s,;]*\Z")


class ArcadeForm(OptionForm):
    """Options of one debate."""

    judge_field = "judge"

    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=MOST_ROUNDS, initial=3, required=False)
    track = forms.ChoiceField(label=_("Fast or deep"), choices=_TRACKS, required=False)
    task = forms.ChoiceField(
        label=_("Question"),
        choices=[(Task.SIX, _("which category")), (Task.BINARY, _("hateful or not"))],
        required=False,
    )
    language = forms.ChoiceField(label=_("Language of the arguments"), choices=_TONGUES, required=False)
    judge = forms.ChoiceField(label=_("Judge"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offer(self, "judge", model_choices())


class RoundsField(forms.CharField):
    """Numbers of rounds, separated by commas; cleaned to a sorted list, each number once."""

    def clean(self, value: Any) -> Any:
        """Return the numbers.

        Raises ValidationError for numbers outside 1 to the most rounds.
        """
        written = super().clean(value)
        numbers = [int(number) for number in re.findall(r"\d+", written)]
        if not _NUMBERS.match(written) or any(not 1 <= number <= MOST_ROUNDS for number in numbers):
            raise ValidationError(gettext("Numbers from 1 to %(most)d, separated by commas.") % {"most": MOST_ROUNDS})
        return sorted(set(numbers))


class ArcadeComparison(forms.Form):
    """Options of ARCADE that an evaluation compares."""

    rounds = RoundsField(
        label=_("Rounds of ARCADE"),
        required=False,
        max_length=40,
        help_text=_("Several, like 1, 2, 3, are compared."),
    )
    track = forms.MultipleChoiceField(
        label=_("Way of ARCADE"), choices=_TRACKS, widget=forms.CheckboxSelectMultiple, required=False
    )
