"""The form in which somebody says which column of a file holds what, below the first rows of the file."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.formats.base import LabelUse
from annotation.domain.formats.encodings import ENCODINGS
from annotation.imports.options import ImportOptions
from annotation.pages.form_fields import choices_of

KEPT, TEXT, PICTURE, ID, LABEL, ANNOTATOR, LEFT_OUT = "", "text", "image", "id", "label", "annotator", "leave_out"
_USES = (
    (KEPT, _("kept as it is")),
    (TEXT, _("the text")),
    (PICTURE, _("the picture")),
    (ID, _("the id")),
    (LABEL, _("a label")),
    (ANNOTATOR, _("the annotator")),
    (LEFT_OUT, _("left out")),
)
_ONCE = (TEXT, PICTURE, ID, ANNOTATOR)
LABEL_USES = choices_of(
    LabelUse,
    {
        LabelUse.INTENDED: _("the intended category"),
        LabelUse.GOLD: _("gold"),
        LabelUse.SEAT: _("one annotator's label"),
    },
)
SEPARATORS = {",": _("comma"), ";": _("semicolon"), "\t": _("tab"), "|": _("vertical bar")}


@dataclass(frozen=True)
class ShownColumn:
    """A column with its first cells, and the field that says what it holds."""

    name: str
    field: forms.BoundField


class MappingForm(forms.Form):
    """What each column holds, in which encoding, and on which line the header stands."""

    encoding = forms.ChoiceField(label=_("Encoding"), choices=list(ENCODINGS.items()))
    header_line = forms.IntegerField(
        label=_("Line of the header"), min_value=0, max_value=100, help_text=_("0 where there is no header.")
    )
    label_is = forms.ChoiceField(
        label=_("A label is"), choices=LABEL_USES, required=False, help_text=_("Asked where a column is a label.")
    )

    def __init__(self, first: dict[str, Any], options: ImportOptions, data: Any = None) -> None:
        """Take the first rows of a file as `ImportReport.first_rows` has them, and the options it was read with."""
        self._first, self._options = first, options
        initial = {
            "encoding": first["encoding"],
            "header_line": first["header_line"],
            "label_is": options.mapped.label_is,
        }
        super().__init__(data, initial=initial, auto_id="map_%s")
        uses = self._offered()
        for place, name in enumerate(first["columns"]):
            self.fields[f"use_{place}"] = forms.ChoiceField(
                label=name, choices=_USES, required=False, initial=uses.get(name, KEPT)
            )

    def _offered(self) -> dict[str, str]:
        """Return the uses that are chosen already, and offer a text where none is."""
        mapped = self._options.mapped
        named = {mapped.label: LABEL, mapped.annotator: ANNOTATOR, mapped.id: ID, mapped.image: PICTURE}
        named |= dict.fromkeys(mapped.raters, LABEL) | dict.fromkeys(self._options.ignore, LEFT_OUT)
        usual = {name: name for name in (ID, PICTURE) if name in self._first["columns"]}
        likely = [name for name in (mapped.text, *self._first["likely"]) if name in self._first["columns"]]
        return usual | named | dict.fromkeys(likely[:1], TEXT)

    @property
    def columns(self) -> list[ShownColumn]:
        return [ShownColumn(name, self[f"use_{place}"]) for place, name in enumerate(self._first["columns"])]

    @property
    def separator(self) -> str:
        return str(SEPARATORS.get(self._first.get("separator", ""), ""))

    def clean(self) -> dict[str, Any]:
        """Refuse a file without a text and a picture, and two columns for what a post has once."""
        cleaned = super().clean() or self.cleaned_data
        counts = Counter(self._uses().values())
        words = dict(_USES)
        for use in _ONCE:
            if counts[use] > 1:
                sentence = _("Only one column can be %(what)s.")
                raise forms.ValidationError(sentence, code="two_columns", params={"what": words[use]})
        if not counts[TEXT] and not counts[PICTURE]:
            raise forms.ValidationError(_("Say which column holds the text or the picture."), code="no_text")
        return cleaned

    def _uses(self) -> dict[str, str]:
        return {name: self.cleaned_data.get(f"use_{place}", KEPT) for place, name in enumerate(self._first["columns"])}

    def options(self) -> ImportOptions:
        """Return the options with what was said here."""
        said, uses = self.cleaned_data, self._uses()
        of = {use: [name for name in uses if uses[name] == use] for use in (*_ONCE, LABEL)}
        labels = of[LABEL]
        mapped = replace(
            self._options.mapped,
            text="".join(of[TEXT]),
            image="".join(of[PICTURE]),
            id="".join(of[ID]),
            annotator="".join(of[ANNOTATOR]),
            label=labels[0] if len(labels) == 1 else "",
            raters=tuple(labels) if len(labels) > 1 else (),
            label_is=LabelUse(said["label_is"] or LabelUse.INTENDED),
        )
        left_out = {name for name, use in uses.items() if use == LEFT_OUT}
        known = {
            "mapped": mapped,
            "encoding": "" if said["encoding"] == "utf-8" else said["encoding"],
            "header_line": said["header_line"],
            "ignore": (self._options.ignore - uses.keys()) | left_out,
        }
        return self._options.model_copy(update=known)
