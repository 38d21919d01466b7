"""The form that asks for a release."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.words import Level, Source
from annotation.release_rows import Selection

_LEVELS = (
    (Level.PERFECT, _("perfect: all equal")),
    (Level.STRONG, _("strong: all hateful, kinds differ")),
    (Level.WEAK, _("weak: a majority")),
    (Level.NONE, _("none: no majority, settled by a reviewer")),
)
_SOURCES = (
    (Source.CONSENSUS, _("decided by the annotators")),
    (Source.ADJUDICATED, _("decided by a reviewer")),
    (Source.IMPORTED, _("came with the data")),
)


class ReleaseForm(forms.Form):
    """Which gold items a release holds. Nothing ticked means everything."""

    levels = forms.MultipleChoiceField(
        label=_("Only these levels"),
        choices=_LEVELS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all levels, and items that came without votes."),
    )
    sources = forms.MultipleChoiceField(
        label=_("Only these sources"),
        choices=_SOURCES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all sources."),
    )
    notes = forms.BooleanField(
        label=_("With the notes of annotators"),
        required=False,
        help_text=_("Free text may tell who wrote it: read the notes before you release them."),
    )
    fresh_pseudonyms = forms.BooleanField(
        label=_("With new pseudonyms"),
        required=False,
        help_text=_("Nobody can match annotators with those of other releases of this project."),
    )

    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def clean(self) -> dict[str, Any]:
        """A hidden field has no place for its error, so the form says it."""
        cleaned = super().clean() or self.cleaned_data
        if "key" not in cleaned:
            self.add_error(None, _("The form is not whole. Load the page again, then try again."))
        return cleaned

    def selection(self) -> Selection:
        """What was asked for; the form must be valid."""
        asked = self.cleaned_data
        return Selection(
            levels=tuple(level for level in Level if level.value in asked["levels"]),
            sources=tuple(source for source in Source if source.value in asked["sources"]),
            notes=asked["notes"],
            fresh_pseudonyms=asked["fresh_pseudonyms"],
        )
