"""Forms of the pages around replies: the first step, and what a post is about."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.pages.form_fields import LineField
from generation.domain.counterspeech.first_step import CHOICE_WORDS, MOST_NOTE, FirstChoice, StepReason
from generation.domain.counterspeech.platforms import NAMES, Platform
from generation.domain.counterspeech.postings import MOST_ADDRESS, MOST_REACTIONS, CheckedAfter
from generation.domain.counterspeech.postings import MOST_NOTE as MOST_NOTE_OF_POSTING
from generation.models.exchanges import MOST_NAME
from generation.practice.library import Wish
from generation.practice.postings import Seen
from vocabulary.display_names import NamedEnum


def _named(closed_set: type[NamedEnum]) -> list[tuple[str, Any]]:
    return [(member.value, pgettext_lazy("stored word", member.label)) for member in closed_set]


class FirstStepForm(forms.Form):
    """What is done about a post, why, and a line of text."""

    choice = forms.ChoiceField(choices=[(choice.value, _(word)) for choice, word in CHOICE_WORDS.items()])
    reasons = forms.MultipleChoiceField(choices=_named(StepReason), required=False)
    note = LineField(label=_("In your own words"), max_length=MOST_NOTE, required=False)

    @property
    def decided(self) -> FirstChoice:
        """The choice of a valid form."""
        return FirstChoice(self.cleaned_data["choice"])

    @property
    def stated(self) -> list[StepReason]:
        """The reasons of a valid form."""
        return [StepReason(reason) for reason in self.cleaned_data["reasons"]]


class AboutForm(forms.Form):
    """Whom a post is about, in a word, and what it says of them."""

    group = LineField(label=_("Target group"), max_length=MOST_NAME, required=False)
    theme = LineField(label=_("Theme"), max_length=MOST_NAME, required=False)


class PostingForm(forms.Form):
    """Where and when a reply was posted."""

    platform = forms.ChoiceField(
        label=_("Platform"), choices=[*NAMES.items(), ("", _("another place"))], required=False
    )
    address = LineField(label=_("Address of the post"), max_length=MOST_ADDRESS, required=False)
    posted_at = forms.DateTimeField(
        label=_("When"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    )

    @property
    def chosen(self) -> Platform | None:
        """The platform of a valid form. Returns None for another place."""
        return Platform(self.cleaned_data["platform"]) if self.cleaned_data["platform"] else None


class PostingCheckForm(forms.Form):
    """What became of a posted reply."""

    after = forms.ChoiceField(label=_("Seen"), choices=_named(CheckedAfter))
    reactions = forms.IntegerField(label=_("Reactions"), min_value=0, max_value=MOST_REACTIONS, required=False)
    deleted = forms.BooleanField(label=_("It was deleted"), required=False)
    answered = forms.BooleanField(label=_("Somebody answered"), required=False)
    harassed = forms.BooleanField(label=_("Harassment followed"), required=False)
    note = LineField(label=_("In your own words"), max_length=MOST_NOTE_OF_POSTING, required=False)

    @property
    def seen(self) -> Seen:
        """What a valid form says."""
        return Seen(**{**self.cleaned_data, "after": CheckedAfter(self.cleaned_data["after"])})


class LibraryForm(forms.Form):
    """What somebody looks for in the library."""

    text = LineField(
        label=_("By meaning"),
        help_text=_("A post, a claim or a sentence of a reply."),
        max_length=1000,
        required=False,
    )
    group = LineField(label=_("Target group"), max_length=MOST_NAME, required=False)
    theme = LineField(label=_("Theme"), max_length=MOST_NAME, required=False)
    language = LineField(
        label=_("Language"), help_text=_("Two letters: en, ko, zh …"), max_length=2, min_length=2, required=False
    )
    unused = forms.BooleanField(label=_("Not used in the last 30 days"), required=False)

    @property
    def wish(self) -> Wish:
        """What a valid form looks for."""
        return Wish(**{**self.cleaned_data, "language": self.cleaned_data["language"].lower()})
