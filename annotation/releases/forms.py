"""The form that orders a release."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import Level, Source
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.domain.releases.splits import MAX_SEED, BadShares, Shares, SharesOfNoWhole
from annotation.models import Item, Project, SplitList
from annotation.pages.form_fields import choices_of, offer
from annotation.releases.selection import MAX_TOPICS, Selection, Splitting

_LEVELS = choices_of(
    Level,
    {
        Level.PERFECT: _("perfect: all equal"),
        Level.STRONG: _("strong: all hateful, kinds differ"),
        Level.WEAK: _("weak: a majority"),
        Level.NONE: _("none: no majority, settled by a reviewer"),
    },
)
_SOURCES = choices_of(
    Source,
    {
        Source.CONSENSUS: _("decided by the annotators"),
        Source.ADJUDICATED: _("decided by a reviewer"),
        Source.IMPORTED: _("came with the data"),
    },
)
_SCOPES = choices_of(
    Scope,
    {
        Scope.GOLD: _("gold"),
        Scope.CLOSED: _("all fully labelled items, with votes and the reason they are not gold"),
    },
)
_FORMATS = choices_of(
    ReleaseFormat,
    {
        ReleaseFormat.CSV: _("CSV for spreadsheets"),
        ReleaseFormat.PARQUET: _("Parquet, pictures inside"),
        ReleaseFormat.IMAGEFOLDER: "ImageFolder (Hugging Face)",
        ReleaseFormat.WEBDATASET: _("WebDataset (tar shards)"),
        ReleaseFormat.HVLI: _("H-VLI JSON"),
        ReleaseFormat.LABEL_STUDIO: "Label Studio JSON",
        ReleaseFormat.ANNOTATORS: _("long table, a row for each label"),
        ReleaseFormat.COARL: _("counterspeech to train a writer (CoARL)"),
    },
)
MAX_LICENCES = 100
MAX_LIST_BYTES = 50 << 20


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one title."""

    title: str | Promise
    fields: list[forms.BoundField]
    is_wrong: bool


_GROUPS: tuple[tuple[str | Promise, tuple[str, ...]], ...] = (
    (_("How the split is made"), ("seed", "topics", "frozen", "split_file")),
    (_("Which items"), ("levels", "sources", "licences")),
    (
        _("What is included"),
        ("no_media", "no_texts", "no_picture_texts", "notes", "fresh_pseudonyms"),
    ),
)


class ReleaseForm(forms.Form):
    """Contents and formats of a release. A group with nothing ticked means everything."""

    levels = forms.MultipleChoiceField(
        label=_("Only these levels"),
        choices=_LEVELS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all levels, and items that came without votes."),
    )
    sources = forms.MultipleChoiceField(
        label=_("Only these sources"),
        choices=_SOURCES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all sources."),
    )
    scope = forms.ChoiceField(
        label=_("Items"),
        choices=_SCOPES,
        required=False,
        initial=Scope.GOLD,
        widget=forms.RadioSelect,
    )
    formats = forms.MultipleChoiceField(
        label=_("Formats beside JSON lines"),
        choices=_FORMATS,
        required=False,
        initial=[ReleaseFormat.CSV, ReleaseFormat.PARQUET],
        widget=forms.CheckboxSelectMultiple,
    )
    splits = forms.CharField(
        label=_("Train, dev and test"),
        required=False,
        max_length=40,
        help_text=_(
            "Such as 80/10/10; empty: no split. Posts with the same or nearly the same text or picture stay together."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed of the split"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("The same seed gives other parts once posts are added. A list of fixed parts keeps them."),
    )
    topics = forms.IntegerField(
        label=_("Topics never parted"),
        required=False,
        min_value=0,
        max_value=MAX_TOPICS,
        help_text=_("Texts are grouped into this number of topics by their embeddings; empty: topics play no part."),
    )
    split_file = forms.FileField(
        label=_("Fixed parts"),
        required=False,
        help_text=_(
            "A list with an id and its part on each line: those items keep it, now and in releases that name it."
        ),
    )
    frozen = forms.ChoiceField(label=_("A fixed list kept here"), required=False)
    licences = forms.MultipleChoiceField(
        label=_("Only these licences"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all licences, and items that name none."),
    )
    no_media = forms.BooleanField(
        label=_("Without picture files"), required=False, help_text=_("Only their SHA-256 is released.")
    )
    no_texts = forms.BooleanField(
        label=_("Without texts"),
        required=False,
        help_text=_(
            "Only their SHA-256 is released; explanations, rationales and notes, which quote them, are left out too."
        ),
    )
    no_picture_texts = forms.BooleanField(
        label=_("Without the words read in pictures"),
        required=False,
        help_text=_("They are released with the name of their reader, and left out wherever texts are left out."),
    )
    notes = forms.BooleanField(
        label=_("With the notes of annotators"),
        required=False,
        help_text=_("Free text may reveal who wrote it: read the notes before you release them."),
    )
    fresh_pseudonyms = forms.BooleanField(
        label=_("With new pseudonyms"),
        required=False,
        help_text=_("Nobody can match annotators with those of other releases of this project."),
    )

    field_order = (
        *("scope", "formats", "splits", "seed", "topics", "frozen", "split_file"),
        *(
            "levels",
            "sources",
            "licences",
            "no_media",
            "no_texts",
            "no_picture_texts",
            "notes",
            "fresh_pseudonyms",
            "key",
        ),
    )
    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lists = SplitList.objects.filter(project=project).values_list("public_id", "name")
        offer(self, "frozen", [("", _("none")), *((str(key), name) for key, name in lists)])
        used = Item.objects.filter(project=project).exclude(licence="").order_by("licence")
        named = list(used.values_list("licence", flat=True).distinct()[:MAX_LICENCES])
        if project.licence and project.licence not in named:
            named.append(project.licence)
        offer(self, "licences", [(choice, choice) for choice in named])
        for name, needed in (("frozen", lists), ("licences", named)):
            if not needed:
                del self.fields[name]

    @property
    def groups(self) -> list[FieldGroup]:
        """Return the rarely changed fields, collapsed under titles; a group with an error is open."""
        field_groups = []
        for title, names in _GROUPS:
            fields = [self[name] for name in names if name in self.fields]
            field_groups.append(FieldGroup(title, fields, any(field.errors for field in fields)))
        return field_groups

    def clean_splits(self) -> Shares | None:
        written = self.cleaned_data["splits"].strip()
        try:
            return Shares.read_whole(written) if written else None
        except SharesOfNoWhole as fault:
            raise forms.ValidationError(_("The shares add up to %(sum)s, not to 100.") % {"sum": fault.sum}) from None
        except BadShares:
            raise forms.ValidationError(_("Write the shares as 80/10/10: train, dev, test.")) from None

    def clean_split_file(self) -> Any:
        uploaded = self.cleaned_data["split_file"]
        if uploaded and uploaded.size > MAX_LIST_BYTES:
            raise forms.ValidationError(_("The list is larger than 50 MB."))
        return uploaded

    def clean(self) -> dict[str, Any]:
        """Show errors of hidden fields as errors of the form, because hidden fields have no place for them."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("splits") is None and "splits" not in self.errors:
            for name in ("split_file", "frozen", "topics", "seed"):
                if cleaned.get(name):
                    self.add_error("splits", _("Say how to split the items, such as 80/10/10."))
                    break
        if "key" not in cleaned:
            self.add_error(None, _("The form is not complete. Load the page again, then try again."))
        return cleaned

    def selection(self, frozen: str = "") -> Selection:
        """Return the selection of a valid form. `frozen`: the id of the split list uploaded with it."""
        answers = self.cleaned_data
        split = None
        if answers["splits"] is not None:
            split_list_id = frozen or answers.get("frozen") or ""
            split = Splitting(answers["splits"], answers["seed"] or 0, answers["topics"] or 0, split_list_id)
        return Selection(
            levels=tuple(level for level in Level if level.value in answers["levels"]),
            sources=tuple(source for source in Source if source.value in answers["sources"]),
            notes=answers["notes"],
            fresh_pseudonyms=answers["fresh_pseudonyms"],
            scope=Scope(answers["scope"] or Scope.GOLD),
            formats=tuple(name for name in ReleaseFormat if name.value in answers["formats"]),
            media=not answers["no_media"],
            texts=not answers["no_texts"],
            picture_texts=not answers["no_picture_texts"],
            licences=tuple(answers.get("licences") or ()),
            split=split,
        )
