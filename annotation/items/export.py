"""The items that a search finds, as a file: Interplay JSONL that can be imported again, or CSV for a spreadsheet.

Streamed in the order of import. A file contains nothing that the viewer's pages would not show: no intent and votes of
items that they could still label; only for admins names of annotators, the passages with names that each marked, what
is known of each, and marks of samples. Items that were reported as illegal are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random
from typing import Any

from django.db.models import QuerySet

from annotation.domain.choices import Choose, Reason, Stage
from annotation.domain.columns.column import TEXT, Listed, When, among, fields_of, names_of
from annotation.domain.columns.items import INJECTED, ITEMS
from annotation.domain.formats.labels.of_annotators import ABOUT, NAMED
from annotation.domain.releases.columns import (
    QUESTION_COLUMN,
    cell_columns,
    in_cells,
    joined,
    json_line,
    without_decision,
)
from annotation.items.search import Asked, find_items
from annotation.models import Item, KeptColumn, KnownAnswer, Membership
from annotation.pages.csv_response import csv_of_dicts
from annotation.releases.people import known_of_people
from annotation.releases.request import Selection
from annotation.releases.rows import ReleasedItem, Rows, marked_in, reasons_of
from annotation.review.queue import may_see_intent, sees_every_intent
from runs.sql.read_replica import from_replica

AT_ONCE = 10_000
"""How many items are read together, with seven queries: what one key after the other finds, from the last one on."""
_LISTED = tuple(column for column in ITEMS if column.listed)
"""Columns in addition to those of a release."""
_KNOWN = ("known_category", "known_explanation", "known_training")
_HIDDEN = names_of(column for column in ITEMS if column.hidden)
_SAMPLED = names_of(column for column in ITEMS if column.when is When.INJECTED)
_NOTHING_KNOWN = dict.fromkeys(_KNOWN)
_READ = (*fields_of(_LISTED), "level", "public_id")


def _columns_for(viewer: Membership, released: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a file for this viewer; severities and known answers are for admins."""
    listed = (column for column in _LISTED if viewer.administers or column.listed is Listed.MEMBERS)
    return (*released, *names_of(listed))


def as_jsonl(viewer: Membership, selected: Asked) -> Iterator[bytes]:
    """Yield one item per line. Raises UnknownFilter before the first line."""
    kept = _kept(viewer)
    released = _released(viewer, kept)
    columns = _columns_for(viewer, released)
    for row in _rows(viewer, selected, released, kept):
        yield json_line(row, columns)


def as_csv(viewer: Membership, selected: Asked) -> Iterator[bytes]:
    """Yield CSV with one item a row, safe in a spreadsheet; its labels are one cell of JSON."""
    kept = _kept(viewer)
    released = _released(viewer, kept)
    columns = cell_columns(_columns_for(viewer, released), kept)
    rows = _rows(viewer, selected, released, kept)
    return csv_of_dicts(columns, (dict(zip(columns, in_cells(row, columns), strict=True)) for row in rows))


def _kept(viewer: Membership) -> list[str]:
    """Return the names of the columns that items of the project keep, in the order of the alphabet."""
    return sorted(KeptColumn.objects.filter(project=viewer.project_id).values_list("name", flat=True))


def _released(viewer: Membership, kept: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a release; also those that licences forbid there: a list stays inside the project."""
    several = viewer.project.choose == Choose.SEVERAL
    samples = Item.objects.filter(project=viewer.project_id, provenance__has_key=INJECTED)
    with from_replica():
        sampled = viewer.administers and samples.exists()
        marked = viewer.administers and marked_in(Item.objects.filter(project=viewer.project_id)).exists()
        people = viewer.administers and bool(known_of_people(viewer.project))
    there = {
        When.WORDS: True,
        When.SEVERAL: several,
        When.ASKED: viewer.project.questions.exists(),
        When.KEPT: bool(kept),
        When.INJECTED: sampled,
        When.MARKED: marked,
        When.PEOPLE: people,
    }
    return names_of(among(ITEMS, {when for when, is_there in there.items() if is_there}))


def _rows(
    viewer: Membership, selected: Asked, columns: tuple[str, ...], kept: Sequence[str]
) -> Iterator[dict[str, Any]]:
    matching = find_items(viewer, selected).exclude(excluded_for=Reason.REPORTED).order_by("pk")
    with from_replica():
        rows = Rows(viewer.project, Selection(notes=viewer.administers, people=viewer.administers), "")
        people = Membership.objects.filter(project=viewer.project_id)
        names = dict(people.values_list("pk", "pseudonym")) if viewer.administers else {}
    rows.columns = columns
    rows.kept = dict.fromkeys(kept, TEXT)
    rows.name_of = lambda person: names.get(person, "")
    probe, last, read = Item(), 0, dict.fromkeys((*rows.fields, *_READ))
    while (chunk := _read(matching.filter(pk__gt=last).values(*read)[:AT_ONCE], rows)).items:
        last = chunk.items[-1]["pk"]
        for item, released in zip(chunk.items, chunk.rows, strict=True):
            facts = item | chunk.known.get(item["public_id"], _NOTHING_KNOWN)
            facts["reasons"] = chunk.reasons.get(item["pk"], [])
            decided = released.row if item["stage"] == Stage.GOLD else without_decision(released.row)
            row = _seen(viewer, probe, item, decided)
            if item["stage"] == Stage.KNOWN:
                row |= _without_labels(row)  # answers to such an item are no votes
            yield row | {column.name: column.value(facts) for column in _LISTED}


@dataclass(frozen=True)
class _Chunk:
    """Items that were read together: their values, their rows in a file, and the known answers among them."""

    items: Sequence[dict[str, Any]]
    rows: Iterator[ReleasedItem]
    known: dict[Any, dict[str, Any]]
    reasons: dict[int, list[str]]


def _read(items: QuerySet[Item, dict[str, Any]], rows: Rows) -> _Chunk:
    """Return these items, read from the replica if there is one."""
    with from_replica():
        values = list(items)
        released = rows.of(values)
        first = list(islice(released, 1))  # all queries run before the first row
        reasons = reasons_of([item["pk"] for item in values])
        return _Chunk(values, chain(first, released), _known_of(values), reasons)


def _known_of(items: Sequence[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Return the known answers among these items, as an import reads them."""
    aside = [item["public_id"] for item in items if item["stage"] == Stage.KNOWN]
    rows = KnownAnswer.objects.filter(item__public_id__in=aside) if aside else KnownAnswer.objects.none()
    answers = rows.values_list("item__public_id", "category__code", "explanation", "training", "categories")
    return {
        item: dict(zip(_KNOWN, (joined(several) or code, *values), strict=True))
        for item, code, *values, several in answers
    }


def _seen(viewer: Membership, probe: Item, item: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the row as far as this viewer may see it; `probe` avoids an instance for each row."""
    probe.stage, probe.level = item["stage"], item["level"]
    if not may_see_intent(probe, viewer):
        row |= dict.fromkeys((*_HIDDEN, *(name for name in _SAMPLED if name in row)))
    if item["stage"] not in (Stage.GOLD, Stage.EXCLUDED) and not sees_every_intent(viewer):
        row |= _without_labels(row)
    elif not viewer.administers:
        row["labels"] = _nameless(str(item["public_id"]), row["labels"])
    return row


def _without_labels(row: dict[str, Any]) -> dict[str, Any]:
    """Return the labels of a row, and what follows from them, as nobody's."""
    bare: dict[str, Any] = {"labels": [], NAMED: [], ABOUT: [], QUESTION_COLUMN: None}
    return {name: value for name, value in bare.items() if name in row}


def _nameless(item: str, labels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the labels under letters, in an order that reveals nothing."""
    shuffled = Random(item).sample(labels, len(labels))
    return [label | {"annotator": chr(ord("A") + place)} for place, label in enumerate(shuffled)]
