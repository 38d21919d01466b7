"""Writing checked items and all that comes with them: pictures, priors, annotators, seats, labels, decisions.

Called inside one transaction. What an item becomes was decided before (`annotation.domain.imports.row`); here it is
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
from annotation.domain.imports.cells import Named
from annotation.domain.imports.read_row import ReadLabel, ReadRow
from annotation.domain.pictures.words import language_of
from annotation.domain.priors.informativeness import Informativeness, informativeness
from annotation.media.pictures import Staged
from annotation.models import (
    Adjudication,
    Category,
    Dispute,
    Event,
    Item,
    KeptColumn,
    KnownAnswer,
    Label,
    Membership,
    Picture,
    PictureText,
    Prior,
    Project,
    Replacement,
    Ruling,
    Seat,
    random_place,
)
from annotation.picture_text.store import severity_of

_NOTHING: Mapping[str, Any] = {}
_ALIKE = Informativeness.ALIKE.value


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
        self._items, self._prior_rows, self._seats, self._label_rows = map(Rows, (Item, Prior, Seat, Label))
        self._replacements, self._disputes, self._rulings = map(Rows, (Replacement, Dispute, Adjudication))
        self._known, self._events, self._words = map(Rows, (KnownAnswer, Event, PictureText))
        self.annotators, self.finish = self._annotators.count, self._annotators.store_told

    def store(self, batch: Iterable[tuple[ReadRow, str]]) -> None:
        """Send items, each with the SHA-256 of its picture (or "" where it has none, or it is missing)."""
        items = list(batch)
        self._provide([item for item, _ in items])
        for item, sha256 in items:
            self._item(item, sha256)
        # In this order: rows before those that point to them.
        self._sender.send(rows.take() for rows in self._all())

    def _provide(self, items: Sequence[ReadRow]) -> None:
        """Ask the database for the keys and annotators of a batch, so that nothing is asked while rows are sent."""
        labels = sum(len(item.labels) for item in items)
        seats = sum(item.seats + item.extra_seats for item in items if item.labels)
        needs = ((self._item_keys, len(items)), (self._seat_keys, seats), (self._label_keys, labels))
        if all(keys.left >= needed for keys, needed in needs) and self._annotators.know(items):
            return
        self._sender.wait()
        for keys, needed in needs:
            keys.reserve(needed)
        self._annotators.meet(items)

    def _all(self) -> tuple[Rows, ...]:
        return (
            self._items,
            self._prior_rows,
            self._words,
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

    def _first(self, named: Named | None) -> int | None:
        return None if named is None else self._category(named.code)

    def _item(self, item: ReadRow, sha256: str) -> None:
        key, outcome, now = self._item_keys.next(), item.outcome, self.now
        closed = bool(item.labels) and outcome.stage in (Stage.GOLD, Stage.DISPUTED, Stage.EXCLUDED)
        self._items.add(
            id=key,
            public_id=next(self._uuids),
            project_id=self.project.pk,
            external_id=item.external_id,
            text=item.text,
            text_sha256=item.text_sha256,
            picture_id=self.pictures[sha256] if sha256 else None,
            picture_name=item.picture,
            picture_missing=bool(item.picture) and not sha256,
            **item.about,
            intended_id=self._first(item.intent),
            intended_categories=item.intent.codes if item.intent else (),
            intended_hateful=item.intent.side if item.intent else None,
            severity=_severity(item),
            priority=item.priority,
            provenance=item.provenance or _NOTHING,
            extra=item.extra or _NOTHING,
            stage=outcome.stage.value,
            seats=item.seats + item.extra_seats,
            taken=len(item.labels),
            place=random_place(),
            informativeness=_informativeness(item) if item.priors else _ALIKE,
            queue=self._queues.of(item.about["batch"]),
            version=2 if closed or item.extra_seats else 1,
            level=outcome.level,
            category_id=self._category(outcome.category),
            categories=outcome.categories,
            hateful=outcome.hateful,
            category_source=outcome.category_source and outcome.category_source.value,
            aligned=outcome.aligned,
            pattern=outcome.pattern,
            difficulty=outcome.difficulty,
            excluded_for=outcome.excluded_for and outcome.excluded_for.value,
            created_at=now,
            closed_at=now if closed else None,
            gold_at=now if outcome.stage is Stage.GOLD else None,
        )
        self._priors_of(key, item)
        if item.picture_text_reader:
            self._words.add(
                item_id=key,
                text=item.picture_text,
                language=language_of(item.picture_text),
                reader=item.picture_text_reader,
                created_at=now,
            )
        if item.labels:
            self._seats_of(key, item)
        if closed or item.extra_seats:
            self._decision(key, item)
        if item.known is not None:
            self._known_answer(key, item, item.known)

    def _known_answer(self, key: int, item: ReadRow, known: Named) -> None:
        self._known.add(
            item_id=key,
            category_id=self._first(known),
            categories=known.codes,
            explanation=item.known_explanation,
            training=item.known_training,
            active=True,
            created_at=self.now,
        )
        several = {"categories": list(known.codes)} if known.codes else {}
        self._event(EventVerb.KNOWN_MARKED, key, {"category": known.code, **several, "training": item.known_training})

    def _event(self, verb: EventVerb, item: int, facts: Mapping[str, Any]) -> None:
        self._events.add(project_id=self.project.pk, verb=verb, item_id=item, facts=facts, at=self.now)

    def _priors_of(self, key: int, item: ReadRow) -> None:
        for prior in item.priors:
            self.priors += 1
            self._prior_rows.add(
                item_id=key,
                modality=prior.modality.value,
                state=PriorState.OK.value,
                category_id=self._first(prior.named),
                hateful=prior.named.hateful,
                **prior.about,
                created_at=self.now,
            )

    def _seats_of(self, key: int, item: ReadRow) -> None:
        total = item.seats + item.extra_seats
        experts = count(1)
        for number in range(1, total + 1):
            seat, who, row, when = self._seat_keys.next(), None, None, None
            if number <= len(item.labels):
                label, row = item.labels[number - 1], self._label_keys.next()
                who, when = self._annotators.key(label.annotator), label.at or self.now
                if label.person:
                    self._annotators.tell(who, label.person)
                self._label(row, seat, key, who, label, when)
                if label.replaced_by is not None:
                    self._replacements.add(
                        item_id=key,
                        label_id=row,
                        reviewer_id=self._annotators.expert(next(experts)),
                        category_id=self._first(label.replaced_by),
                        categories=label.replaced_by.codes,
                        created_at=when,
                    )
            self._seats.add(
                id=seat,
                item_id=key,
                round=1,
                number=number,
                seats=item.seats if number <= item.seats else total,
                annotator_id=who,
                held_at=when,
                label_id=row,
                filled_at=when,
            )

    def _label(self, row: int, seat: int, item: int, who: int, label: ReadLabel, when: datetime) -> None:
        self.labels += 1
        self._label_rows.add(
            id=row,
            public_id=next(self._uuids),
            seat_id=seat,
            item_id=item,
            annotator_id=who,
            created_at=when,
            **label_fields(label, self._categories),
        )

    def _decision(self, key: int, item: ReadRow) -> None:
        """Create the events, reasons and ruling that closing this item would have left."""
        outcome, now = item.outcome, self.now
        if item.extra_seats:
            self._event(EventVerb.SEATS_ADDED, key, {"count": item.extra_seats})
            return
        adjudicated = outcome.category_source is Source.ADJUDICATED
        if outcome.stage is Stage.DISPUTED or adjudicated:
            for reason in outcome.reasons:
                settled_at = now if adjudicated else None
                self._disputes.add(item_id=key, reason=reason.value, opened_at=now, settled_at=settled_at)
        reasons = [reason.value for reason in outcome.reasons]
        facts = {"stage": outcome.stage.value, "reasons": reasons, "level": outcome.level}
        if adjudicated:
            facts["source"] = Source.ADJUDICATED.value
            self._rulings.add(
                item_id=key,
                round=1,
                ruling=Ruling.DECIDE.value,
                category_id=self._category(outcome.category),
                categories=outcome.categories,
                rationale=outcome.rationale,
                item_version=1,
                created_at=now,
            )
        self._event(EventVerb.CLOSED, key, facts)


def label_fields(label: ReadLabel, categories: Mapping[int, int]) -> dict[str, Any]:
    """Return what a label of a file says, as its row has it. `categories` are keys of rows by code."""
    code = label.named.code if label.named else None
    return {
        "category_id": None if code is None else categories[code],
        "categories": label.named.codes if label.named else (),
        "not_sure": label.not_sure,
        "low_quality": label.low_quality,
        "target_group": label.target_group,
        "note": label.note,
        "challenges": label.challenges,
        "answers": label.answers or _NOTHING,
        "passages": [passage._asdict() for passage in label.passages] or None,
        "seconds": label.seconds,
        "imported": True,
    }


def _informativeness(item: ReadRow) -> int:
    return informativeness((prior.named.hateful, prior.named.code) for prior in item.priors).value


def _severity(item: ReadRow) -> int | None:
    """Return the severity that the data give, or that of the words in the picture if that is higher."""
    if not item.picture_text:
        return item.severity
    return max(item.severity or 0, severity_of(item.picture_text)) or item.severity


class Annotators:
    """Memberships of people who only exist in imported data, by the name the data gives them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        imported = Membership.objects.filter(project=project).exclude(imported_name="")
        self._keys = dict(imported.values_list("imported_name", "pk"))
        self._seen: set[str] = set()
        self._told: dict[int, dict[str, Any]] = {}
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

    def known(self, name: str) -> int | None:
        """Return the membership of this annotator. Returns None for somebody new."""
        return self._keys.get(name)

    def expert(self, number: int) -> int:
        """Return the membership of whoever replaced the n-th *not sure* of an item, since the data do not name them."""
        name = f"(expert {number})"
        if name not in self._keys:
            self._keys[name] = Membership.objects.create(
                project=self.project, pseudonym=self._pseudonym(), imported_name=name, active=False
            ).pk
        return self._keys[name]

    def tell(self, key: int, person: Mapping[str, Any]) -> None:
        """Keep what a file says about a person; what is known already stays."""
        known = self._told.setdefault(key, {})
        if person.keys() - known.keys():
            self._told[key] = {**person, **known}

    def store_told(self) -> None:
        """Write what was told about people."""
        for member in Membership.objects.filter(pk__in=self._told):
            member.extra = {**self._told[member.pk], **member.extra}
            member.save(update_fields=("extra",))

    def know(self, items: Sequence[ReadRow]) -> bool:
        """Whether everybody these items name is a member already."""
        return all(
            label.annotator in self._keys and label.replaced_by is None for item in items for label in item.labels
        )

    def meet(self, items: Sequence[ReadRow]) -> None:
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


def know_columns(project: Project, names: Iterable[str]) -> None:
    """Remember the names of columns that items of the project keep."""
    rows = [KeptColumn(project=project, name=name) for name in sorted(names)]
    KeptColumn.objects.bulk_create(rows, ignore_conflicts=True)


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
