"""A person's own answers and skips in a project, newest first."""

from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Value

from annotation.assignment.seat_lookup import can_change_label
from annotation.domain.choices import Reason, Stage
from annotation.labelling.take_back_skip import may_be_taken_back
from annotation.models import Item, Label, Membership, Seat, Skip
from annotation.pages.answers_shown import answers_shown, questions_answered
from runs.sql.database_clock import database_now

PAGE = 25
"""The number of answers and skips on a page of the history."""


def history_page(member: Membership, number: str | None) -> tuple[Page[Any], list[dict[str, Any]]]:
    """Return a page of the member's history, and its rows.

    They are labels in force; of somebody whose access has ended the last label of each of their seats, also one that
    was taken out. Skips stand among them. Reported posts are left out.
    """
    labels = _labels_in_force(member) if member.active else _last_labels(member)
    entries = _entries(member, labels, "label").union(_entries(member, _skips(member), "skip"), all=True)
    page: Page[Any] = Paginator(entries.order_by("-at", "kind", "-key"), PAGE).get_page(number)
    listed = {kind: [key for key, is_of, _at in page.object_list if is_of == kind] for kind in ("label", "skip")}
    rows = _label_rows(member, listed["label"]) | _skip_rows(member, listed["skip"])
    return page, [{**rows[kind, key], "at": at} for key, kind, at in page.object_list]


def _entries(member: Membership, rows: QuerySet[Any], kind: str) -> QuerySet[Any, Any]:
    # The reported posts of a project are few, and found by its index of stages: no other post is read for the list.
    among = Item.objects.filter(project=member.project_id, stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    named: QuerySet[Any] = rows.exclude(item__in=among.values("pk")).annotate(kind=Value(kind, CharField())).order_by()
    entries: QuerySet[Any, Any] = named.values_list("key", "kind", "at")
    return entries


def _labels_in_force(member: Membership) -> QuerySet[Seat]:
    seats = Seat.objects.filter(annotator=member, label__isnull=False)
    return seats.annotate(key=F("label_id"), at=F("filled_at"))


def _last_labels(member: Membership) -> QuerySet[Label]:
    corrected = Label.objects.filter(seat=OuterRef("seat"), annotator=member, revision__gt=OuterRef("revision"))
    labels = Label.objects.filter(annotator=member).exclude(Exists(corrected))
    return labels.annotate(key=F("pk"), at=F("created_at"))


def _skips(member: Membership) -> QuerySet[Skip]:
    return Skip.objects.filter(annotator=member).annotate(key=F("pk"), at=F("created_at"))


def _label_rows(member: Membership, keys: list[int]) -> dict[tuple[str, int], dict[str, Any]]:
    labels = list(Label.objects.filter(pk__in=keys).select_related("item", "category", "seat").order_by("pk"))
    questions, now = questions_answered(member.project, labels), database_now()
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


def _skip_rows(member: Membership, keys: list[int]) -> dict[tuple[str, int], dict[str, Any]]:
    skips, now = Skip.objects.filter(pk__in=keys).select_related("item").order_by("pk"), database_now()
    return {
        ("skip", skip.pk): {
            "skip": skip,
            "item": skip.item,
            "open": member.active and may_be_taken_back(member, skip, now),
        }
        for skip in skips
    }
