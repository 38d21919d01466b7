"""Writing checked items and all that comes with them: pictures, priors, annotators, seats, labels, decisions.

Called inside one transaction. What an item becomes was decided before (`annotation.domain.intake`); here it is
only written, in the very rows that labelling and closing one by one would have left behind.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from django.utils import timezone

from annotation.batches.state import read_batch_queues
from annotation.core.bulk_insert import Keys, Rows, Sender, fresh_uuids
from annotation.domain.choices import EventVerb, PriorState, Source, Stage
from annotation.domain.imports.values import Incoming, IncomingKnown, IncomingLabel
from annotation.media.pictures import Staged
from annotation.models import (
    Adjudication,
    Category,
    Dispute,
    Event,
    Item,
    KnownAnswer,
    Label,
    Membership,
    Picture,
    Prior,
    Project,
    Replacement,
    Ruling,
    Seat,
    random_place,
)

_ITEM = (
    *("id", "public_id", "project_id", "external_id", "text", "text_sha256", "picture_id", "picture_name"),
    *("picture_missing", "source", "licence", "batch", "intended_id", "intended_hateful", "severity"),
    *(
        "target_group",
        "provenance",
        "stage",
        "seats",
        "taken",
        "place",
        "queue",
        "version",
        "level",
        "category_id",
        "hateful",
    ),
    *("category_source", "aligned", "pattern", "difficulty", "excluded_for", "created_at", "closed_at", "gold_at"),
)
_PRIOR = ("item_id", "modality", "state", "category_id", "hateful", "explanation", "model", "severity", "created_at")
_SEAT = ("id", "item_id", "round", "number", "seats", "annotator_id", "held_at", "label_id", "filled_at")
_LABEL = (
    *("id", "public_id", "seat_id", "item_id", "annotator_id", "category_id", "not_sure", "low_quality"),
    *("target_group", "note", "challenges", "seconds", "imported", "created_at"),
)
_EVENT = ("project_id", "verb", "item_id", "facts", "at")
_NOTHING: Mapping[str, Any] = {}


class ItemStore:
    """Writes items of one project in batches."""

    def __init__(self, project: Project, pictures: Mapping[str, int], sender: Sender) -> None:
        """`pictures` are the project's pictures by SHA-256."""
        self.project, self.pictures, self._sender = project, pictures, sender
        self.now = timezone.now()
        self.labels = self.priors = 0
        self._categories = dict(Category.objects.filter(project=project).values_list("code", "pk"))
        self._annotators = Annotators(project)
        self._queues = read_batch_queues(project)
        self._uuids = fresh_uuids()
        self._item_keys, self._seat_keys, self._label_keys = Keys(Item), Keys(Seat), Keys(Label)
        self._items, self._prior_rows = Rows(Item, _ITEM), Rows(Prior, _PRIOR)
        self._seats, self._label_rows = Rows(Seat, _SEAT), Rows(Label, _LABEL)
        self._disputes = Rows(Dispute, ("item_id", "reason", "opened_at", "settled_at"))
        self._events = Rows(Event, _EVENT)
        self._rulings = Rows(
            Adjudication, ("item_id", "round", "ruling", "category_id", "rationale", "item_version", "created_at")
        )
        self._known = Rows(KnownAnswer, ("item_id", "category_id", "explanation", "training", "active", "created_at"))
        self._replacements = Rows(Replacement, ("item_id", "label_id", "reviewer_id", "category_id", "created_at"))
        self.annotators = self._annotators.count

    def store(self, batch: Iterable[tuple[Incoming, str]]) -> None:
        """Send items, each with the SHA-256 of its picture (or "" where it has none, or it is missing)."""
        items = list(batch)
        self._provide([item for item, _ in items])
        for item, sha256 in items:
            self._item(item, sha256)
        # In this order: rows before those that point to them.
        self._sender.send(rows.take() for rows in self._all())

    def _provide(self, items: Sequence[Incoming]) -> None:
        """Ask the database for the keys and annotators of a batch, so that nothing is asked while rows are sent."""
        labels = sum(len(item.labels) for item in items)
        seats = sum(item.seats + item.extra_seats for item in items if item.labels)
        wanted = ((self._item_keys, len(items)), (self._seat_keys, seats), (self._label_keys, labels))
        if all(keys.left >= needed for keys, needed in wanted) and self._annotators.know(items):
            return
        self._sender.wait()
        for keys, needed in wanted:
            keys.reserve(needed)
        self._annotators.meet(items)

    def _all(self) -> tuple[Rows, ...]:
        return (
            self._items,
            self._prior_rows,
            self._seats,
            self._label_rows,
            self._replacements,
            self._disputes,
            self._rulings,
            self._known,
            self._events,
        )

    def _category(self, code: int | None) -> int | None:
        return None if code is None else self._categories[code]

    def _item(self, item: Incoming, sha256: str) -> None:
        key, found, now = self._item_keys.next(), item.outcome, self.now
        closed = bool(item.labels) and found.stage in (Stage.GOLD, Stage.DISPUTED, Stage.EXCLUDED)
        self._items.add(
            key,
            next(self._uuids),
            self.project.pk,
            item.external_id,
            item.text,
            item.text_sha256,
            self.pictures[sha256] if sha256 else None,
            item.picture,
            bool(item.picture) and not sha256,
            item.source,
            item.licence,
            item.batch,
            self._category(item.intended),
            item.intended_hateful,
            item.severity,
            item.target_group,
            item.provenance or _NOTHING,
            found.stage.value,
            item.seats + item.extra_seats,
            len(item.labels),
            random_place(),
            self._queues.of(item.batch),
            2 if closed or item.extra_seats else 1,
            found.level,
            self._category(found.category),
            found.hateful,
            found.category_source and found.category_source.value,
            found.aligned,
            found.pattern,
            found.difficulty,
            found.excluded_for and found.excluded_for.value,
            now,
            now if closed else None,
            now if found.stage is Stage.GOLD else None,
        )
        self._priors_of(key, item)
        if item.labels:
            self._seats_of(key, item)
        if closed or item.extra_seats:
            self._decision(key, item)
        if item.known is not None:
            self._known_answer(key, item.known)

    def _known_answer(self, key: int, known: IncomingKnown) -> None:
        category = self._category(known.category)
        self._known.add(key, category, known.explanation, known.training, True, self.now)
        facts = {"category": known.category, "training": known.training}
        self._events.add(self.project.pk, EventVerb.KNOWN_MARKED, key, facts, self.now)

    def _priors_of(self, key: int, item: Incoming) -> None:
        for prior in item.priors:
            self.priors += 1
            self._prior_rows.add(
                key,
                prior.modality.value,
                PriorState.OK.value,
                self._category(prior.category),
                prior.hateful,
                prior.explanation,
                prior.model,
                prior.severity,
                self.now,
            )

    def _seats_of(self, key: int, item: Incoming) -> None:
        total = item.seats + item.extra_seats
        experts = count(1)
        for number in range(1, total + 1):
            seats = item.seats if number <= item.seats else total
            seat = self._seat_keys.next()
            if number > len(item.labels):
                self._seats.add(seat, key, 1, number, seats, None, None, None, None)
                continue
            label, row = item.labels[number - 1], self._label_keys.next()
            who, when = self._annotators.key(label.annotator), label.at or self.now
            self._seats.add(seat, key, 1, number, seats, who, when, row, when)
            self._label(row, seat, key, who, label, when)
            if label.replaced_by is not None:
                expert, category = self._annotators.expert(next(experts)), self._category(label.replaced_by)
                self._replacements.add(key, row, expert, category, when)

    def _label(self, row: int, seat: int, item: int, who: int, label: IncomingLabel, when: datetime) -> None:
        self.labels += 1
        self._label_rows.add(
            row,
            next(self._uuids),
            seat,
            item,
            who,
            self._category(label.category),
            label.not_sure,
            label.low_quality,
            label.target_group,
            label.note,
            label.challenges,
            label.seconds,
            True,
            when,
        )

    def _decision(self, key: int, item: Incoming) -> None:
        """Create the events, reasons and ruling that closing this item would have left."""
        found, now = item.outcome, self.now
        if item.extra_seats:
            self._events.add(self.project.pk, EventVerb.SEATS_ADDED, key, {"count": item.extra_seats}, now)
            return
        adjudicated = found.category_source is Source.ADJUDICATED
        if found.stage is Stage.DISPUTED or adjudicated:
            for reason in found.reasons:
                self._disputes.add(key, reason.value, now, now if adjudicated else None)
        reasons = [reason.value for reason in found.reasons]
        facts = {"stage": found.stage.value, "reasons": reasons, "level": found.level}
        if adjudicated:
            facts["source"] = Source.ADJUDICATED.value
            category = self._category(found.category)
            self._rulings.add(key, 1, Ruling.DECIDE.value, category, found.rationale, 1, now)
        self._events.add(self.project.pk, EventVerb.CLOSED, key, facts, now)


class Annotators:
    """Memberships of people who only exist in imported data, by the name the data gives them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        imported = Membership.objects.filter(project=project).exclude(imported_name="")
        self._keys = dict(imported.values_list("imported_name", "pk"))
        self._seen: set[str] = set()
        self._taken = set(Membership.objects.filter(project=project).values_list("pseudonym", flat=True))
        self._number = len(self._keys)

    def key(self, name: str) -> int:
        """Return the membership of this annotator, created at first use."""
        self._seen.add(name)
        if name not in self._keys:
            self._keys[name] = Membership.objects.create(
                project=self.project, pseudonym=self._pseudonym(), imported_name=name, annotates=True, active=False
            ).pk
        return self._keys[name]

    def expert(self, number: int) -> int:
        """Return the membership of whoever replaced the n-th *not sure* of an item, since the data do not name them."""
        name = f"(expert {number})"
        if name not in self._keys:
            self._keys[name] = Membership.objects.create(
                project=self.project, pseudonym=self._pseudonym(), imported_name=name, active=False
            ).pk
        return self._keys[name]

    def know(self, items: Sequence[Incoming]) -> bool:
        """Whether everybody these items name is a member already."""
        return all(
            label.annotator in self._keys and label.replaced_by is None for item in items for label in item.labels
        )

    def meet(self, items: Sequence[Incoming]) -> None:
        """Make members of everybody these items name."""
        for item in items:
            for label in item.labels:
                self.key(label.annotator)
            for number in range(1, sum(label.replaced_by is not None for label in item.labels) + 1):
                self.expert(number)

    def count(self) -> int:
        """How many different annotators the data names."""
        return len(self._seen)

    def _pseudonym(self) -> str:
        while True:
            self._number += 1
            name = f"imported-{self._number}"
            if name not in self._taken:
                self._taken.add(name)
                return name


def store_pictures(project: Project, staged: Iterable[Staged]) -> dict[str, int]:
    """Write the rows of pictures whose files are in place; their keys by SHA-256."""
    rows = [
        Picture(
            project=project,
            sha256=picture.sha256,
            file=picture.file,
            file_sha256=picture.file_sha256,
            blurred=picture.blurred,
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
        )
        for picture in staged
    ]
    return {row.sha256: row.pk for row in Picture.objects.bulk_create(rows, batch_size=500)}
