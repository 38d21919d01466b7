"""The chosen items of a project as the rows of a release, streamed in the order in which they were imported."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cache, cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, Exists, ExpressionWrapper, OuterRef, Q, TextField
from django.db.models.functions import Cast, TruncDate

from annotation.assignment.prior_display import CLOCK_TOLERANCE, priors_for_people
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Choose, Modality, PriorState, Source
from annotation.domain.imports.row import text_digest
from annotation.domain.patterns import pattern_of
from annotation.domain.questions.released_answers import ReleasedAnswers
from annotation.domain.releases.columns import (
    HASH_COLUMNS,
    INJECTED,
    PICTURE_TEXT_COLUMNS,
    QUESTION_COLUMN,
    SET_COLUMNS,
    SPLIT_COLUMN,
    STANDING_COLUMNS,
    injection_of,
    pseudonym,
    undecided,
    votes_of,
    withheld,
    without_decision,
)
from annotation.domain.releases.splits import Part
from annotation.models import Adjudication, Dispute, Membership, PictureText, Prior, Project, ReleaseTerms, Ruling, Seat
from annotation.releases.request import Selection

CHUNK = 2000

ITEM = (
    *("pk", "external_id", "text", "picture_id", "picture__sha256", "picture__file_sha256"),
    *("picture__media_type", "picture__file", "intended__code", "intended_hateful", "batch", "target_group"),
    *("source", "licence", "category__code", "hateful", "level", "category_source", "pattern", "difficulty"),
    *("aligned", "round", "stage", "excluded_for", "text_sha256"),
)
_PRIOR = (
    *("item_id", "modality", "state", "category__code", "category__hateful", "hateful"),
    *("explanation", "model", "prompt_digest"),
)
_SEAT = (
    *("item_id", "label__annotator_id", "label__category__code", "label__not_sure", "label__low_quality"),
    *("label__target_group", "label__note", "challenges_text", "label__replacement__category__code"),
    *("first_answer_text", "priors_seen", "label__seconds", "day"),
    *("answers_text", "label__guideline__number", "round"),
)
_GUIDELINE, _ROUND = _SEAT.index("label__guideline__number"), _SEAT.index("round")
_SETS = ("label__categories", "label__replacement__categories")
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
        injected = selection.items(project).filter(provenance__has_key=INJECTED).exists()
        read = PictureText.objects.filter(_READ, item__in=selection.items(project)).exists()
        self.several = project.choose == Choose.SEVERAL
        self.answers = ReleasedAnswers(project.question_values())
        has_questions = bool(self.answers.kinds)
        self.columns = selection.columns(
            bool(self.forbidden), injected, read, questions=has_questions, several=self.several
        )
        self.name_of: Callable[[int], str] = cache(
            lambda member: pseudonym(project.export_key, scope, str(self._people[member]))
        )

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

    def _chunk(self, after: int) -> Sequence[dict[str, Any]]:
        items = self.selection.items(self.project).filter(pk__gt=after).order_by("pk")
        provenance = ("provenance",) if INJECTED in self.columns else ()
        return list(items.values(*ITEM, *provenance, *(SET_COLUMNS if self.several else ()))[:CHUNK])

    def of(self, items: Sequence[dict[str, Any]]) -> Iterator[ReleasedItem]:
        """Yield the rows of these items, which must hold at least the columns `ITEM`.

        Where answers may name several categories, they hold `SET_COLUMNS` too.
        """
        keys = [item["pk"] for item in items]
        priors = self._priors(keys)
        labels = self._labels(items)
        adjudicated = [item["pk"] for item in items if item["category_source"] == Source.ADJUDICATED]
        rationales = _rationales(adjudicated)
        reasons = _reasons(keys) if STANDING_COLUMNS[0] in self.columns else {}
        words = _words(keys) if PICTURE_TEXT_COLUMNS[0] in self.columns else None
        for item in items:
            pk = item["pk"]
            row_labels, guideline = labels.get(pk, ([], None))
            picture = _picture(item)
            row = _item_row(item, picture) | _prior_columns(priors.get(pk, {}))
            if self.several:
                row["categories"] = list(codes_of(item["category__code"], item["categories"]))
                row["intended_categories"] = list(codes_of(item["intended__code"], item["intended_categories"]))
            row |= {"labels": row_labels, "guideline_version": guideline, "rationale": rationales.get(pk)}
            if QUESTION_COLUMN in self.columns:
                row[QUESTION_COLUMN] = self.answers.of_item(row_labels)
            if words is not None:
                row |= dict(zip(PICTURE_TEXT_COLUMNS, words.get(pk, (None, None)), strict=True))
            yield self._as_chosen(item, row, picture, reasons.get(pk, []))

    def _as_chosen(
        self, item: dict[str, Any], row: dict[str, Any], picture: PictureFile | None, reasons: list[str]
    ) -> ReleasedItem:
        """Return the row with the columns that this release adds, without those that it omits."""
        if STANDING_COLUMNS[0] in self.columns:
            standing = (item["stage"], reasons, item["excluded_for"], votes_of(row["labels"]))
            row |= dict(zip(STANDING_COLUMNS, standing, strict=True))
            if undecided(row):
                row = without_decision(row)
        if "provenance" in item:
            row |= injection_of(item["provenance"])
        if SPLIT_COLUMN in self.columns:
            row[SPLIT_COLUMN] = self.parts[row["id"]].value
        if HASH_COLUMNS[0] not in self.columns:
            return ReleasedItem(row, picture)
        row |= dict(zip(HASH_COLUMNS, (item["text_sha256"] or text_digest(item["text"]) or None, False), strict=True))
        forbidden = (item["licence"] or self.project.licence) in self.forbidden
        texts, media = self.selection.texts and not forbidden, self.selection.media and not forbidden
        kinds = self.answers.kinds if QUESTION_COLUMN in self.columns else None
        row = withheld(row, texts, media, kinds) | {"withheld": forbidden}
        return ReleasedItem(row, picture if media else None)

    def _priors(self, keys: list[int]) -> dict[int, dict[str, dict[str, Any]]]:
        priors: dict[int, dict[str, dict[str, Any]]] = {}
        for prior in Prior.objects.filter(_among(keys), current=True).values(*_PRIOR):
            priors.setdefault(prior["item_id"], {})[prior["modality"]] = prior
        return priors

    def _labels(self, items: Sequence[dict[str, Any]]) -> dict[int, tuple[list[dict[str, Any]], int | None]]:
        """Return the valid labels of the deciding round, in seat order, and their newest guideline version, by item."""
        rounds = {item["pk"]: item["round"] for item in items}
        labels: dict[int, tuple[list[dict[str, Any]], int | None]] = {}
        of_items = Seat.objects.filter(_among(list(rounds)), round__in=set(rounds.values()), label__isnull=False)
        read = (*_SEAT, *(_SETS if self.several else ()))
        priors_seen = _was_seen(self.project)
        with_all = of_items.annotate(**_TEXTS, **_DAYS, priors_seen=priors_seen)
        for seat in with_all.order_by("item_id", "number").values_list(*read):
            if rounds.get(seat[0]) != seat[_ROUND]:
                continue
            item_labels, newest = labels.get(seat[0], ([], None))
            item_labels.append(self._label(seat))
            labels[seat[0]] = item_labels, max(filter(None, (newest, seat[_GUIDELINE])), default=None)
        return labels

    def _sets(self, seat: tuple[Any, ...]) -> dict[str, Any]:
        """Return the columns with all categories of a label, where answers may name several."""
        if not self.several:
            return {}
        category, replaced, first = seat[2], seat[8], _loaded(seat[9]) or {}
        chosen, in_place = seat[len(_SEAT) :]
        return {
            "categories": list(codes_of(category, chosen)),
            "replaced_by_categories": list(codes_of(replaced, in_place or ())),
            "first_categories": list(codes_of(first.get("category"), first.get("categories", ()))),
        }

    def _label(self, seat: tuple[Any, ...]) -> dict[str, Any]:
        _item, person, category, not_sure, low_quality, group, note, challenges, replaced, first = seat[:10]
        priors_seen, seconds, day, answers, _guideline, _round = seat[10 : len(_SEAT)]
        own = self.answers.of_label(_loaded(answers) or {}) if QUESTION_COLUMN in self.columns else {}
        return (
            self._sets(seat)
            | own
            | {
                "annotator": self.name_of(person),
                "category": category,
                "not_sure": not_sure,
                "low_quality": low_quality,
                "target_group": group or None,
                "note": (note or None) if self.selection.notes else None,
                "challenges": [_challenge(challenge) for challenge in _loaded(challenges) or ()],
                "replaced_by": replaced,
                "first_category": (_loaded(first) or {}).get("category"),
                "priors_seen": bool(priors_seen),
                "seconds": None if seconds is None else round(seconds, 1),
                "at": day,
            }
        )


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


def _item_row(item: dict[str, Any], picture: PictureFile | None) -> dict[str, Any]:
    bits = item["pattern"]
    pattern = pattern_of(bits) if bits else None
    return {
        "id": item["external_id"],
        "text": item["text"] or None,
        "image": picture.path if picture else None,
        "image_sha256_original": item["picture__sha256"],
        "image_sha256_released": picture.sha256 if picture else None,
        "intended": item["intended__code"],
        "intended_hateful": item["intended_hateful"],
        "batch": item["batch"] or None,
        "target_group": item["target_group"] or None,
        "item_source": item["source"] or None,
        "licence": item["licence"] or None,
        "gold": item["category__code"],
        "hateful": item["hateful"],
        "level": item["level"],
        "source": item["category_source"],
        "pattern": bits,
        "difficulty": item["difficulty"],
        "mechanism": pattern.mechanism.value if pattern else None,
        "aligned": item["aligned"],
        "round": item["round"],
    }


def _prior_columns(priors: dict[str, dict[str, Any]]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for modality in Modality:
        prior = priors.get(modality.value, {})
        usable = prior.get("state") == PriorState.OK
        by_category = prior.get("category__hateful")
        columns |= {
            f"{modality}_label": prior.get("category__code") if usable else None,
            f"{modality}_hateful": (prior["hateful"] if by_category is None else by_category) if usable else None,
            f"{modality}_explanation": prior.get("explanation") or None,
            f"{modality}_model": prior.get("model") or None,
            f"{modality}_prompt_digest": prior.get("prompt_digest") or None,
            f"{modality}_state": prior.get("state"),
        }
    return columns


def _picture(item: dict[str, Any]) -> PictureFile | None:
    if item["picture_id"] is None:
        return None
    sha256 = item["picture__file_sha256"]
    extension = _EXTENSION.get(item["picture__media_type"], "bin")
    return PictureFile(item["picture__file"], f"pictures/{sha256}.{extension}", sha256)


def _challenge(challenge: dict[str, Any]) -> dict[str, Any]:
    return {name: challenge.get(name) for name in ("modality", "category", "hateful")}


def _rationales(keys: list[int]) -> dict[int, str]:
    """Return the reason of the newest decision about each item."""
    decisions = Adjudication.objects.filter(item_id__in=keys, ruling=Ruling.DECIDE).order_by("pk")
    return dict(decisions.values_list("item_id", "rationale"))


def _words(keys: list[int]) -> dict[int, tuple[str | None, str]]:
    """Return the words in the pictures of items and who read them, by item; a picture without words has None."""
    read = PictureText.objects.filter(_READ, _among(keys))
    return {item: (text or None, reader) for item, text, reader in read.values_list("item_id", "text", "reader")}


def _reasons(keys: list[int]) -> dict[int, list[str]]:
    """Return the reasons why the items were ever disputed, each once, in order of first occurrence."""
    reasons: dict[int, list[str]] = {}
    for item, reason in Dispute.objects.filter(item_id__in=keys).order_by("pk").values_list("item_id", "reason"):
        named = reasons.setdefault(item, [])
        if reason not in named:
            named.append(reason)
    return reasons
