"""Forms of the pages about batches: whom a batch is for, its priority, teams, quotas."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.batches.workforce import AnnotatorQuota
from annotation.domain.choices import PRIORITIES, BatchState
from annotation.models import Project
from annotation.pages.form_fields import offer

MOST_LABELS = 10_000_000
"""The highest quota."""


class PeopleForm(forms.Form):
    """Whom a batch is for."""

    limited = forms.ChoiceField(
        label=_("Who may get it"),
        choices=[("0", _("every annotator of the project")), ("1", _("only these people"))],
        widget=forms.RadioSelect,
    )
    members = forms.MultipleChoiceField(label=_("People"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, people: Sequence[AnnotatorQuota], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "members", _named(people))

    def clean(self) -> dict[str, object]:
        cleaned = self.cleaned_data
        if cleaned.get("limited") == "1" and not cleaned.get("members") and not self.errors:
            self.add_error("members", _("Choose at least one person."))
        return cleaned


class PriorityForm(forms.Form):
    """How soon the items of a batch come."""

    priority = forms.IntegerField(
        label=_("Priority"),
        min_value=PRIORITIES[0],
        max_value=PRIORITIES[1],
        help_text=_("From −100 to 100, ordinarily 0. Items of a higher priority are handed out first."),
    )


class TeamsForm(forms.Form):
    """People in groups of k, each group with batches of its own or with a share of one batch."""

    people = forms.MultipleChoiceField(
        label=_("People"), widget=forms.CheckboxSelectMultiple, error_messages={"required": _("Choose people.")}
    )
    size = forms.IntegerField(label=_("People in a group, at least"), min_value=1, max_value=15)
    how = forms.ChoiceField(
        label=_("What each group gets"),
        choices=[
            ("split", _("a share of one batch, which is split")),
            ("assign", _("whole batches, dealt out among the groups")),
        ],
        widget=forms.RadioSelect,
        initial="split",
    )
    batches = forms.MultipleChoiceField(
        label=_("Batches"), widget=forms.CheckboxSelectMultiple, error_messages={"required": _("Choose a batch.")}
    )

    def __init__(
        self, people: Sequence[AnnotatorQuota], batches: Sequence[tuple[str, str]], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "people", _named(people))
        offer(self, "batches", batches)

    def clean(self) -> dict[str, object]:
        cleaned = self.cleaned_data
        if cleaned.get("how") == "split" and len(cleaned.get("batches", ())) > 1:
            self.add_error("batches", _("One batch is split at a time: choose one."))
        size = cleaned.get("size")
        if size and "people" in cleaned and len(cleaned["people"]) < size:
            self.add_error("people", _("These are fewer people than one group needs."))
        return cleaned


class CampaignForm(forms.ModelForm[Project]):
    """What holds for all batches: the quota of people, and what becomes of batches that an import names first."""

    quota = forms.IntegerField(
        label=_("Most labels by one person"),
        required=False,
        min_value=1,
        max_value=MOST_LABELS,
        help_text=_("Empty: no limit. A person’s own quota, below, comes before it."),
    )
    new_batches = forms.ChoiceField(
        label=_("A batch that an import creates"),
        choices=[
            (BatchState.WAITING, _("waits until it is opened here")),
            (BatchState.OPEN, _("is handed out at once")),
        ],
    )

    class Meta:
        model = Project
        fields = ("quota", "new_batches")


class QuotaForm(forms.Form):
    """A person's own quota; empty: the project's."""

    quota = forms.IntegerField(required=False, min_value=0, max_value=MOST_LABELS)


def _named(people: Sequence[AnnotatorQuota]) -> list[tuple[str, str]]:
    return [(str(person.public_id), person.name) for person in people]
