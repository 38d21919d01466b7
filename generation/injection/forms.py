"""Forms of sample injection: the terms, the plan, pools of pictures, texts and words, options of a batch."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.votes import Category
from annotation.models import Project
from annotation.pages.display_names import name_of
from annotation.pages.form_fields import LineField, WrittenField, offer
from annotation.pages.request_form import RequestForm
from generation.domain.injection.coverage import MOST_WANTED, Square, fits
from generation.domain.injection.plan import LONGEST_GROUP, MOST_OF_AN_ENTRY
from generation.domain.injection.schema import BatchOptions
from generation.domain.injection.strategies import PATTERNS, PATTERNS_OF, Strategy
from generation.injection import settings
from generation.models import PicturePool

MOST_REASON = 2_000


class TermsForm(forms.Form):
    """An admin confirms that they have read the terms and keep to them."""

    accepted = forms.BooleanField(label=_("I have read these terms and will make sure that they are followed."))
    version = forms.IntegerField(initial=settings.TERMS_VERSION, widget=forms.HiddenInput)


class EntryForm(forms.Form):
    """One entry of a plan."""

    pattern = forms.ChoiceField(
        label=_("Pattern"),
        choices=[(pattern, pattern) for pattern in PATTERNS],
        help_text=_("Text, picture, both together; 1 means hateful."),
    )
    category = forms.ChoiceField(label=_("Meant together as"))
    strategy = forms.ChoiceField(label=_("Strategy"))
    target_group = LineField(
        label=_("Target group"),
        max_length=LONGEST_GROUP,
        required=False,
        help_text=_("Whom the hateful part is about; empty for 000 alone."),
    )
    pool = forms.ChoiceField(label=_("Picture pool"))
    count = forms.IntegerField(label=_("Number of samples"), min_value=1, max_value=MOST_OF_AN_ENTRY, initial=10)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        categories = project.offered_categories()
        offer(self, "category", [(str(row.code), str(row)) for row in categories])
        offer(self, "strategy", [(row, f"{name_of(row)} ({', '.join(PATTERNS_OF[row])})") for row in Strategy])
        offer(self, "pool", [(name, name) for name in _pool_names(project)])

    def entry(self) -> dict[str, Any]:
        """Return the entry as `generation.injection.batches.add_row` takes it."""
        values = self.cleaned_data
        return {**values, "category": int(values["category"])}


class TargetsForm(forms.Form):
    """The wanted number of items of each pattern and category; a field is named like `010-0`."""

    def __init__(self, categories: tuple[Category, ...], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for pattern in PATTERNS:
            for category in categories:
                if fits(pattern, category):
                    self.fields[f"{pattern}-{category.code}"] = forms.IntegerField(
                        min_value=0, max_value=MOST_WANTED, required=False
                    )

    def wanted(self) -> dict[Square, int]:
        """Return the numbers as `generation.injection.settings.set_targets` takes them."""
        targets = {}
        for name, count in self.cleaned_data.items():
            pattern, _dash, code = name.partition("-")
            targets[pattern, int(code)] = count or 0
        return targets


class PlanFileForm(forms.Form):
    """A plan as a file: the JSON list that the command `inject` takes."""

    plan = forms.FileField(label=_("A plan as JSON"))


class BatchForm(RequestForm[BatchOptions]):
    """Options for all samples of a batch. Because of `key`, a form that is sent several times gives one batch."""

    asks = BatchOptions

    key = forms.UUIDField(initial=uuid4, widget=forms.HiddenInput)


class PoolForm(forms.Form):
    """A new pool of pictures."""

    name = LineField(label=_("Name"), max_length=100)
    target_group = LineField(
        label=_("Target group"),
        max_length=LONGEST_GROUP,
        required=False,
        help_text=_("Whom the pictures show, where they show a group; paraphrases need a pool about their group."),
    )
    licence = LineField(
        label=_("Licence"), max_length=200, help_text=_("Of pictures that have none of their own; released with them.")
    )
    source = LineField(label=_("Where the pictures are from"), max_length=300, required=False)


class PoolItemsForm(forms.Form):
    """Pictures of the project's items: of a batch, or of named items."""

    batch = forms.CharField(label=_("All pictures of the batch"), max_length=100, required=False)
    ids = WrittenField(
        label=_("Or of these items"), limit=20_000, rows=3, required=False, help_text=_("External ids, one per line.")
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors and bool(values["batch"].strip()) == bool(values["ids"].strip()):
            raise forms.ValidationError(_("Name a batch or items, one of the two."))
        return values


class PoolFilesForm(forms.Form):
    """Pictures from the admin's machine; the files themselves are read from the request."""

    category = forms.ChoiceField(
        label=_("Each of them alone is"),
        required=False,
        help_text=_("Leave it open where they differ: say it picture by picture, or ask a model."),
    )

    def __init__(self, categories: tuple[Category, ...], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = [(str(row.code), str(row)) for row in categories]
        offer(self, "category", [("", _("not said yet")), *options])


class TriggersForm(forms.Form):
    """Trigger texts about a group."""

    trigger_group = LineField(label=_("Target group"), max_length=LONGEST_GROUP)
    texts = WrittenField(
        label=_("Trigger texts"),
        limit=400_000,
        rows=6,
        help_text=_("One per line. Harmless alone; what they allude to shows beside a picture."),
    )


class WordsForm(forms.Form):
    """Words for `<insult>` about a group; they replace the earlier ones."""

    word_group = LineField(label=_("Target group"), max_length=LONGEST_GROUP)
    words = WrittenField(
        label=_("Words"),
        limit=400_000,
        rows=6,
        required=False,
        help_text=_("One per line, in place of those before; none removes them. They are not shown again."),
    )


class RejectForm(forms.Form):
    """The reason for rejecting a sample: a usual one chosen by a button, a text, or both."""

    said = forms.CharField(required=False, max_length=200)
    reason = WrittenField(label=_("Why not"), limit=MOST_REASON, required=False)

    def whole(self) -> str:
        """Return both parts of the reason as one text."""
        values = self.cleaned_data
        return ": ".join(part for part in (values["said"].strip(), values["reason"].strip()) if part)


def _pool_names(project: Project) -> list[str]:
    return list(PicturePool.objects.filter(project=project).order_by("name").values_list("name", flat=True))
