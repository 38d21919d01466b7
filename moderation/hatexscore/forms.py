"""The form that starts a score."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.pages.form_fields import offer
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.score import Weights
from moderation.domain.hatexscore.tokenize import LANGUAGES
from moderation.hatexscore import group_lists, start
from moderation.hatexscore.explanations import Explanation

PASTED = "pasted"


class ScoreForm(forms.Form):
    """Which explanation, and how to score it."""

    key = forms.ChoiceField(label=_("Explanation"))
    text = forms.CharField(
        label=_("Pasted explanation"),
        required=False,
        max_length=start.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    prediction = forms.ChoiceField(
        label=_("It says the text is"),
        required=False,
        choices=[("hateful", _("hateful")), ("non-hateful", _("not hateful"))],
    )
    estimator = forms.ChoiceField(
        label=_("How the probability is measured"),
        required=False,
        choices=[
            (Estimator.MODEL, _("the explaining model")),
            (Estimator.LOGPROB, _("its log-probabilities")),
            (Estimator.DETOXIFY, _("detoxify")),
            (Estimator.KEYWORD, _("built-in keywords")),
            (Estimator.GIVEN, _("numbers given below")),
        ],
    )
    p = forms.FloatField(label=_("p before"), required=False, min_value=0, max_value=1)
    p_masked = forms.FloatField(label=_("p after"), required=False, min_value=0, max_value=1)
    group_list = forms.ChoiceField(label=_("Groups"), required=False)
    language = forms.ChoiceField(
        label=_("Language"), required=False, choices=[("", _("by script")), *((code, code) for code in LANGUAGES)]
    )
    rule = forms.ChoiceField(
        label=_("Rule"),
        required=False,
        choices=[(Rule.PAPER, _("the paper's, τ 0.30")), (Rule.RELEASED, _("its released code's, τ 0.45"))],
    )
    threshold = forms.FloatField(label=_("Another τ"), required=False, min_value=0, max_value=1)
    weights = forms.CharField(
        label=_("Weights of HTC, QF, TGI, CC"), required=False, max_length=80, help_text=_("Empty: 1, 1, 1, 1.")
    )

    def __init__(self, explanations: Sequence[Explanation], project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "group_list", [("", _("by language")), *((name, name) for name in group_lists.names(project))])
        self._explanations = {explanation.key: explanation for explanation in explanations}
        offer(self, "key", [*((key, key) for key in self._explanations), (PASTED, _("a pasted text"))])

    def clean_weights(self) -> Weights:
        """Return the four weights."""
        written = self.cleaned_data["weights"]
        try:
            return Weights.read(written) if written.strip() else Weights()
        except ValueError:
            raise ValidationError(
                _("Write four numbers, such as 1, 2, 1, 1: none negative, at least one above 0.")
            ) from None

    def explanation(self) -> Explanation:
        """Return the chosen one."""
        values = self.cleaned_data
        if values["key"] == PASTED:
            return start.pasted(values["text"], values["prediction"] != "non-hateful")
        return self._explanations[values["key"]]

    def choice(self) -> start.Choice:
        """How to score it."""
        values = self.cleaned_data
        return start.Choice(
            estimator=Estimator(values["estimator"] or Estimator.MODEL),
            language=values["language"],
            group_list=values["group_list"],
            rule=Rule(values["rule"] or Rule.PAPER),
            threshold=values["threshold"],
            weights=values["weights"],
            p=values["p"],
            p_masked=values["p_masked"],
        )


class GroupListForm(forms.Form):
    """A list of one's own: a name and a JSON file."""

    name = forms.CharField(
        label=_("Name"),
        max_length=group_lists.LONGEST_NAME,
        help_text=_("Letters, digits, - and _. A list never changes: a better one gets another name."),
    )
    file = forms.FileField(
        label=_("File"),
        help_text=_("JSON, category → terms. Categories count as names too, but for those called Others."),
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
        error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")},
    )
