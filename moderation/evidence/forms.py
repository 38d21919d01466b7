"""The form that starts an investigation."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.debates import start
from moderation.debates.forms import RunFields
from moderation.domain.antihateagent.actions import LONGEST_CLAIM
from moderation.methods.antihateagent.declaration import METHOD
from moderation.methods.antihateagent.questions import NAME
from moderation.methods.option_fields import OptionForm
from providers import wiring_web
from providers.search.engines import LOCAL


class InvestigateForm(OptionForm, RunFields):
    """The options of an investigation, about the post or about a claim in a reply to it."""

    asks = METHOD.options
    offered = METHOD.offered

    claim = forms.CharField(
        label=_("A claim to check"),
        max_length=LONGEST_CLAIM,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "From a reply to this post. With one, the agent looks whether it is true; empty: what the post means."
        ),
    )

    @property
    def searches_the_web(self) -> bool:
        """Whether queries may go to an external search engine."""
        return any(name != LOCAL for name in wiring_web.configured_engines())

    @property
    def search_fields(self) -> list[forms.BoundField]:
        """The fields that most people use."""
        return [self["engine"], self["reformulations"], self["pages"]]

    @property
    def bound_fields(self) -> list[forms.BoundField]:
        """The limits of a run besides calls, tokens and time."""
        return [self["pages_at_once"], self["megabytes"], self["steps"]]

    @property
    def measuring_fields(self) -> list[forms.BoundField]:
        """The options that the paper varies in its ablations (Table 4)."""
        return [self["retrieval"], self["instructions"]]

    def wish(self) -> start.DebateRequest:
        """Return the request."""
        options = self.options(self.cleaned_data) | {name: self.cleaned_data[name] for name in ("glossary", "claim")}
        if self.cleaned_data["prompts"]:
            options["prompts"] = self.cleaned_data["prompts"]
        return start.DebateRequest(NAME, options, again=self.cleaned_data["again"], limits=self.limits())

    @property
    def plain_fields(self) -> Sequence[forms.BoundField]:
        """The fields that are not folded."""
        wording = [self["prompts"], self["rationale_language"], self["glossary"]]
        return [self["claim"], *self.search_fields, *wording, self["again"]]

    @property
    def limits_are_wrong(self) -> bool:
        """Whether a field in a folded part of the page has an error."""
        return any(field.errors for field in self.all_limits)

    @property
    def all_limits(self) -> Sequence[forms.BoundField]:
        """All limits of a run."""
        return [*self.bound_fields, *self.limit_fields]
