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
from annotation.analytics.quality.queries import UNDATED, LabelColumns, read_rows
from annotation.core.snapshots import snapshot
from annotation.domain.statistics.annotator_quality import (
    Drift,
    Likeness,
    Rate,
    Trend,
    Typical,
    drift,
    expected_by_chance,
    likenesses,
    others_majority,
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
        rows = read_rows(project, {category.pk: category.code for category in categories}, tell)
        rates = check_rates(project)
        members = {member.pk: member for member in Membership.objects.filter(project=project)}
    book = _Book(rows, rates)
    people = sorted((book.person(members[pk], indices) for pk, indices in book.by_person()), key=_by_name)
    names = {person.key: person.name for person in people}
    return QualityReport(
        categories=tuple(category.value() for category in categories),
        people=tuple(people),
        pairs=tuple(AnnotatorPair(names[pair.first], names[pair.second], pair) for pair in likenesses(rows.ratings)),
        versions=book.versions(np.arange(len(rows.annotator))),
        mixed=len(np.unique(rows.informativeness)) > 1,
    )


def _by_name(person: AnnotatorQuality) -> list[tuple[bool, int, str]]:
    """Return a sort key for names in natural order: a2 before a10."""
    parts = re.split(r"([0-9]+)", person.name.casefold())
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


class _Book:
    """The labels, each compared with the majority of the others."""

    def __init__(self, rows: LabelColumns, rates: Mapping[int, Rate]) -> None:
        self.rows, self.rates = rows, rates
        self.majority = others_majority(rows.votes, rows.sets)
        self.named = rows.sets[rows.category] & (rows.category >= 0)[:, np.newaxis]
        self.comparable: Flags = np.asarray(self.majority.any(axis=1))
        self.agrees = self.comparable & (self.majority == self.named).all(axis=1)

    def by_person(self) -> Iterator[tuple[int, Ints]]:
        """Yield every annotator's key with the indices of their labels, in the order of items."""
        order = np.argsort(self.rows.annotator, kind="stable")
        keys, starts = np.unique(self.rows.annotator[order], return_index=True)
        for key, indices in zip(keys, np.split(order, starts[1:]), strict=False):
            yield int(key), indices

    def person(self, member: Membership, indices: Ints) -> AnnotatorQuality:
        """Return all figures of one annotator."""
        rows, chose = self.rows, self.rows.category[indices]
        final = rows.final[indices]
        decided = (final >= 0) & (chose >= 0)
        checks = self.rates.get(member.pk)
        seconds = rows.seconds[indices]
        return AnnotatorQuality(
            key=member.pk,
            public_id=member.public_id,
            name=member.pseudonym,
            imported=member.user_id is None,
            labels=len(indices),
            by_category=tuple(int(n) for n in self.named[indices].sum(axis=0)),
            not_sure=rate(rows.not_sure[indices].sum(), len(indices), Why.NO_LABELS),
            low_quality=rate(rows.low_quality[indices].sum(), len(indices), Why.NO_LABELS),
            seconds=typical(seconds[~np.isnan(seconds)].tolist()),
            with_others=self.with_others(indices),
            on_equal_posts=on_equal_posts(self.agrees, self.comparable, rows.informativeness, indices),
            with_others_by_category=tuple(self.with_others_on(index, indices) for index in range(rows.sets.shape[1])),
            with_final=rate((final == chose)[decided].sum(), decided.sum(), Why.NO_FINAL),
            known=rate(checks.part, checks.n, Why.NO_KNOWN) if checks else rate(0, 0, Why.NO_KNOWN),
            drift=self.drift(indices),
            versions=self.versions(indices),
        )

    def with_others(self, indices: Ints) -> Rate | Undefined:
        """Return how often these labels equal the majority of the others."""
        return rate(self.agrees[indices].sum(), self.comparable[indices].sum(), Why.NO_OTHERS)

    def with_others_on(self, category: int, indices: Ints) -> Rate | Undefined:
        """Return how often the majority of the others names a category, of the labels that name it."""
        named = indices[self.named[indices, category]]
        return rate(self.majority[named, category].sum(), self.comparable[named].sum(), Why.NO_OTHERS)

    def drift(self, indices: Ints) -> Drift:
        """Return the agreement with the others over time, in the order of labels."""
        usable = indices[self.comparable[indices]]
        weeks = self.rows.week[usable].tolist()
        values = self.rows.informativeness[usable].tolist()
        return drift([None if week == UNDATED else week for week in weeks], self.agrees[usable].tolist(), values)

    def versions(self, indices: Ints) -> tuple[UnderVersion, ...]:
        """Return these labels by the version of the guidelines they were made under, oldest first."""
        version = self.rows.version[indices]
        result = []
        for number in np.unique(version).tolist():
            under = indices[version == number]
            unsure = rate(self.rows.not_sure[under].sum(), len(under), Why.NO_LABELS)
            result.append(UnderVersion(number or None, len(under), self.with_others(under), unsure))
        return tuple(result)
