"""The options of an investigation, in the forms for runs and evaluations."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.pages.form_fields import choices_of, offer
from moderation.domain.antihateagent.actions import Instructions, Retrieval
from moderation.domain.tongue import Tongue
from moderation.methods.debate_method import OptionForm
from providers import wiring_web

ENGINES = {
    "google": _("Google Programmable Search"),
    "searxng": "SearXNG",
    "local": _("the documents of this project"),
}
_TONGUES = choices_of(
    Tongue,
    {
        Tongue.ENGLISH: _("English"),
        Tongue.POST: _("the post's, if it is Korean or Chinese"),
        Tongue.KOREAN: _("Korean"),
        Tongue.CHINESE: _("Chinese"),
    },
)
_WHOLE_NUMBERS = ("reformulations", "pages", "pages_at_once", "steps")
_MEGABYTE = 1_000_000


class AntiHateAgentForm(OptionForm):
    """The options of the agent's search for evidence."""

    engine = forms.ChoiceField(label=_("Search with"), required=False)
    reformulations = forms.IntegerField(
        label=_("New queries, at most"),
        min_value=0,
        max_value=6,
        initial=3,
        required=False,
        help_text=_("How often the agent may search again where it has not found enough."),
    )
    pages = forms.IntegerField(label=_("Pages, at most"), min_value=1, max_value=24, initial=8, required=False)
    pages_at_once = forms.IntegerField(label=_("Pages at once"), min_value=1, max_value=6, initial=3, required=False)
    megabytes = forms.IntegerField(
        label=_("Megabytes of pages, at most"), min_value=1, max_value=50, initial=10, required=False
    )
    steps = forms.IntegerField(label=_("Steps, at most"), min_value=10, max_value=150, initial=80, required=False)
    retrieval = forms.ChoiceField(
        label=_("Where knowledge comes from"),
        choices=[
            (Retrieval.SEARCH, _("pages that it searches for")),
            (Retrieval.NONE, _("none: it judges by the post alone")),
        ],
        required=False,
    )
    instructions = forms.ChoiceField(
        label=_("Instructions"),
        choices=[(Instructions.FULL, _("in full")), (Instructions.SHORT, _("short"))],
        required=False,
    )
    rationale_language = forms.ChoiceField(label=_("Language of the rationale"), choices=_TONGUES, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(
            self,
            "engine",
            [("", _("the site's choice")), *((name, ENGINES[name]) for name in wiring_web.configured_engines())],
        )

    @classmethod
    def options(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the run's options for these cleaned values; megabytes become bytes.

        The field of the language has another name than ARCADE's, which stands on the same page.
        """
        options: dict[str, Any] = {"engine": values["engine"]}
        options |= {name: values[name] for name in _WHOLE_NUMBERS if values[name] is not None}
        if values["megabytes"] is not None:
            options["bytes"] = values["megabytes"] * _MEGABYTE
        if values["rationale_language"]:
            options["language"] = values["rationale_language"]
        return options | {name: values[name] for name in ("retrieval", "instructions") if values[name]}


class AntiHateAgentComparison(forms.Form):
    """Options of investigations that an evaluation compares (paper, Table 4)."""

    retrieval = forms.MultipleChoiceField(
        label=_("Sources of AntiHateAgent"),
        choices=[
            (Retrieval.SEARCH, _("pages that it searches for")),
            (Retrieval.NONE, _("none: it judges by the post alone")),
            (Retrieval.MODEL_URLS, _("pages whose addresses the model makes up")),
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    instructions = forms.MultipleChoiceField(
        label=_("Instructions of AntiHateAgent"),
        choices=[(Instructions.FULL, _("in full")), (Instructions.SHORT, _("short"))],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
