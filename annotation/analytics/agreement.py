"""Agreement of a project's annotators: from the rows to the figures (design section 4, Agreement).

Every set of items is described by the same figures (`AgreementAccount`). *Raw* are the round-1 labels of closed items
as submitted. The steps and *final* use the categories that replaced a *not sure*; final ones are those of the deciding
round. Items with added seats count by their first k seats, those of their beginning. A label without a category is
missing: it excludes an item from kappa, but not from alpha.

Where answers may name several categories, a rating is a whole set: kappa and the levels ask whether sets are equal, and
alpha weighs how much they differ (MASI). The figures of one category ask whether a set has it.
"""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, F, Q, TextField
from django.db.models.functions import Cast, Length

from annotation.analytics.question_agreement import QuestionAgreement, QuestionTally
from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent, Misaligned, alignment
from annotation.domain.choices import Choose, Difficulty, Level, Order, PriorDisplay, Source, Stage
from annotation.domain.consensus import Agreed, Consensus, consensus_of_sets
from annotation.domain.patterns import PATTERNS
from annotation.domain.statistics.agreement import (
    Figure,
    Ratings,
    binary,
    fleiss_kappa,
    kappa_of_category,
    krippendorff_alpha,
    tally_of,
)
from annotation.domain.statistics.confusions import confusions, items_with
from annotation.domain.statistics.set_agreement import set_alpha
from annotation.domain.votes import Category
from annotation.models import Item, Project, Seat

_SETS = ("label__categories", "label__replacement__categories", "item__intended_categories")


@dataclass(frozen=True)
class AgreementAccount:
    """The agreement over one set of items.

    Of `total` items, `items` have exactly k categories and are used for kappa and the levels; `ratings` is their number
    of ratings, k per item. Alpha also uses items with missing categories: `alpha_items`, `alpha_ratings`.
    """

    total: int
    items: int
    ratings: int
    fleiss_kappa: Figure
    fleiss_kappa_binary: Figure
    krippendorff_alpha: Figure
    krippendorff_alpha_binary: Figure
    levels: Mapping[Level, int]
    measure: str
    """How alpha compares ratings: `nominal`, or `masi` where they are sets of categories."""
    alpha_items: int
    alpha_ratings: int

    def figures(self) -> dict[str, Figure]:
        """Return the four figures by their names in JSON."""
        return {
            "fleiss_kappa": self.fleiss_kappa,
            "fleiss_kappa_binary": self.fleiss_kappa_binary,
            "krippendorff_alpha": self.krippendorff_alpha,
            "krippendorff_alpha_binary": self.krippendorff_alpha_binary,
        }

    def counts(self, name: str) -> tuple[int, int]:
        """Return the items and ratings that the figure of this name is computed from."""
        if name.startswith("krippendorff"):
            return self.alpha_items, self.alpha_ratings
        return self.items, self.ratings


@dataclass(frozen=True)
class Agreement:
    """All accounts of a project, and the counts of its items by pattern, difficulty and stage."""

    raw: AgreementAccount
    quality: AgreementAccount
    consensus: AgreementAccount
    alignment: AgreementAccount
    final: AgreementAccount
    final_with_adjudicated: AgreementAccount
    first_answers: AgreementAccount | None
    """The answers before hidden priors opened; None if the project shows priors from the start."""
    patterns: Mapping[str, int]
    difficulties: Mapping[Difficulty, int]
    undefined: int
    stages: Mapping[Stage, int]
    questions: tuple[QuestionAgreement, ...] = ()
    """Agreement on the further questions, in the raw labels; in the order of the page."""
    order: Order = Order.BREADTH
    """Which items are handed out first. Where it is the hard ones, agreement tends to be lower than by chance order."""


@dataclass(frozen=True)
class ByCategory:
    """One category in the raw labels: how often it was chosen, and the agreement on it."""

    category: Category
    chosen: int
    kappa: Figure


@dataclass(frozen=True)
class RawLabels:
    """The single raw labels: annotators as membership keys, categories as indices in the order of codes."""

    categories: tuple[Category, ...]
    ratings: Ratings
    by_category: tuple[ByCategory, ...]
    confusions: Mapping[tuple[int, int], int]
    """How many closed items have both categories among the labels of their first round; see `confusions`."""
    named: Mapping[int, int]
    """How many closed items have a label of the first round that names the category."""


@dataclass(frozen=True, slots=True)
class _SeatLabel:
    """The label of a filled seat. Categories are indices in the order of codes; None is missing."""

    annotator: int
    seats: int
    """The number of seats of the item when this seat was created; added seats have a higher number."""
    category: int | None
    replaced: int | None
    low_quality: bool
    first: int | None
    answers: str | None
    """The answers to the further questions, as JSON."""

    @property
    def settled(self) -> int | None:
        return self.category if self.replaced is None else self.replaced


@dataclass(frozen=True, slots=True)
class _Closed:
    """A closed item: the seats of round 1 and those of the deciding round, in seat order."""

    pk: int
    stage: str
    source: str | None
    intended: int | None
    intended_hateful: bool | None
    length: int
    """The characters of its text; 0 where nothing needs them."""
    round_one: tuple[_SeatLabel, ...]
    deciding: tuple[_SeatLabel, ...]


@dataclass
class _Sets:
    """The sets of items as counts of their ratings, filled in one pass over the rows."""

    round_one: Counter[tuple[int, ...]] = field(default_factory=Counter)
    """All labels of the first round, those of added seats as well."""
    raw: Counter[tuple[int, ...]] = field(default_factory=Counter)
    quality: Counter[tuple[int, ...]] = field(default_factory=Counter)
    consensus: Counter[tuple[int, ...]] = field(default_factory=Counter)
    alignment: Counter[tuple[int, ...]] = field(default_factory=Counter)
    final: Counter[tuple[int, ...]] = field(default_factory=Counter)
    final_with_adjudicated: Counter[tuple[int, ...]] = field(default_factory=Counter)
    first: Counter[tuple[int, ...]] = field(default_factory=Counter)


def read_agreement(project: Project) -> Agreement:
    """Return the agreement of a project from its current rows, in a fixed number of queries."""
    return agreement_and_labels(project)[0]


def agreement_and_labels(project: Project) -> tuple[Agreement, RawLabels]:
    """Return the agreement and the single raw labels, from one pass over the rows."""
    book = _Book(project)
    sets = book.sets()
    patterns, difficulties, undefined = gold_patterns(project)
    hidden = project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER
    figures = Agreement(
        raw=book.account(sets.raw),
        quality=book.account(sets.quality),
        consensus=book.account(sets.consensus),
        alignment=book.account(sets.alignment),
        final=book.account(sets.final),
        final_with_adjudicated=book.account(sets.final_with_adjudicated),
        first_answers=book.account(sets.first) if hidden else None,
        patterns=patterns,
        difficulties=difficulties,
        undefined=undefined,
        stages=stage_counts(project),
        questions=book.questions.figures(),
        order=Order(project.order),
    )
    labels = {tuple(book.sets_of[rating] for rating in ratings): n for ratings, n in sets.round_one.items()}
    return figures, RawLabels(
        book.categories, book.ratings(), book.by_category(sets.raw), confusions(labels), items_with(labels)
    )


def gold_patterns(project: Project) -> tuple[dict[str, int], dict[Difficulty, int], int]:
    """Return gold items by pattern (all eight, with zeros) and by difficulty, and how many have no pattern."""
    gold = Item.objects.filter(project=project, stage=Stage.GOLD).values_list("pattern", "difficulty")
    counted = list(gold.annotate(n=Count("pk")).order_by())
    patterns = dict.fromkeys(PATTERNS, 0)
    difficulties = dict.fromkeys(Difficulty, 0)
    for pattern, difficulty, n in counted:
        if pattern:
            patterns[pattern] += n
            difficulties[Difficulty(difficulty)] += n
    return patterns, difficulties, sum(n for pattern, _difficulty, n in counted if not pattern)


def stage_counts(project: Project) -> dict[Stage, int]:
    """Return the number of items at each stage, with zeros.

    An item with a known answer counts as known or, once it was taken out, not at all, as on the dashboard.
    """
    items = Item.objects.filter(Q(known_answer__isnull=True) | Q(stage=Stage.KNOWN), project=project)
    counted = items.values_list("stage").annotate(n=Count("pk")).order_by()
    return dict.fromkeys(Stage, 0) | {Stage(stage): n for stage, n in counted}


class _Book:
    """The labels of a project's closed items, read as values."""

    def __init__(self, project: Project) -> None:
        rows = list(project.categories.order_by("code"))
        self.project = project
        self.k = project.seats
        self.categories = tuple(row.value() for row in rows)
        self.several = project.choose == Choose.SEVERAL
        self.sets_of = [frozenset((index,)) for index in range(len(rows))]
        self._rating_of = {chosen: index for index, chosen in enumerate(self.sets_of)}
        self.index_of = {row.pk: index for index, row in enumerate(rows)}
        self.index_of_code = {row.code: index for index, row in enumerate(rows)}
        self.decided = lru_cache(maxsize=None)(self._decided)
        self.questions = QuestionTally(project.question_values())
        self._ratings = array("q")  # flat: item, annotator, category, 24 bytes per rating

    def account(self, counted: Counter[tuple[int, ...]]) -> AgreementAccount:
        """Describe one set of items."""
        fine = tally_of(counted, len(self.sets_of))
        hateful = binary(fine, [self.chosen(rating)[0].hateful for rating in range(len(self.sets_of))])
        complete, pairable = fine.with_ratings(self.k, self.k), fine.with_ratings(2)
        return AgreementAccount(
            total=counted.total(),
            items=complete.items,
            ratings=complete.ratings,
            fleiss_kappa=fleiss_kappa(fine, self.k),
            fleiss_kappa_binary=fleiss_kappa(hateful, self.k),
            krippendorff_alpha=self._set_alpha(counted) if self.several else krippendorff_alpha(fine),
            krippendorff_alpha_binary=krippendorff_alpha(hateful),
            levels=self._levels(counted),
            measure="masi" if self.several else "nominal",
            alpha_items=pairable.items,
            alpha_ratings=pairable.ratings,
        )

    def sets(self) -> _Sets:
        """Put every closed item into its sets, and return the sets."""
        sets = _Sets()
        for closed in self.closed_items():
            self._note_ratings(closed)
            if self.questions:
                self.questions.add(closed.length, (label.answers for label in _first(closed.round_one)))
            sets.round_one[_present(label.category for label in closed.round_one)] += 1
            sets.raw[_present(label.category for label in _first(closed.round_one))] += 1
            sets.first[_present(label.first for label in _first(closed.round_one))] += 1
            self._add_to_steps(sets, closed)
            if closed.stage == Stage.GOLD and closed.source != Source.IMPORTED:
                spread = _present(label.settled for label in _first(closed.deciding))
                sets.final_with_adjudicated[spread] += 1
                if closed.source == Source.CONSENSUS:
                    sets.final[spread] += 1
        return sets

    def ratings(self) -> Ratings:
        """Return the raw ratings of the items that `sets` has read."""
        flat = iter(self._ratings)
        return Ratings.of(zip(flat, flat, flat, strict=True))

    def by_category(self, raw: Counter[tuple[int, ...]]) -> tuple[ByCategory, ...]:
        """Each category in the raw labels, in the order of codes."""
        counted = tally_of(raw, len(self.sets_of))
        chosen = counted.times @ counted.spreads
        named = [[index in one for one in self.sets_of] for index in range(len(self.categories))]
        return tuple(
            ByCategory(category, int(chosen @ has), kappa_of_category(counted, self.k, has))
            for category, has in zip(self.categories, named, strict=True)
        )

    def rating(self, lead: int | None, codes: Sequence[int]) -> int | None:
        """Return the rating of a row: the index of its category by primary key, or of its set by codes."""
        if not codes:
            return self.index_of.get(lead) if lead is not None else None
        chosen = frozenset(self.index_of_code[code] for code in codes)
        if chosen not in self._rating_of:
            self._rating_of[chosen] = len(self.sets_of)
            self.sets_of.append(chosen)
        return self._rating_of[chosen]

    def rating_of_code(self, code: int | None) -> int | None:
        """Return the rating of one category by its code."""
        return None if code is None else self.index_of_code.get(code)

    def chosen(self, rating: int) -> list[Category]:
        """Return the categories of a rating, by code."""
        return [self.categories[index] for index in sorted(self.sets_of[rating])]

    def _set_alpha(self, counted: Counter[tuple[int, ...]]) -> Figure:
        sets: Counter[tuple[tuple[str, ...], ...]] = Counter()
        for ratings, n in counted.items():
            sets[tuple(sorted(tuple(str(category.code) for category in self.chosen(one)) for one in ratings))] += n
        return set_alpha(sets).figure

    def _note_ratings(self, closed: _Closed) -> None:
        for label in _first(closed.round_one):
            if label.category is not None:
                self._ratings.extend((closed.pk, label.annotator, min(self.sets_of[label.category])))

    def _add_to_steps(self, sets: _Sets, closed: _Closed) -> None:
        settled = _present(label.settled for label in closed.round_one)
        flags = sum(label.low_quality for label in closed.round_one)
        if len(settled) < max(2, len(closed.round_one)) or flags >= self.project.low_quality_threshold:
            return
        spread = _present(label.settled for label in _first(closed.round_one))
        sets.quality[spread] += 1
        outcome = self.decided(settled)
        if not isinstance(outcome, Agreed):
            return
        sets.consensus[spread] += 1
        intent = self._intent(closed)
        intent_alignment = alignment(outcome.category, outcome.category.hateful, intent, outcome.further)
        if not isinstance(intent_alignment, Misaligned):
            sets.alignment[spread] += 1

    def _decided(self, ratings: tuple[int, ...]) -> Consensus:
        return consensus_of_sets([frozenset(self.chosen(rating)) for rating in ratings])

    def _intent(self, closed: _Closed) -> Intent | None:
        if closed.intended is not None:
            first, *further = self.chosen(closed.intended)
            return IntendedCategory(first, tuple(further))
        return None if closed.intended_hateful is None else IntendedHateful(closed.intended_hateful)

    def _levels(self, counted: Counter[tuple[int, ...]]) -> dict[Level, int]:
        levels = dict.fromkeys(Level, 0)
        for ratings, n in counted.items():
            if len(ratings) == self.k:
                levels[self.decided(ratings).level] += n
        return levels

    def closed_items(self) -> Iterator[_Closed]:
        """Yield the closed items with their seats, streamed in the order of items."""
        seats = (
            Seat.objects.filter(item__project=self.project, item__closed_at__isnull=False, label__isnull=False)
            .filter(Q(round=1) | Q(round=F("item__round")))
            .annotate(
                # As text, each distinct first answer is parsed once.
                first_said=Cast("label__first_answer", TextField()),
                answers_said=Cast("label__answers", TextField()),
                text_length=Length("item__text"),
            )
            .order_by("item_id", "round", "number")
            .values_list(
                *("item_id", "round", "annotator_id", "label__category_id", "label__replacement__category_id"),
                *("label__low_quality", "first_said", "item__stage", "item__category_source"),
                *("item__intended_id", "item__intended_hateful", "item__round", "seats"),
                *(("answers_said", "text_length") if self.questions else ()),
                *(_SETS if self.several else ()),
            )
        )
        for pk, rows in groupby(seats.iterator(chunk_size=5000), key=itemgetter(0)):
            yield self._closed(pk, list(rows))

    def _closed(self, pk: int, rows: list[tuple[Any, ...]]) -> _Closed:
        stage, source, intended, intended_hateful, deciding = rows[0][7:12]
        round_one = tuple(self._seat_label(row) for row in rows if row[1] == 1)
        last = round_one if deciding == 1 else tuple(self._seat_label(row) for row in rows if row[1] == deciding)
        length = rows[0][14] if self.questions else 0
        meant = self.rating(intended, rows[0][-1] if self.several else ())
        return _Closed(pk, stage, source, meant, intended_hateful, length, round_one, last)

    def _seat_label(self, row: tuple[Any, ...]) -> _SeatLabel:
        first, first_codes = _first_choice(row[6])
        chosen, in_place = (row[-3], row[-2] or ()) if self.several else ((), ())
        return _SeatLabel(
            annotator=row[2],
            seats=row[12],
            category=self.rating(row[3], chosen),
            replaced=self.rating(row[4], in_place),
            low_quality=row[5],
            first=self.rating(None, first_codes) if first_codes else self.rating_of_code(first),
            answers=row[13] if self.questions else None,
        )


@lru_cache(maxsize=1024)
def _first_choice(text: str | None) -> tuple[int | None, Sequence[int]]:
    """Return the code of a first answer, which is stored as JSON, and the codes of all where it names several."""
    answer = (json.loads(text) if text else None) or {}
    return answer.get("category"), answer.get("categories", ())


def _first(round_: tuple[_SeatLabel, ...]) -> tuple[_SeatLabel, ...]:
    """Return the seats that a round began with."""
    return round_[: min((label.seats for label in round_), default=0)]


def _present(indices: Iterable[int | None]) -> tuple[int, ...]:
    """Return the ratings without missing ones, sorted, so that equal counts are equal keys."""
    return tuple(sorted(index for index in indices if index is not None))
