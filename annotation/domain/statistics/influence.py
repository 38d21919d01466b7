"""Influence of the models' priors on people's answers (design section 4).

Whether a person sees the priors of an item is drawn before it is shown (`PriorArm`), so arms differ only by chance and
by the display. A `Reading` compares one answer with the prior of one modality.

*Differences between arms* are those of shares, by least squares with a constant for every period (the time in which the
share of withheld priors and the display stayed the same: Imbens & Rubin, Causal Inference, 2015, chapter 9). With one
period that is the difference of two means; a period that has one arm only adds nothing. Answers of one person are
correlated, and so are answers to one item: standard errors are cluster-robust in both ways (Cameron, Gelbach & Miller,
Journal of Business & Economic Statistics 29, 2011), each sum over G clusters times G/(G - 1). The variance is the
largest of the two-way and both one-way ones, so it is never negative and rather too large (MacKinnon, Nielsen & Webb,
arXiv:2406.08880), and the interval uses Student's t with min(people, items) - 1 degrees of freedom. With few people it
is wide.

*Answers before and after* hidden priors opened are compared within the same answers, as the mean change.

*Shares* have Wilson's interval with the number of answers divided by the design effect of the same variance (Korn &
Graubard, Survey Methodology 24, 1998); if all answers are equal, with the number of items.

A figure that cannot be computed is `Undefined` or has no interval, with the reason; it is never 0 or NaN.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

import numpy as np

from annotation.domain.choices import Modality, PriorArm
from annotation.domain.statistics.arrays import Flags, Floats, Ints
from annotation.domain.statistics.clustered_variance import centred, distinct, two_way_variance
from annotation.domain.statistics.figure import Figure, Measured, Undefined, Why
from annotation.domain.statistics.intervals import Interval, student_quantile, wilson_interval

FEWEST = 10
"""The minimum number of answers on each side of a difference for an interval; normal theory needs them."""
NONE = -1
"""No category: not sure, or only flagged; or no prior."""


class View(StrEnum):
    """The answers that are compared with the prior."""

    SHOWN = "shown"
    OWN = "own_view"
    """First answers, given while the priors were hidden."""
    AFTER = "after_seeing"
    """Answers submitted after hidden priors opened."""
    WITHHELD = "withheld"


class Contrast(StrEnum):
    """Two views whose shares are compared: the first minus the second."""

    SHOWN_WITHHELD = "shown_withheld"
    AFTER_WITHHELD = "after_withheld"
    AFTER_OWN = "after_own"
    """The same answers, after and before the priors opened."""


class Change(StrEnum):
    """How the first answer changed after hidden priors opened."""

    KEPT = "kept"
    TOWARDS = "towards"
    """Changed to the category of the prior."""
    AWAY = "away"
    """Changed from the category of the prior."""
    OTHERWISE = "otherwise"


class Scope(StrEnum):
    """The readings that an account is about."""

    ALL = "all"
    CONFLICT = "conflict"
    """Text and picture priors have different categories."""
    ALIKE = "alike"
    """Text and picture priors have the same category."""
    CATEGORY = "category"


class Reading(NamedTuple):
    """One answer beside the prior of one modality. Categories are indices, `NONE` if there is none."""

    item: int
    annotator: int
    period: int
    """Arms are compared only within a period."""
    arm: PriorArm
    modality: Modality
    prior: int
    other_prior: int
    """The category of the other modality's prior."""
    first: int
    """The answer before hidden priors opened, `NONE` in the other arms."""
    submitted: int


@dataclass(frozen=True)
class Readings:
    """Readings as parallel columns, in canonical order: equal data give equal figures to the last bit."""

    item: Ints
    annotator: Ints
    period: Ints
    arm: Ints
    modality: Ints
    prior: Ints
    other_prior: Ints
    first: Ints
    submitted: Ints

    @classmethod
    def of(cls, rows: Iterable[Reading]) -> Readings:
        """Collect readings; at most one for each person, item and modality."""
        collected: list[array[int]] = [array(kind, ()) for kind in _WIDTHS]
        for item, annotator, period, arm, modality, *categories in rows:
            reading = (item, annotator, period, _ARMS[arm], _MODALITIES[modality], *categories)
            for column, value in zip(collected, reading, strict=True):
                column.append(value)
        items, annotators, modalities = (np.array(collected[place]) for place in (0, 1, 4))
        order = np.lexsort((modalities, annotators, items))
        # One column after the other, so that no two copies of all are held.
        return cls(*(np.array(collected.pop(0))[order] for _ in _WIDTHS))

    def where(self, keep: Flags) -> Readings:
        """Return only the readings whose flag is true."""
        return Readings(*(column[keep] for column in vars(self).values()))


_WIDTHS = "qqibbhhhh"
"""The types of the columns, as `array` names them: 30 bytes for a reading. They are compared only, never added up."""
_ARMS = {arm: number for number, arm in enumerate(PriorArm)}
_MODALITIES = {modality: number for number, modality in enumerate(Modality)}


@dataclass(frozen=True)
class MatchRate:
    """How often the answers of one view equal the prior."""

    answers: int
    agreeing: int
    without: int
    """The number of answers without a category, which are left out."""
    share: Figure


@dataclass(frozen=True)
class Difference:
    """The share of one view minus that of another, with the number of counted answers on each side."""

    answers: int
    others: int
    difference: Figure


@dataclass(frozen=True)
class ReadingGroup:
    """A group of readings: one modality, and there all or one scope (`category` is set for `Scope.CATEGORY`)."""

    modality: Modality
    scope: Scope
    category: int | None = None


@dataclass(frozen=True)
class Account:
    """The influence of the priors in one group of readings."""

    group: ReadingGroup
    shares: Mapping[View, MatchRate]
    differences: Mapping[Contrast, Difference]
    changes: Mapping[Change, int]

    @property
    def changed(self) -> int:
        return sum(n for change, n in self.changes.items() if change is not Change.KEPT)

    @property
    def asked_twice(self) -> int:
        """The number of answers with a category both before and after."""
        return sum(self.changes.values())


def influence(readings: Readings, categories: int) -> tuple[Account, ...]:
    """Return the accounts of both modalities: all readings, priors in conflict, alike, and by the prior's category."""
    accounts = []
    for modality, number in _MODALITIES.items():
        own = readings.where(readings.modality == number)
        both = own.other_prior != NONE
        differ = own.other_prior != own.prior
        groups: list[tuple[ReadingGroup, Flags]] = [
            (ReadingGroup(modality, Scope.ALL), np.ones(len(own.item), dtype=bool)),
            (ReadingGroup(modality, Scope.CONFLICT), both & differ),
            (ReadingGroup(modality, Scope.ALIKE), both & ~differ),
            *((ReadingGroup(modality, Scope.CATEGORY, index), own.prior == index) for index in range(categories)),
        ]
        accounts += [account(group, own.where(keep)) for group, keep in groups]
    return tuple(accounts)


def account(group: ReadingGroup, readings: Readings) -> Account:
    """Compute the figures of one group of readings."""
    views = {view: _answers(readings, view) for view in View}
    return Account(
        group,
        {view: _share_of(answers) for view, answers in views.items()},
        {
            Contrast.SHOWN_WITHHELD: _between(views[View.SHOWN], views[View.WITHHELD]),
            Contrast.AFTER_WITHHELD: _between(views[View.AFTER], views[View.WITHHELD]),
            Contrast.AFTER_OWN: _within(readings),
        },
        _changes(readings),
    )


# ── Answers and their sums ────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Answers:
    """The answers of one view that have a category: whether each equals the prior."""

    item: Ints
    annotator: Ints
    period: Ints
    agrees: Floats
    without: int = 0


_OF_VIEW = {
    View.SHOWN: (PriorArm.SHOWN, False),
    View.OWN: (PriorArm.HIDDEN, True),
    View.AFTER: (PriorArm.HIDDEN, False),
    View.WITHHELD: (PriorArm.WITHHELD, False),
}


def _answers(readings: Readings, view: View) -> _Answers:
    arm, first = _OF_VIEW[view]
    chosen = readings.where(readings.arm == _ARMS[arm])
    answers = chosen.first if first else chosen.submitted
    has_category = answers != NONE
    agrees = (answers == chosen.prior)[has_category].astype(np.float64)
    return _Answers(
        chosen.item[has_category],
        chosen.annotator[has_category],
        chosen.period[has_category],
        agrees,
        int((~has_category).sum()),
    )


def _share_of(answers: _Answers) -> MatchRate:
    n, agreeing = len(answers.agrees), int(answers.agrees.sum())
    return MatchRate(n, agreeing, answers.without, _share(answers, n, agreeing))


def _share(answers: _Answers, n: int, agreeing: int) -> Figure:
    if n == 0:
        return Undefined(Why.NO_ANSWERS)
    value = agreeing / n
    people, items = distinct(answers.annotator), distinct(answers.item)
    if (why := _too_few_clusters(people, items)) is not None:
        return Measured(value, None, why)
    binomial = value * (1 - value) / n
    if binomial == 0:
        effective = float(items)
    else:
        variance = two_way_variance((answers.agrees - value) / n, answers.annotator, answers.item)
        effective = n / max(1.0, variance / binomial)
    return Measured(value, wilson_interval(value, effective, student_quantile(min(people, items) - 1)))


def _between(arm: _Answers, other: _Answers) -> Difference:
    """Return the share of one arm minus that of another, over the periods that have both."""
    period = np.concatenate((arm.period, other.period))
    side = np.concatenate((np.ones(len(arm.period)), np.zeros(len(other.period))))
    _names, inverse = np.unique(period, return_inverse=True)
    periods = inverse.reshape(-1)
    n, ones = np.bincount(periods), np.bincount(periods, weights=side)
    mixed = ((ones > 0) & (ones < n))[periods]
    if not len(arm.period) or not len(other.period):
        return Difference(len(arm.period), len(other.period), Undefined(Why.NO_ANSWERS))
    if not mixed.any():
        return Difference(0, 0, Undefined(Why.NOT_TOGETHER))
    both = _Answers(
        np.concatenate((arm.item, other.item))[mixed],
        np.concatenate((arm.annotator, other.annotator))[mixed],
        periods[mixed],
        np.concatenate((arm.agrees, other.agrees))[mixed],
    )
    side = side[mixed]
    first = int(side.sum())
    return Difference(first, len(side) - first, _slope(both, side))


def _slope(answers: _Answers, side: Floats) -> Figure:
    """Return the coefficient of `side` beside a constant for each period, with its interval."""
    treated = centred(side, answers.period)
    outcome = centred(answers.agrees, answers.period)
    weight = treated / (treated @ treated)
    value = min(1.0, max(-1.0, float(weight @ outcome)))  # rounding may pass the bound by the last bit
    ones = int(side.sum())
    if min(ones, len(side) - ones) < FEWEST:
        return Measured(value, None, Why.TOO_FEW_ANSWERS)
    return _with_interval(value, weight * (outcome - value * treated), answers)


def _within(readings: Readings) -> Difference:
    """Return the mean change of the same answers after hidden priors opened."""
    twice = readings.where(_twice(readings))
    n = len(twice.item)
    if n == 0:
        return Difference(0, 0, Undefined(Why.NO_ANSWERS))
    change = (twice.submitted == twice.prior).astype(np.float64) - (twice.first == twice.prior)
    value = float(change.mean())
    pairs = _Answers(twice.item, twice.annotator, twice.period, change)
    if n < FEWEST:
        return Difference(n, n, Measured(value, None, Why.TOO_FEW_ANSWERS))
    return Difference(n, n, _with_interval(value, (change - value) / n, pairs))


def _changes(readings: Readings) -> dict[Change, int]:
    twice = readings.where(_twice(readings))
    kept = twice.first == twice.submitted
    towards = ~kept & (twice.submitted == twice.prior)
    away = ~kept & (twice.first == twice.prior)
    counted = {Change.KEPT: int(kept.sum()), Change.TOWARDS: int(towards.sum()), Change.AWAY: int(away.sum())}
    return counted | {Change.OTHERWISE: len(kept) - sum(counted.values())}


def _twice(readings: Readings) -> Flags:
    hidden = readings.arm == _ARMS[PriorArm.HIDDEN]
    twice: Flags = hidden & (readings.first != NONE) & (readings.submitted != NONE)
    return twice


# ── Variance and intervals ────────────────────────────────────────────────────


def _with_interval(value: float, terms: Floats, answers: _Answers) -> Measured:
    """Return the value with Student's interval; `terms` are the contributions of each answer to its error."""
    people, items = distinct(answers.annotator), distinct(answers.item)
    if (why := _too_few_clusters(people, items)) is not None:
        return Measured(value, None, why)
    variance = two_way_variance(terms, answers.annotator, answers.item)
    if variance <= 1e-18:
        return Measured(value, None, Why.NO_SPREAD)
    reach = student_quantile(min(people, items) - 1) * sqrt(variance)
    return Measured(value, Interval(max(-1.0, value - reach), min(1.0, value + reach)))


def _too_few_clusters(people: int, items: int) -> Why | None:
    if people < 2:
        return Why.ONE_PERSON
    return Why.ONE_ITEM if items < 2 else None
