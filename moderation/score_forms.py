"""The form that starts a score."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.choices import offer
from moderation import scoring
from moderation.domain.estimating import Estimator
from moderation.domain.hatexscore import group_files
from moderation.domain.hatexscore.consistency import Rule
from moderation.domain.hatexscore.tokens import LANGUAGES
from moderation.explanations import Explanation

PASTED = "pasted"


class ScoreForm(forms.Form):
    """Which explanation, and how to score it."""

    key = forms.ChoiceField(label=_("Explanation"))
    text = forms.CharField(
        label=_("Pasted explanation"),
        required=False,
        max_length=scoring.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    prediction = forms.ChoiceField(
        label=_("It says the text is"),
        required=False,
        choices=[("hateful", _("hateful")), ("non-hateful", _("not hateful"))],
    )
    estimator = forms.ChoiceField(
        label=_("Estimator of p"),
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
    group_list = forms.ChoiceField(
        label=_("Groups"),
        required=False,
        choices=[("", _("by language")), *((name, name) for name in group_files.NAMES)],
    )
    language = forms.ChoiceField(
        label=_("Language"), required=False, choices=[("", _("by script")), *((code, code) for code in LANGUAGES)]
    )
    rule = forms.ChoiceField(
        label=_("Rule"),
        required=False,
        choices=[(Rule.PAPER, _("the paper's, τ 0.30")), (Rule.RELEASED, _("its released code's, τ 0.45"))],
    )
    threshold = forms.FloatField(label=_("Another τ"), required=False, min_value=0, max_value=1)

    def __init__(self, found: Sequence[Explanation], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._found = {each.key: each for each in found}
        offer(self, "key", [*((key, key) for key in self._found), (PASTED, _("a pasted text"))])

    def explanation(self) -> Explanation:
        """The chosen one."""
        values = self.cleaned_data
        if values["key"] == PASTED:
            return scoring.pasted(values["text"], values["prediction"] != "non-hateful")
        return self._found[values["key"]]

    def choice(self) -> scoring.Choice:
        """How to score it."""
        values = self.cleaned_data
        return scoring.Choice(
            estimator=Estimator(values["estimator"] or Estimator.MODEL),
            language=values["language"],
            group_list=values["group_list"],
            rule=Rule(values["rule"] or Rule.PAPER),
            threshold=values["threshold"],
            p=values["p"],
            p_masked=values["p_masked"],
        )
