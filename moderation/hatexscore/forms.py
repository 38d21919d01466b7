"""The form that starts a score."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.pages.form_fields import offer
from annotation.pages.request_form import RequestForm
from moderation.domain.hatexscore.request import Scoring
from moderation.hatexscore import group_lists, start
from moderation.hatexscore.explanations import Explanation

PASTED = "pasted"


class ScoreForm(RequestForm[Scoring]):
    """Which explanation, and how to score it."""

    asks = Scoring

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

    def __init__(self, explanations: Sequence[Explanation], project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "list", [("", _("by language")), *((name, name) for name in group_lists.names(project))])
        self._explanations = {explanation.key: explanation for explanation in explanations}
        offer(self, "key", [*((key, key) for key in self._explanations), (PASTED, _("a pasted text"))])

    def explanation(self) -> Explanation:
        """Return the chosen one."""
        values = self.cleaned_data
        if values["key"] == PASTED:
            return start.pasted(values["text"], values["prediction"] != "non-hateful")
        return self._explanations[values["key"]]


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
