"""The annotator's answer, as it comes from the page."""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.answers import TARGET_GROUP_LIMIT, Answer, BadAnswer, Correction, check
from annotation.domain.texts import NOTE_LIMIT
from annotation.domain.words import Modality
from annotation.forms.written import WrittenField
from annotation.models import Category, Label
from annotation.refusals import sentence_for

NOT_SURE = "not_sure"
"""The choice beside the categories: one cannot be sure and unsure at once, so they share one field."""
_HATEFUL = {"hateful": True, "not_hateful": False}


class AnswerForm(forms.Form):
    """A category or *not sure*, low quality, note, target group, challenged priors.

    `key` is made with the form and stays with it, so that a second sending is known as the same. `seconds` is
    the time the page was in sight, counted by the browser; without JavaScript it stays empty.
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

    def refuse(self, bad: BadAnswer) -> None:
        """Show why an answer cannot be stored, at the field it is about where the page has it."""
        said = sentence_for(bad.code, bad.sentence)
        self.add_error(bad.field if bad.field in self.fields else None, forms.ValidationError(said, bad.code))

    def answer(self) -> Answer:
        """The answer as a value; only after the fields were read."""
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
        """The code chosen so far, `not_sure`, or nothing."""
        return str(self["category"].value() or "")

    @property
    def chosen_category(self) -> Category | None:
        return next((category for category in self.categories if str(category.code) == self.chosen), None)

    @property
    def is_not_sure(self) -> bool:
        return self.chosen == NOT_SURE


class SkipForm(forms.Form):
    """Why a post is passed by; nobody has to say."""

    reason = WrittenField(limit=500, required=False)


class IllegalContentForm(forms.Form):
    """What is reported; nobody has to describe it."""

    note = WrittenField(limit=2000, required=False)


def _correction(modality: Modality, value: str) -> Correction:
    if value in _HATEFUL:
        return Correction(modality, hateful=_HATEFUL[value])
    return Correction(modality, category=int(value))


def initial_of(answer: dict[str, Any]) -> dict[str, Any]:
    """What the fields hold for an answer stored as JSON (`Answer.body`), as for a first answer."""
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
    """What the fields hold for a stored label, to be corrected."""
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
