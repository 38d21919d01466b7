"""The form that finds items: the possible filters, the chosen ones, and a link that removes each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from annotation.domain.choices import PRIORITIES
from annotation.items.search import (
    FILTERS,
    NOT_FILTERS,
    SEVERITIES,
    Asked,
    Filter,
    filters_for,
    listed_values,
    query_of,
)
from annotation.models import Membership
from annotation.pages.display_names import name_of
from annotation.pages.form_fields import LineField, WrittenField

LISTED_AT_ONCE = 12
"""The maximum number of choices shown as boxes; longer lists show the chosen ones and a field with suggestions."""

_GROUPS = (
    (gettext_noop("Where it stands"), ("stage", "reason", "picture", "known", "skipped")),
    (gettext_noop("Outcome"), ("category", "named_both", "level", "source", "pattern", "difficulty")),
    (gettext_noop("Campaign"), ("batch", "batched", "priority", "annotator", "severity_from")),
    (gettext_noop("What people and models say"), ("id", "text", "picture_text", "target_group", "intended", "extra")),
    (
        gettext_noop("When"),
        ("created_from", "created_to", "closed_from", "closed_to", "gold_from", "gold_to"),
    ),
)

NAMES = {
    "q": pgettext_lazy("filter", "text or id"),
    "id": pgettext_lazy("filter", "id, exactly"),
    "text": pgettext_lazy("filter", "words of the text"),
    "picture_text": pgettext_lazy("filter", "words in the picture"),
    "known": pgettext_lazy("filter", "answer known"),
    "category": pgettext_lazy("filter", "final category"),
    "named_both": pgettext_lazy("filter", "two labels say"),
    "batched": pgettext_lazy("filter", "in any batch"),
    "priority": pgettext_lazy("filter", "priority"),
    "annotator": pgettext_lazy("filter", "labelled by"),
    "skipped": pgettext_lazy("filter", "skipped by somebody"),
    "severity_from": pgettext_lazy("filter", "severity from"),
    "intended": pgettext_lazy("filter", "has an intent"),
    "target_group": pgettext_lazy("filter", "target group"),
    "extra": pgettext_lazy("filter", "a kept column, as platform=reddit"),
    "created_from": pgettext_lazy("filter", "came in from"),
    "created_to": pgettext_lazy("filter", "came in until"),
    "closed_from": pgettext_lazy("filter", "closed from"),
    "closed_to": pgettext_lazy("filter", "closed until"),
    "gold_from": pgettext_lazy("filter", "gold from"),
    "gold_to": pgettext_lazy("filter", "gold until"),
}
"""Labels of filters; the other filters are labelled as stored words."""

ORDER_NAMES = {
    "oldest": pgettext_lazy("order", "oldest first"),
    "newest": pgettext_lazy("order", "newest first"),
    "id": pgettext_lazy("order", "by id"),
    "-id": pgettext_lazy("order", "by id, backwards"),
    "closed": pgettext_lazy("order", "closed last"),
    "gold": pgettext_lazy("order", "gold last"),
    "priority": pgettext_lazy("order", "highest priority"),
}


@dataclass(frozen=True)
class Option:
    """A value that can be chosen."""

    value: str
    name: str
    chosen: bool


@dataclass(frozen=True)
class Field:
    """One filter of the form: boxes to tick, or a text input (`form` is its type), or both."""

    key: str
    name: str
    options: Sequence[Option]
    form: str
    value: str
    suggested: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class FilterGroup:
    """Filters that are shown together."""

    name: str
    fields: Sequence[Field]


@dataclass(frozen=True)
class Chip:
    """A chosen filter value, and the query without it."""

    name: str
    value: str
    without: str


@dataclass(frozen=True)
class Shown:
    """Everything that the form shows."""

    groups: Sequence[FilterGroup]
    chips: Sequence[Chip]
    orders: Sequence[Option]
    query: str


def shown(member: Membership, selected: Asked) -> Shown:
    """Return the form for the chosen filters, with at most three queries for the project's own lists."""
    filters = filters_for(member)
    listed = {key: listed_values(member, key) for key, rule in filters.items() if rule.listed}
    groups = [
        FilterGroup(
            _(name), [_field(key, filters[key], selected, listed.get(key, [])) for key in keys if key in filters]
        )
        for name, keys in _GROUPS
    ]
    order = next(iter(selected.get("order", ())), "oldest")
    orders = [Option(name, str(text), name == order) for name, text in ORDER_NAMES.items()]
    return Shown(groups, list(_chips(selected, listed)), orders, query_of(selected))


def filter_name(key: str) -> str:
    """Return the filter's name for people."""
    return str(NAMES[key]) if key in NAMES else name_of(key)


def _field(key: str, rule: Filter, selected: Asked, listed: Sequence[tuple[str, str]]) -> Field:
    chosen = list(selected.get(key, ()))
    name = filter_name(key)
    if rule.values == SEVERITIES:
        return Field(key, name, [Option(value, value, value in chosen) for value in SEVERITIES], "", "")
    if rule.values:
        return Field(key, name, [Option(value, name_of(value), value in chosen) for value in rule.values], "", "")
    if rule.listed and len(listed) <= LISTED_AT_ONCE:
        return Field(key, name, [Option(value, text, value in chosen) for value, text in listed], "", "")
    if rule.listed:
        names = dict(listed)
        chosen_options = [Option(value, names.get(value, value), True) for value in chosen]
        return Field(key, name, chosen_options, "text", "", listed)
    return Field(key, name, [], rule.form, chosen[0] if chosen else "")


def _chips(selected: Asked, listed: dict[str, list[tuple[str, str]]]) -> Any:
    for key, values in selected.items():
        if key in NOT_FILTERS or key not in FILTERS:
            continue
        names = dict(listed.get(key, ()))
        closed = set(FILTERS[key].values) - set(SEVERITIES)
        for value in values:
            others = [other for other in values if other != value]
            text = name_of(value) if value in closed else names.get(value, value)
            yield Chip(filter_name(key), text[:60], query_of(selected, **{key: others}))


class SaveSearchForm(forms.Form):
    """The name of a search to save."""

    name = LineField(label=gettext_lazy("Name"), max_length=80)
    query = forms.CharField(required=False, max_length=4000, widget=forms.HiddenInput, strip=False)
    shared = forms.BooleanField(label=gettext_lazy("For all reviewers and admins of the project"), required=False)


class BulkForm(forms.Form):
    """The input of an action on many items; only the field that the action needs is shown."""

    batch = forms.CharField(label=gettext_lazy("Batch"), max_length=100, required=False)
    priority = forms.IntegerField(
        label=gettext_lazy("Priority"),
        min_value=PRIORITIES[0],
        max_value=PRIORITIES[1],
        required=False,
        help_text=gettext_lazy("Higher comes first; 0 is usual."),
    )
    reason = WrittenField(label=gettext_lazy("Reason"), rows=3, required=False)
    count = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    key = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, needs: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("batch", "priority", "reason"):
            if name != needs:
                del self.fields[name]
            elif name != "batch":  # an empty name removes items from their batch
                self.fields[name].required = True
