"""Forms for entries of the glossary."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import GlossaryKind, GlossaryStatus
from annotation.domain.glossary.disguises import SWITCHES
from annotation.domain.glossary.entry import (
    EXAMPLES_LIMIT,
    GROUP_LIMIT,
    MEANING_LIMIT,
    TERM_LIMIT,
    VARIANTS_LIMIT,
    EntryValues,
    read_entry,
)
from annotation.domain.text_rules import BadText
from annotation.models import GlossaryEntry
from annotation.pages.display_names import name_of
from annotation.pages.error_messages import sentence_for
from annotation.pages.form_fields import LineField, WrittenField, choices_of

MOST_BYTES = 20 * 2**20
KINDS = choices_of(
    GlossaryKind,
    {
        GlossaryKind.TERM: _("a word or phrase"),
        GlossaryKind.SYMBOL: _("a sign"),
        GlossaryKind.MEME: _("a meme"),
    },
)
STATES = (
    ("", _("any state")),
    *choices_of(
        GlossaryStatus,
        {
            GlossaryStatus.APPROVED: _("approved"),
            GlossaryStatus.PROPOSED: _("proposed"),
            GlossaryStatus.RETIRED: _("retired"),
        },
    ),
)


class EntryForm(forms.Form):
    """An entry that a member writes; `values` holds it after validation."""

    term = LineField(
        label=_("Term"),
        max_length=TERM_LIMIT,
        help_text=_("Write it plainly. Endings, look-alike letters and spaces are recognised."),
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS, initial=GlossaryKind.TERM)
    meaning = WrittenField(
        label=_("Meaning"),
        limit=MEANING_LIMIT,
        rows=4,
        help_text=_("What it means where it is used against people, and what it means elsewhere."),
    )
    target_group = LineField(label=_("Who is meant"), max_length=GROUP_LIMIT, required=False)
    languages = forms.CharField(
        label=_("Languages"),
        max_length=40,
        required=False,
        help_text=_("Two letters each, as en de ko; none means English endings."),
    )
    examples = WrittenField(
        label=_("Examples"), limit=EXAMPLES_LIMIT, rows=3, required=False, help_text=_("One per line.")
    )
    variants = WrittenField(
        label=_("Other spellings"),
        limit=VARIANTS_LIMIT,
        rows=3,
        required=False,
        help_text=_("One per line. Traditional and simplified Chinese characters are compared without this."),
    )
    switched_off = forms.MultipleChoiceField(
        label=_("Does not count when it stands in the text"),
        choices=lambda: [(how, name_of(how)) for how in SWITCHES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Tick a way that finds innocent words for this term."),
    )
    initials = forms.BooleanField(
        label=_("Its initials count: Korean consonants, as ㅂㄷㅅ for 벽돌새, or of its pinyin, as tpn for 铁皮鸟"),
        required=False,
    )
    sounds = forms.BooleanField(
        label=_("What sounds like it counts, as 벽똘쌔 for 벽돌새, or other characters with its pinyin, or the pinyin"),
        required=False,
    )
    version = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1)

    values: EntryValues

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            self.values = read_entry(
                cleaned["term"],
                cleaned["meaning"],
                cleaned["kind"],
                cleaned["target_group"],
                cleaned["languages"].replace(",", " ").split(),
                cleaned["examples"],
                cleaned["variants"],
                cleaned["switched_off"],
                cleaned["initials"],
                cleaned["sounds"],
            )
        except BadText as bad:
            self.add_error(_FIELDS.get(bad.code), forms.ValidationError(sentence_for(bad.code, bad.sentence), bad.code))
        return cleaned


_FIELDS = {"bad_term": "term", "bad_language": "languages", "bad_kind": "kind", "bad_variant": "variants"}


def initial_of(entry: GlossaryEntry) -> dict[str, Any]:
    """Return the initial values of an entry's form."""
    return {
        "term": entry.term,
        "kind": entry.kind,
        "meaning": entry.meaning,
        "target_group": entry.target_group,
        "languages": " ".join(entry.languages),
        "examples": entry.examples,
        "variants": entry.variants,
        "switched_off": entry.switched_off,
        "initials": entry.initials,
        "sounds": entry.sounds,
        "version": entry.version,
    }


class SearchForm(forms.Form):
    """The filters of the list."""

    q = forms.CharField(label=_("Find"), max_length=TERM_LIMIT, required=False)
    status = forms.ChoiceField(label=_("State"), choices=STATES, required=False)


class RuleForm(forms.Form):
    """The new status of an entry."""

    status = forms.ChoiceField(choices=[(state, state) for state in GlossaryStatus])
    version = forms.IntegerField(min_value=1)


class FileForm(forms.Form):
    """A file of entries."""

    file = forms.FileField(label=_("File"), help_text=_("CSV, TSV or JSON lines with the columns term and meaning."))
    approved = forms.BooleanField(label=_("The entries count at once, not as proposals"), required=False)

    def clean_file(self) -> Any:
        """Return the file.

        Raises ValidationError if it is too large for a page; the command imports larger ones.
        """
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than 20 MB: use manage.py import_glossary."))
        return file


class UseForm(forms.Form):
    """The places where approved entries are used."""

    glossary_for_models = forms.BooleanField(
        label=_("Give the approved entries a post holds to debates about it"), required=False
    )
    glossary_for_annotators = forms.BooleanField(
        label=_("Show them to annotators who ask, beside the post"),
        required=False,
        help_text=_("It can influence answers, so every look is recorded."),
    )
