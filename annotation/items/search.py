"""Item search: the filters and orders of the items page, the API, exports and bulk changes.

A key outside the list is refused with a message, so that nobody can query columns that are not for them (threat T4). A
member cannot filter by what their pages hide: only admins filter by annotator, and a filter by intent does not match
items that the viewer could still label.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import combinations_with_replacement
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import UUID

from django.db.models import Exists, F, JSONField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import OrderBy
from django.db.models.fields.json import KeyTransform, KeyTransformExact, KeyTransformIsNull
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.named_categories import names_category
from annotation.core.visible_items import visible_items
from annotation.domain.choices import Difficulty, Level, Reason, Source, Stage
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue
from annotation.domain.wellbeing.opt_outs import FEWEST_PEOPLE
from annotation.items import text_search
from annotation.models import Batch, Dispute, Item, Membership, Prior, Seat, Skip
from annotation.review.queue import sees_every_intent
from annotation.wellbeing.statistics import enough_people

PATTERNS = ("000", "001", "010", "011", "100", "101", "110", "111")
YES_NO = ("yes", "no")
SEVERITIES = ("1", "2", "3")

MOST_VALUES, LONGEST = 50, 1000
"""The maximum number of values of one filter, and of characters in a value."""

Asked = Mapping[str, Sequence[str]]
"""A query: the values of each filter (an item matches one of them), the order, the page."""


class UnknownFilter(ValueError):
    """A filter, order or value that does not exist; `sentence` lists the existing ones."""

    code = "unknown_filter"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Filter:
    """One filter: its possible values (empty: everything that `ask` can read) and its condition for the database.

    `ask` raises ValueError for a value it cannot read. `listed`: the values are those that the project has.
    """

    values: tuple[str, ...]
    ask: Callable[..., Q]
    admins: bool = False
    figures: bool = False
    """Whether it is for those who may see the project's figures: it says what single labels are."""
    about_intent: bool = False
    listed: bool = False
    form: str = "text"
    within: bool = False
    """Whether `ask` takes the project's key too."""
    costly: bool = False
    """Whether counting all matches takes long in a large project."""


def _day(value: str) -> datetime:
    """Return the beginning of a day in the site's time zone."""
    return timezone.make_aware(datetime.combine(date.fromisoformat(value), time.min))


def _since(field: str) -> Filter:
    return Filter((), lambda value: Q(**{f"{field}__gte": _day(value)}), form="date")


def _until(field: str) -> Filter:
    return Filter((), lambda value: Q(**{f"{field}__lt": _day(value) + timedelta(days=1)}), form="date")


def _of_id(value: str) -> Q:
    try:
        return Q(public_id=UUID(value)) | Q(external_id=value)
    except ValueError:
        return Q(external_id=value)


def _reason(value: str) -> Q:
    open_rows = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True)
    return Exists(open_rows.filter(reason=value)) | Q(excluded_for=value)


def _labelled_by(value: str) -> Q:
    seats = Seat.objects.filter(item=OuterRef("pk"), label__isnull=False, annotator__pseudonym=value)
    return Q(Exists(seats))


def _named_both(value: str) -> Q:
    """Return the condition for closed items whose first round has one label for a and another for b, as `a-b`.

    These are the items that `domain/statistics/confusions.py` counts.
    """
    first, second = (_number(code) for code in value.split("-"))
    seats = Seat.objects.filter(round=1, label__isnull=False)
    if first == second:
        again = seats.filter(names_category("label__", first), item=OuterRef("item"), number__gt=OuterRef("number"))
        both = Q(Exists(seats.filter(names_category("label__", first), Exists(again), item=OuterRef("pk"))))
    else:
        both = Q(_one_without(seats, first, second), _one_without(seats, second, first))
    return Q(closed_at__isnull=False) & both


def _one_without(seats: QuerySet[Seat], code: int, other: int) -> Exists:
    """Return the condition for an item with a label that names one category and not the other."""
    return Exists(seats.filter(names_category("label__", code), ~names_category("label__", other), item=OuterRef("pk")))


def _severe(value: str) -> Q:
    """Return the condition for a severity of the item itself or of a valid prior."""
    priors = Prior.objects.filter(item=OuterRef("pk"), current=True, severity__gte=int(value))
    return Q(severity__gte=int(value)) | Q(Exists(priors))


def _number(value: str) -> int:
    if not -32768 <= (number := int(value)) <= 32767 or not value.isascii():
        raise ValueError
    return number


def _kept(value: str) -> Q:
    """Return the condition for items that keep a column, as `platform`, or keep a value in it, as `platform=reddit`."""
    found = Q(KeyTransformIsNull(KeyTransform(value, "extra"), rhs=False))
    for place in (place for place, letter in enumerate(value) if letter == "="):  # a name may hold the sign too
        column, written = KeyTransform(value[:place].strip(), "extra"), value[place + 1 :].strip()
        for one in _readings(written):
            found |= Q(KeyTransformExact(column, Value(one, JSONField())))
    return found


def _readings(written: str) -> list[Any]:
    """Return the values that somebody may mean: the text itself, and a number or true and false."""
    with suppress(BadValue):
        if isinstance(value := strict_json.parse(written), int | float):
            return [written, value]
    return [written]


def _either(yes: Q) -> Callable[[str], Q]:
    return lambda value: yes if value == "yes" else ~yes


_SKIPPED = Q(Exists(Skip.objects.filter(item=OuterRef("pk"))))
_INTENDED = Q(intended__isnull=False) | Q(intended_hateful__isnull=False)

FILTERS: dict[str, Filter] = {
    "q": Filter((), text_search.anywhere, within=True, costly=True),
    "id": Filter((), _of_id),
    "text": Filter((), text_search.in_text, costly=True),
    "picture_text": Filter((), text_search.in_picture, costly=True),
    "stage": Filter(tuple(Stage), lambda value: Q(stage=value)),
    "reason": Filter(tuple(Reason), _reason),
    "picture": Filter(
        ("yes", "no", "missing"),
        lambda value: Q(picture_missing=True) if value == "missing" else Q(picture__isnull=value == "no"),
    ),
    "known": Filter(YES_NO, _either(Q(stage=Stage.KNOWN)), admins=True),
    "category": Filter((), lambda value: names_category("", _number(value)), listed=True),
    "named_both": Filter((), _named_both, figures=True, listed=True, costly=True),
    "level": Filter(tuple(Level), lambda value: Q(level=value)),
    "source": Filter(tuple(Source), lambda value: Q(category_source=value)),
    "pattern": Filter((*PATTERNS, "undefined"), lambda value: Q(pattern=None if value == "undefined" else value)),
    "difficulty": Filter(tuple(Difficulty), lambda value: Q(difficulty=value)),
    "batch": Filter((), lambda value: Q(batch=value), listed=True),
    "batched": Filter(YES_NO, lambda value: Q(batch="") if value == "no" else ~Q(batch="")),
    "priority": Filter((), lambda value: Q(priority=_number(value)), form="number"),
    "annotator": Filter((), _labelled_by, admins=True, listed=True),
    "skipped": Filter(YES_NO, _either(_SKIPPED)),
    "severity_from": Filter(SEVERITIES, _severe, admins=True, costly=True),
    "intended": Filter(YES_NO, _either(_INTENDED), about_intent=True),
    "target_group": Filter((), lambda value: Q(target_group__iexact=value), about_intent=True),
    "extra": Filter((), _kept, about_intent=True, costly=True),
    "created_from": _since("created_at"),
    "created_to": _until("created_at"),
    "closed_from": _since("closed_at"),
    "closed_to": _until("closed_at"),
    "gold_from": _since("gold_at"),
    "gold_to": _until("gold_at"),
}


def _down(field: str) -> OrderBy:
    return F(field).desc(nulls_last=True)


ORDERS: dict[str, tuple[str | OrderBy, ...]] = {
    "oldest": ("pk",),
    "newest": ("-pk",),
    "id": ("external_id",),
    "-id": ("-external_id",),
    "closed": (_down("closed_at"), "-pk"),
    "gold": (_down("gold_at"), "-pk"),
    "priority": ("-priority", "pk"),
}
"""Orders by name, with the columns of each."""

PLACES = frozenset({"page", "limit", "after", "before"})
"""Parameters that say which part of a list is shown."""
NOT_FILTERS = PLACES | {"order"}


def filters_for(member: Membership) -> dict[str, Filter]:
    """Return the filters that this member may use."""
    return {
        key: rule
        for key, rule in FILTERS.items()
        if member.administers or not (rule.admins or (rule.figures and not member.sees_figures))
    }


def find_items(member: Membership, selected: Asked) -> QuerySet[Item]:
    """Return the items that match every filter in `selected`, in its order (default: oldest first).

    An item matches a filter if it matches one of its values; empty values are ignored.
    Raises UnknownFilter for a key, value or order that does not exist, or is not for this member.
    """
    matching, filters = visible_items(member), filters_for(member)
    for key, values in selected.items():
        if key in NOT_FILTERS:
            continue
        if key not in filters:
            raise UnknownFilter(
                _("There is no filter “%(key)s”; there are %(keys)s.")
                % {"key": key[:40].replace("\x00", "␀"), "keys": ", ".join(sorted(filters))}
            )
        if chosen := [value for value in values if value]:
            if key == "skipped" and not enough_people(member.project):
                raise UnknownFilter(
                    _(
                        "Which posts were skipped is told only where %(n)s people or more annotate: with fewer it "
                        "would tell by whom."
                    )
                    % {"n": FEWEST_PEOPLE}
                )
            matching = matching.filter(_question(member, key, chosen))
    return matching.order_by(*_order(selected))


def is_costly(selected: Asked) -> bool:
    """Return whether counting all items that match takes long in a large project."""
    return any(key in FILTERS and FILTERS[key].costly for key in selected)


def asked_in(query: str) -> dict[str, list[str]]:
    """Parse a saved or sent query string."""
    return parse_qs(query, max_num_fields=1000)


def query_of(selected: Asked, **changed: Sequence[str]) -> str:
    """Return the filters and order as a query string in canonical form; `changed` replaces some values."""
    merged = {**selected, **changed}
    pairs = [(key, value) for key in sorted(merged) for value in merged[key] if value and key not in PLACES]
    return urlencode(pairs)


def listed_values(member: Membership, key: str) -> list[tuple[str, str]]:
    """Return the values that a listed filter can take in this project, each with its name for people."""
    project = member.project_id
    if key == "category":
        return [(str(code), str(row)) for code, row in sorted(member.project.categories_by_code.items())]
    if key == "named_both":
        pairs = combinations_with_replacement(sorted(member.project.categories_by_code.items()), 2)
        return [
            (f"{first}-{second}", _("%(one)s and %(other)s") % {"one": one, "other": other})
            for (first, one), (second, other) in pairs
        ]
    if key == "annotator":
        # One seat of each, by an index. For EXISTS beside OR PostgreSQL would read all seats of the site.
        seat = Seat.objects.filter(annotator=OuterRef("pk")).order_by("filled_at").values("pk")[:1]
        seated = Membership.objects.filter(project=project).annotate(seat=Subquery(seat))
        names = seated.filter(Q(annotates=True) | Q(seat__isnull=False)).order_by("pseudonym")
        return [(name, name) for name in names.values_list("pseudonym", flat=True)]
    batches = Batch.objects.filter(project=project).exclude(name="").order_by("name")
    return [(name, name) for name in batches.values_list("name", flat=True)]


def _question(member: Membership, key: str, values: Sequence[str]) -> Q:
    rule = FILTERS[key]
    if rule.listed:
        rule = replace(rule, values=tuple(value for value, _name in listed_values(member, key)))
    if len(values) > MOST_VALUES:
        raise UnknownFilter(_("The filter %(key)s takes %(most)s values at most.") % {"key": key, "most": MOST_VALUES})
    question = Q()
    for value in values:
        question |= _asks(key, rule, value, member.project_id)
    if rule.about_intent and not sees_every_intent(member):
        question &= _INTENT_OPEN
    return question


_INTENT_OPEN = Q(stage__in=(Stage.GOLD, Stage.EXCLUDED)) | Q(stage=Stage.DISPUTED, level__isnull=False)
"""The items whose intent `may_see_intent` shows to annotators and reviewers."""


def _asks(key: str, rule: Filter, value: str, project: int) -> Q:
    try:
        if "\x00" in value or len(value) > LONGEST or ((rule.values or rule.listed) and value not in rule.values):
            raise ValueError
        return rule.ask(value, project) if rule.within else rule.ask(value)
    except (ValueError, OverflowError):
        shown = value[:40].replace("\x00", "␀")
        if rule.listed and not rule.values:
            sentence = _("“%(value)s” is no %(key)s; the project has none.") % {"value": shown, "key": key}
            raise UnknownFilter(sentence) from None
        raise UnknownFilter(
            _("“%(value)s” is no %(key)s; choose one of %(values)s.")
            % {"value": shown, "key": key, "values": _choices(rule)}
        ) from None


def _choices(rule: Filter) -> str:
    if rule.values:
        more = "" if len(rule.values) <= 20 else ", …"
        return ", ".join(rule.values[:20]) + more
    return {
        "date": _("days like 2026-01-31"),
        "number": _("whole numbers from -32768 to 32767"),
    }.get(rule.form, _("texts of at most 1,000 characters"))


def _order(selected: Asked) -> Iterable[str | OrderBy]:
    name = next((value for value in selected.get("order", ()) if value), "oldest")
    if name not in ORDERS:
        raise UnknownFilter(
            _("There is no order “%(name)s”; there are %(names)s.")
            % {"name": name[:40].replace("\x00", "␀"), "names": ", ".join(sorted(ORDERS))}
        )
    return ORDERS[name]
