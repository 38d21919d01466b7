"""Audit of a project: are rows lost, doubled or orphaned? Rows are compared with events, rules and one another.

`audit` reads one moment of the database and returns messages, none if all is correct. It changes nothing. Labels,
rulings and releases are append-only and each has its event; an item's stage is the one after its last event; a
consensus is the one that the rules give for its votes. Items are checked in `audit_items`, files in `audit_files`,
runs in `audit_runs`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    F,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)

from annotation.assignment.prior_display import CLOCK_TOLERANCE
from annotation.core.append_only import missing_triggers
from annotation.core.snapshots import snapshot
from annotation.domain.choices import EventVerb, Reason, Stage
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
from annotation.operations.audit_items import item_problems
from annotation.operations.audit_runs import run_problems
from runs.sql.database_clock import seconds_from_now

EXAMPLES = 20
"""The maximum number of problems of one kind that are listed; further ones are only counted."""


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
        item_problems,
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
    seats = Seat.objects.filter(item__project=project)
    labels = Label.objects.filter(item__project=project)
    elsewhere = Q(label__isnull=False) & ~Q(label__seat=F("pk"), label__item=F("item"), label__annotator=F("annotator"))
    half_filled = Q(label__isnull=True, filled_at__isnull=False) | Q(label__isnull=False, filled_at__isnull=True)
    older = Q(imported=False, in_force_at__held_at__gt=F("created_at") + CLOCK_TOLERANCE)
    at_another = ~Q(seat__item=F("item"))
    foreign = {
        name: Q(**{f"{name}__isnull": False}) & ~Q(**{f"{name}__project": project})
        for name in ("category", "annotator")
    }
    # First whether there is anything at all: one reading of each table. To look for one, plans would go by indexes.
    if seats.filter(elsewhere | half_filled).count():
        for seat in seats.filter(elsewhere).values_list("public_id", flat=True):
            yield f"Seat {seat}: its label belongs to another seat, item or person."
        for seat in seats.filter(half_filled).values_list("public_id", flat=True):
            yield f"Seat {seat}: it has a label without a time, or a time without a label."
    if labels.filter(older | at_another | foreign["category"] | foreign["annotator"]).count():
        for label in labels.filter(older).values_list("public_id", flat=True):
            yield f"Label {label}: it is older than its seat; the clock of a machine was wrong."
        for label in labels.filter(at_another).values_list("public_id", flat=True):
            yield f"Label {label}: its seat is at another item."
        for name, is_foreign in foreign.items():
            for label in labels.filter(is_foreign).values_list("public_id", flat=True):
                yield f"Label {label}: its {name} belongs to another project."
    yield from _missing_revisions(labels)
    yield from _not_in_force(project)


def _missing_revisions(labels: QuerySet[Label]) -> Iterator[str]:
    """Check that the labels of one person at a seat are numbered from 1. Most are the first and only one."""
    before = Label.objects.filter(
        seat=OuterRef("seat"), annotator=OuterRef("annotator"), revision=OuterRef("revision") - 1
    )
    if labels.exclude(revision=1).filter(~Exists(before)).count():
        revisions = (
            labels.order_by().values("seat__public_id", "annotator").annotate(n=Count("pk"), last=Max("revision"))
        )
        for row in revisions.exclude(n=F("last")):
            yield f"Seat {row['seat__public_id']}: {row['n']} of {row['last']} revisions of its label are there."


def _not_in_force(project: Project) -> Iterator[str]:
    """Check that a newest label without a seat was removed by an event, and that no older label is valid."""
    labels = Label.objects.filter(item__project=project)
    newer = Label.objects.filter(
        seat=OuterRef("seat"), annotator=OuterRef("annotator"), revision__gt=OuterRef("revision")
    )
    last = labels.filter(~Exists(newer), in_force_at__isnull=True).values("public_id")
    taken_back = _rows_of(project, EventVerb.TAKEN_BACK, EventVerb.LABEL_REMOVED)
    for label in _ids_of(last.difference(taken_back)):
        yield f"Label {label}: it is not in force, and no event says that it was taken back."
    if not labels.filter(revision__gt=1).count():
        return
    older = labels.filter(Exists(newer), in_force_at__isnull=False).annotate(
        last=Subquery(newer.order_by("-revision").values("public_id")[:1])
    )
    for label, newest in older.order_by("pk").values_list("public_id", "last"):
        yield f"Label {label}: an older revision is in force than {newest}."


def _labels_and_events(project: Project) -> Iterator[str]:
    """Check that every label given here has one event, and every such event its label."""
    given = Label.objects.filter(item__project=project, imported=False).values("public_id")
    return _all_compared(project, [("Label", given, (EventVerb.LABELLED, EventVerb.CORRECTED))])


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
    kinds: list[_Kind] = [
        ("Ruling", rulings.filter(ruling=ruling).values("public_id"), (ruling,)) for ruling in Ruling.values
    ]
    replaced = Replacement.objects.filter(item__project=project, reviewer__imported_name="")
    kinds.append(("Replacement of label", replaced.values("label__public_id"), (EventVerb.REPLACE,)))
    yield from _all_compared(project, kinds)
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


_Kind = tuple[str, QuerySet[Any, Any], tuple[str, ...]]
"""What rows are called, the single column of their ids, and the verbs of the events that tell of them."""


class _Hash(Func):
    """A hash of 64 bits of an id, by a number that chooses which; on PostgreSQL."""

    function, output_field = "UUID_HASH_EXTENDED", BigIntegerField()


_Sums = tuple[int, int, int]


def _sums_by(rows: QuerySet[Any, Any], column: str, group: Any) -> dict[Any, _Sums]:
    """Return the number of ids and the sums of two hashes of them, by group."""
    hashes = {f"hashes{seed}": Sum(_Hash(F(column), Value(seed))) for seed in (1, 2)}
    grouped = rows.order_by().annotate(of=group).values_list("of").annotate(n=Count("pk"), **hashes)
    return {of: (n, int(one or 0), int(two or 0)) for of, n, one, two in grouped}


def _all_compared(project: Project, kinds: Sequence[_Kind]) -> Iterator[str]:
    """Compare the ids of rows with those that events name, for each kind.

    On PostgreSQL number and hashes are compared first. Each table is read once then, and nothing is sorted: there are
    millions of labels. Where both sums of 64 bits are equal, the ids are; only others are compared one by one.
    """
    told: dict[Any, _Sums] = {}
    if connection.vendor == "postgresql":
        verbs = [verb for _, _, named in kinds for verb in named]
        events = Event.objects.filter(project=project, verb__in=verbs, row__isnull=False)
        told = _sums_by(events, "row", F("verb"))
    for kind, rows, named in kinds:
        if connection.vendor == "postgresql":
            (column,) = rows.query.values_select
            there = _sums_by(rows, column, Value("")).get("", (0, 0, 0))
            if there == tuple(map(sum, zip((0, 0, 0), *(told[verb] for verb in named if verb in told), strict=True))):
                continue
        yield from _compared(kind, rows, _rows_of(project, *named))


def _compared(kind: str, rows: QuerySet[Any, Any], events: QuerySet[Any, Any]) -> Iterator[str]:
    """Compare the ids of rows with those that events name. The database does it: there are millions of labels."""
    for row in _ids_of(rows.difference(events)):
        yield f"{kind} {row}: no event tells of it."
    for row in _ids_of(events.difference(rows)):
        yield f"{kind} {row}: an event tells of it, but it is lost."
    doubled = events.annotate(n=Count("pk")).filter(n__gt=1).order_by("row")
    for row, times in doubled.values_list("row", "n"):
        yield f"{kind} {row}: {times} events tell of it."


def _ids_of(rows: QuerySet[Any, Any]) -> list[Any]:
    """Return the single column of these rows, sorted."""
    return sorted(value for row in rows for value in row.values())


def _rows_of(project: Project, *verbs: str) -> QuerySet[Any, Any]:
    """Return the rows that events with these verbs name, as `row`."""
    return Event.objects.filter(project=project, verb__in=verbs, row__isnull=False).order_by().values("row")


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
