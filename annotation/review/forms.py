"""What reviewers write: a choice of category, a missing category, a reason alone."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core.form_fields import WrittenField
from annotation.models import Category

_NO_VERSION = _("The page did not say which state of the post you saw. Load it again and send your decision once more.")
NO_REASON = _("Write down what decided it, in a sentence or two.")


def version_field() -> forms.IntegerField:
    """Return the version of the item that the person saw; without it nothing is decided."""
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
        """Return the category that was chosen; only after the fields were read."""
        code = self.cleaned_data.get("category") or None
        return next((category for category in self.categories if str(category.code) == code), None)


class MissingCategoryForm(CategoryChoice):
    """The category that a *not sure* left open, and a note for whoever reviews the item later."""

    note = WrittenField(label=_("Note"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["category"].required = True


class ReasonForm(forms.Form):
    """Why, and about which state of the item."""

    reason = WrittenField(label=_("Reason"), rows=3, error_messages={"required": NO_REASON})
    version = version_field()


class ReportForm(forms.Form):
    """What is reported; nobody has to describe it."""

    reason = WrittenField(label=_("What is it"), limit=2000, required=False)
