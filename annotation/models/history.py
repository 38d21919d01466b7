"""Decisions and history: rows are added and never changed; triggers enforce it."""

from typing import Any
from uuid import UUID, uuid4

from django.db import models
from django.utils import timezone

from annotation.domain.choices import EventVerb
from annotation.models.base import AppendOnly, WithCategories
from annotation.models.items import Item
from annotation.models.lines import LineField
from annotation.models.projects import Category, Membership, Project
from runs.sql.compiled_queries import insert
from vocabulary.display_names import NamedEnum


class Ruling(models.TextChoices):
    """A reviewer's decision about a disputed item."""

    DECIDE = "decide", "decided"
    EXCLUDE = "exclude", "excluded"
    NEW_ROUND = "new_round", "sent to a new round"
    REOPEN = "reopen", "reopened"
    MORE_SEATS = "more_seats", "asked more people"


class Adjudication(WithCategories, AppendOnly):
    """A reviewer's decision about an item, with its reason. Level and votes of the item do not change."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="adjudications")
    round = models.PositiveSmallIntegerField()
    reviewer = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )  # None: it came with imported data
    ruling = models.CharField(max_length=10, choices=Ruling.choices)
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )
    corrections = models.JSONField(
        default=list, blank=True
    )  # accepted challenges: [{"modality", "hateful", "category"}]
    target_group = LineField(max_length=200, blank=True, default="")  # the demeaned group, in the reviewer's words
    rationale = models.TextField()
    message = models.CharField(max_length=500, blank=True, default="")  # for the annotators of a new round
    drafted_from = models.UUIDField(null=True, blank=True)  # the run whose reasoning was the draft of the rationale
    client_key = models.UUIDField(null=True, blank=True)
    body_sha256 = models.CharField(max_length=64, blank=True, default="")
    item_version = models.PositiveIntegerField()  # the version the reviewer saw
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("reviewer", "client_key"), name="adjudication_client_key_once"),)


class Event(AppendOnly):
    """One entry of the log: actor, action, row and time. `actor` is None for the system; `row` is a public id."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, db_index=False, related_name="events")
    actor = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    verb = models.CharField(max_length=40)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    row = models.UUIDField(null=True, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes = (
            models.Index(fields=("project", "at"), name="event_when"),
            models.Index(  # for the arm that somebody saw before: a check has events of everybody, a post of a few
                fields=("item", "id"),
                condition=models.Q(verb__in=(EventVerb.SEAT_LAPSED, EventVerb.SEAT_EMPTIED)),
                name="event_seat_lost",
            ),
        )


def event_of(
    verb: NamedEnum,
    *,
    project: Project,
    actor: Membership | None = None,
    item: Item | None = None,
    row: UUID | None = None,
    **facts: Any,
) -> Event:
    """Return a new event, not stored yet. Facts are JSON values and never contain the item's text."""
    return Event(project=project, actor=actor, verb=verb, item=item, row=row, facts=facts)


def holder_key(member: Membership) -> str:
    """Return the key of a seat's holder in the facts of an event: the member's public id."""
    return str(member.public_id)


def record(verb: NamedEnum, **about: Any) -> Event:
    """Write an event to the log; `about` is what `event_of` takes."""
    event = event_of(verb, **about)
    insert(event)
    return event
