"""The form that orders a release."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Item, Project, SplitList
from annotation.pages.form_fields import offer
from annotation.pages.request_form import RequestForm
from annotation.releases.request import MAX_LICENCES, SPLIT, Selection

MAX_LIST_BYTES = 50 << 20


class ReleaseForm(RequestForm[Selection]):
    """Contents and formats of a release. A group with nothing ticked means everything."""

    asks = Selection
    beside = {SPLIT: ("frozen", "split_file")}

    split_file = forms.FileField(
        label=_("Fixed parts"),
        required=False,
        help_text=_(
            "A list with an id and its part on each line: those items keep it, now and in releases that name it."
        ),
    )
    frozen = forms.ChoiceField(label=_("A fixed list kept here"), required=False)
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

    def clean_split_file(self) -> Any:
        uploaded = self.cleaned_data["split_file"]
        if uploaded and uploaded.size > MAX_LIST_BYTES:
            raise forms.ValidationError(_("The list is larger than 50 MB."))
        return uploaded

    def clean(self) -> dict[str, Any]:
        """Show errors of hidden fields as errors of the form, because hidden fields have no place for them."""
        cleaned = super().clean()
        if "key" not in cleaned:
            self.add_error(None, _("The form is not complete. Load the page again, then try again."))
        return cleaned

    def answers(self) -> dict[str, Any]:
        """Return the valid values; an uploaded list stands for its id until it is stored."""
        chosen = self.cleaned_data.get("split_file") or self.cleaned_data.get("frozen")
        return super().answers() | {"frozen": chosen}

    def selection(self, frozen: str = "") -> Selection:
        """Return the selection of a valid form. `frozen`: the id of the split list uploaded with it."""
        answers = self.answers()
        return Selection.of(answers | {"frozen": frozen or answers["frozen"]})
