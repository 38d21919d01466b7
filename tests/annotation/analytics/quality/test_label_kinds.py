"""Labels counted in blocks give the figures that they gave while all of them were held, to the last bit."""

from collections.abc import Iterator

import numpy as np
import pytest

from annotation.analytics.quality import queries
from annotation.analytics.quality.annotators import AnnotatorQuality, UnderVersion, _Book
from annotation.analytics.quality.label_kinds import count_labels
from annotation.analytics.quality.queries import LabelColumns
from annotation.domain.statistics.agreement import rated_together
from annotation.domain.statistics.annotator_quality import (
    UNDATED,
    CategorySets,
    drift,
    likenesses,
    others_majority,
    rate,
    typical,
)
from annotation.domain.statistics.arrays import Flags, Ints
from annotation.domain.statistics.equal_posts import on_equal_posts
from annotation.domain.statistics.figure import Undefined, Why
from annotation.models import Membership

CATEGORIES, PEOPLE = 4, range(3, 30, 4)


def rows(seed: int, dated: float) -> list[tuple[float, ...]]:
    """Return the labels of 400 items as `queries._rows` yields them: a few items are open, some are decided."""
    chance, found, case = np.random.default_rng(seed), list[tuple[float, ...]](), -1
    for _item in range(400):
        complete, hard = chance.random() < 0.9, int(chance.integers(0, 3))
        case += complete
        final = int(chance.integers(-1, CATEGORIES))
        for who in chance.choice(PEOPLE, size=chance.integers(1, 5), replace=False):
            said = int(chance.choice([-1, max(final, 0), chance.integers(0, CATEGORIES + 2)], p=[0.1, 0.6, 0.3]))
            week = int(chance.integers(10, 16)) if chance.random() < dated else UNDATED
            seconds = float(chance.random() * 40) if chance.random() < 0.9 else np.nan
            flags = (said == -1, bool(chance.random() < 0.1))
            version = int(chance.integers(0, 3))
            found.append(
                (case if complete else -1, int(who), said, final, version, week, hard, *flags, seconds, complete)
            )
    return found


def numbered_sets() -> CategorySets:
    """Return the sets that labels name: each category alone, and two of several."""
    sets = CategorySets(CATEGORIES)
    assert (sets.number([0, 1]), sets.number([1, 2])) == (CATEGORIES, CATEGORIES + 1)
    return sets


def blocks(given: list[tuple[float, ...]], sets: CategorySets) -> Iterator[LabelColumns]:
    return (columns(table, sets) for table in queries._blocks(iter(given)))


def columns(table: np.ndarray, sets: CategorySets) -> LabelColumns:
    return LabelColumns(sets=sets.members, **{name: table[name] for name, _kind in queries._ROW})


class Held:
    """The figures as they were computed while all labels were held."""

    def __init__(self, labels: LabelColumns) -> None:
        self.labels, self.majority = labels, others_majority(labels.votes, labels.sets)
        self.named = labels.sets[labels.category] & (labels.category >= 0)[:, np.newaxis]
        self.comparable: Flags = self.majority.any(axis=1)
        self.agrees: Flags = self.comparable & (self.majority == self.named).all(axis=1)

    def person(self, member: Membership) -> AnnotatorQuality:
        labels, indices = self.labels, np.flatnonzero(self.labels.annotator == member.pk)
        chose, final, seconds = labels.category[indices], labels.final[indices], labels.seconds[indices]
        decided = (final >= 0) & (chose >= 0)
        usable = indices[self.comparable[indices]]
        return AnnotatorQuality(
            key=member.pk,
            public_id=member.public_id,
            name=member.pseudonym,
            imported=True,
            labels=len(indices),
            by_category=tuple(int(n) for n in self.named[indices].sum(axis=0)),
            not_sure=rate(labels.not_sure[indices].sum(), len(indices), Why.NO_LABELS),
            low_quality=rate(labels.low_quality[indices].sum(), len(indices), Why.NO_LABELS),
            seconds=typical(seconds[~np.isnan(seconds)].tolist()),
            with_others=self.with_others(indices),
            on_equal_posts=on_equal_posts(self.agrees, self.comparable, labels.informativeness, indices),
            with_others_by_category=tuple(self.naming(index, indices) for index in range(CATEGORIES)),
            with_final=rate((final == chose)[decided].sum(), decided.sum(), Why.NO_FINAL),
            known=Undefined(Why.NO_KNOWN),
            drift=drift(labels.week[usable], self.agrees[usable], labels.informativeness[usable]),
            versions=tuple(self.version(number, indices) for number in range(3)),
        )

    def with_others(self, indices: Ints):
        return rate(self.agrees[indices].sum(), self.comparable[indices].sum(), Why.NO_OTHERS)

    def naming(self, category: int, indices: Ints):
        named = indices[self.named[indices, category]]
        return rate(self.majority[named, category].sum(), self.comparable[named].sum(), Why.NO_OTHERS)

    def version(self, number: int, indices: Ints) -> UnderVersion:
        under = indices[self.labels.version[indices] == number]
        unsure = rate(self.labels.not_sure[under].sum(), len(under), Why.NO_LABELS)
        return UnderVersion(number or None, len(under), self.with_others(under), unsure)


@pytest.mark.parametrize("block", [1, 3, 50, 10_000])
@pytest.mark.parametrize(("seed", "dated"), [(1, 1.0), (2, 0.3), (3, 0.7)])
def test_labels_in_blocks_give_the_figures_of_all_labels(monkeypatch, seed, dated, block):
    given = rows(seed, dated)
    whole = columns(np.array(given, dtype=list(queries._ROW)), numbered_sets())
    held = Held(whole)
    monkeypatch.setattr(queries, "BLOCK", block)
    sets = numbered_sets()
    counted = count_labels(blocks(given, sets), sets)
    book = _Book(counted, {})
    people = {key: book.person(Membership(pk=key, pseudonym=f"p{key}"), indices) for key, indices in book.by_person()}
    assert list(people) == list(PEOPLE)
    for key, found in people.items():
        assert found == held.person(Membership(pk=key, pseudonym=f"p{key}", public_id=found.public_id))
    assert likenesses(counted.together) == likenesses(rated_together(whole.ratings))
    everybody = np.arange(len(given))
    assert book.versions(np.arange(len(counted.times))) == tuple(held.version(n, everybody) for n in range(3))


def test_there_may_be_no_labels():
    counted = count_labels(blocks([], sets := numbered_sets()), sets)
    assert (len(counted.times), likenesses(counted.together), list(_Book(counted, {}).by_person())) == (0, [], [])
