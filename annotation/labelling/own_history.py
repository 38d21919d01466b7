"""A person's own answers and skips in a project, newest first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet

from annotation.assignment.seat_lookup import can_change_label
from annotation.core.key_pages import AFTER, BEFORE, KeyPage
from annotation.core.named_categories import names_category
from annotation.domain.choices import Reason, Stage
from annotation.domain.folding.text import folded
from annotation.labelling.take_back_skip import may_be_taken_back
from annotation.models import Item, Label, Membership, Seat, Skip
from annotation.pages.answers_shown import answers_shown, questions_answered
from annotation.pages.long_lists import MOST_COUNTED, ListedPage, keyed_page
from runs.sql.database_clock import database_now

PAGE = 25
"""The number of answers and skips on a page of the history."""
LABEL, SKIP = "label", "skip"
NOT_SURE, LOW_QUALITY, NOTE = "not_sure", "low_quality", "note"
KINDS = (NOT_SURE, LOW_QUALITY, NOTE, SKIP)
"""What the history can be narrowed to, beside the categories."""
_LABEL_OF: Mapping[type[Model], str | None] = {Seat: "label__", Label: "", Skip: None}


class Entry(NamedTuple):
    """A label or skip by what orders the history: newest first, and of one moment labels before skips."""

    at: datetime
    is_label: bool
    pk: int
    key: UUID
    """The public id of the label's seat, or of the skipped item. A label that is changed keeps its key."""

    @property
    def kind(self) -> str:
        return LABEL if self.is_label else SKIP


@dataclass(frozen=True)
class Wanted:
    """Which part of the history somebody wants to see: what they said, and words of the post. Empty: all of it."""

    kind: str = ""
    """One of `KINDS`, or the code of a category."""
    words: str = ""

    def of(self, rows: QuerySet[Any], label: str | None) -> QuerySet[Any]:
        """Return those rows that are wanted. `label` leads from a row to its label; None: the rows are skips."""
        if self.words:
            rows = rows.filter(item__folded__contains=folded(self.words).strip() or self.words)
        if not self.kind:
            return rows
        if label is None:
            return rows if self.kind == SKIP else rows.none()
        if self.kind == NOTE:
            return rows.exclude(**{f"{label}note": ""})
        if self.kind in (NOT_SURE, LOW_QUALITY):
            return rows.filter(**{f"{label}{self.kind}": True})
        return rows.none() if self.kind == SKIP else rows.filter(names_category(label, int(self.kind)))


ALL = Wanted()


def history_page(
    member: Membership, query: Mapping[str, str], wanted: Wanted = ALL
) -> tuple[ListedPage, list[dict[str, Any]]]:
    """Return the page of the member's history that the query names, and its rows.

    `after` and `before` name it by key, `page` by number; a name of none gives the first page. They are labels in
    force; of somebody whose access has ended the last label of each of their seats, also one that was taken out. Skips
    stand among them. Reported posts are left out.
    """
    page = (
        _page_by_key(member, query, wanted)
        or _page_by_number(member, query.get("page", ""), wanted)
        or _page_by_number(member, "", wanted)
    )
    entries = page.rows if page else ()
    listed = {kind: [entry.pk for entry in entries if entry.kind == kind] for kind in (LABEL, SKIP)}
    now = database_now()
    rows = _label_rows(member, listed[LABEL], now) | _skip_rows(member, listed[SKIP], now)
    shown = [{**rows[entry.kind, entry.pk], "at": entry.at} for entry in entries]
    return keyed_page(page) if page else ListedPage(()), shown


def _page_by_key(member: Membership, query: Mapping[str, str], wanted: Wanted) -> KeyPage[Entry] | None:
    """Return the page after or before the entry that the query names; None if it names none, or nothing is there."""
    backwards = bool(query.get(BEFORE))
    edge = _entry_of(member, query.get(BEFORE) or query.get(AFTER) or "")
    found = [] if edge is None else _entries(member, wanted, PAGE + 1, edge, backwards=backwards)
    if not backwards:
        return _page(found, has_previous=True, has_next=len(found) > PAGE)
    return _page(found[:PAGE][::-1], has_previous=len(found) > PAGE, has_next=True)


def _page_by_number(member: Membership, number: str, wanted: Wanted) -> KeyPage[Entry] | None:
    """Return the page of this number. None if it has nothing, or stands beyond the entries that are counted."""
    page = int(number) if number.isascii() and number.isdigit() and len(number) < 5 else 1
    start = PAGE * (max(page, 1) - 1)
    found = _entries(member, wanted, start + PAGE + 1)[start:] if start < MOST_COUNTED else []
    return _page(found, has_previous=start > 0, has_next=len(found) > PAGE)


def _page(entries: list[Entry], *, has_previous: bool, has_next: bool) -> KeyPage[Entry] | None:
    rows = entries[:PAGE]
    if not rows:
        return None
    return KeyPage(rows, str(rows[0].key) if has_previous else None, str(rows[-1].key) if has_next else None)


def _entries(
    member: Membership, wanted: Wanted, most: int, edge: Entry | None = None, *, backwards: bool = False
) -> list[Entry]:
    """Return the wanted entries that come after the edge in the history, or before it, the nearest first."""
    # The reported posts of a project are few, and found by its index of stages: no other post is read for the list.
    among = Item.objects.filter(project=member.project_id, stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    turn = "" if backwards else "-"
    parts = []
    for is_label, rows in _both(member):
        unreported = wanted.of(rows, _LABEL_OF[rows.model]).exclude(item__in=among.values("pk"))
        if edge is not None:
            unreported = unreported.filter(_beyond(edge, is_label=is_label, backwards=backwards))
        found = unreported.order_by(f"{turn}at", f"{turn}key").values_list("at", "key", "place")[:most]
        parts.append([Entry(at, is_label, pk, key) for at, pk, key in found])
    return list(islice(merge(*parts, reverse=not backwards), most))


def _beyond(edge: Entry, *, is_label: bool, backwards: bool) -> Q:
    """Return the condition for labels, or skips, after the edge in the order of the history; or before it."""
    beyond = "gt" if backwards else "lt"
    if is_label != edge.is_label:
        same_moment = "e" if is_label == backwards else ""
        return Q(**{f"at__{beyond}{same_moment}": edge.at})
    later = Q(**{f"at__{beyond}": edge.at}) | Q(at=edge.at, **{f"key__{beyond}": edge.pk})
    return Q(**{f"at__{beyond}e": edge.at}) & later  # the first follows from the second, and lets an index begin here


def _entry_of(member: Membership, key: str) -> Entry | None:
    try:
        place = UUID(key)
    except ValueError:
        return None
    for is_label, rows in _both(member):
        if found := rows.filter(place=place).order_by().values_list("at", "key").first():
            return Entry(found[0], is_label, found[1], place)
    return None


def _both(member: Membership) -> tuple[tuple[bool, QuerySet[Any]], ...]:
    """Return the member's labels and skips; True stands with labels."""
    return (True, _labels_in_force(member) if member.active else _last_labels(member)), (False, _skips(member))


def _labels_in_force(member: Membership) -> QuerySet[Seat]:
    seats = Seat.objects.filter(annotator=member, label__isnull=False)
    return seats.annotate(key=F("label_id"), at=F("filled_at"), place=F("public_id"))


def _last_labels(member: Membership) -> QuerySet[Label]:
    corrected = Label.objects.filter(seat=OuterRef("seat"), annotator=member, revision__gt=OuterRef("revision"))
    labels = Label.objects.filter(annotator=member).exclude(Exists(corrected))
    return labels.annotate(key=F("pk"), at=F("created_at"), place=F("seat__public_id"))


def _skips(member: Membership) -> QuerySet[Skip]:
    return Skip.objects.filter(annotator=member).annotate(key=F("pk"), at=F("created_at"), place=F("item__public_id"))


def _label_rows(member: Membership, keys: list[int], now: datetime) -> dict[tuple[str, int], dict[str, Any]]:
    labels = list(Label.objects.filter(pk__in=keys).select_related("item__picture", "category", "seat").order_by("pk"))
    questions = questions_answered(member.project, labels)
    return {("label", label.pk): _label_row(member, label, questions, now) for label in labels}


def _label_row(member: Membership, label: Label, questions: Any, now: datetime) -> dict[str, Any]:
    seat: Seat = label.seat
    seat.item = label.item
    return {
        "seat": seat,
        "label": label,
        "item": label.item,
        "open": member.active and can_change_label(seat, now),
        "taken_out": seat.label_id != label.pk,
        "answers": answers_shown(label.answers, questions, label.item.text),
    }


def _skip_rows(member: Membership, keys: list[int], now: datetime) -> dict[tuple[str, int], dict[str, Any]]:
    skips = Skip.objects.filter(pk__in=keys).select_related("item__picture").order_by("pk")
    return {
        ("skip", skip.pk): {
            "skip": skip,
            "item": skip.item,
            "open": member.active and may_be_taken_back(member, skip, now),
        }
        for skip in skips
    }
