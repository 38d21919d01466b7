"""Forms of the annotator's page: answer, skip, report of illegal content."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.assignment.outcomes import KeyReused
from annotation.core.error_messages import sentence_for
from annotation.core.form_fields import WrittenField
from annotation.domain.answer import TARGET_GROUP_LIMIT, Answer, BadAnswer, Correction, check
from annotation.domain.choices import Modality
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.models import Category, Label

Outcome = TypeVar("Outcome")

NOT_SURE = "not_sure"
"""The choice next to the categories: one cannot be sure and unsure at once, so they share one field."""
_HATEFUL = {"hateful": True, "not_hateful": False}


class AnswerForm(forms.Form):
    """A category or *not sure*, low quality, note, target group, challenged priors.

    `key` is made with the form and stays with it, so that a form sent twice is recognised. `seconds` is the time
    that the page was visible, counted by the browser; without JavaScript it stays empty.
    """

    category = forms.ChoiceField(required=False)
    low_quality = forms.BooleanField(required=False)
    target_group = forms.CharField(required=False, max_length=TARGET_GROUP_LIMIT, strip=True)
    note = forms.CharField(required=False, max_length=NOTE_LIMIT, strip=True)
    key = forms.UUIDField(widget=forms.HiddenInput)
    seconds = forms.FloatField(required=False, min_value=0, max_value=86_400, widget=forms.HiddenInput)

    def __init__(self, *args: Any, categories: Iterable[Category], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.categories = tuple(categories)
        codes = [(str(category.code), category.name) for category in self.categories]
        self._choices("category").choices = [*codes, (NOT_SURE, _("Not sure"))]
        for modality in Modality:
            self.fields[f"challenge_{modality}"] = forms.ChoiceField(
                required=False,
                choices=[("", ""), ("hateful", _("hateful")), ("not_hateful", _("not hateful")), *codes],
            )
        if not self.is_bound:
            self.initial.setdefault("key", uuid4())

    def _choices(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                check(self.answer())
            except BadAnswer as bad:
                self.refuse(bad)
        return values

    def store(self, verb: Callable[[Answer], Outcome]) -> Outcome | None:
        """Call the verb with the answer and return its outcome.

        Returns None if the fields are not valid or the answer cannot be stored. The form then holds the errors, as it
        does where the key was used for another answer.
        """
        if not self.is_valid():
            return None
        try:
            outcome = verb(self.answer())
        except BadAnswer as bad:
            self.refuse(bad)
            return None
        if isinstance(outcome, KeyReused):
            self.add_error(None, _("This form was sent before with another answer. Load the page again."))
        return outcome

    def refuse(self, bad: BadAnswer) -> None:
        """Add the error of an answer that cannot be stored, at its field where the page has that field."""
        sentence = sentence_for(bad.code, bad.sentence)
        self.add_error(bad.field if bad.field in self.fields else None, forms.ValidationError(sentence, bad.code))

    def answer(self) -> Answer:
        """Return the answer as a value; only for a validated form."""
        values = self.cleaned_data
        category = values["category"]
        return Answer(
            category=int(category) if category not in ("", NOT_SURE) else None,
            not_sure=category == NOT_SURE,
            low_quality=values["low_quality"],
            target_group=values["target_group"],
            note=values["note"],
            corrections=tuple(
                _correction(modality, values[f"challenge_{modality}"])
                for modality in Modality
                if values[f"challenge_{modality}"]
            ),
        )

    @property
    def chosen(self) -> str:
        """The code chosen so far, `not_sure`, or an empty string."""
        return str(self["category"].value() or "")

    @property
    def chosen_category(self) -> Category | None:
        return next((category for category in self.categories if str(category.code) == self.chosen), None)

    @property
    def is_not_sure(self) -> bool:
        return self.chosen == NOT_SURE


class SkipForm(forms.Form):
    """The reason why a post is skipped; optional."""

    reason = WrittenField(limit=500, required=False)


class IllegalContentForm(forms.Form):
    """A description of the reported content; optional."""

    note = WrittenField(limit=2000, required=False)


def _correction(modality: Modality, value: str) -> Correction:
    if value in _HATEFUL:
        return Correction(modality, hateful=_HATEFUL[value])
    return Correction(modality, category=int(value))


def initial_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the initial field values for an answer stored as JSON (`Answer.body`), such as a first answer."""
    initial: dict[str, Any] = {
        "category": NOT_SURE if answer.get("not_sure") else _text(answer.get("category")),
        "low_quality": bool(answer.get("low_quality")),
        "target_group": answer.get("target_group") or "",
        "note": answer.get("note") or "",
    }
    for modality, category, hateful in answer.get("corrections", ()):
        initial[f"challenge_{modality}"] = _challenge(category, hateful)
    return initial


def initial_from(label: Label) -> dict[str, Any]:
    """Return the initial field values for a stored label that is to be corrected."""
    initial: dict[str, Any] = {
        "category": NOT_SURE if label.not_sure else _text(label.category.code if label.category else None),
        "low_quality": label.low_quality,
        "target_group": label.target_group,
        "note": label.note,
    }
    for challenge in label.challenges:
        initial[f"challenge_{challenge['modality']}"] = _challenge(challenge.get("category"), challenge.get("hateful"))
    return initial


def _text(code: int | None) -> str:
    return "" if code is None else str(code)


def _challenge(category: int | None, hateful: bool | None) -> str:
    if category is not None:
        return str(category)
    if hateful is None:
        return ""
    return "hateful" if hateful else "not_hateful"
