"""The rows of further questions in the form of a project's design.

Words in several languages stand in one field: `How bad? | ko: 얼마나 심합니까?`, first those for every other language.
"""

import re
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.design.file import Design
from annotation.domain.questions.design_rows import KEYS, LONGEST_ANSWER, POINTS, question_row, when_row
from annotation.domain.questions.question import Asked, Question, QuestionKind
from annotation.pages.form_fields import LineField

PREFIX = "question"
_ROWS = 100  # of a formset, with retired questions
_BLANK = 2  # rows for new questions
_LANGUAGE = re.compile(r"\s*\|\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*:\s*")
_LINE_END = re.compile(r"\s*\n\s*")
_OF_KIND = {
    QuestionKind.ONE: ("options",),
    QuestionKind.MANY: ("options",),
    QuestionKind.SCALE: ("points", "low", "high"),
    QuestionKind.TEXT: ("limit",),
    QuestionKind.SPAN: (),
}
KIND_NAMES = {
    QuestionKind.ONE: _("one of a list"),
    QuestionKind.MANY: _("several of a list"),
    QuestionKind.SCALE: _("a scale"),
    QuestionKind.TEXT: _("a short text"),
    QuestionKind.SPAN: _("parts of the post's text"),
}


def written(words: str | dict[str, str]) -> str:
    """Return words as the field shows them."""
    by_language = {"": words} if isinstance(words, str) else words
    others = (f"| {language}: {text}" for language, text in by_language.items() if language)
    return " ".join([by_language.get("", ""), *others]).strip()


def read(field: str) -> dict[str, str]:
    """Return the words of a field by language code."""
    everywhere, *others = _LANGUAGE.split(_LINE_END.sub(" ", field))
    words = {"": everywhere.strip()} | dict(zip(others[::2], others[1::2], strict=True))
    return {language: text for language, text in words.items() if text.strip()}


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
    options = forms.CharField(
        label=_("Options"),
        required=False,
        widget=forms.Textarea({"rows": 4, "dir": "auto"}),
        help_text=_("One per line: migrants = People who moved here. A line that you remove is retired."),
    )
    points = forms.TypedChoiceField(
        label=_("Points of the scale"),
        required=False,
        choices=[(str(points), str(points)) for points in POINTS],
        coerce=int,
        initial="5",
    )
    low = LineField(label=_("What its first point means"), required=False)
    high = LineField(label=_("What its last point means"), required=False)
    limit = forms.IntegerField(
        label=_("Most characters of the text"), required=False, min_value=1, max_value=LONGEST_ANSWER
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
        self.stored: Question | None = self.initial.get("stored")
        if self.stored is None:
            del self.fields["retired"]
            return
        self.fields["code"].widget = forms.HiddenInput()
        self.fields["kind"].disabled = True
        for kind, names in _OF_KIND.items():
            for name in names:
                if kind != self.stored.kind and name not in _OF_KIND[self.stored.kind]:
                    self.fields.pop(name, None)

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
        for name in _OF_KIND[QuestionKind(values["kind"])]:
            if name == "options":
                row[name] = [_read_option(line) for line in values[name].split("\n") if line.strip()]
            elif name in ("low", "high"):
                row[name] = read(values[name])
            elif values.get(name):
                row[name] = values[name]
        return row


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
    words: dict[str, Any] = {name: written(row[name]) for name in ("wording", "help", "low", "high") if name in row}
    return {
        **row,
        **words,
        "options": "\r\n".join(
            _written_option(option) for option in row.get("options", ()) if not option.get("retired")
        ),
        "when": str(question.when.asked),
        "categories": ", ".join(str(code) for code in when) if isinstance(when, list) else "",
        "place": place,
        "stored": stored.get(question.code),
    }


def _written_option(option: dict[str, Any]) -> str:
    return f"{option['code']} = {written(option['name'])}" if option.get("name") else option["code"]


def _read_option(line: str) -> dict[str, Any]:
    code, _equals, name = line.partition("=")
    return {"code": code.strip(), "name": read(name)}
