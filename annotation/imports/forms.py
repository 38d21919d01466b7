"""The upload form: the file, and the options for reading it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.formats.base import LabelUse, Mapped
from annotation.domain.formats.encodings import ENCODINGS
from annotation.domain.formats.labels.category_columns import named_columns
from annotation.imports.elsewhere import HTTPS
from annotation.imports.mapping_form import LABEL_USES
from annotation.imports.options import BadTranslation, ImportOptions, translations
from annotation.pages.form_fields import offer
from annotation.pages.request_form import RequestForm
from vocabulary.requests import places

_COLUMNS = ("text_column", "label_column", "image_column", "id_column", "annotator_column")

_ENDINGS = ".jsonl,.json,.csv,.tsv,.txt,.xlsx,.xlsm,.parquet,.feather,.zst,.tar,.zip"


def _column(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=200, strip=False)


class OptionsForm(RequestForm[ImportOptions]):
    """The options for reading a file, and the meaning of its labels."""

    asks = ImportOptions
    field_order = (
        *("file", "update", "source_labels", "batch", "skip_existing", "mask", "format", "encoding", *_COLUMNS),
        *("raters", "category_columns", "none_is", "answer_columns", "label_is", "values", "keep", "ignore"),
    )

    text_column = _column(_("Column of the text"))
    image_column = _column(_("Column of the picture"))
    id_column = _column(_("Column of the id"))
    label_column = _column(_("Column of the label"))
    annotator_column = _column(_("Column of the annotator"))
    raters = forms.CharField(
        label=_("Columns of one annotator each"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("One per line. Each holds the labels of one person, who is called as the column is."),
    )
    category_columns = forms.CharField(
        label=_("Columns of one category each"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("One per line: NAME, or NAME=CATEGORY. Each holds 1 where the post has that category, else 0."),
    )
    none_is = forms.CharField(
        label=_("A row without a 1 is"),
        required=False,
        max_length=200,
        help_text=_("A category, or “skip”: it has no label."),
    )
    answer_columns = forms.CharField(
        label=_("Columns of answers"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("One per line, for labels of people: NAME=QUESTION, or NAME=QUESTION.OPTION for 0 and 1."),
    )
    label_is = forms.ChoiceField(label=_("The label is"), choices=LABEL_USES, required=False)
    values = forms.CharField(
        label=_("Names of labels"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("One per line: VALUE=CATEGORY. “hateful” and “not_hateful” give only that."),
    )
    keep = forms.CharField(
        label=_("Columns to keep as they are"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_(
            "One per line; * for all. Unknown columns are kept anyway; here stand those that look like labels."
        ),
    )
    ignore = forms.CharField(
        label=_("Columns to leave out"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_(
            "One per line; * leaves out all that the site does not know. A column that looks like labels stops the "
            "import unless it is used, kept, or stands here."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "encoding", [("", "UTF-8"), *list(ENCODINGS.items())[1:]])

    @property
    def more_fields(self) -> list[forms.BoundField]:
        main = {field.name for field in self.ungrouped}
        return [field for field in self if field.name not in main and field.name not in ("file", "address")]

    def clean_values(self) -> dict[str, str]:
        """Parse the mapping of values. A line without = is refused."""
        try:
            return translations(filter(None, self.cleaned_data["values"].splitlines()))
        except BadTranslation as fault:
            raise forms.ValidationError(
                _("“%(line)s” is not of the form VALUE=CATEGORY."), code="bad_mapping", params={"line": str(fault)[:60]}
            ) from fault

    def answers(self) -> dict[str, Any]:
        """Return the valid values, with those that only files have."""
        given = self.cleaned_data
        columns = {name.removesuffix("_column"): given.get(name, "") for name in _COLUMNS}
        raters = tuple(filter(None, given.get("raters", "").splitlines()))
        label_is = LabelUse(given.get("label_is") or LabelUse.INTENDED)
        return super().answers() | {
            "mapped": Mapped(
                **columns,
                raters=raters,
                category_columns=named_columns(filter(None, given.get("category_columns", "").splitlines())),
                none_is=given.get("none_is", ""),
                answer_columns=named_columns(filter(None, given.get("answer_columns", "").splitlines())),
                values=given.get("values", {}),
                label_is=label_is,
            ),
            **{name: filter(None, given.get(name, "").splitlines()) for name in ("keep", "ignore")},
            "address": given.get("address", ""),
        }

    @staticmethod
    def initial_of(options: ImportOptions) -> dict[str, Any]:
        """Return the form's initial values for stored options."""
        mapped = options.mapped
        return {
            **{place.name: getattr(options, place.field) for place in places(ImportOptions)},
            **{name: getattr(mapped, name.removesuffix("_column")) for name in _COLUMNS},
            "raters": "\n".join(mapped.raters),
            "category_columns": "\n".join(f"{name}={category}" for name, category in mapped.category_columns.items()),
            "none_is": mapped.none_is,
            "answer_columns": "\n".join(f"{name}={code}" for name, code in mapped.answer_columns.items()),
            "keep": "\n".join(sorted(options.keep)),
            "ignore": "\n".join(sorted(options.ignore)),
            "values": "\n".join(f"{value}={category}" for value, category in mapped.values.items()),
            "label_is": mapped.label_is,
            "mask": sorted(options.masks),
        }


class UploadForm(OptionsForm):
    """A file and its options. An empty file is accepted here: the reader reports what is wrong with it."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        help_text=_("A table, or a ZIP of a table and its pictures."),
        widget=forms.ClearableFileInput({"accept": _ENDINGS}),
    )
    address = forms.CharField(
        label=_("Or its https address"),
        required=False,
        max_length=2_000,
        help_text=_("It is fetched from the public Internet, up to 100 MB."),
    )

    def clean_address(self) -> str:
        """Accept an https address only."""
        address: str = self.cleaned_data["address"].strip()
        if address and address[: len(HTTPS)].lower() != HTTPS:
            raise forms.ValidationError(_("Write an address that begins with https://."), code="bad_address")
        return f"{HTTPS}{address[len(HTTPS) :]}" if address else ""

    def clean(self) -> dict[str, Any]:
        """Refuse a form without a file and an address, or with both."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("file") is None and not cleaned.get("address") and not self.errors:
            self.add_error(
                "file", forms.ValidationError(self.fields["file"].error_messages["required"], code="required")
            )
        elif cleaned.get("file") is not None and cleaned.get("address"):
            sentence = _("Choose a file or write an address, not both.")
            self.add_error("address", forms.ValidationError(sentence, code="two_files"))
        return cleaned
