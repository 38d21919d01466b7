"""The form of a project's design: the words of its question, and a row for each category."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.domain.categories import CODE_LIMIT, COLOURS, DEFINITION_LIMIT, KEYS, NAME_LIMIT
from annotation.domain.choices import Choose
from annotation.domain.design.file import QUESTION_LIMIT, BadDesign, Design, as_json, read_design
from annotation.domain.votes import Category
from annotation.pages.error_messages import refusal_sentence
from annotation.pages.form_fields import LineField
from annotation.projects.forms_questions import DesignRow, QuestionRows, in_place
from annotation.projects.templates import FILE_LIMIT, parse_design

_BLANK = 2  # rows for new categories
_PREFIX = "category"
_ROWS = 200  # of a formset, with retired categories
_COLOUR_NAMES = {
    "green": _("green"),
    "orange": _("orange"),
    "pink": _("pink"),
    "blue": _("blue"),
    "amber": _("amber"),
    "sky": _("light blue"),
    "yellow": _("yellow"),
    "grey": _("grey"),
    "violet": _("violet"),
    "brown": _("brown"),
}


class QuestionForm(forms.Form):
    """The words above the categories: one field for every language, one for each language of the pages.

    `begun_at` is the design number that the writer began with.
    """

    begun_at = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    choose = forms.ChoiceField(
        label=_("People choose"),
        choices=[(Choose.ONE, _("one category for a post")), (Choose.SEVERAL, _("one category or several"))],
        required=False,
        help_text=_(
            "With several, the final categories are those that more than half of the people chose. Methods and their "
            "evaluations judge hateful or not and one category; theirs is right if it is among the final ones."
        ),
    )

    def __init__(self, *args: Any, choice_fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if choice_fixed:
            self.fields["choose"].disabled = True
            self.fields["choose"].label = _("People choose (settled: posts have labels or categories)")
        self.fields["question_"] = LineField(
            label=_("Question, in every language"),
            max_length=QUESTION_LIMIT,
            required=False,
            help_text=_("The words above the categories. Empty: “Taken together, this post is”."),
        )
        for language, name in settings.LANGUAGES:
            self.fields[f"question_{language}"] = LineField(label=name, max_length=QUESTION_LIMIT, required=False)

    @property
    def by_language(self) -> list[forms.BoundField]:
        """The fields of the languages of the pages."""
        return [self[f"question_{language}"] for language, _name in settings.LANGUAGES]

    @property
    def has_own_words(self) -> bool:
        """Whether a language has words or errors of its own."""
        return any(field.value() or field.errors for field in self.by_language)

    def question(self) -> dict[str, str]:
        """Return the words by language code, "" for every language; only for a valid form."""
        prefix = "question_"
        fields = {name.removeprefix(prefix): words for name, words in self.cleaned_data.items() if prefix in name}
        return {language: words for language, words in fields.items() if words}


class CategoryForm(DesignRow):
    """One category. Code and hateful of a stored one are shown and stay; an empty new row is ignored."""

    code = forms.IntegerField(label=_("Code"), min_value=0, max_value=CODE_LIMIT)
    name = LineField(label=_("Name"), max_length=NAME_LIMIT, required=False)
    hateful = forms.TypedChoiceField(
        label=_("Meaning"),
        choices=[("1", _("hateful")), ("0", _("not hateful"))],
        coerce=lambda value: value == "1",
        initial="1",
    )
    definition = forms.CharField(
        label=_("Definition"), max_length=DEFINITION_LIMIT, required=False, widget=forms.Textarea({"rows": 2})
    )
    aliases = forms.CharField(
        label=_("Other names in files"),
        required=False,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_(
            "One per line. Imports read them too. Of categories with a usual name the Korean and Chinese words are "
            "read without standing here."
        ),
    )
    key = forms.ChoiceField(
        label=_("Key"), required=False, choices=[("", _("any")), *((key, key.upper()) for key in KEYS)]
    )
    colour = forms.ChoiceField(
        label=_("Colour"),
        required=False,
        choices=[("", _("by code")), *((name, _COLOUR_NAMES[name]) for name in COLOURS)],
    )
    place = forms.IntegerField(label=_("Place on the page"), min_value=0, max_value=_ROWS, required=False)
    retired = forms.BooleanField(
        label=_("Retired"), required=False, help_text=_("Nobody can choose it any more; its labels stay.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stored = bool(self.initial.get("stored"))
        if self.stored:
            self.fields["code"].widget = forms.HiddenInput()
            self.fields["hateful"].disabled = True
        else:
            del self.fields["retired"]
        self.fields["definition"].widget.attrs["dir"] = "auto"

    @property
    def category(self) -> Category:
        """The category as the form was made with it."""
        words = ("name", "key", "colour")
        return Category(
            hateful=self.initial["hateful"] == "1",
            code=self.initial["code"],
            **{word: self.initial.get(word, "") for word in words},
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not cleaned.get("name") and (self.stored or cleaned.get("definition") or cleaned.get("aliases")):
            self.add_error("name", _("Give the category a name."))
        return cleaned

    def row(self) -> dict[str, Any]:
        """Return the category as a row of a design; only for a valid form."""
        values = self.cleaned_data
        words = (alias.strip() for alias in values["aliases"].split("\n"))  # a name may hold a comma
        return {
            "code": values["code"],
            "name": values["name"],
            "hateful": values["hateful"],
            "definition": values["definition"].replace("\r\n", "\n"),
            "aliases": [alias for alias in words if alias],
            "key": values["key"],
            "colour": values["colour"],
            "retired": values.get("retired", False),
        }


class CategoryRows(forms.BaseFormSet[CategoryForm]):
    """The categories of a design, each a row."""

    def clean(self) -> None:
        filled = [form for form in self.forms if form.cleaned_data.get("name")]
        for field, message in (
            ("code", _("Another category has this code.")),
            ("name", _("Another category has this name.")),
            ("key", _("Another category has this key.")),
        ):
            self._refuse_doubles(filled, field, message)

    @staticmethod
    def _refuse_doubles(filled: list[CategoryForm], field: str, message: Any) -> None:
        earlier_values = set()
        for form in filled:
            value = str(form.cleaned_data.get(field, "")).casefold()
            if field == "key" and (not value or form.cleaned_data.get("retired")):
                continue
            if value in earlier_values:
                form.add_error(field, message)
            earlier_values.add(value)

    def rows(self) -> list[dict[str, Any]]:
        """Return the filled rows in the order of the page."""
        filled = [form for form in self.forms if form.cleaned_data.get("name")]
        return [form.row() for form in in_place(filled)]


_Rows = cast(  # Django types the class that it makes as its own base class
    type[CategoryRows],
    forms.formset_factory(CategoryForm, CategoryRows, extra=_BLANK, max_num=_ROWS, absolute_max=_ROWS),
)


def category_rows(stored: Design, shown: Design, data: Any = None) -> CategoryRows:
    """Return the formset of categories: rows of the design `shown`, then empty ones with free codes.

    `stored` is the design in force: what it has keeps its meaning. A row that was sent belongs to the category whose
    code it names, in whatever order the rows come.
    """
    codes = {category.code: category for category in stored.categories}
    if data is not None:
        posted_codes = (data.get(f"{_PREFIX}-{number}-code") for number in range(_ROWS))
        named = {str(row["code"]): _initial(None, row, codes) for row in as_json(stored)["categories"]}
        return _Rows(data, initial=[named.get(code or "", {}) for code in posted_codes], prefix=_PREFIX)
    rows = [_initial(place, row, codes) for place, row in enumerate(as_json(shown)["categories"], 1)]
    left_out = set(codes) - {row["code"] for row in rows}
    retired = Design(tuple(codes[code] for code in sorted(left_out)))
    rows += [_initial(None, row, codes) | {"retired": True, "key": ""} for row in as_json(retired)["categories"]]
    free = max((row["code"] for row in rows), default=-1) + 1
    formset = _Rows(initial=rows, prefix=_PREFIX)
    for number, form in enumerate(formset.extra_forms):
        form.initial = {**form.initial, "code": free + number}
    return formset


def _initial(place: int | None, row: dict[str, Any], stored: Any) -> dict[str, Any]:
    code = row["code"]
    hateful = stored[code].hateful if code in stored else row["hateful"]
    return {
        **row,
        "aliases": "\r\n".join(row.get("aliases", ())),
        "hateful": "1" if hateful else "0",
        "place": place,
        "stored": code in stored,
    }


def design_in(question: QuestionForm, rows: CategoryRows, further: QuestionRows | None) -> Design:
    """Return the design of valid forms. Raises BadDesign."""
    questions = {} if further is None else {"questions": further.rows()}
    choose = question.cleaned_data["choose"] or None
    return read_design({"categories": rows.rows(), "question": question.question(), "choose": choose, **questions})


class DesignFileForm(forms.Form):
    """A design file. A valid form holds the design as `cleaned_data["file"]`."""

    file = forms.FileField(label=_("Design file"), help_text=_("A JSON file. You see it first; nothing is saved yet."))

    def clean_file(self) -> Design:
        try:
            return parse_design(self.cleaned_data["file"].read(FILE_LIMIT + 1))
        except BadDesign as bad:
            raise forms.ValidationError(refusal_sentence(bad)) from bad
