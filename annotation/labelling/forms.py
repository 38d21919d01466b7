"""Forms of the annotator's page: answer, skip, report of illegal content."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast
from uuid import uuid4

from django import forms
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotation.assignment.outcomes import KeyReused
from annotation.domain.answer import TARGET_GROUP_LIMIT, Answer, BadAnswer, Correction, check, read_seconds
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Modality
from annotation.domain.questions.question import Question
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.labelling.further_answers import QuestionOnPage, on_page, raw_answers
from annotation.labelling.own_history import ALL, LOW_QUALITY, NOTE, SKIP, Wanted
from annotation.models import Category, Label
from annotation.pages.category_choice import CategoryChoice, initial_choice, typed
from annotation.pages.error_messages import reads_english, sentence_for
from annotation.pages.form_fields import LineField, WrittenField

Outcome = TypeVar("Outcome")

NOT_SURE = "not_sure"
"""The choice next to the categories: one cannot be sure and unsure at once, so they share one field."""
_HATEFUL = {"hateful": True, "not_hateful": False}


class SecondsField(forms.Field):
    """The working time that a browser counted. What is no such time is left out: the answer itself is not at fault."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> float | None:
        try:
            return read_seconds(float(value or "nan"))
        except (TypeError, ValueError):
            return None


class AnswerForm(CategoryChoice):
    """A category (or several) or *not sure*, low quality, note, target group, challenged priors, further answers.

    `questions` are every version of them; a page shows those in force, or those that the sent form was made with.
    `key` is made with the form and stays with it, so that a form sent twice is recognised. `seconds` is the time
    that the page was visible, counted by the browser; without JavaScript it stays empty.
    """

    low_quality = forms.BooleanField(required=False)
    target_group = LineField(required=False, max_length=TARGET_GROUP_LIMIT, strip=True)
    note = forms.CharField(required=False, max_length=NOTE_LIMIT, strip=True)
    key = forms.UUIDField(widget=forms.HiddenInput)
    seconds = SecondsField(required=False)

    def __init__(self, *args: Any, questions: Sequence[Question] = (), **kwargs: Any) -> None:
        super().__init__(*args, words=[(NOT_SURE, _("Not sure"))], **kwargs)
        self.questions = tuple(questions)
        for modality in Modality:
            self.fields[f"challenge_{modality}"] = forms.ChoiceField(required=False, choices=self._challenges)
        if not self.is_bound:
            self.initial.setdefault("key", uuid4())

    def _challenges(self) -> list[tuple[str, Any]]:
        """Return what a prior may be challenged to mean; asked for only where one is."""
        codes = [(str(category.code), category.name) for category in self.categories]
        return [("", ""), ("hateful", _("hateful")), ("not_hateful", _("not hateful")), *codes]

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

    @cached_property
    def further(self) -> list[QuestionOnPage]:
        """Return the further questions of the page with the answers so far."""
        if not self.questions:
            return []
        data = cast(QueryDict, self.data) if self.is_bound else self.initial.get("sent")
        stored = self.initial.get("answers", {})
        return on_page(self.questions, data, stored, [category.value() for category in self.chosen_categories])

    def refuse(self, bad: BadAnswer) -> None:
        """Add the error of an answer that cannot be stored, at its field where the page has that field."""
        sentence = sentence_for(bad.code, bad.sentence)
        question = next((question for question in self.further if bad.field == f"answers.{question.code}"), None)
        if question is not None:
            if not reads_english():
                sentence = f"{question.question.lead(question.language)} {sentence}"
            question.is_wrong = True
        self.add_error(bad.field if bad.field in self.fields else None, forms.ValidationError(sentence, bad.code))

    def answer(self) -> Answer:
        """Return the answer as a value; only for a validated form."""
        values = self.cleaned_data
        category = self.category_row()
        return Answer(
            category=category.code if category else None,
            categories=tuple(self.stored_codes()),
            not_sure=values["category"] == NOT_SURE,
            low_quality=values["low_quality"],
            target_group=values["target_group"],
            note=values["note"],
            corrections=tuple(
                _correction(modality, values[f"challenge_{modality}"])
                for modality in Modality
                if values[f"challenge_{modality}"]
            ),
            answers=raw_answers(self.further),
        )

    @property
    def is_untouched(self) -> bool:
        """Whether it shows no answer and asks no further question, as for most new posts."""
        return not (self.is_bound or self.questions) and self.initial.keys() == {"key"}

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
    codes = codes_of(answer.get("category"), answer.get("categories", ()))
    initial: dict[str, Any] = {
        **initial_choice(codes, NOT_SURE if answer.get("not_sure") else ""),
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
        **initial_choice(label.codes, NOT_SURE if label.not_sure else ""),
        "low_quality": label.low_quality,
        "target_group": label.target_group,
        "note": label.note,
    }
    initial["answers"] = label.answers
    for challenge in label.challenges:
        initial[f"challenge_{challenge['modality']}"] = _challenge(challenge.get("category"), challenge.get("hateful"))
    return initial


def initial_of_typed(data: QueryDict) -> dict[str, Any]:
    """Return the initial field values for a page that comes again with what was typed so far."""
    return {**typed(data), "sent": data}


def _challenge(category: int | None, hateful: bool | None) -> str:
    if category is not None:
        return str(category)
    if hateful is None:
        return ""
    return "hateful" if hateful else "not_hateful"


class HistoryForm(forms.Form):
    """Which part of their history somebody wants to see."""

    q = forms.CharField(label=_("Words of the post"), max_length=200, required=False)
    kind = forms.ChoiceField(label=_("Show"), required=False)

    def __init__(self, *args: Any, categories: Sequence[Category], **kwargs: Any) -> None:
        """Offer the categories of the project, and what else an answer may be."""
        super().__init__(*args, **kwargs)
        kinds = {NOT_SURE: _("Not sure"), LOW_QUALITY: _("Low quality"), NOTE: _("Note"), SKIP: _("Skipped posts")}
        codes = [(str(category.code), f"{category.code} {category.name}") for category in categories]
        cast("forms.ChoiceField", self.fields["kind"]).choices = [("", _("All")), *codes, *kinds.items()]

    @property
    def wanted(self) -> Wanted:
        """What is asked for; all of it where the fields say nothing that is known."""
        return Wanted(self.cleaned_data["kind"], self.cleaned_data["q"]) if self.is_valid() else ALL

    @property
    def is_narrowed(self) -> bool:
        return self.wanted != ALL
