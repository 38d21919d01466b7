"""The form of a study: its TOML as text or as a file."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from moderation.domain.studies.study_file import LONGEST, BadStudy, Study, read_study
from moderation.evaluation.charts import translated

PASTED = "study.toml"
"""What a study that was not uploaded is called in messages."""


class StudyForm(forms.Form):
    """A study to be read; an uploaded file replaces the text."""

    text = forms.CharField(
        label=_("Study as TOML"),
        required=False,
        strip=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false", "dir": "ltr", "lang": "en"}),
    )
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        help_text=_("It replaces the text."),
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
        error_messages={"empty": _("The file is empty.")},
    )
    study: Study
    name: str = PASTED

    def clean(self) -> dict[str, Any]:
        """Read the study; `study` and `name` are set if it can be read."""
        values: dict[str, Any] = super().clean() or {}
        if self.errors:
            return values
        if upload := values.get("file"):
            self.name = upload.name
            values["text"] = _decoded(upload.read(4 * LONGEST + 1))
        if not values["text"].strip():
            raise ValidationError(_("Write a study, or choose a file."))
        try:
            self.study = read_study(values["text"], self.name)
        except BadStudy as bad:
            raise ValidationError(translated(bad.phrase)) from None
        return values


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValidationError(_("The file is not UTF-8: save it as UTF-8.")) from None
