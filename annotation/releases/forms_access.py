"""Forms for published releases: their terms of access, and requests for access."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.releases.provenance import Annotators
from annotation.domain.text_rules import BadText, read_text
from annotation.models import ReleaseTerms
from annotation.pages.form_fields import LineField

MAX_LINES = 100
_ANNOTATORS = (
    (Annotators.UNSTATED, _("not said")),
    (Annotators.EXPERTS, _("people trained for it, or of the field")),
    (Annotators.CROWD, _("a crowd")),
)


class AskForm(forms.Form):
    """Who requests a release, and for what purpose."""

    name = LineField(label=_("Your name"), max_length=120)
    email = forms.EmailField(
        label=_("E-mail address"), max_length=254, help_text=_("Only for questions about this, and for the answer.")
    )
    affiliation = LineField(label=_("Affiliation"), max_length=200)
    purpose = forms.CharField(
        label=_("What you want it for"), max_length=2000, widget=forms.Textarea(attrs={"rows": 5})
    )

    def clean(self) -> dict[str, Any]:
        """Refuse texts that show nothing or that the database cannot store."""
        cleaned = super().clean() or self.cleaned_data
        for name in ("name", "affiliation", "purpose"):
            if name in cleaned:
                try:
                    cleaned[name] = read_text(cleaned[name], 2000)
                except BadText as fault:
                    self.add_error(name, fault.sentence)
        return cleaned


class TermsForm(forms.Form):
    """Terms that apply to all releases of a project."""

    authors = forms.CharField(
        label=_("Authors"), required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("A name on each line, as they are to be cited; none: the project's name."),
    )  # fmt: skip
    annotators = forms.ChoiceField(
        label=_("Who annotated"), required=False, choices=_ANNOTATORS, widget=forms.RadioSelect,
        help_text=_("The card says so. Labels that came with the data are counted apart."),
    )  # fmt: skip
    withheld_licences = forms.CharField(
        label=_("Licences that forbid passing content on"), required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One on each line, as items name them. Of such items only ids, labels and hashes are released."),
    )  # fmt: skip
    terms = forms.CharField(
        label=_("Terms of access"), required=False, max_length=8000, widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("People accept them before they get access."),
    )  # fmt: skip
    access_days = forms.IntegerField(label=_("Days that a link works"), min_value=1, max_value=365)

    @staticmethod
    def initial_of(terms: ReleaseTerms) -> dict[str, Any]:
        """Return the form's initial values from the project."""
        return {
            "authors": "\n".join(terms.authors),
            "annotators": terms.annotators,
            "withheld_licences": "\n".join(terms.withheld_licences),
            "terms": terms.terms,
            "access_days": terms.access_days,
        }

    def clean_authors(self) -> list[str]:
        return self._lines("authors", 200)

    def clean_withheld_licences(self) -> list[str]:
        return self._lines("withheld_licences", 200)

    def _lines(self, field: str, limit: int) -> list[str]:
        lines = list(dict.fromkeys(line.strip() for line in self.cleaned_data[field].splitlines() if line.strip()))
        if len(lines) > MAX_LINES or any(len(line) > limit for line in lines):
            raise forms.ValidationError(_("At most 100 lines of at most 200 characters each."))
        return lines
