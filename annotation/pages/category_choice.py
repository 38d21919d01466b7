"""The choice of a category in a form, or of several where the project's answers may name several."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.domain.categories import CODE_LIMIT
from annotation.domain.category_sets import BadSet, as_stored, check_together
from annotation.domain.choices import Choose
from annotation.models import Category
from annotation.pages.error_messages import sentence_for
from annotation.pages.form_fields import offer


class CategoryChoice(forms.Form):
    """One of the project's categories, drawn by the page; with `several`, any number of them as `categories`.

    `words` are choices of `category` that are no category, such as *not sure*.
    """

    category = forms.ChoiceField(required=False)

    def __init__(
        self,
        *args: Any,
        categories: Iterable[Category],
        choose: str = Choose.ONE,
        words: Iterable[tuple[str, Any]] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.categories = tuple(categories)
        self.several = choose == Choose.SEVERAL
        codes = [(str(category.code), category.name) for category in self.categories]
        offer(self, "category", [*codes, *words])
        self.fields["category"].error_messages |= {
            "required": _("Choose a category."),
            "invalid_choice": _("“%(value)s” is no category of this project."),
        }
        if self.several:
            self.fields["categories"] = forms.MultipleChoiceField(
                required=False, choices=codes, error_messages=self.fields["category"].error_messages
            )

    def require_category(self) -> None:
        """Refuse the form without a category."""
        self.fields["categories" if self.several else "category"].required = True

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        self._name_retired()
        try:
            check_together([row.value() for row in self.rows()], Choose.SEVERAL if self.several else Choose.ONE)
        except BadSet as bad:
            self.add_error("categories", forms.ValidationError(sentence_for(bad.code, bad.sentence), bad.code))
        return values

    def _name_retired(self) -> None:
        """Say by its name where a category was chosen that an admin has retired since the page was shown."""
        for errors in self.errors.as_data().values():
            for error in errors:
                code = str((error.params or {}).get("value", ""))
                if error.code == "invalid_choice" and (retired := self._retired(code)) is not None:
                    error.message = _("“%(name)s” (%(value)s) is no longer in use: choose another category.")
                    error.params = {"name": retired.name, "value": code}

    def _retired(self, code: str) -> Category | None:
        if not (self.categories and code.isascii() and code.isdecimal() and len(code) <= len(str(CODE_LIMIT))):
            return None
        rows = Category.objects.filter(project=self.categories[0].project_id, code=int(code))
        return rows.exclude(retired_at=None).first()

    @property
    def chosen(self) -> str:
        """The code or word chosen so far in `category`, or nothing."""
        return str(self["category"].value() or "")

    @property
    def all_chosen(self) -> tuple[str, ...]:
        """The codes and words chosen so far."""
        several = self["categories"].value() or () if self.several else ()
        return tuple(dict.fromkeys([*map(str, several), *([self.chosen] if self.chosen else [])]))

    @property
    def chosen_categories(self) -> list[Category]:
        """The categories chosen so far, in the order of the page."""
        chosen = self.all_chosen
        return [category for category in self.categories if str(category.code) in chosen]

    def rows(self) -> list[Category]:
        """Return the categories that were chosen, by code; only after the fields were read."""
        chosen = {self.cleaned_data.get("category"), *self.cleaned_data.get("categories", ())}
        rows = [category for category in self.categories if str(category.code) in chosen]
        return sorted(rows, key=lambda category: category.code)

    def category_row(self) -> Category | None:
        """Return the first of the categories that were chosen; only after the fields were read."""
        return next(iter(self.rows()), None)

    def stored_codes(self) -> list[int]:
        """Return the codes of several categories as rows keep them; only after the fields were read."""
        return as_stored(category.code for category in self.rows())


def typed(data: QueryDict) -> dict[str, Any]:
    """Return what was typed so far as initial values of a form."""
    return data.dict() | {"categories": data.getlist("categories")}


def initial_choice(codes: Iterable[int], word: str = "") -> dict[str, Any]:
    """Return the initial values for a stored choice: its codes, or the word where it has none."""
    shown = [str(code) for code in codes]
    return {"category": word or next(iter(shown), ""), "categories": shown}
