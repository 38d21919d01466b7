"""Audit of a project: are rows lost, doubled or orphaned? Rows are compared with events, rules and one another.

`audit` reads one moment of the database and returns messages, none if all is correct. It changes nothing. Labels,
rulings and releases are append-only and each has its event; an item's stage is the one after its last event; a
consensus is the one that the rules give for its votes. Files are checked in `audit_files`, runs in `audit_runs`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from uuid import UUID

from django.db import connection
from django.db.models import Count, F, Max, Q, QuerySet

from annotation.assignment.prior_display import CLOCK_TOLERANCE
from annotation.consensus.case_from_rows import first_seats, intent_of, vote_of
from annotation.consensus.close import are_final
from annotation.core.append_only import missing_triggers
from annotation.core.snapshots import snapshot
from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.category_sets import further_of
from annotation.domain.choices import EventVerb, Reason, Source, Stage
from annotation.domain.item_decision import Case, Findings, findings
from annotation.domain.patterns import pattern_of
from annotation.models import (
    Adjudication,
    Dispute,
    Event,
    Item,
    KnownAnswer,
    Label,
    Project,
    PurgePermit,
    Replacement,
    Report,
    Ruling,
    Seat,
)
from annotation.operations.audit_files import file_problems
from annotation.operations.audit_runs import run_problems
from runs.sql.database_clock import seconds_from_now

EXAMPLES = 20
"""The maximum number of problems of one kind that are listed; further ones are only counted."""

_CHUNK = 1000
_UNSWEPT = timedelta(minutes=10)
"""How long an item may stay open after its last label became final: the sweeper closes it."""
Choice = tuple[int | None, list[int]]
"""What a decision names: the key of its category, and the codes of all where there are several."""


@dataclass(frozen=True)
class Audited:
    """What the audit says of one project, and how much it looked at."""

    slug: str
    name: str
    items: int
    labels: int
    problems: list[str]


def audited(project: Project) -> Audited:
    """Audit a project, and count its items and labels."""
    items = Item.objects.filter(project=project).count()
    labels = Label.objects.filter(item__project=project).count()
    return Audited(project.slug, project.name, items, labels, audit(project))


def audits() -> Iterator[Audited]:
    """Audit every project, one after the other; but none that the sweeper is removing, which is half there."""
    for project in Project.objects.exclude(delete_after__lte=seconds_from_now(0)).order_by("slug"):
        yield audited(project)


def audit(project: Project) -> list[str]:
    """Return everything that is wrong with a project, as messages."""
    checks = (
        _guards,
        _labels,
        _labels_and_events,
        _imported_labels,
        _rulings_and_events,
        _disputes,
        _known_answers,
        _items,
        run_problems,
        file_problems,
    )
    with snapshot():
        return [problem for check in checks for problem in _shortened(check(project))]


def _shortened(problems: Iterable[str]) -> Iterator[str]:
    remaining = iter(problems)
    yield from islice(remaining, EXAMPLES)
    more = sum(1 for _ in remaining)
    if more:
        yield f"… and {more:,} more of this kind."


def _guards(project: Project) -> Iterator[str]:
    for name in missing_triggers(connection):
        yield f"The trigger {name} is missing: append-only rows could be changed unseen."
    if PurgePermit.objects.exists():
        yield "A permit to remove append-only rows was left behind: rows it names could go unseen."


# ── Labels and seats ──────────────────────────────────────────────────────────


def _labels(project: Project) -> Iterator[str]:
    """Check that seats and their valid labels refer to each other, within one item and project."""
    seats = Seat.objects.filter(item__project=project, label__isnull=False)
    inconsistent = seats.exclude(label__seat=F("pk"), label__item=F("item"), label__annotator=F("annotator"))
    for seat in inconsistent.values_list("public_id", flat=True):
        yield f"Seat {seat}: its label belongs to another seat, item or person."
    half_filled = Q(label__isnull=True, filled_at__isnull=False) | Q(label__isnull=False, filled_at__isnull=True)
    for seat in Seat.objects.filter(half_filled, item__project=project).values_list("public_id", flat=True):
        yield f"Seat {seat}: it has a label without a time, or a time without a label."
    labels = Label.objects.filter(item__project=project)
    older = labels.filter(imported=False, in_force_at__held_at__gt=F("created_at") + CLOCK_TOLERANCE)
    for label in older.values_list("public_id", flat=True):
        yield f"Label {label}: it is older than its seat; the clock of a machine was wrong."
    for label in labels.exclude(seat__item=F("item")).values_list("public_id", flat=True):
        yield f"Label {label}: its seat is at another item."
    for name in ("category", "annotator"):
        foreign = labels.filter(**{f"{name}__isnull": False}).exclude(**{f"{name}__project": project})
        for label in foreign.values_list("public_id", flat=True):
            yield f"Label {label}: its {name} belongs to another project."
    revisions = labels.order_by().values("seat__public_id", "annotator").annotate(n=Count("pk"), last=Max("revision"))
    for row in revisions.exclude(n=F("last")):
        yield f"Seat {row['seat__public_id']}: {row['n']} of {row['last']} revisions of its label are there."
    yield from _not_in_force(project)


def _not_in_force(project: Project) -> Iterator[str]:
    """Check that a newest label without a seat was removed by an event, and that no older label is valid."""
    newest = (
        Label.objects.filter(item__project=project)
        .order_by("seat_id", "annotator_id", "-revision")
        .values_list("seat_id", "annotator_id", "public_id", "in_force_at__pk")
    )
    taken_back = _rows_of(project, EventVerb.TAKEN_BACK, EventVerb.LABEL_REMOVED)
    labels: Iterable[tuple[int, int, UUID, int | None]] = newest.iterator(chunk_size=5000)
    for _key, rows in groupby(labels, key=itemgetter(0, 1)):
        (_seat, _annotator, last, at), *older = rows
        if at is None and last not in taken_back:
            yield f"Label {last}: it is not in force, and no event says that it was taken back."
        for _seat, _annotator, label, at in older:
            if at is not None:
                yield f"Label {label}: an older revision is in force than {last}."


def _labels_and_events(project: Project) -> Iterator[str]:
    """Check that every label given here has one event, and every such event its label."""
    event_counts = _rows_of(project, EventVerb.LABELLED, EventVerb.CORRECTED)
    labels = set(Label.objects.filter(item__project=project, imported=False).values_list("public_id", flat=True))
    for label in sorted(labels - event_counts.keys()):
        yield f"Label {label}: no event tells of it."
    for label in sorted(event_counts.keys() - labels):
        yield f"Label {label}: an event tells of it, but it is lost."
    for label in sorted(label for label, times in event_counts.items() if times > 1):
        yield f"Label {label}: {event_counts[label]} events tell of it."


_BROUGHT = (EventVerb.IMPORTED, EventVerb.FILLED)
"""The events of files that bring labels."""


def _imported_labels(project: Project) -> Iterator[str]:
    stored = Label.objects.filter(item__project=project, imported=True).count()
    facts = Event.objects.filter(project=project, verb__in=_BROUGHT).values_list("facts", flat=True)
    recorded = sum(fact.get("labels", 0) for fact in facts)
    if stored != recorded:
        yield f"{stored:,} imported labels are there, imports brought {recorded:,}."


# ── Rulings ───────────────────────────────────────────────────────────────────


def _rulings_and_events(project: Project) -> Iterator[str]:
    """Check that every ruling, replacement and report has one event, and every event its row."""
    rulings = Adjudication.objects.filter(item__project=project, reviewer__isnull=False)
    by_ruling: dict[str, set[UUID]] = {ruling: set() for ruling in Ruling.values}
    for ruling, public_id in rulings.values_list("ruling", "public_id"):
        by_ruling[ruling].add(public_id)
    for ruling, rows in by_ruling.items():
        yield from _compared("Ruling", rows, _rows_of(project, ruling))
    replaced = Replacement.objects.filter(item__project=project, reviewer__imported_name="")
    yield from _compared(
        "Replacement of label",
        set(replaced.values_list("label__public_id", flat=True)),
        _rows_of(project, EventVerb.REPLACE),
    )
    reports = Counter(Report.objects.filter(item__project=project).values_list("item__public_id", flat=True))
    recorded = Counter(
        Event.objects.filter(project=project, verb=EventVerb.REPORT).values_list("item__public_id", flat=True)
    )
    for item in sorted(reports.keys() | recorded.keys()):
        if reports[item] != recorded[item]:
            yield f"Item {item}: {reports[item]} reports are there, events tell of {recorded[item]}."
    waiting = Report.objects.filter(item__project=project, answered_at=None)
    for item in sorted(
        set(waiting.exclude(item__excluded_for=Reason.REPORTED).values_list("item__public_id", flat=True))
    ):
        yield f"Item {item}: a report of it waits for an answer, but it is not taken out."


def _compared(kind: str, rows: set[UUID], event_counts: Counter[UUID]) -> Iterator[str]:
    for row in sorted(rows - event_counts.keys()):
        yield f"{kind} {row}: no event tells of it."
    for row in sorted(event_counts.keys() - rows):
        yield f"{kind} {row}: an event tells of it, but it is lost."
    for row in sorted(row for row in rows & event_counts.keys() if event_counts[row] > 1):
        yield f"{kind} {row}: {event_counts[row]} events tell of it."


def _rows_of(project: Project, *verbs: str) -> Counter[UUID]:
    """Return the rows that events with these verbs name, and how often."""
    rows = Event.objects.filter(project=project, verb__in=verbs).values_list("row", flat=True)
    return Counter(row for row in rows if row is not None)


def _disputes(project: Project) -> Iterator[str]:
    items = Item.objects.filter(project=project)
    open_now = Dispute.objects.filter(item__project=project, settled_at__isnull=True)
    disputed = items.filter(stage=Stage.DISPUTED)
    for item in _ids(disputed.exclude(pk__in=open_now.values("item_id"))):
        yield f"Item {item}: it is disputed for no reason that is open."
    for item in _ids(items.filter(pk__in=open_now.values("item_id")).exclude(stage=Stage.DISPUTED)):
        yield f"Item {item}: it is not disputed, but a reason is open."
    for item in _ids(items.filter(Q(stage=Stage.EXCLUDED) ^ Q(excluded_for__isnull=False))):
        yield f"Item {item}: its stage and the reason of its exclusion contradict each other."


def _known_answers(project: Project) -> Iterator[str]:
    items, keyed = Item.objects.filter(project=project), KnownAnswer.objects.filter(item__project=project)
    for item in _ids(items.filter(stage=Stage.KNOWN).exclude(pk__in=keyed.values("item_id"))):
        yield f"Item {item}: its answer is said to be known, but nothing is known of it."
    aside = (Stage.KNOWN, Stage.EXCLUDED)
    for item in _ids(items.filter(pk__in=keyed.values("item_id")).exclude(stage__in=aside)):
        yield f"Item {item}: its answer is known, but it does not stand aside."


def _ids(items: QuerySet[Item]) -> list[UUID]:
    return list(items.order_by("pk").values_list("public_id", flat=True))


# ── Items ─────────────────────────────────────────────────────────────────────


def _items(project: Project) -> Iterator[str]:
    """Check that each item has the stage that its events, seats and votes give."""
    last = 0
    items = Item.objects.filter(project=project).select_related("project", "category", "intended").order_by("pk")
    while chunk := list(items.filter(pk__gt=last)[:_CHUNK]):
        last = chunk[-1].pk
        stages, seats, decided, emptied = _stages_told(chunk), _seats(chunk), _decided(chunk), _emptied(chunk)
        for item in chunk:
            for problem in _item_problems(
                item, stages.get(item.pk), seats.get(item.pk, []), decided.get(item.pk), emptied
            ):
                yield f"Item {item.public_id} ({item.external_id}): {problem}"


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


def _stages_told(items: Sequence[Item]) -> dict[int, Stage]:
    """Return the stage of each item after its last event that sets a stage."""
    verbs = (*_STAGE_TOLD, *_STAGE_AFTER)
    events = Event.objects.filter(item__in=items, verb__in=verbs).order_by("pk")
    stages: dict[int, Stage] = {}
    for item, verb, facts in events.values_list("item_id", "verb", "facts"):
        if verb == EventVerb.TAKEN_BACK and stages.get(item) is Stage.KNOWN:
            continue  # the answer stays known when people take back labels
        stage = Stage(facts["stage"]) if verb in _STAGE_TOLD else _STAGE_AFTER[verb]
        stages[item] = Stage.LABELLING if stage in _BEFORE_LABELLING else stage  # an item that was opened has no event
    return stages


def _seats(items: Sequence[Item]) -> dict[int, list[Seat]]:
    seats = (
        Seat.objects.filter(item__in=items)
        .select_related("label__category", "label__replacement__category")
        .order_by("item_id", "round", "number")
    )
    return {item: list(rows) for item, rows in groupby(seats, key=attrgetter("item_id"))}


def _decided(items: Sequence[Item]) -> dict[int, Choice]:
    """Return the categories of the newest decision about each item."""
    decisions = Adjudication.objects.filter(item__in=items, ruling=Ruling.DECIDE).order_by("pk")
    rows = decisions.values_list("item_id", "category_id", "categories")
    return {item: (category, categories) for item, category, categories in rows}


def _emptied(items: Sequence[Item]) -> frozenset[str]:
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
    if item.category_source == Source.ADJUDICATED and decided != (item.category_id, item.categories):
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
