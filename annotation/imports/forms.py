"""The upload form: the file, and the options for reading it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.formats.base import LabelUse, Mapped
from annotation.domain.formats.encodings import ENCODINGS
from annotation.imports.elsewhere import HTTPS
from annotation.imports.options import BadTranslation, ImportOptions, translations
from annotation.pages.form_fields import choices_of, offer
from annotation.pages.request_form import RequestForm
from vocabulary.requests import places

_LABEL_USES = choices_of(
    LabelUse,
    {
        LabelUse.INTENDED: _("the intended category"),
        LabelUse.GOLD: _("gold"),
        LabelUse.SEAT: _("one annotator's label"),
    },
)
_COLUMNS = ("text_column", "label_column", "image_column", "id_column", "annotator_column")


def _column(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=200, strip=False)


class OptionsForm(RequestForm[ImportOptions]):
    """The options for reading a file, and the meaning of its labels."""

    asks = ImportOptions
    field_order = (
        *("file", "update", "source_labels", "batch", "skip_existing", "mask", "format", "encoding", *_COLUMNS),
        *("label_is", "values", "ignore"),
    )

    text_column = _column(_("Column of the text"))
    image_column = _column(_("Column of the picture"))
    id_column = _column(_("Column of the id"))
    label_column = _column(_("Column of the label"))
    annotator_column = _column(_("Column of the annotator"))
    label_is = forms.ChoiceField(label=_("The label is"), choices=_LABEL_USES, required=False)
    values = forms.CharField(
        label=_("Names of labels"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("One per line: VALUE=CATEGORY. “hateful” and “not_hateful” give only that."),
    )
    ignore = forms.CharField(
        label=_("Columns to leave out"),
        required=False,
        max_length=10_000,
        strip=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("One per line. A column that looks like labels stops the import unless it is used or stands here."),
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
        label_is = LabelUse(given.get("label_is") or LabelUse.INTENDED)
        return super().answers() | {
            "mapped": Mapped(**columns, values=given.get("values", {}), label_is=label_is),
            "ignore": filter(None, given.get("ignore", "").splitlines()),
            "address": given.get("address", ""),
        }

    @staticmethod
    def initial_of(options: ImportOptions) -> dict[str, Any]:
        """Return the form's initial values for stored options."""
        mapped = options.mapped
        return {
            **{place.name: getattr(options, place.field) for place in places(ImportOptions)},
            **{name: getattr(mapped, name.removesuffix("_column")) for name in _COLUMNS},
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
        widget=forms.ClearableFileInput({"accept": ".jsonl,.json,.csv,.tsv,.txt,.xlsx,.xlsm,.parquet,.tar,.zip"}),
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
