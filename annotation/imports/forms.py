"""The upload form: the file, and the options for reading it."""

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import SourceLabels
from annotation.domain.formats.base import Format, LabelUse, Mapped
from annotation.domain.formats.encodings import ENCODINGS
from annotation.domain.imports.redaction import Mask
from annotation.imports.elsewhere import HTTPS
from annotation.imports.options import BadTranslation, ImportOptions, Update, read_update, translations
from annotation.pages.form_fields import LineField, choices_of

FORMATS = choices_of(
    Format,
    {
        Format.AUTO: _("as its content says"),
        Format.INTERPLAY: _("Interplay JSON lines"),
        Format.JSONL: _("JSON lines of another shape"),
        Format.CSV: _("CSV"),
        Format.TSV: _("TSV"),
        Format.XLSX: _("Excel workbook (xlsx, xlsm)"),
        Format.HVLI: _("H-VLI"),
        Format.HATEFUL_MEMES: _("Hateful Memes"),
        Format.MMHS150K: _("MMHS150K"),
        Format.HATEXPLAIN: _("HateXplain"),
        Format.LABEL_STUDIO: "Label Studio (JSON, JSON-MIN, CSV)",
        Format.DOCCANO: _("doccano (JSON lines, or a ZIP with a file for each annotator)"),
        Format.PARQUET: _("Parquet"),
        Format.IMAGEFOLDER: _("ImageFolder (a ZIP of pictures with a table, or in class folders)"),
        Format.WEBDATASET: _("WebDataset (one tar shard)"),
    },
)
_SOURCE_LABELS = choices_of(
    SourceLabels,
    {
        SourceLabels.SEATS: _("fill seats"),
        SourceLabels.INTENDED: _("become the intended category, where unanimous"),
    },
)
_LABEL_USES = choices_of(
    LabelUse,
    {
        LabelUse.INTENDED: _("the intended category"),
        LabelUse.GOLD: _("gold"),
        LabelUse.SEAT: _("one annotator's label"),
    },
)
_UPDATES = (("", _("new items")), *choices_of(Update, {Update.FILL: _("what is missing of items that are here")}))
_MASKS = choices_of(
    Mask,
    {
        Mask.HANDLES: _("handles (@name)"),
        Mask.URLS: _("web addresses"),
        Mask.EMAILS: _("e-mail addresses"),
        Mask.PHONES: _("telephone numbers"),
    },
)
_COLUMNS = ("text_column", "label_column", "image_column", "id_column", "annotator_column")


def _column(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=200, strip=False)


class OptionsForm(forms.Form):
    """The options for reading a file, and the meaning of its labels."""

    update = forms.ChoiceField(
        label=_("The file contains"),
        choices=_UPDATES,
        required=False,
        help_text=_("Pictures, priors, intents, words of pictures and known answers come where there are none."),
    )
    source_labels = forms.ChoiceField(label=_("Labels in the file"), choices=_SOURCE_LABELS, required=False)
    batch = forms.CharField(
        label=_("Batch"), required=False, max_length=100, help_text=_("For rows that name none; items open by batch.")
    )
    skip_existing = forms.BooleanField(label=_("Skip rows whose id already exists"), required=False)
    mask = forms.MultipleChoiceField(
        label=_("Mask in texts"), choices=_MASKS, required=False, widget=forms.CheckboxSelectMultiple
    )
    format = forms.ChoiceField(label=_("Format"), choices=FORMATS, required=False)
    encoding = forms.ChoiceField(
        label=_("Encoding"), choices=[("", "UTF-8"), *list(ENCODINGS.items())[1:]], required=False
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
    seats_from_data = forms.BooleanField(label=_("Rows may have more labels than seats"), required=False)
    table = forms.CharField(
        label=_("Table in the ZIP"), required=False, max_length=512, help_text=_("Where it holds several.")
    )
    sheet = forms.CharField(
        label=_("Sheet of the workbook"), required=False, max_length=200, help_text=_("Else the first with rows.")
    )
    source = LineField(label=_("Source"), required=False, max_length=500)
    licence = LineField(label=_("Licence"), required=False, max_length=200)

    MAIN = ("update", "source_labels", "batch", "skip_existing", "mask")

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MAIN]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.MAIN and field.name != "file"]

    def clean_values(self) -> dict[str, str]:
        """Parse the mapping of values. A line without = is refused."""
        try:
            return translations(filter(None, self.cleaned_data["values"].splitlines()))
        except BadTranslation as fault:
            raise forms.ValidationError(
                _("“%(line)s” is not of the form VALUE=CATEGORY."),
                code="bad_mapping",
                params={"line": str(fault)[:60]},
            ) from fault

    def options(self) -> ImportOptions:
        """Return the options; the form must be valid."""
        cleaned = self.cleaned_data
        columns = {name.removesuffix("_column"): cleaned[name] for name in _COLUMNS}
        label_is = LabelUse(cleaned["label_is"] or LabelUse.INTENDED)
        return ImportOptions(
            format=Format(cleaned["format"] or Format.AUTO),
            mapped=Mapped(**columns, values=cleaned["values"], label_is=label_is),
            source_labels=SourceLabels(cleaned["source_labels"] or SourceLabels.SEATS),
            update=read_update(cleaned["update"]),
            masks=frozenset(Mask(kind) for kind in cleaned["mask"]),
            skip_existing=cleaned["skip_existing"],
            seats_from_data=cleaned["seats_from_data"],
            table=cleaned["table"],
            batch=cleaned["batch"],
            source=cleaned["source"],
            licence=cleaned["licence"],
            encoding=cleaned["encoding"],
            sheet=cleaned["sheet"],
            ignore=frozenset(name for name in cleaned["ignore"].splitlines() if name),
        )

    @staticmethod
    def initial_of(options: ImportOptions) -> dict[str, Any]:
        """Return the form's initial values for stored options."""
        mapped = options.mapped
        return {
            **{name: getattr(mapped, name.removesuffix("_column")) for name in _COLUMNS},
            "ignore": "\n".join(sorted(options.ignore)),
            "values": "\n".join(f"{value}={category}" for value, category in mapped.values.items()),
            "label_is": mapped.label_is,
            "format": options.format,
            "source_labels": options.source_labels,
            "update": options.update or "",
            "mask": sorted(options.masks),
            **{
                name: getattr(options, name)
                for name in (
                    "skip_existing",
                    "encoding",
                    "sheet",
                    "seats_from_data",
                    "table",
                    "batch",
                    "source",
                    "licence",
                )
            },
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
    field_order = ("file",)

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [field for field in super().more_fields if field.name != "address"]

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

    def options(self) -> ImportOptions:
        """Return the options; the form must be valid."""
        return replace(super().options(), address=self.cleaned_data["address"])
