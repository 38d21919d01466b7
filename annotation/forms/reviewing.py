"""What reviewers write: a decision with its reason, a missing category, a reason alone."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.words import Modality
from annotation.forms.written import WrittenField
from annotation.models import Category, Ruling

_NO_VERSION = _("The page did not say which state of the post you saw. Load it again and send your decision once more.")
_NO_REASON = _("Write down what decided it, in a sentence or two.")


def version_field() -> forms.IntegerField:
    """The version of the item that the person saw; without it nothing is decided."""
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), _NO_VERSION)
    return forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput, error_messages=messages)


class CategoryChoice(forms.Form):
    """One of the project's categories; a radio each, drawn by the page."""

    category = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, categories: Iterable[Category], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.categories = tuple(categories)
        field = self.fields["category"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(category.code), category.name) for category in self.categories]
        field.error_messages["required"] = _("Choose a category.")
        field.error_messages["invalid_choice"] = _("“%(value)s” is no category of this project.")

    @property
    def chosen(self) -> str:
        """The code chosen so far, or nothing."""
        return str(self["category"].value() or "")

    def category_row(self) -> Category | None:
        """The category that was chosen; only after the fields were read."""
        code = self.cleaned_data.get("category") or None
        return next((category for category in self.categories if str(category.code) == code), None)


class DecisionForm(CategoryChoice):
    """A category, a new round or an exclusion, each with its reason. Upheld challenges go with a category."""

    ruling = forms.ChoiceField(
        choices=[(each.value, each.label) for each in (Ruling.DECIDE, Ruling.NEW_ROUND, Ruling.EXCLUDE)],
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Press one of the buttons to decide.")),
    )
    rationale = WrittenField(label=_("Rationale"), error_messages={"required": _NO_REASON})
    version = version_field()
    uphold_text = forms.BooleanField(required=False)
    uphold_image = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("ruling") == Ruling.DECIDE and not values.get("category") and "category" not in self.errors:
            self.add_error("category", forms.ValidationError(_("Choose the category you decide for."), "required"))
        return values

    def upheld(self, corrections: dict[Modality, PriorValue]) -> dict[Modality, PriorValue]:
        """Those of the possible corrections that the reviewer ticked."""
        return {modality: to for modality, to in corrections.items() if self.cleaned_data.get(f"uphold_{modality}")}


class MissingCategoryForm(CategoryChoice):
    """The category that a *not sure* left open, and a note for whoever reviews the item later."""

    note = WrittenField(label=_("Note"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["category"].required = True


class ReasonForm(forms.Form):
    """Why, and about which state of the item."""

    reason = WrittenField(label=_("Reason"), rows=3, error_messages={"required": _NO_REASON})
    version = version_field()


class ReportForm(forms.Form):
    """What is reported; nobody has to describe it."""

    reason = WrittenField(label=_("What is it"), limit=2000, required=False)
