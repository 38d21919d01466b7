"""What reviewers write: a choice of category, a missing category, a reason alone."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.reports import ReportAnswer
from annotation.pages.category_choice import CategoryChoice
from annotation.pages.form_fields import WrittenField, choices_of

_NO_VERSION = _("The page did not say which state of the post you saw. Load it again and send your decision once more.")
NO_REASON = _("Give the reason for the decision in one or two sentences.")


def version_field() -> forms.IntegerField:
    """Return the version of the item that the person saw; without it nothing is decided."""
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), _NO_VERSION)
    return forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput, error_messages=messages)


class MissingCategoryForm(CategoryChoice):
    """The category that a *not sure* left open, and a note for whoever reviews the item later."""

    note = WrittenField(label=_("Note"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.require_category()


class ReasonForm(forms.Form):
    """Why, and about which state of the item."""

    reason = WrittenField(label=_("Reason"), rows=3, error_messages={"required": NO_REASON})
    version = version_field()


class ReportForm(forms.Form):
    """What is reported; nobody has to describe it."""

    reason = WrittenField(label=_("What is it"), limit=2000, required=False)


class ReportAnswerForm(ReasonForm):
    """What follows from the reports of a post, and why."""

    answer = forms.ChoiceField(
        label=_("Answer"),
        choices=choices_of(
            ReportAnswer,
            {
                ReportAnswer.KEPT_OUT: _("Keep it out: it stays excluded, and its picture locked"),
                ReportAnswer.HANDED_OVER: _(
                    "Keep it out, and say that it was handed to the authorities or the operator"
                ),
                ReportAnswer.PUT_BACK: _(
                    "Put it back: it returns to where it was, with its labels, and its picture opens"
                ),
            },
        ),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what follows from the reports.")},
    )

    field_order = ("answer", "reason", "version")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].widget.attrs.update({"data-press": "r", "aria-keyshortcuts": "r"})
