"""Forms for a version of the guidelines and its examples."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.guidelines.versions import Example
from annotation.models import Category, Guideline, Project
from annotation.pages.form_fields import LineField, WrittenField
from annotation.projects.forms_settings import GUIDELINE_LIMIT

EXAMPLE_LIMIT = 2000
"""Characters of an example's text, and of its reason."""
EXAMPLES = 50
_BLANK = 2  # rows for new examples


class _LinesField(WrittenField):
    """A text field that turns the browser's line ends into those of Markdown."""

    def to_python(self, value: Any) -> Any:
        given = super().to_python(value)
        return given.replace("\r\n", "\n") if isinstance(given, str) else given


class GuidelineForm(forms.Form):
    """A new version of the guidelines; `begun_at` is the number of the version that the writer began with."""

    text = _LinesField(
        label=_("Guidelines"),
        limit=GUIDELINE_LIMIT,
        rows=20,
        strip=False,
        help_text=_("Markdown: # headings, - lists, **bold**, tables. Say what each category is and what it is not."),
    )
    summary = LineField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("One sentence for those who know the version before."),
    )
    asks_reading = forms.BooleanField(
        label=_("Ask annotators to read it before they continue"),
        required=False,
        initial=True,
        help_text=_("Not needed for a corrected spelling. People who join later are not asked."),
    )
    begun_at = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].widget.attrs["class"] = "is-page"

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        asks = cleaned.get("begun_at") and cleaned.get("asks_reading") and "preview" not in self.data
        if asks and not cleaned.get("summary", "-").strip():
            self.add_error("summary", _("Say in one sentence what changed, for those who are asked to read it."))
        return cleaned


class ExampleForm(forms.Form):
    """A worked example; an empty row is ignored."""

    text = _LinesField(label=_("Text"), limit=EXAMPLE_LIMIT, required=False)
    category = forms.ModelChoiceField(Category.objects.none(), label=_("Category"), required=False)
    why = _LinesField(label=_("Why"), limit=EXAMPLE_LIMIT, required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["category"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = project.categories.offered()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("text", "").strip() and not cleaned.get("category") and "category" not in self.errors:
            self.add_error("category", _("Choose the category of this example."))
        if not cleaned.get("text", "").strip() and (cleaned.get("category") or cleaned.get("why", "").strip()):
            self.add_error("text", _("Write the example, or empty its row."))
        return cleaned


_Examples = forms.formset_factory(ExampleForm, extra=_BLANK, max_num=EXAMPLES, validate_max=True, absolute_max=200)


def example_forms(project: Project, newest: Guideline | None, data: Any = None) -> Any:
    """Return the formset of examples: those of the newest version and empty rows."""
    initial = []
    if data is None and newest is not None:
        rows = newest.examples.all()
        initial = [{"text": row.text, "category": row.category_id, "why": row.why} for row in rows]
    return _Examples(data, initial=initial, form_kwargs={"project": project}, prefix="example")


def examples_in(rows: Any) -> list[Example]:
    """Return the examples of valid rows without the empty ones."""
    filled = [row.cleaned_data for row in rows if row.cleaned_data.get("text", "").strip()]
    return [Example(row["text"], row["category"], row["why"]) for row in filled]
