"""Agreement of a project's annotators: from the rows to the figures (design section 4, Agreement).

Every set of items is described by the same figures (`AgreementAccount`). *Raw* are the round-1 labels of closed items
as submitted. The steps and *final* use the categories that replaced a *not sure*; final ones are those of the deciding
round. Items with added seats count by their first k seats, those of their beginning. A label without a category is
missing: it excludes an item from kappa, but not from alpha.

Where answers may name several categories, a rating is a whole set: kappa and the levels ask whether sets are equal, and
alpha weighs how much they differ (MASI). The figures of one category ask whether a set has it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
from django.db.models import Count, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.agreement.questions import QuestionAgreement, QuestionTally
from annotation.analytics.closed_items import ClosedItem, ClosedItems, LabelsRead, first_seats, no_progress
from annotation.domain.alignment import Misaligned, alignment
from annotation.domain.choices import Difficulty, Level, Order, PriorDisplay, Source, Stage
from annotation.domain.consensus import Agreed, Consensus, consensus_of_sets
from annotation.domain.patterns import PATTERNS
from annotation.domain.statistics.agreement import (
    RatedTogether,
    Ratings,
    Together,
    binary,
    fleiss_kappa,
    kappa_of_category,
    krippendorff_alpha,
    tally_of,
)
from annotation.domain.statistics.arrays import Flags
from annotation.domain.statistics.confusions import confusions, items_with
from annotation.domain.statistics.figure import Figure
from annotation.domain.statistics.set_agreement import set_alpha
from annotation.domain.votes import Category
from annotation.models import Item, Project

_BLOCK = 10_000  # so many single labels wait until their pairs are counted


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


@dataclass(frozen=True)
class AccountFigure:
    """A figure of every account: its name there and in JSON, its label, and the chart where it stands."""

    name: str
    label: Promise
    chart: str
    binary: bool = False
    """Whether it asks only whether ratings are hateful."""
    pairable: bool = False
    """Whether items with missing ratings count too, if two are left."""

    def of(self, account: AgreementAccount) -> Figure:
        """Return it for one account."""
        figure: Figure = getattr(account, self.name)
        return figure

    def counts(self, account: AgreementAccount) -> tuple[int, int]:
        """Return the items and ratings that it is computed from."""
        return (account.alpha_items, account.alpha_ratings) if self.pairable else (account.items, account.ratings)


ACCOUNT_FIGURES = (
    AccountFigure("fleiss_kappa", gettext_lazy("Fleiss’ κ"), "kappa"),
    AccountFigure("fleiss_kappa_binary", gettext_lazy("Fleiss’ κ, hateful or not"), "kappa", binary=True),
    AccountFigure("krippendorff_alpha", gettext_lazy("Krippendorff’s α"), "alpha", pairable=True),
    AccountFigure(
        "krippendorff_alpha_binary",
        gettext_lazy("Krippendorff’s α, hateful or not"),
        "alpha",
        binary=True,
        pairable=True,
    ),
)
"""Those of one chart stand together; table, CSV, charts, JSON and its type in the API follow this order."""


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
    closed: int
    """Items whose labels are complete, whatever became of them; the dashboard counts the same."""
    closed_excluded: int
    """Closed items that were excluded since: withdrawn ones among them. Their labels stay in all but the final sets."""
    gold_imported: int
    """Gold items that came decided with the data. They are in no set, since nobody labelled them here."""
    questions: tuple[QuestionAgreement, ...] = ()
    """Agreement on the further questions, in the raw labels; in the order of the page."""
    order: Order = Order.BREADTH
    """Which items are handed out first. Where it is the hard ones, agreement tends to be lower than by chance order."""

    def accounts(self) -> list[tuple[str, AgreementAccount]]:
        """Return the sets of items by their names in the reader's language, in the order of an item's stages."""
        named = [
            (_("Raw"), self.raw),
            (_("After quality"), self.quality),
            (_("After consensus"), self.consensus),
            (_("After alignment"), self.alignment),
            (_("Final"), self.final),
            (_("Final, with adjudicated"), self.final_with_adjudicated),
        ]
        if self.first_answers is not None:
            named.insert(1, (_("First answers, before priors"), self.first_answers))
        return named


@dataclass(frozen=True)
class StageCounts:
    """Counts of a project's items by stage.

    An item with a known answer counts as known or, once it was taken out, not at all, as on the dashboard.
    """

    stages: Mapping[Stage, int]
    """Every stage, with zeros."""
    closed: int
    closed_excluded: int
    gold_imported: int


@dataclass(frozen=True)
class ByCategory:
    """One category in the raw labels: how often it was chosen, and the agreement on it."""

    category: Category
    chosen: int
    kappa: Figure


@dataclass(frozen=True)
class LabelFigures:
    """What the single raw labels say about categories, which are indices in the order of codes."""

    categories: tuple[Category, ...]
    by_category: tuple[ByCategory, ...]
    confusions: Mapping[tuple[int, int], int]
    """How many closed items have both categories among the labels of their first round; see `confusions`."""
    named: Mapping[int, int]
    """How many closed items have a label of the first round that names the category."""


@dataclass(frozen=True)
class RawLabels:
    """The single raw labels, with annotators as membership keys, and the figures of their categories."""

    together: Together
    """Every two ratings of one item. Each rating is a category, or a set of several."""
    members: Flags
    """Which categories (columns) each rating (row) names."""
    figures: LabelFigures


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


def agreement_and_labels(project: Project, tell: LabelsRead = no_progress) -> tuple[Agreement, RawLabels]:
    """Return the agreement and the single raw labels, from one pass over the rows."""
    return read_labels(project, tell)()


def read_labels(project: Project, tell: LabelsRead) -> Callable[[], tuple[Agreement, RawLabels]]:
    """Read the labels in one pass over the rows; return what computes the figures from them, without the database.

    The caller may end its transaction in between: a database ends one that waits for a long computation.
    """
    book = _Book(project, tell)
    sets, patterns, stages = book.sets(), gold_patterns(project), stage_counts(project)
    return partial(_figures, book, sets, patterns, stages)


def _figures(
    book: "_Book",
    sets: _Sets,
    patterns: tuple[dict[str, int], dict[Difficulty, int], int],
    stages: StageCounts,
) -> tuple[Agreement, RawLabels]:
    hidden = book.project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER
    by_pattern, difficulties, undefined = patterns
    figures = Agreement(
        raw=book.account(sets.raw),
        quality=book.account(sets.quality),
        consensus=book.account(sets.consensus),
        alignment=book.account(sets.alignment),
        final=book.account(sets.final),
        final_with_adjudicated=book.account(sets.final_with_adjudicated),
        first_answers=book.account(sets.first) if hidden else None,
        patterns=by_pattern,
        difficulties=difficulties,
        undefined=undefined,
        stages=stages.stages,
        closed=stages.closed,
        closed_excluded=stages.closed_excluded,
        gold_imported=stages.gold_imported,
        questions=book.questions.figures(),
        order=Order(book.project.order),
    )
    labels = {tuple(book.items.sets_of[rating] for rating in ratings): n for ratings, n in sets.round_one.items()}
    of_labels = LabelFigures(book.items.categories, book.by_category(sets.raw), confusions(labels), items_with(labels))
    return figures, RawLabels(book.together.counted(), book.members(), of_labels)


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


def stage_counts(project: Project) -> StageCounts:
    """Return the number of items at each stage, and the counts that explain closed and gold items."""
    items = Item.objects.filter(Q(known_answer__isnull=True) | Q(stage=Stage.KNOWN), project=project)
    grouped = items.values_list("stage", "category_source").annotate(n=Count("pk"), closed=Count("closed_at"))
    stages = dict.fromkeys(Stage, 0)
    closed, gold = Counter[str](), Counter[str]()
    for stage, source, n, n_closed in grouped.order_by():
        stages[Stage(stage)] += n
        closed[stage] += n_closed
        if stage == Stage.GOLD:
            gold[source] += n
    return StageCounts(
        stages,
        closed=closed.total() - closed[Stage.KNOWN],
        closed_excluded=closed[Stage.EXCLUDED],
        gold_imported=gold[Source.IMPORTED],
    )


class _Book:
    """The labels of a project's closed items, read as values."""

    def __init__(self, project: Project, tell: LabelsRead) -> None:
        self.project, self.k = project, project.seats
        self.questions = QuestionTally(project.question_values())
        self.items = ClosedItems(project, tell, with_answers=bool(self.questions))
        self.decided, self.together = lru_cache(maxsize=None)(self._decided), RatedTogether()

    def account(self, counted: Counter[tuple[int, ...]]) -> AgreementAccount:
        """Describe one set of items."""
        fine = tally_of(counted, len(self.items.sets_of))
        hateful = binary(fine, [self.items.chosen(rating)[0].hateful for rating in range(len(self.items.sets_of))])
        complete, pairable = fine.with_ratings(self.k, self.k), fine.with_ratings(2)
        return AgreementAccount(
            total=counted.total(),
            items=complete.items,
            ratings=complete.ratings,
            fleiss_kappa=fleiss_kappa(fine, self.k),
            fleiss_kappa_binary=fleiss_kappa(hateful, self.k),
            krippendorff_alpha=self._set_alpha(counted) if self.items.several else krippendorff_alpha(fine),
            krippendorff_alpha_binary=krippendorff_alpha(hateful),
            levels=self._levels(counted),
            measure="masi" if self.items.several else "nominal",
            alpha_items=pairable.items,
            alpha_ratings=pairable.ratings,
        )

    def sets(self) -> _Sets:
        """Put every closed item into its sets, and return the sets."""
        sets, ratings = _Sets(), list[tuple[int, int, int]]()
        for number, closed in enumerate(self.items):
            said = ((label.annotator, label.category) for label in first_seats(closed.round_one))
            ratings += [(number, who, rating) for who, rating in said if rating is not None]
            if len(ratings) >= _BLOCK:
                self.together.add(Ratings.of(ratings))
                ratings.clear()
            if self.questions:
                self.questions.add(closed.length, (label.answers for label in first_seats(closed.round_one)))
            sets.round_one[_present(label.category for label in closed.round_one)] += 1
            sets.raw[_present(label.category for label in first_seats(closed.round_one))] += 1
            sets.first[_present(label.first for label in first_seats(closed.round_one))] += 1
            self._add_to_steps(sets, closed)
            if closed.stage == Stage.GOLD and closed.source != Source.IMPORTED:
                spread = _present(label.settled for label in first_seats(closed.deciding))
                sets.final_with_adjudicated[spread] += 1
                if closed.source == Source.CONSENSUS:
                    sets.final[spread] += 1
        self.together.add(Ratings.of(ratings))
        return sets

    def members(self) -> Flags:
        """Return which categories (columns) each rating (row) names."""
        members = np.zeros((len(self.items.sets_of), len(self.items.categories)), dtype=bool)
        for rating, chosen in enumerate(self.items.sets_of):
            members[rating, list(chosen)] = True
        return members

    def by_category(self, raw: Counter[tuple[int, ...]]) -> tuple[ByCategory, ...]:
        """Each category in the raw labels, in the order of codes."""
        counted = tally_of(raw, len(self.items.sets_of))
        chosen = counted.times @ counted.spreads
        named = [
            [index in chosen_set for chosen_set in self.items.sets_of] for index in range(len(self.items.categories))
        ]
        return tuple(
            ByCategory(category, int(chosen @ has), kappa_of_category(counted, self.k, has))
            for category, has in zip(self.items.categories, named, strict=True)
        )

    def _set_alpha(self, counted: Counter[tuple[int, ...]]) -> Figure:
        sets: Counter[tuple[tuple[str, ...], ...]] = Counter()
        for ratings, n in counted.items():
            code_sets = (tuple(str(category.code) for category in self.items.chosen(rating)) for rating in ratings)
            sets[tuple(sorted(code_sets))] += n
        return set_alpha(sets).figure

    def _add_to_steps(self, sets: _Sets, closed: ClosedItem) -> None:
        settled = _present(label.settled for label in closed.round_one)
        flags = sum(label.low_quality for label in closed.round_one)
        if len(settled) < max(2, len(closed.round_one)) or flags >= self.project.low_quality_threshold:
            return
        spread = _present(label.settled for label in first_seats(closed.round_one))
        sets.quality[spread] += 1
        outcome = self.decided(settled)
        if not isinstance(outcome, Agreed):
            return
        sets.consensus[spread] += 1
        intent = self.items.intent(closed)
        intent_alignment = alignment(outcome.category, outcome.category.hateful, intent, outcome.further)
        if not isinstance(intent_alignment, Misaligned):
            sets.alignment[spread] += 1

    def _decided(self, ratings: tuple[int, ...]) -> Consensus:
        return consensus_of_sets([frozenset(self.items.chosen(rating)) for rating in ratings])

    def _levels(self, counted: Counter[tuple[int, ...]]) -> dict[Level, int]:
        levels = dict.fromkeys(Level, 0)
        for ratings, n in counted.items():
            if len(ratings) == self.k:
                levels[self.decided(ratings).level] += n
        return levels


def _present(indices: Iterable[int | None]) -> tuple[int, ...]:
    """Return the ratings without missing ones, sorted, so that equal counts are equal keys."""
    return tuple(sorted(index for index in indices if index is not None))
