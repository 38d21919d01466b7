"""Audit of a project's items: does each have the stage and outcome that its events, seats and votes give?

A million items have few shapes: combinations of all values that the checks read. Rows are read as plain columns, and
only the first item of each shape is loaded and checked. Where it is sound, all of its shape are; where it is not, each
of them is checked.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Aggregate, Func, OuterRef, Subquery, TextField, Value, When
from django.db.models import Case as SqlCase
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from annotation.consensus.case_from_rows import first_seats, intent_of, vote_of
from annotation.consensus.close import are_final
from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.category_sets import further_of
from annotation.domain.choices import EventVerb, Source, Stage
from annotation.domain.item_decision import Case, Findings, findings
from annotation.domain.patterns import pattern_of
from annotation.models import Adjudication, Event, Item, Project, Ruling, Seat

_CHUNK = 1000
_UNSWEPT = timedelta(minutes=10)
"""How long an item may stay open after its last label became final: the sweeper closes it."""
Choice = tuple[int | None, tuple[int, ...]]
"""What a decision names: the key of its category, and the codes of all where there are several."""
Shape = tuple[Any, ...]
"""All that the checks read of an item, without its names: what is equal in it has the same problems.

Seats are one text, which the database makes. Two items that are alike and have two texts are only checked both.
"""


def item_problems(project: Project) -> Iterator[str]:
    """Check that each item has the stage that its events, seats and votes give."""
    sound: set[Shape] = set()
    last = 0
    while shapes := _shapes(project, last):
        last = next(reversed(shapes))
        unseen: dict[Shape, list[int]] = defaultdict(list)
        for item, shape in shapes.items():
            if shape not in sound:
                unseen[shape].append(item)
        problems = _checked([items[0] for items in unseen.values()])
        unsound = [items for items in unseen.values() if problems[items[0]]]
        sound |= {shape for shape, items in unseen.items() if not problems[items[0]]}
        problems |= _checked([item for items in unsound for item in items[1:]])
        for item in sorted(problems):
            yield from problems[item]


# ── Shapes ────────────────────────────────────────────────────────────────────


class _Joined(Aggregate):
    """The texts of all rows as one, with a semicolon between two."""

    function, template = "GROUP_CONCAT", "%(function)s(%(expressions)s, ';')"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="STRING_AGG", **context)


class _Beside(Func):
    """Texts beside one another, with a bar between two."""

    template, arg_joiner = "(%(expressions)s)", " || '|' || "
    output_field = TextField()


def _text(column: str) -> Coalesce:
    """Return a column as it is written, which costs less than its value; a question mark where nothing is."""
    return Coalesce(Cast(column, TextField()), Value("?"))


def _whether(column: str, word: str) -> SqlCase:
    """Return the word for rows that have a value in this column."""
    return SqlCase(When(**{f"{column}__isnull": False}, then=Value(word)), default=Value(""))


_OF_ITEM = (
    *("category_source", "seats", "round", "category_id", "hateful", "level", "pattern", "difficulty"),
    *("aligned", "intended_id", "intended_hateful", "categories", "intended_categories"),
)
_OF_SEAT = (
    *("round", "number", "seats", "label__category_id", "label__low_quality"),
    *("label__replacement__category_id", "label__categories", "label__challenges", "label__replacement__categories"),
)
_BY_CLOCK = "by clock"
"""Stands in the text of a seat whose label becomes final at a time."""


def _of_seats() -> Subquery:
    """Return the columns of an item's seats as one text. In which order they come does not matter: see `Shape`."""
    of_seat = _Beside(*map(_text, _OF_SEAT), _whether("label", "filled"), _whether("final_at", _BY_CLOCK))
    rows = Seat.objects.filter(item=OuterRef("pk")).order_by().values("item")
    return Subquery(rows.annotate(text=_Joined(of_seat)).values("text"))


def _shapes(project: Project, after: int) -> dict[int, Shape]:
    """Return the shapes of the next items after this key, in the order of keys."""
    rows = Item.objects.filter(project=project, pk__gt=after).order_by("pk")
    of_item = _Beside(*map(_text, _OF_ITEM), _whether("closed_at", "closed"))
    items = {row[0]: row[1:] for row in rows.values_list("pk", "stage", of_item, _of_seats())[:_CHUNK]}
    # Their keys are in order. A list of a thousand would cost more than what it leaves out.
    some = {"item__gte": min(items, default=0), "item__lte": max(items, default=0)}
    (stages, emptied), decided = _told(**some), _decided(**some)
    return {
        item: (about, stages.get(item), decided.get(item), item if _is_alone(about) or item in emptied else None)
        for item, about in items.items()
    }


def _is_alone(about: Shape) -> bool:
    """Return whether an item is equal to no other: whether it should be closed depends on the time."""
    return about[0] == Stage.LABELLING and _BY_CLOCK in (about[-1] or "")


# ── Checks ────────────────────────────────────────────────────────────────────


def _checked(keys: Collection[int]) -> dict[int, list[str]]:
    """Load these items and return the problems of each."""
    items = list(Item.objects.filter(pk__in=keys).select_related("project", "category", "intended").order_by("pk"))
    (stages, _), decided = _told(item__in=keys), _decided(item__in=keys)
    seats, emptied = _seats(keys), _emptied(keys)
    return {
        item.pk: [
            f"Item {item.public_id} ({item.external_id}): {problem}"
            for problem in _item_problems(
                item, stages.get(item.pk), seats.get(item.pk, []), decided.get(item.pk), emptied
            )
        ]
        for item in items
    }


_STAGE_AFTER: Mapping[str, Stage] = {
    EventVerb.DECIDE: Stage.GOLD,
    EventVerb.EXCLUDE: Stage.EXCLUDED,
    EventVerb.NEW_ROUND: Stage.LABELLING,
    EventVerb.MORE_SEATS: Stage.LABELLING,
    EventVerb.REOPEN: Stage.LABELLING,
    EventVerb.REPORT: Stage.EXCLUDED,
    EventVerb.WITHDRAW_ITEM: Stage.EXCLUDED,
    EventVerb.DISPUTED: Stage.DISPUTED,
    EventVerb.TAKEN_BACK: Stage.LABELLING,
    EventVerb.SEATS_ADDED: Stage.LABELLING,
    EventVerb.ASKED_AGAIN: Stage.LABELLING,
    EventVerb.KNOWN_MARKED: Stage.KNOWN,
    EventVerb.KNOWN_ENDED: Stage.LABELLING,  # or a stage before it
}
"""The stage of an item after an event; `closed` and `report_answered` name it in their facts."""
_STAGE_TOLD = (EventVerb.CLOSED, EventVerb.REPORT_ANSWERED)
_BEFORE_LABELLING = (Stage.IMPORTED, Stage.READY)


def _told(**items: Any) -> tuple[dict[int, Stage], set[int]]:
    """Return the stage of each item after its last event that sets a stage; and the items that lost a label.

    Those lost it because its annotator left. Which seat that was is in no shape.
    """
    verbs = (*_STAGE_TOLD, *_STAGE_AFTER, EventVerb.LABEL_REMOVED)
    events = Event.objects.filter(verb__in=verbs, **items).order_by("pk")
    stages: dict[int, Stage] = {}
    emptied: set[int] = set()
    for item, verb, told in events.values_list("item_id", "verb", KT("facts__stage")):
        assert item is not None
        if verb == EventVerb.LABEL_REMOVED:
            emptied.add(item)
            continue
        if verb == EventVerb.TAKEN_BACK and stages.get(item) is Stage.KNOWN:
            continue  # the answer stays known when people take back labels
        stage = Stage(told) if verb in _STAGE_TOLD else _STAGE_AFTER[verb]
        stages[item] = Stage.LABELLING if stage in _BEFORE_LABELLING else stage  # an item that was opened has no event
    return stages, emptied


def _seats(items: Collection[int]) -> dict[int, list[Seat]]:
    seats = (
        Seat.objects.filter(item__in=items)
        .select_related("label__category", "label__replacement__category")
        .order_by("item_id", "round", "number")
    )
    return {item: list(rows) for item, rows in groupby(seats, key=attrgetter("item_id"))}


def _decided(**items: Any) -> dict[int, Choice]:
    """Return the categories of the newest decision about each item."""
    decisions = Adjudication.objects.filter(ruling=Ruling.DECIDE, **items).order_by("pk")
    rows = decisions.values_list("item_id", "category_id", "categories")
    return {item: (category, tuple(categories)) for item, category, categories in rows}


def _emptied(items: Collection[int]) -> frozenset[str]:
    """Return the seats whose label was removed because its annotator left."""
    removed = Event.objects.filter(item__in=items, verb=EventVerb.LABEL_REMOVED)
    return frozenset(facts["seat"] for facts in removed.values_list("facts", flat=True))


def _item_problems(
    item: Item, recorded: Stage | None, seats: list[Seat], decided: Choice | None, emptied: frozenset[str]
) -> Iterator[str]:
    stage = Stage(item.stage)
    yield from _stage_problems(item, stage, recorded)
    yield from _seat_problems(item, stage, seats, emptied)
    yield from _outcome_problems(item, stage, [seat for seat in seats if seat.round == item.round], decided)


def _stage_problems(item: Item, stage: Stage, recorded: Stage | None) -> Iterator[str]:
    begun = stage in (Stage.IMPORTED, Stage.READY, Stage.LABELLING)
    if recorded is not None and stage is not recorded and not (begun and recorded is Stage.LABELLING):
        yield f"it stands at {stage}, but its last event left it at {recorded}."
    if recorded is None and not begun and item.category_source != Source.IMPORTED:
        yield f"it stands at {stage}, but no event tells how it got there."


def _seat_problems(item: Item, stage: Stage, seats: list[Seat], emptied: frozenset[str]) -> Iterator[str]:
    """Check that the seats of a round are numbered 1 to k, and that all of them are filled in a closed round."""
    rounds = {number: list(rows) for number, rows in groupby(seats, key=attrgetter("round"))}
    for number, rows in rounds.items():
        if [seat.number for seat in rows] != list(range(1, max(seat.seats for seat in rows) + 1)):
            yield f"round {number} lacks a seat or has one too many."
    current = rounds.get(item.round, [])
    filled = sum(seat.label is not None for seat in current)
    if stage is Stage.LABELLING and len(current) != item.seats:
        yield f"it has {len(current)} seats in round {item.round} instead of {item.seats}."
    if stage is Stage.LABELLING and current and filled == len(current) and are_final(item, current, _UNSWEPT):
        yield "all its seats are filled, but it was not closed; `sweep` closes it."
    by_votes = stage is Stage.DISPUTED or item.category_source in (Source.CONSENSUS, Source.ADJUDICATED)
    if by_votes and stage in (Stage.DISPUTED, Stage.GOLD) and (not current or filled != item.seats):
        yield f"it is closed with {filled} labels instead of {item.seats}."
    first = rounds.get(1, [])
    if first and item.round == 1 and stage not in (Stage.DISPUTED, Stage.GOLD):
        first = first[: first_seats(first)]  # those whom a reviewer asked in addition may still answer
    if item.closed_at is not None and (
        not first or any(seat.label is None and str(seat.public_id) not in emptied for seat in first)
    ):
        yield "its first round is not complete, but it was closed."
    if by_votes and stage is Stage.GOLD and item.closed_at is None:
        yield "it is gold by its votes, but was never closed."


def _outcome_problems(item: Item, stage: Stage, seats: list[Seat], decided: Choice | None) -> Iterator[str]:
    """Check that the stored outcome is the one that the rules give for the votes, or a person's ruling."""
    if stage is not Stage.GOLD:
        if item.category_source is not None:
            yield f"it is not gold, but its category has the source {item.category_source}."
        return
    if item.category is None or item.hateful != item.category.hateful or item.category_source is None:
        yield "it is gold without a category, a binary outcome of it, or a source."
        return
    if item.category_source == Source.ADJUDICATED and decided != (item.category_id, tuple(item.categories)):
        yield "its category is not the one of its newest decision."
    if item.category_source in (Source.CONSENSUS, Source.ADJUDICATED):
        yield from _vote_problems(item, findings(_case(item, seats)))
    if item.pattern and pattern_of(item.pattern).difficulty != item.difficulty:
        yield f"its difficulty is not that of the pattern {item.pattern}."
    if item.pattern and (item.pattern[2] == "1") != item.hateful:
        yield f"its pattern {item.pattern} contradicts its outcome."
    value = item.category.value()
    further = further_of(value, item.categories)
    if item.aligned != aligned_flag(alignment(value, value.hateful, intent_of(item), further)):
        yield "its alignment is not that of its category and its intent."


def _case(item: Item, seats: Iterable[Seat]) -> Case:
    return Case(tuple(vote_of(seat.label) for seat in seats if seat.label is not None), intent_of(item))


def _vote_problems(item: Item, computed: Findings) -> Iterator[str]:
    if item.level != computed.level:
        yield f"its level is {item.level}, its votes say {computed.level or 'nothing yet'}."
    agreed = tuple(value.code for value in (computed.category, *computed.further) if value)
    if item.category_source == Source.CONSENSUS and agreed != item.codes:
        yield "its category is not the consensus of its votes."
