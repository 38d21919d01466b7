"""Forms for perspectives and their examples."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.formats.base import Format
from annotation.pages.form_fields import LineField
from moderation.domain.predict.perspectives import CRITERIA_LIMIT
from moderation.models import Perspective
from moderation.perspectives.import_examples import HATEFUL, OTHER, ExampleColumns

_MOST_BYTES = 20 * 2**20


class WordsForm(forms.ModelForm[Perspective]):
    """The texts and the place of a perspective. `version` is the one that the form shows."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    criteria = forms.CharField(
        label=_("Criteria"),
        max_length=CRITERIA_LIMIT,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=_("By which rules this community labels. Its agent reads them as they stand here."),
    )

    class Meta:
        model = Perspective
        fields = ("name", "criteria", "hateful_label", "other_label", "order")
        labels = {
            "name": _("Name"),
            "hateful_label": _("Its label for hateful"),
            "other_label": _("Its label for not hateful"),
            "order": _("Place"),
        }

    def words(self) -> dict[str, str]:
        """Return the texts as the functions of `edit` take them."""
        return {name: self.cleaned_data[name] for name in ("name", "criteria", "hateful_label", "other_label")}


class NewForm(forms.Form):
    """A new perspective; its other texts are written on its own page."""

    code = forms.SlugField(label=_("Code"), max_length=40, help_text=_("Short, in small letters: my-forum"))
    name = LineField(label=_("Name"), max_length=80)


class ExamplesForm(forms.Form):
    """A table of labelled texts."""

    file = forms.FileField(label=_("File"), help_text=_("CSV, TSV or JSON lines with a header, up to 20 MB."))
    text_column = forms.CharField(label=_("Column of the text"), initial="text", max_length=100)
    label_column = forms.CharField(label=_("Column of the label"), initial="label", max_length=100)
    mapping = forms.CharField(
        label=_("What the labels mean"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "8=non-hateful\n*=hateful"}),
        help_text=_(
            "One per line: VALUE=hateful or VALUE=non-hateful; * stands for every other value. Not needed "
            "where the file has these words or the perspective's own two labels."
        ),
    )

    def clean_file(self) -> Any:
        """Return the file.

        Raises ValidationError if it is too large for a page; the command imports larger ones.
        """
        file = self.cleaned_data["file"]
        if file.size > _MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than 20 MB: use manage.py import_examples."))
        return file

    def clean_mapping(self) -> dict[str, str]:
        """Return the mapping as a dictionary."""
        values = {}
        for line in self.cleaned_data["mapping"].splitlines():
            if not line.strip():
                continue
            value, sign, side = (part.strip() for part in line.rpartition("="))
            if not sign or not value or side not in (HATEFUL, OTHER):
                raise forms.ValidationError(
                    _("%(line)s: write VALUE=hateful or VALUE=non-hateful."), params={"line": line[:60]}
                )
            values[value] = side
        return values

    def columns(self) -> ExampleColumns:
        """Return the columns of the table, and the meaning of the labels."""
        values = self.cleaned_data
        return ExampleColumns(values["text_column"], values["label_column"], values["mapping"], Format.AUTO)
