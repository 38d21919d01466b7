"""Forms of training and known answers: an answer in the training room, the rules, the keys of items."""

import csv
from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text
from annotation.domain.training import MOST_CHECKS
from annotation.labelling.forms import NOT_SURE
from annotation.models import KnownAnswer, Project
from annotation.pages.category_choice import CategoryChoice, initial_choice
from annotation.pages.error_messages import sentence_for
from annotation.pages.form_fields import WrittenField, offer
from annotation.training import control_items
from annotation.training.attempts import TrainingReply
from annotation.training.control_items import AT_ONCE, KnownAnswerKey, KnownAnswerLine

PURPOSES = (
    ("training", _("training: everybody sees it there, with this explanation")),
    ("check", _("check: mixed in, looks like any other post")),
)


class TrainingAnswerForm(CategoryChoice):
    """A category (or several) or *not sure*; or a skip, by its own button."""

    skip = forms.CharField(required=False, max_length=1)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, words=[(NOT_SURE, _("Not sure"))], **kwargs)
        self.fields["category"].error_messages["invalid_choice"] = _("This project has no such category.")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if self.errors or values.get("skip"):
            return values
        if self.rows() and values.get("category") == NOT_SURE:
            raise forms.ValidationError(_("Choose a category or “not sure”, not both."), code="contradiction")
        if not self.rows() and not values.get("category"):
            raise forms.ValidationError(_("Choose a category or “not sure”, or skip the post."), code="no_answer")
        return values

    def reply(self) -> TrainingReply:
        """Return the answer as a value; only after the fields were read."""
        if self.cleaned_data["skip"]:
            return TrainingReply()
        if self.cleaned_data["category"] == NOT_SURE:
            return TrainingReply(not_sure=True)
        return TrainingReply(self.category_row(), categories=tuple(self.stored_codes()))

    @property
    def is_not_sure(self) -> bool:
        return self.chosen == NOT_SURE


class RulesForm(forms.ModelForm[Project]):
    """Who must pass the training, how, and how many checks are mixed in."""

    class Meta:
        model = Project
        fields = ("training_required", "training_pass_percent", "training_attempts", "check_percent")
        labels = {
            "training_required": _("Annotators pass the training before they label"),
            "training_pass_percent": _("Pass mark, in percent of the answers given"),
            "training_attempts": _("Attempts"),
            "check_percent": _("Checks, in percent of what is handed out"),
        }
        help_texts = {
            "training_attempts": _("0: no limit."),
            "check_percent": _("0 to 50. Posts with a known answer that look like all others."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, most in (("training_pass_percent", 100), ("training_attempts", 100), ("check_percent", MOST_CHECKS)):
            self.fields[name].widget.attrs.update(min=0, max=most)

    def clean_training_required(self) -> bool:
        value: bool = self.cleaned_data["training_required"]
        if value and not control_items.has_training_items(self.instance):
            raise forms.ValidationError(
                _("There is no training post in use yet, so nobody could pass. Mark some first."), code="no_training"
            )
        return value

    def clean_training_pass_percent(self) -> int:
        return self._within("training_pass_percent", 1, 100, _("Between 1 and 100 percent."))

    def clean_training_attempts(self) -> int:
        return self._within("training_attempts", 0, 100, _("Between 0 and 100 attempts; 0 sets no limit."))

    def clean_check_percent(self) -> int:
        sentence = _("At most 50 percent: more checks than work would leave little to learn from the labels.")
        return self._within("check_percent", 0, MOST_CHECKS, sentence)

    def _within(self, name: str, least: int, most: int, sentence: Any) -> int:
        value: int = self.cleaned_data[name]
        if not least <= value <= most:
            raise forms.ValidationError(sentence, code="out_of_range")
        return value


class KeyForm(CategoryChoice):
    """The known answer of one item: a category, or several where the project takes several."""

    explanation = WrittenField(
        label=_("Explanation"), required=False, rows=3, help_text=_("Shown after a training answer, right or wrong.")
    )
    purpose = forms.ChoiceField(label=_("What it is for"), choices=PURPOSES, widget=forms.RadioSelect)

    def __init__(self, *args: Any, known: KnownAnswer | None, **kwargs: Any) -> None:
        if known is not None:
            purpose = "training" if known.training else "check"
            stored = {"explanation": known.explanation, "purpose": purpose}
            kwargs["initial"] = stored | initial_choice(known.codes)
        super().__init__(*args, **kwargs)
        self.require_category()
        name = "categories" if self.several else "category"
        self.fields[name].label = _("Known categories") if self.several else _("Known category")
        if self.several:
            self.fields[name].widget = forms.CheckboxSelectMultiple()
            del self.fields["category"]
        offer(self, name, [(str(category.code), str(category)) for category in self.categories])

    def key(self) -> KnownAnswerKey:
        """Return the answer as a value; only after the fields were read."""
        values = self.cleaned_data
        category = self.category_row()
        assert category is not None
        return KnownAnswerKey(
            category, values["explanation"], values["purpose"] == "training", tuple(self.stored_codes())
        )


class LinesForm(forms.Form):
    """Many known answers, a line each."""

    lines = WrittenField(
        label=_("One post per line: id, category, explanation"),
        limit=1_000_000,
        rows=6,
        help_text=_("As in a CSV file; quote an explanation that holds commas. The explanation may be missing."),
    )
    purpose = forms.ChoiceField(label=_("What they are for"), choices=PURPOSES, widget=forms.RadioSelect)

    def clean_lines(self) -> list[KnownAnswerLine]:
        """Return the lines as values. Every bad one is named."""
        try:
            rows = list(csv.reader(self.cleaned_data["lines"].splitlines(), skipinitialspace=True, strict=True))
        except csv.Error as fault:
            message = _("A quotation mark is opened and never closed, or something follows a closing one.")
            raise forms.ValidationError(message, code="bad_csv") from fault
        filled_rows = [(number, [cell.strip() for cell in row]) for number, row in enumerate(rows, 1) if any(row)]
        if len(filled_rows) > AT_ONCE:
            raise forms.ValidationError(
                _("At most %(most)s lines at once; import a file for more."), params={"most": AT_ONCE}, code="too_many"
            )
        wrong = [error for number, row in filled_rows for error in _wrong_with(number, row)]
        if wrong:
            raise forms.ValidationError(wrong)
        return [KnownAnswerLine(number, row[0], row[1], row[2] if len(row) > 2 else "") for number, row in filled_rows]

    def refuse(self, bad: control_items.BadRows) -> None:
        """Name every line that cannot be done."""
        for error in bad.errors:
            self.add_error("lines", _line(error.line, sentence_for(error.code, error.reason)))


def _wrong_with(number: int, row: list[str]) -> Iterable[forms.ValidationError]:
    if not 2 <= len(row) <= 3 or not row[0] or not row[1]:
        yield _line(number, _("write the id, the category and perhaps an explanation, with commas between them."))
        return
    try:
        read_optional_text(row[2] if len(row) > 2 else "", NOTE_LIMIT)
    except BadText as bad:
        yield _line(number, sentence_for(bad.code, bad.sentence))


def _line(number: int, sentence: Any) -> forms.ValidationError:
    return forms.ValidationError(
        _("Line %(number)s: %(sentence)s"), params={"number": number, "sentence": sentence}, code="bad_line"
    )
