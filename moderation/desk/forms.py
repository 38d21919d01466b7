"""Forms of the desk for reviewers and admins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from annotation.consensus.rounds import MAX_SEATS
from annotation.domain.choices import Modality, Reason
from annotation.domain.patterns import Prior as PriorValue
from annotation.models import Membership, Ruling
from annotation.pages.category_choice import CategoryChoice
from annotation.pages.form_fields import WrittenField, offer
from annotation.review.forms import NO_REASON, version_field
from moderation.desk import bulk_accept, settings, statements
from moderation.desk.decide import RulingRequest
from moderation.desk.dispute_reasons import REASON_NAMES
from moderation.desk.set_aside import SetAsideWish
from moderation.domain.statement import AUTOMATED, FIELDS, GROUNDS, MEASURES, FieldKind
from moderation.models import DeskRules

_PLATFORM = ("ground", "explanation", "illegal")
MOST_BOXES = 12
"""With more values than this, a field is a scrolling list."""
RULINGS = (Ruling.DECIDE, Ruling.NEW_ROUND, Ruling.MORE_SEATS, Ruling.EXCLUDE)


class DecisionForm(CategoryChoice):
    """A decision: a category, a new round, more people or an exclusion, with its reason.

    With a category, the reviewer may also uphold challenges of priors.
    """

    ruling = forms.ChoiceField(
        choices=[(ruling.value, ruling.label) for ruling in RULINGS],
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Press one of the buttons to decide.")),
    )
    rationale = WrittenField(label=_("Rationale"), error_messages={"required": NO_REASON})
    version = version_field()
    key = forms.UUIDField(required=False)
    target_group = WrittenField(label=_("Group targeted, if any"), limit=200, required=False)
    message = WrittenField(label=_("Message to the annotators of the new round"), limit=500, required=False)
    count = forms.IntegerField(label=_("How many more people"), min_value=1, max_value=MAX_SEATS, required=False)
    reason = forms.ChoiceField(label=_("Excluded as"), required=False)
    drafted_from = forms.UUIDField(required=False)
    replaces = forms.UUIDField(required=False)
    uphold_text = forms.BooleanField(required=False)
    uphold_image = forms.BooleanField(required=False)

    def __init__(self, *args: Any, reasons: list[Reason], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = list(dict.fromkeys([*reasons, Reason.LOW_QUALITY]))
        offer(
            self,
            "reason",
            [("", _("what it is disputed for")), *((reason, REASON_NAMES[reason]) for reason in offered)],
        )
        self.fresh_key = uuid4()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        unread = {"category", "categories"} & set(self.errors)
        if values.get("ruling") == Ruling.DECIDE and not self.rows() and not unread:
            self.add_error("category", forms.ValidationError(_("Choose the category you decide for."), "required"))
        if values.get("ruling") == Ruling.MORE_SEATS and not values.get("count") and "count" not in self.errors:
            self.add_error("count", forms.ValidationError(_("Say how many more people are to be asked."), "required"))
        return values

    @property
    def key_to_send(self) -> str:
        """The key of this decision. A form that was sent keeps its key, so sending it twice is one decision."""
        posted_key = str(self.data.get("key", "")) if self.is_bound else ""
        return posted_key or str(self.fresh_key)

    def ruling_request(self, corrections: Mapping[Modality, PriorValue], shown: Mapping[str, Any]) -> RulingRequest:
        """Return the decision. Fields that do not belong to the ruling are left out.

        Call it after the form was found valid.
        """
        values, ruling = self.cleaned_data, Ruling(self.cleaned_data["ruling"])
        deciding = ruling is Ruling.DECIDE
        upheld = {
            modality: correction
            for modality, correction in corrections.items()
            if deciding and values.get(f"uphold_{modality}")
        }
        key: UUID = values["key"] or self.fresh_key
        return RulingRequest(
            ruling=ruling,
            version=values["version"],
            rationale=values["rationale"],
            key=key,
            category=self.category_row() if deciding else None,
            categories=tuple(self.stored_codes()) if deciding else (),
            target_group=values["target_group"] if deciding else "",
            upheld=upheld,
            message=values["message"] if ruling is Ruling.NEW_ROUND else "",
            count=(values["count"] or 0) if ruling is Ruling.MORE_SEATS else 0,
            reason=Reason(values["reason"]) if ruling is Ruling.EXCLUDE and values["reason"] else None,
            drafted_from=values["drafted_from"],
            replaces=values["replaces"],
            shown=shown,
        )


class OpinionForm(CategoryChoice):
    """The reviewer's own category, given before they open the debates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.require_category()


class SetAsideForm(forms.Form):
    """For whom a post is set aside, or that it is parked; why, and until which day."""

    reviewer = forms.ChoiceField(label=_("Who gets it"), required=False)
    note = WrittenField(label=_("Note for reviewers. Say nothing of votes."), limit=500, required=False)
    until = forms.DateField(
        label=_("Until, if you know"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"), required=False
    )

    def __init__(self, *args: Any, reviewers: Sequence[Membership], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_id = {str(member.public_id): member for member in reviewers}
        names = ((key, str(member)) for key, member in self.by_id.items())
        offer(self, "reviewer", [("", _("nobody: park it")), *names])

    @property
    def wish(self) -> SetAsideWish:
        """What is asked for; the post comes back at the begin of the day. Call it after the form was found valid."""
        values = self.cleaned_data
        until = values["until"] and make_aware(datetime.combine(values["until"], time.min))
        return SetAsideWish(values["note"], until, self.by_id.get(values["reviewer"]))


class AppealForm(forms.Form):
    """The person who objects, and their grounds."""

    appellant = WrittenField(label=_("Who objects"), limit=200, rows=1, required=False)
    grounds = WrittenField(label=_("Why"), rows=5, error_messages={"required": _("Write what the objection is about.")})


class AcceptForm(forms.Form):
    """Reason and rationale of many decisions, and the number of posts that the reviewer confirms."""

    reason = forms.ChoiceField(choices=[(reason, REASON_NAMES[reason]) for reason in bulk_accept.REASONS])
    rationale = WrittenField(label=_("Rationale for all of them"), error_messages={"required": NO_REASON})
    count = forms.IntegerField(min_value=1, max_value=bulk_accept.AT_ONCE, widget=forms.HiddenInput, required=False)


class RulesForm(forms.Form):
    """The rules of the desk."""

    lease_minutes = forms.IntegerField(label=_("Minutes a post is kept for a reviewer"), min_value=1, max_value=240)
    second_for = forms.MultipleChoiceField(
        label=_("Two reviewers decide, blind to each other, where a post is disputed for"),
        choices=[(reason, REASON_NAMES[reason]) for reason in settings.SECOND_LOOK],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    appeals = forms.BooleanField(label=_("Appeals are taken"), required=False)

    @classmethod
    def of(cls, rules: DeskRules) -> "RulesForm":
        """Return the form with the present rules."""
        return cls(
            initial={
                "lease_minutes": rules.lease_minutes,
                "second_for": rules.second_for,
                "appeals": rules.appeals,
            }
        )


class ValuesForm(forms.Form):
    """The platform's closed values as a JSON file."""

    file = forms.FileField(
        label=_("Values of the platform"),
        help_text=_("JSON, field → values. It replaces what is there; {} takes it out."),
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
        error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")},
    )


def _of_list(kind: FieldKind, label: Any, values: Sequence[str]) -> forms.Field:
    """Return a field that offers only the platform's values."""
    if kind is FieldKind.LINES:
        return forms.MultipleChoiceField(
            label=label,
            choices=[(value, value) for value in values],
            required=False,
            widget=forms.CheckboxSelectMultiple if len(values) <= MOST_BOXES else forms.SelectMultiple,
        )
    return forms.ChoiceField(label=label, choices=[("", "–"), *((value, value) for value in values)], required=False)


_GROUPS = (
    (_("What was done"), MEASURES),
    (_("On what ground"), ("decision_ground",)),
    (_("If it breaks a rule of the platform"), tuple(f"incompatible_content_{n}" for n in _PLATFORM)),
    (_("If it breaks a law"), ("illegal_content_legal_ground", "illegal_content_explanation")),
    (_("How long and where"), ("application_date", "end_date", "territorial_scope")),
    (_("The content"), ("content_type", "category", "content_date", "content_language", "url", "puid")),
    (_("The facts"), ("decision_facts", "source_type", "automated_detection", "automated_decision")),
    (_("What the person can do"), ("redress",)),
)


_ALWAYS_ASKED = frozenset({*MEASURES, "decision_ground"})
"""What the record cannot know: these fields are always asked."""
_NEEDED = frozenset(field.name for field in FIELDS if field.needed)


@dataclass(frozen=True)
class FieldGroup:
    """Fields of a statement under their title.

    `ground`: they apply to decisions on this ground only. `is_open`: one of them is to be filled in or is wrong; the
    others are filled from the record, or may stay empty.
    """

    title: Any
    fields: Sequence[forms.BoundField]
    ground: str
    is_open: bool


class StatementForm(forms.Form):
    """The fields of a statement of reasons; `moderation.domain.statement` checks them."""

    def __init__(self, lists: Mapping[str, Sequence[str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        closed = {"decision_ground": GROUNDS, "automated_decision": AUTOMATED}
        for entry in FIELDS:
            label = statements.TITLES[entry.name]
            field: forms.Field
            if entry.name in lists:
                self.fields[entry.name] = _of_list(entry.kind, label, lists[entry.name])
                continue
            if entry.kind is FieldKind.FLAG:
                field = forms.BooleanField(label=label, required=False)
            elif entry.name in closed:
                field = forms.ChoiceField(
                    label=label, choices=[(value, _(value)) for value in closed[entry.name]], required=False
                )
            elif entry.kind is FieldKind.DAY:
                field = forms.CharField(label=label, required=False, widget=forms.DateInput(attrs={"type": "date"}))
            elif entry.kind in (FieldKind.TEXT, FieldKind.LINES):
                field = forms.CharField(
                    label=label, required=False, strip=True,
                    widget=forms.Textarea(attrs={"rows": 4 if entry.kind is FieldKind.TEXT else 2, "dir": "auto"}),
                )  # fmt: skip
            else:
                field = forms.CharField(label=label, required=False, widget=forms.TextInput(attrs={"dir": "auto"}))
            if entry.kind is FieldKind.LINES:
                field.help_text = _("One per line.")
            elif entry.kind in (FieldKind.LINE, FieldKind.TEXT) and entry.name not in closed:
                field.help_text = _("At most %(limit)s characters.") % {"limit": f"{entry.limit:,}"}
                field.widget.attrs["maxlength"] = entry.limit
            self.fields[entry.name] = field

    @property
    def groups(self) -> list[FieldGroup]:
        """The fields, grouped under their titles."""
        return [self._group(title, names) for title, names in _GROUPS]

    def _group(self, title: Any, names: Sequence[str]) -> FieldGroup:
        ground = next((ground for ground in GROUNDS if names[0].startswith(f"{ground}_content")), "")
        is_open = bool(ground) or any(
            name in _ALWAYS_ASKED or self[name].errors or (name in _NEEDED and not self[name].value()) for name in names
        )
        return FieldGroup(title, [self[name] for name in names], ground, is_open)

    @classmethod
    def of(cls, fields: Mapping[str, Any], lists: Mapping[str, Sequence[str]]) -> "StatementForm":
        """Return the form with these values."""
        multiline = {name for name, value in fields.items() if isinstance(value, list) and name not in lists}
        return cls(
            lists, initial={name: "\n".join(value) if name in multiline else value for name, value in fields.items()}
        )

    def statement(self) -> dict[str, Any]:
        """Return the fields in the form in which a statement is stored. Call it after the form was found valid."""
        lines = {entry.name for entry in FIELDS if entry.kind is FieldKind.LINES}
        return {
            name: [line.strip() for line in value.splitlines() if line.strip()]
            if name in lines and isinstance(value, str)
            else value
            for name, value in self.cleaned_data.items()
        }
