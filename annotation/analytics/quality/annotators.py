"""Figures about the quality of each annotator's labels over time, computed from a project's rows.

Valid labels count, at whatever stage their item is. Items with known answers count only in their own figure, training
in none. Agreement is computed over complete rounds: those of closed items, without a round that is still open.
Annotators from imported data count like all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from annotation.analytics.closed_items import LabelsRead, no_progress
from annotation.analytics.quality.label_kinds import LabelKinds, count_labels
from annotation.analytics.quality.queries import read_labels
from annotation.core.snapshots import snapshot
from annotation.domain.statistics.annotator_quality import (
    CategorySets,
    Drift,
    Likeness,
    Rate,
    Trend,
    Typical,
    drift,
    expected_by_chance,
    likenesses,
    rate,
    typical,
)
from annotation.domain.statistics.arrays import Flags, Ints
from annotation.domain.statistics.equal_posts import EqualPosts, on_equal_posts
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.votes import Category
from annotation.models import Membership, Project
from annotation.training.results import check_rates


@dataclass(frozen=True)
class UnderVersion:
    """The labels made under one version of the guidelines; None: without a version, or imported."""

    version: int | None
    labels: int
    with_others: Rate | Undefined
    not_sure: Rate | Undefined


@dataclass(frozen=True)
class AnnotatorQuality:
    """An annotator, by the project's pseudonym, with the figures of their labels."""

    key: int
    public_id: UUID
    name: str
    imported: bool
    labels: int
    by_category: tuple[int, ...]
    """How often each category was chosen, in the order of codes."""
    not_sure: Rate | Undefined
    """Of all their labels. People are told that admins see this and the next two, and no more of how they work."""
    low_quality: Rate | Undefined
    seconds: Typical | Undefined
    with_others: Rate | Undefined
    """Agreement with the majority of the others on the same item: just the same categories."""
    on_equal_posts: EqualPosts | Undefined
    """The same agreement beside that of the others on equally informative posts."""
    with_others_by_category: tuple[Rate | Undefined, ...]
    """Of the labels with each category: whether the majority of the others names it too."""
    with_final: Rate | Undefined
    """Agreement with the final category of gold items. It is too high, because the own vote is part of it."""
    known: Rate | Undefined
    """Agreement with the answers of known items that were mixed in."""
    drift: Drift
    versions: tuple[UnderVersion, ...]


@dataclass(frozen=True)
class AnnotatorPair:
    """Two annotators by their names, and their agreement."""

    one: str
    two: str
    likeness: Likeness


@dataclass(frozen=True)
class QualityReport:
    """All quality figures at one moment. Annotators are in the order of their names; this is no ranking."""

    categories: tuple[Category, ...]
    people: tuple[AnnotatorQuality, ...]
    pairs: tuple[AnnotatorPair, ...]
    """The pairs with enough common items, most alike first."""
    versions: tuple[UnderVersion, ...]
    mixed: bool
    """Whether the labelled items differ in their informativeness."""

    @property
    def labels(self) -> int:
        return sum(person.labels for person in self.people)

    @property
    def changed(self) -> tuple[AnnotatorQuality, ...]:
        """The annotators whose agreement has changed."""
        trends = ((person, person.drift.trend) for person in self.people)
        return tuple(person for person, trend in trends if isinstance(trend, Trend) and trend.changed)

    @property
    def changed_by_chance(self) -> float:
        """How many would be flagged if nobody had changed."""
        return expected_by_chance(person.drift.trend for person in self.people)


def read_quality(project: Project, tell: LabelsRead = no_progress) -> QualityReport:
    """Read a project's figures from one moment of the database, in a fixed number of queries."""
    with snapshot():
        categories = list(project.categories.order_by("code"))
        sets = CategorySets(len(categories))
        blocks = read_labels(project, {category.pk: category.code for category in categories}, sets, tell)
        labels = count_labels(blocks, sets)
        rates = check_rates(project)
        members = {member.pk: member for member in Membership.objects.filter(project=project)}
    book = _Book(labels, rates)
    people = sorted((book.person(members[pk], indices) for pk, indices in book.by_person()), key=_by_name)
    names = {person.key: person.name for person in people}
    return QualityReport(
        categories=tuple(category.value() for category in categories),
        people=tuple(people),
        pairs=tuple(AnnotatorPair(names[pair.first], names[pair.second], pair) for pair in likenesses(labels.together)),
        versions=book.versions(np.arange(len(labels.annotator))),
        mixed=len(np.unique(labels.informativeness)) > 1,
    )


def _by_name(person: AnnotatorQuality) -> list[tuple[bool, int, str]]:
    """Return a sort key for names in natural order: a2 before a10."""
    parts = re.split(r"([0-9]+)", person.name.casefold())
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


class _Book:
    """The kinds of labels, each with what the majority of the others names. `indices` are those of kinds."""

    def __init__(self, labels: LabelKinds, rates: Mapping[int, Rate]) -> None:
        self.labels, self.rates = labels, rates
        self.named = labels.sets[labels.category] & (labels.category >= 0)[:, np.newaxis]
        self.majority = labels.sets[labels.majority] & labels.comparable[:, np.newaxis]

    def by_person(self) -> Iterator[tuple[int, Ints]]:
        """Yield every annotator's key with the indices of their kinds of labels."""
        keys, starts = np.unique(self.labels.annotator, return_index=True)
        for key, indices in zip(keys, np.split(np.arange(len(self.labels.annotator)), starts[1:]), strict=False):
            yield int(key), indices

    def person(self, member: Membership, indices: Ints) -> AnnotatorQuality:
        """Return all figures of one annotator."""
        labels = self.labels
        decided = indices[(labels.final[indices] >= 0) & (labels.category[indices] >= 0)]
        checks = self.rates.get(member.pk)
        in_order = labels.in_order.of(member.pk)
        seconds, usable = in_order["seconds"], in_order[in_order["comparable"]]
        return AnnotatorQuality(
            key=member.pk,
            public_id=member.public_id,
            name=member.pseudonym,
            imported=member.user_id is None,
            labels=self.count(indices),
            by_category=tuple(int(n) for n in labels.times[indices] @ self.named[indices]),
            not_sure=self.rate(labels.not_sure, indices, Why.NO_LABELS),
            low_quality=self.rate(labels.low_quality, indices, Why.NO_LABELS),
            seconds=typical(seconds[~np.isnan(seconds)]),
            with_others=self.with_others(indices),
            on_equal_posts=on_equal_posts(
                labels.agrees, labels.comparable, labels.informativeness, indices, labels.times
            ),
            with_others_by_category=tuple(self.with_others_on(index, indices) for index in range(labels.sets.shape[1])),
            with_final=self.rate(labels.final == labels.category, decided, Why.NO_FINAL),
            known=rate(checks.part, checks.n, Why.NO_KNOWN) if checks else rate(0, 0, Why.NO_KNOWN),
            drift=drift(usable["week"], usable["agrees"], usable["informativeness"]),
            versions=self.versions(indices),
        )

    def count(self, indices: Ints) -> int:
        """Return how many labels these are."""
        return int(self.labels.times[indices].sum())

    def rate(self, flags: Flags, indices: Ints, otherwise: Why) -> Rate | Undefined:
        """Return the share of the labels with the flag among these."""
        return rate(self.count(indices[flags[indices]]), self.count(indices), otherwise)

    def with_others(self, indices: Ints) -> Rate | Undefined:
        """Return how often these labels equal the majority of the others."""
        return self.rate(self.labels.agrees, indices[self.labels.comparable[indices]], Why.NO_OTHERS)

    def with_others_on(self, category: int, indices: Ints) -> Rate | Undefined:
        """Return how often the majority of the others names a category, of the labels that name it."""
        named = indices[self.named[indices, category] & self.labels.comparable[indices]]
        return self.rate(self.majority[:, category], named, Why.NO_OTHERS)

    def versions(self, indices: Ints) -> tuple[UnderVersion, ...]:
        """Return these labels by the version of the guidelines they were made under, oldest first."""
        version = self.labels.version[indices]
        result = []
        for number in np.unique(version).tolist():
            under = indices[version == number]
            unsure = self.rate(self.labels.not_sure, under, Why.NO_LABELS)
            result.append(UnderVersion(number or None, self.count(under), self.with_others(under), unsure))
        return tuple(result)
