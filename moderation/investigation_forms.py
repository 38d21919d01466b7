"""The form that sends the agent out for evidence, and the fields it shares with the form that starts any method."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.choices import offer
from annotation.models import Project
from moderation import debating
from moderation.domain.investigation.actions import LONGEST_CLAIM, Instructions, Retrieval
from providers import wiring_web
from providers.searching import LOCAL

ENGINES = {
    "google": _("Google Programmable Search"),
    "searxng": "SearXNG",
    "local": _("the documents of this project"),
}
_BOUNDS = ("reformulations", "pages", "pages_at_once", "steps")
_MEGABYTE = 1_000_000


class AboutRun(forms.Form):
    """What may be said of every run: what it may use, whether it is told of the glossary, whether it is asked anew."""

    glossary = forms.BooleanField(
        label=_("With the glossary"),
        help_text=_("ARCADE, PREDICT and AntiHateAgent are given the approved entries that the post holds."),
        required=False,
    )
    max_tokens = forms.IntegerField(label=_("Tokens at most"), min_value=1, required=False)
    max_seconds = forms.IntegerField(label=_("Seconds of work at most"), min_value=1, required=False)
    again = forms.BooleanField(label=_("Ask again what was answered before"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["glossary"].initial = project.glossary_for_models

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        """What one run may use."""
        return [self[f"max_{name}"] for name in ("calls", "tokens", "seconds") if f"max_{name}" in self.fields]

    @property
    def limits_are_wrong(self) -> bool:
        """Whether something in a closed part of the page wants a look."""
        return any(field.errors for field in self.limit_fields)

    def limits(self) -> dict[str, int]:
        """What was written of them, in the words of a wish."""
        written = {name: self.cleaned_data.get(f"max_{name}") for name in ("calls", "tokens", "seconds")}
        return {name: value for name, value in written.items() if value}


class Investigation(forms.Form):
    """How the agent looks for evidence."""

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
            (Retrieval.NONE, _("nowhere: it judges by the post alone")),
        ],
        required=False,
    )
    instructions = forms.ChoiceField(
        label=_("Instructions"),
        choices=[(Instructions.FULL, _("in full")), (Instructions.SHORT, _("short"))],
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "engine", [("", _("the site's choice")), *((name, ENGINES[name]) for name in wiring_web.engines())])

    @property
    def searches_the_web(self) -> bool:
        """Whether queries may go to a search engine outside."""
        return any(name != LOCAL for name in wiring_web.engines())

    @property
    def search_fields(self) -> list[forms.BoundField]:
        """What most people choose."""
        return [self["engine"], self["reformulations"], self["pages"]]

    @property
    def bound_fields(self) -> list[forms.BoundField]:
        """What a run may use beside calls, tokens and time."""
        return [self["pages_at_once"], self["megabytes"], self["steps"]]

    @property
    def measuring_fields(self) -> list[forms.BoundField]:
        """What the paper takes away to see what it was good for (Table 4)."""
        return [self["retrieval"], self["instructions"]]

    def investigation_options(self) -> dict[str, Any]:
        """What was chosen, as the run's options; what was left empty is the method's own."""
        values = self.cleaned_data
        options: dict[str, Any] = {"engine": values["engine"]}
        options |= {name: values[name] for name in _BOUNDS if values[name] is not None}
        if values["megabytes"] is not None:
            options["bytes"] = values["megabytes"] * _MEGABYTE
        return options | {name: values[name] for name in ("retrieval", "instructions") if values[name]}


class InvestigateForm(Investigation, AboutRun):
    """Sends the agent out, about the post or about a claim in a reply to it."""

    claim = forms.CharField(
        label=_("A claim to check"),
        max_length=LONGEST_CLAIM,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "From a reply to this post. With one, the agent looks whether it is true; empty: what the post means."
        ),
    )

    def wish(self) -> debating.Wish:
        """What was wished for."""
        options = self.investigation_options() | {name: self.cleaned_data[name] for name in ("glossary", "claim")}
        return debating.Wish("antihateagent", options, again=self.cleaned_data["again"], limits=self.limits())

    @property
    def plain_fields(self) -> Sequence[forms.BoundField]:
        """What stands open."""
        return [self["claim"], *self.search_fields, self["glossary"], self["again"]]

    @property
    def limits_are_wrong(self) -> bool:
        """Whether something in a closed part of the page wants a look."""
        return any(field.errors for field in self.all_limits)

    @property
    def all_limits(self) -> Sequence[forms.BoundField]:
        """All that a run may use."""
        return [*self.bound_fields, *self.limit_fields]
