"""The chosen items of a project as the rows of a release, streamed in the order in which they were imported."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast, TruncDate

from annotation.assignment.prior_display import CLOCK_TOLERANCE, priors_for_people
from annotation.domain.choices import Choose, PriorState, Source
from annotation.domain.columns.column import Column, Facts, When, among, fields_of
from annotation.domain.columns.items import AS_MADE as ITEMS_AS_MADE
from annotation.domain.columns.items import EVIDENCE, INJECTED
from annotation.domain.columns.labels import AS_MADE as LABELS_AS_MADE
from annotation.domain.columns.priors import PRIORS
from annotation.domain.formats.kept_columns import EXTRA, in_order
from annotation.domain.formats.labels.of_annotators import ABOUT, NAMED, about
from annotation.domain.questions.released_answers import ReleasedAnswers
from annotation.domain.releases.column_types import KeptTypes
from annotation.domain.releases.columns import (
    PICTURE_TEXT_COLUMNS,
    QUESTION_COLUMN,
    SPLIT_COLUMN,
    parts_of,
    pseudonym,
    undecided,
    withheld,
    without_decision,
)
from annotation.domain.releases.splits import Part
from annotation.domain.text_rules import text_digest
from annotation.models import (
    Adjudication,
    Dispute,
    Item,
    Membership,
    PictureText,
    Prior,
    Project,
    ReleaseTerms,
    Ruling,
    Seat,
)
from annotation.releases.evidence import evidence_of
from annotation.releases.people import known_of_people
from annotation.releases.request import Selection

CHUNK = 2000

_ITEM = (
    *("pk", "external_id", "text", "text_sha256", "licence", "category_source", "round"),
    *("picture_id", "picture__file", "picture__file_sha256", "picture__media_type"),
)
"""What is read of every item beside the fields of its columns."""
_PRIOR = ("item_id", "modality", *fields_of(among(PRIORS, ())))
_SEAT = (
    *("item_id", "round", "label__annotator_id", "label__guideline__number", "priors_seen", "day"),
    *("challenges_text", "first_answer_text", "answers_text"),
)
# Most values are empty: as text, each distinct value is parsed once instead of once per label.
_TEXTS = {
    "challenges_text": Cast("label__challenges", TextField()),
    "first_answer_text": Cast("label__first_answer", TextField()),
    "answers_text": Cast("label__answers", TextField()),
}
# To make a time of each label takes longer than all else that is done with it.
_DAYS = {
    "day": Cast(TruncDate("label__created_at", tzinfo=UTC), TextField()),
}
_loaded = lru_cache(maxsize=1024)(lambda text: json.loads(text) if text else None)
_READ = Q(current=True, state=PriorState.OK)
_EXTENSION = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}


@dataclass(frozen=True)
class PictureFile:
    """A picture of the release: its place in storage, and the path and hash under which it is released."""

    stored: str
    path: str
    sha256: str


@dataclass(frozen=True)
class ReleasedItem:
    """A row of a release and the picture it refers to."""

    row: dict[str, Any]
    picture: PictureFile | None


class Rows:
    """The rows of one release."""

    def __init__(
        self, project: Project, selection: Selection, scope: str, parts: Mapping[str, Part] | None = None
    ) -> None:
        """Prepare the rows of a release.

        `scope` separates pseudonyms: releases with the same scope share them. `parts`: the part of each item id.
        """
        self.project, self.selection, self.parts = project, selection, parts or {}
        self.forbidden = ReleaseTerms.forbidden_in(project)
        self.answers = ReleasedAnswers(project.question_values())
        self.name_of: Callable[[int], str] = cache(
            lambda member: pseudonym(project.export_key, scope, str(self._people[member]))
        )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows; whoever knows them sets them, and nothing is asked."""
        return self.selection.columns(self._there())

    def _there(self) -> frozenset[When]:
        """Return what the items have that not every project's have."""
        items = self.selection.items(self.project)
        there = {
            When.KEPT: items.exclude(extra={}).exists(),
            When.INJECTED: items.filter(provenance__has_key=INJECTED).exists(),
            When.WORDS: PictureText.objects.filter(_READ, item__in=items).exists(),
            When.SEVERAL: self.project.choose == Choose.SEVERAL,
            When.ASKED: bool(self.answers.kinds),
            When.PEOPLE: bool(self.known_of_people),
            When.MARKED: marked_in(items).exists(),
            When.WITHHELD: bool(self.forbidden),
        }
        return frozenset(when for when, is_there in there.items() if is_there)

    @cached_property
    def kept(self) -> dict[str, str]:
        """The kept columns of the items with their types, in the order of the alphabet."""
        if EXTRA not in self.columns:
            return {}
        types = KeptTypes()
        with_some = self.selection.items(self.project).exclude(extra={})
        for extra in with_some.values_list("extra", flat=True).iterator(chunk_size=CHUNK):
            types.look(extra)
        return types.as_types()

    @cached_property
    def known_of_people(self) -> Mapping[int, Mapping[str, Any]]:
        """What came in about each annotator, by the key of the member; nothing where it is not asked for."""
        return known_of_people(self.project) if self.selection.people else {}

    def imported_names(self) -> frozenset[str]:
        """Return the pseudonyms of the annotators who came with the data and have no account here."""
        members = Membership.objects.filter(project=self.project, user=None).exclude(imported_name="")
        return frozenset(self.name_of(member) for member in members.values_list("pk", flat=True))

    def __iter__(self) -> Iterator[ReleasedItem]:
        last = 0
        while chunk := self._chunk(last):
            last = chunk[-1]["pk"]
            yield from self.of(chunk)

    @cached_property
    def _people(self) -> dict[int, UUID]:
        """The public ids of the project's members by key.

        This costs less than a join that builds a UUID for each label.
        """
        return dict(Membership.objects.filter(project=self.project).values_list("pk", "public_id"))

    @property
    def fields(self) -> tuple[str, ...]:
        """What `of` reads of each item."""
        return tuple(dict.fromkeys((*_ITEM, *fields_of(self._columns()))))

    def _columns(self) -> Sequence[Column]:
        return [column for column in ITEMS_AS_MADE if column.name in self.columns]

    def _chunk(self, after: int) -> Sequence[dict[str, Any]]:
        items = self.selection.items(self.project).filter(pk__gt=after).order_by("pk")
        return list(items.values(*self.fields)[:CHUNK])

    def of(self, items: Sequence[dict[str, Any]]) -> Iterator[ReleasedItem]:
        """Yield the rows of these items, which must hold at least `fields`."""
        columns, there = self._columns(), parts_of(self.columns)
        for facts, picture in self._facts(items, there):
            row = {column.name: column.value(facts) for column in columns}
            if When.CLOSED in there and undecided(row):
                row = without_decision(row)
            yield self._withheld(row, picture) if When.WITHHELD in there else ReleasedItem(row, picture)

    def _withheld(self, row: dict[str, Any], picture: PictureFile | None) -> ReleasedItem:
        """Return the row without what this release, or the licence of the item, leaves out."""
        texts, media = (chosen and not row["withheld"] for chosen in (self.selection.texts, self.selection.media))
        kinds = self.answers.kinds if QUESTION_COLUMN in row else None
        return ReleasedItem(withheld(row, texts, media, kinds), picture if media else None)

    def _facts(
        self, items: Sequence[dict[str, Any]], there: Collection[When]
    ) -> Iterator[tuple[Facts, PictureFile | None]]:
        """Yield what the columns are made of, and the picture, item by item."""
        keys = [item["pk"] for item in items]
        priors, labels = self._priors(keys), self._labels(items, there)
        decisions = _decisions([item["pk"] for item in items if item["category_source"] == Source.ADJUDICATED])
        evidence = evidence_of(self.project, items, decisions) if When.EVIDENCE in there else {}
        reasons = reasons_of(keys) if When.CLOSED in there else {}
        words = _words(keys) if When.WORDS in there else {}
        passages = self._passages(items) if When.MARKED in there else {}
        for item in items:
            pk, picture = item["pk"], _picture(item)
            own_labels, guideline = labels.get(pk, ([], None))
            facts = item | {
                "image": picture.path if picture else None,
                "priors": priors.get(pk, {}),
                "labels": own_labels,
                "guideline_version": guideline,
                "rationale": decisions[pk][0] if pk in decisions else None,
                "reasons": reasons.get(pk, []),
                **dict(zip(PICTURE_TEXT_COLUMNS, words.get(pk, (None, None)), strict=True)),
            }
            if When.ASKED in there:
                facts[QUESTION_COLUMN] = self.answers.of_item(own_labels)
            if When.MARKED in there:
                facts[NAMED] = passages.get(pk, [])
            if When.PEOPLE in there:
                facts[ABOUT] = [part for label in own_labels for part in self._about.get(label["annotator"], ())]
            if When.KEPT in there:
                own = in_order(item[EXTRA])
                facts[EXTRA] = {name: own.get(name) for name in self.kept}
            if When.EVIDENCE in there:
                facts[EVIDENCE] = evidence.get(pk, [])
            if When.SPLIT in there:
                facts[SPLIT_COLUMN] = self.parts[item["external_id"]].value
            if When.WITHHELD in there:
                facts["text_digest"] = item["text_sha256"] or text_digest(item["text"]) or None
                facts["withheld"] = (item["licence"] or self.project.licence) in self.forbidden
            yield facts, picture

    def _priors(self, keys: list[int]) -> dict[int, dict[str, dict[str, Any]]]:
        priors: dict[int, dict[str, dict[str, Any]]] = {}
        for prior in Prior.objects.filter(_among(keys), current=True).values(*_PRIOR):
            priors.setdefault(prior["item_id"], {})[prior["modality"]] = prior
        return priors

    def _labels(
        self, items: Sequence[dict[str, Any]], there: Collection[When]
    ) -> dict[int, tuple[list[dict[str, Any]], int | None]]:
        """Return the valid labels of the deciding round, in seat order, and their newest guideline version, by item."""
        rounds = {item["pk"]: item["round"] for item in items}
        labels: dict[int, tuple[list[dict[str, Any]], int | None]] = {}
        columns = among(LABELS_AS_MADE, there)
        read = tuple(dict.fromkeys((*_SEAT, *fields_of(columns))))
        of_items = Seat.objects.filter(_among(list(rounds)), round__in=set(rounds.values()), label__isnull=False)
        with_all = of_items.annotate(**_TEXTS, **_DAYS, priors_seen=_was_seen(self.project))
        for values in with_all.order_by("item_id", "number").values_list(*read):
            item, round_ = values[:2]
            if rounds.get(item) != round_:
                continue
            facts = self._label_facts(dict(zip(read, values, strict=True)))
            item_labels, newest = labels.get(item, ([], None))
            item_labels.append({column.name: column.value(facts) for column in columns})
            labels[item] = item_labels, max(filter(None, (newest, facts["label__guideline__number"])), default=None)
        return labels

    @cached_property
    def _about(self) -> Mapping[str, Sequence[dict[str, str]]]:
        """What is known of people, as entries of the column, by their names in the release."""
        known = {self.name_of(member): columns for member, columns in self.known_of_people.items()}
        return {name: about(name, columns) for name, columns in known.items()}

    def _passages(self, items: Sequence[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
        """Return the passages that the labels of the deciding round named, in seat order, by item."""
        rounds = {item["pk"]: item["round"] for item in items}
        marked = Seat.objects.filter(_among(list(rounds)), label__passages__isnull=False).order_by("item_id", "number")
        passages: dict[int, list[dict[str, Any]]] = {}
        for item, round_, member, own in marked.values_list(
            "item_id", "round", "label__annotator_id", "label__passages"
        ):
            if rounds.get(item) == round_:
                named = ({"annotator": self.name_of(member), **passage} for passage in own or ())
                passages.setdefault(item, []).extend(named)
        return passages

    def _label_facts(self, seat: dict[str, Any]) -> Facts:
        """Return what the columns of a label are made of."""
        seat["annotator"] = self.name_of(seat["label__annotator_id"])
        seat["challenges"] = _loaded(seat["challenges_text"]) or ()
        seat["first"] = _loaded(seat["first_answer_text"]) or {}
        if not self.selection.notes:
            seat["label__note"] = None
        return seat | self.answers.of_label(_loaded(seat["answers_text"]) or {}) if self.answers.kinds else seat


def _was_seen(project: Project) -> Exists:
    """Return the condition that a label's author saw a prior: one was there at the moment from which priors stood."""
    moment = ExpressionWrapper(OuterRef("label__priors_shown_at") + CLOCK_TOLERANCE, DateTimeField())
    return Exists(priors_for_people(project).filter(item=OuterRef("item"), state=PriorState.OK, created_at__lte=moment))


def _among(keys: Sequence[int]) -> Q:
    """Return the condition that a row is about one of these items, or about another one between them.

    A list of thousands of keys takes longer to send and to read than the rows of a few items more.
    """
    first, last = min(keys, default=0), max(keys, default=0)
    if last - first < 2 * len(keys):
        return Q(item_id__gte=first, item_id__lte=last)
    return Q(item_id__in=keys)


def _picture(item: dict[str, Any]) -> PictureFile | None:
    if item["picture_id"] is None:
        return None
    sha256 = item["picture__file_sha256"]
    extension = _EXTENSION.get(item["picture__media_type"], "bin")
    return PictureFile(item["picture__file"], f"pictures/{sha256}.{extension}", sha256)


def _decisions(keys: list[int]) -> dict[int, tuple[str, datetime]]:
    """Return the reason and the time of the newest decision about each item."""
    decisions = Adjudication.objects.filter(item_id__in=keys, ruling=Ruling.DECIDE).order_by("pk")
    return {item: (why, at) for item, why, at in decisions.values_list("item_id", "rationale", "created_at")}


def _words(keys: list[int]) -> dict[int, tuple[str | None, str]]:
    """Return the words in the pictures of items and who read them, by item; a picture without words has None."""
    read = PictureText.objects.filter(_READ, _among(keys))
    return {item: (text or None, reader) for item, text, reader in read.values_list("item_id", "text", "reader")}


def marked_in(items: QuerySet[Item]) -> QuerySet[Seat]:
    """Return the seats of these items whose label has passages with names."""
    return Seat.objects.filter(item__in=items, label__passages__isnull=False)


def reasons_of(keys: list[int]) -> dict[int, list[str]]:
    """Return the reasons why the items were ever disputed, each once, in order of first occurrence."""
    reasons: dict[int, list[str]] = {}
    for item, reason in Dispute.objects.filter(item_id__in=keys).order_by("pk").values_list("item_id", "reason"):
        named = reasons.setdefault(item, [])
        if reason not in named:
            named.append(reason)
    return reasons
