"""The rows of further questions in the form of a project's design."""

from collections.abc import Iterable
from typing import Any, TypeVar, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.design.file import Design
from annotation.domain.questions.design_rows import KEYS, question_row, when_row
from annotation.domain.questions.kinds.registry import KINDS, kind_of
from annotation.domain.questions.question import Asked, Question, QuestionKind
from annotation.pages.form_fields import LineField
from annotation.projects.question_fields import OWN_FIELDS, form_field, in_design, in_form, read, written

PREFIX = "question"
_ROWS = 100  # of a formset, with retired questions
_BLANK = 2  # rows for new questions
KIND_NAMES = {kind: _(KINDS[kind].name) for kind in QuestionKind}
_OF_EVERY_KIND = ("code", "kind", "wording", "help")  # before what only some have


class DesignRow(forms.Form):
    """A row of the design's page."""

    @property
    def is_edited(self) -> bool:
        """Whether somebody wrote into the row; its place and a suggested code count for nothing."""
        return self.is_bound and not {"place", "code"}.issuperset(self.changed_data)


Row = TypeVar("Row", bound=DesignRow)


def in_place(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by their place on the page; those without one come last."""
    return sorted(rows, key=lambda row: _ROWS + 1 if (place := row.cleaned_data.get("place")) is None else place)


class QuestionRow(DesignRow):
    """One further question. Code and kind of a stored one stay; an empty new row is ignored."""

    code = forms.CharField(
        label=_("Code"), required=False, help_text=_("Small letters, digits, _ and -. It stands in labels for good.")
    )
    kind = forms.ChoiceField(label=_("The answer is"), choices=list(KIND_NAMES.items()), initial=QuestionKind.SCALE)
    wording = LineField(
        label=_("Wording"),
        required=False,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("For a language of its own: How bad? | ko: 얼마나 심합니까?"),
    )
    help = forms.CharField(
        label=_("Help"),
        required=False,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("Stands under the question."),
    )
    when = forms.ChoiceField(
        label=_("Asked"),
        choices=[
            (str(Asked.ALWAYS), _("always")),
            (str(Asked.HATEFUL), _("beside hateful categories")),
            (str(Asked.CATEGORIES), _("beside these categories")),
        ],
        initial=str(Asked.ALWAYS),
    )
    categories = forms.RegexField(
        r"[0-9, ]*",
        label=_("Codes of these categories"),
        required=False,
        help_text=_("Separated by commas: 1, 2"),
        error_messages={"invalid": _("Codes are whole numbers, separated by commas.")},
    )
    key = forms.ChoiceField(
        label=_("Key"), required=False, choices=[("", _("any")), *((key, key.upper()) for key in KEYS)]
    )
    place = forms.IntegerField(label=_("Place on the page"), min_value=0, max_value=_ROWS, required=False)
    required = forms.BooleanField(
        label=_("Required"), required=False, help_text=_("A post with a category cannot be sent without an answer.")
    )
    retired = forms.BooleanField(
        label=_("Retired"), required=False, help_text=_("It is not asked any more; its answers stay.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {name: form_field(field) for name, field in OWN_FIELDS.items()}
        self.order_fields([*_OF_EVERY_KIND, *OWN_FIELDS])
        self.stored: Question | None = self.initial.get("stored")
        if self.stored is None:
            del self.fields["retired"]
            return
        self.fields["code"].widget = forms.HiddenInput()
        self.fields["kind"].disabled = True
        for name in OWN_FIELDS.keys() - {field.name for field in kind_of(self.stored).fields}:
            del self.fields[name]

    @property
    def lacks_key(self) -> bool:
        """Whether it is asked and got no key, since categories and other questions have them all."""
        return self.stored is not None and not self.stored.retired and not self.stored.key

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written into a new row."""
        values = self.cleaned_data
        return self.stored is None and not any(values.get(name) for name in ("code", "wording", "help", "options"))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not cleaned.get("code") and not self.is_empty:
            self.add_error("code", _("Give the question a code."))
        return cleaned

    def row(self) -> dict[str, Any]:
        """Return the question as a row of a design; only for a valid form."""
        values = self.cleaned_data
        row: dict[str, Any] = {name: values[name] for name in ("code", "kind", "key", "required")}
        row |= {name: read(values[name]) for name in ("wording", "help")}
        row["retired"] = values.get("retired", False)
        row["when"] = values["when"]
        if values["when"] == Asked.CATEGORIES:
            row["when"] = [int(code) for code in values["categories"].replace(",", " ").split()]
        own = {field.name: in_design(field, values[field.name]) for field in KINDS[QuestionKind(values["kind"])].fields}
        return row | {name: value for name, value in own.items() if value is not None}


class QuestionRows(forms.BaseFormSet[QuestionRow]):
    """The rows of all questions, then empty ones."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the filled rows in the order of the page."""
        filled = [form for form in self.forms if not form.is_empty]
        return [form.row() for form in in_place(filled)]


_Rows = cast(  # Django types the class that it makes as its own base class
    type[QuestionRows],
    forms.formset_factory(QuestionRow, QuestionRows, extra=_BLANK, max_num=_ROWS, absolute_max=_ROWS),
)


def question_rows(stored: Design, shown: Design, data: Any = None) -> QuestionRows | None:
    """Return the formset of questions: rows of the design `shown`, then those that it would retire, then empty ones.

    `stored` is the design in force: what it has keeps its kind.
    Returns None for a form that was sent without questions.
    """
    in_force = {question.code: question for question in stored.questions or ()}
    if data is not None:
        if f"{PREFIX}-TOTAL_FORMS" not in data:
            return None
        posted_codes = (data.get(f"{PREFIX}-{number}-code") or "" for number in range(_ROWS))
        initial = [_initial(None, in_force[code], in_force) if code in in_force else {} for code in posted_codes]
        return _Rows(data, initial=initial, prefix=PREFIX)
    questions = shown.questions if shown.questions is not None else stored.questions
    rows = [_initial(place, question, in_force) for place, question in enumerate(questions or (), 1)]
    left_out = set(in_force) - {row["code"] for row in rows}
    rows += [_initial(None, in_force[code], in_force) | {"retired": True, "key": ""} for code in sorted(left_out)]
    return _Rows(initial=rows, prefix=PREFIX)


def _initial(place: int | None, question: Question, stored: dict[str, Question]) -> dict[str, Any]:
    row = question_row(question)
    when = when_row(question.when)
    words: dict[str, Any] = {name: written(row[name]) for name in ("wording", "help") if name in row}
    own = {field.name: in_form(field, row[field.name]) for field in kind_of(question).fields if field.name in row}
    return {
        **row,
        **words,
        **own,
        "when": str(question.when.asked),
        "categories": ", ".join(str(code) for code in when) if isinstance(when, list) else "",
        "place": place,
        "stored": stored.get(question.code),
    }
