"""How far what models said (the priors) sways what people answer (design section 4; issue "prior influence").

Whether one person sees the priors of one item is drawn before it is shown (`PriorArm`), so arms differ by chance
and by the display alone. A `Reading` compares one answer with the prior of one modality.

*Differences between arms* are those of shares, by least squares with a constant for every period (the time in which
the share of withheld priors and the display stayed the same: Imbens & Rubin, Causal Inference, 2015, chapter 9).
With one period that is the difference of two means; a period that has one arm only adds nothing. Answers of one
person hang together and so do answers to one item: standard errors are cluster-robust in both ways (Cameron,
Gelbach & Miller, Journal of Business & Economic Statistics 29, 2011), each sum over G clusters times G/(G - 1).
The variance is the largest of the two-way and both one-way ones, so it is never negative and rather too large
(MacKinnon, Nielsen & Webb, arXiv:2406.08880), and the interval takes Student's t with min(people, items) - 1 degrees
of freedom. With few people it is wide: that is what few people can tell.

*Answers before and after* hidden priors opened are compared within the same answers, as the mean change.

*Shares* have Wilson's interval with the number of answers divided by the design effect of the same variance
(Korn & Graubard, Survey Methodology 24, 1998); where all answers are alike, with the number of items.

What cannot be computed is `Undefined` or lacks an interval, with the reason; it is never 0 or NaN.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.domain.choices import Modality, PriorArm
from annotation.domain.statistics.agreement import Interval
from annotation.domain.statistics.intervals import wilson_interval

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEWEST = 10
"""Answers that each side of a difference needs for an interval: normal theory says nothing about fewer."""
NONE = -1
"""No category: not sure, or only flagged; or no prior."""

_T = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_Z = 1.959964
_Z80 = 0.841621  # the 80 % quantile of the normal distribution


class View(StrEnum):
    """Which answers are compared with the prior."""

    SHOWN = "shown"
    OWN = "own_view"
    """First answers where priors were hidden."""
    AFTER = "after_seeing"
    """What was submitted once hidden priors had opened."""
    WITHHELD = "withheld"


class Contrast(StrEnum):
    """Two views whose shares are compared: the first minus the second."""

    SHOWN_WITHHELD = "shown_withheld"
    AFTER_WITHHELD = "after_withheld"
    AFTER_OWN = "after_own"
    """The same answers, before and after."""


class Change(StrEnum):
    """What became of the first answer once hidden priors opened."""

    KEPT = "kept"
    TOWARDS = "towards"
    """Changed to what the prior said."""
    AWAY = "away"
    """Changed from what the prior said."""
    OTHERWISE = "otherwise"


class Scope(StrEnum):
    """Which readings an account is about."""

    ALL = "all"
    CONFLICT = "conflict"
    """Text and picture priors name different categories."""
    ALIKE = "alike"
    """They name the same one."""
    CATEGORY = "category"


class Why(StrEnum):
    """Why a figure or its interval is undefined."""

    NO_ANSWERS = "no_answers"
    NOT_TOGETHER = "not_together"
    """Each side has answers, but never in the same period: there was no draw between them."""
    TOO_FEW_ANSWERS = "too_few_answers"
    ONE_PERSON = "one_person"
    ONE_ITEM = "one_item"
    NO_SPREAD = "no_spread"


@dataclass(frozen=True)
class Estimate:
    """A share or a difference of shares; without an interval where `why` says so."""

    value: float
    interval: Interval | None = None
    why: Why | None = None


@dataclass(frozen=True)
class Undefined:
    """There is no such figure, and why."""

    why: Why


Figure = Estimate | Undefined


class Reading(NamedTuple):
    """One answer beside the prior of one modality. Categories are indices, `NONE` where there is none."""

    item: int
    annotator: int
    period: int
    """Arms are compared only within a period."""
    arm: PriorArm
    modality: Modality
    prior: int
    other: int
    """What the prior of the other modality says."""
    first: int
    """The answer before hidden priors opened; `NONE` in the other arms."""
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
    other: Ints
    first: Ints
    submitted: Ints

    @classmethod
    def of(cls, rows: Iterable[Reading]) -> "Readings":
        """Collect readings; at most one for each person, item and modality."""
        flat = array("q")  # one after another: nine numbers a reading
        for item, who, period, arm, modality, *said in rows:
            flat.extend((item, who, period, _ARMS[arm], _MODALITIES[modality], *said))
        table = np.array(flat, dtype=np.int64).reshape(-1, 9)
        table = table[np.lexsort((table[:, 4], table[:, 1], table[:, 0]))]
        return cls(*(np.ascontiguousarray(column) for column in table.T))

    def where(self, keep: Flags) -> "Readings":
        """Only those readings."""
        return Readings(*(column[keep] for column in vars(self).values()))


_ARMS = {arm: number for number, arm in enumerate(PriorArm)}
_MODALITIES = {modality: number for number, modality in enumerate(Modality)}


@dataclass(frozen=True)
class Share:
    """How often the answers of one view are what the prior says."""

    answers: int
    agreeing: int
    without: int
    """Answers without a category, left out."""
    share: Figure


@dataclass(frozen=True)
class Difference:
    """The share of one view minus that of another, with the answers that count on each side."""

    answers: int
    others: int
    difference: Figure


@dataclass(frozen=True)
class Group:
    """Which readings: of a modality, and there all, or those of one scope (`category` for `Scope.CATEGORY`)."""

    modality: Modality
    scope: Scope
    category: int | None = None


@dataclass(frozen=True)
class Account:
    """The influence of the priors in one group of readings."""

    group: Group
    shares: Mapping[View, Share]
    differences: Mapping[Contrast, Difference]
    changes: Mapping[Change, int]

    @property
    def changed(self) -> int:
        return sum(n for change, n in self.changes.items() if change is not Change.KEPT)

    @property
    def asked_twice(self) -> int:
        """Answers with a category both before and after."""
        return sum(self.changes.values())


def influence(readings: Readings, categories: int) -> tuple[Account, ...]:
    """The accounts of both modalities: all readings, priors in conflict, alike, and by what the prior says."""
    accounts = []
    for modality, number in _MODALITIES.items():
        of_it = readings.where(readings.modality == number)
        both = of_it.other != NONE
        differ = of_it.other != of_it.prior
        chosen: list[tuple[Group, Flags]] = [
            (Group(modality, Scope.ALL), np.ones(len(of_it.item), dtype=bool)),
            (Group(modality, Scope.CONFLICT), both & differ),
            (Group(modality, Scope.ALIKE), both & ~differ),
            *((Group(modality, Scope.CATEGORY, each), of_it.prior == each) for each in range(categories)),
        ]
        accounts += [account(group, of_it.where(keep)) for group, keep in chosen]
    return tuple(accounts)


def account(group: Group, readings: Readings) -> Account:
    """Describe one group of readings."""
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


# ── Planning ──────────────────────────────────────────────────────────────────


def half_width(labels: int, withheld: float) -> float | None:
    """Half the 95 % interval of the difference between shown and withheld, for so many labels in all.

    1.96 √(¼ (1/(N w) + 1/(N (1 − w)))): every answer on its own, agreement at one half, where it is widest. None
    where one arm would be empty.
    """
    if labels <= 0 or not 0 < withheld < 1:
        return None
    return _Z * sqrt(0.25 / labels * (1 / withheld + 1 / (1 - withheld)))


def detectable(labels: int, withheld: float) -> float | None:
    """The difference that such an interval leaves 0 out for in four campaigns of five: (1.96 + 0.84) / 1.96 as wide."""
    half = half_width(labels, withheld)
    return None if half is None else half * (_Z + _Z80) / _Z


# ── Answers and their sums ────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Answers:
    """The answers of one view that have a category: whether each is what the prior says."""

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
    mine = readings.where(readings.arm == _ARMS[arm])
    said = mine.first if first else mine.submitted
    there = said != NONE
    agrees = (said == mine.prior)[there].astype(np.float64)
    return _Answers(mine.item[there], mine.annotator[there], mine.period[there], agrees, int((~there).sum()))


def _share_of(answers: _Answers) -> Share:
    n, agreeing = len(answers.agrees), int(answers.agrees.sum())
    return Share(n, agreeing, answers.without, _share(answers, n, agreeing))


def _share(answers: _Answers, n: int, agreeing: int) -> Figure:
    if n == 0:
        return Undefined(Why.NO_ANSWERS)
    value = agreeing / n
    people, items = _count(answers.annotator), _count(answers.item)
    if (why := _too_few_clusters(people, items)) is not None:
        return Estimate(value, None, why)
    binomial = value * (1 - value) / n
    if binomial == 0:
        effective = float(items)
    else:
        effective = n / max(1.0, _variance((answers.agrees - value) / n, answers) / binomial)
    return Estimate(value, wilson_interval(value, effective, _student(min(people, items) - 1)))


def _between(one: _Answers, other: _Answers) -> Difference:
    """The share of one arm minus that of another, over the periods that have both."""
    period = np.concatenate((one.period, other.period))
    side = np.concatenate((np.ones(len(one.period)), np.zeros(len(other.period))))
    _names, which = np.unique(period, return_inverse=True)
    of = which.reshape(-1)
    n, ones = np.bincount(of), np.bincount(of, weights=side)
    mixed = ((ones > 0) & (ones < n))[of]
    if not len(one.period) or not len(other.period):
        return Difference(len(one.period), len(other.period), Undefined(Why.NO_ANSWERS))
    if not mixed.any():
        return Difference(0, 0, Undefined(Why.NOT_TOGETHER))
    both = _Answers(
        np.concatenate((one.item, other.item))[mixed],
        np.concatenate((one.annotator, other.annotator))[mixed],
        of[mixed],
        np.concatenate((one.agrees, other.agrees))[mixed],
    )
    side = side[mixed]
    first = int(side.sum())
    return Difference(first, len(side) - first, _slope(both, side))


def _slope(answers: _Answers, side: Floats) -> Figure:
    """The coefficient of `side` beside a constant for each period, with its interval."""
    treated = _centred(side, answers.period)
    outcome = _centred(answers.agrees, answers.period)
    weight = treated / (treated @ treated)
    value = min(1.0, max(-1.0, float(weight @ outcome)))  # rounding may leave the last bit beyond
    ones = int(side.sum())
    if min(ones, len(side) - ones) < FEWEST:
        return Estimate(value, None, Why.TOO_FEW_ANSWERS)
    return _with_interval(value, weight * (outcome - value * treated), answers)


def _within(readings: Readings) -> Difference:
    """The mean change of the same answers once hidden priors had opened."""
    twice = readings.where(_twice(readings))
    n = len(twice.item)
    if n == 0:
        return Difference(0, 0, Undefined(Why.NO_ANSWERS))
    change = (twice.submitted == twice.prior).astype(np.float64) - (twice.first == twice.prior)
    value = float(change.mean())
    pairs = _Answers(twice.item, twice.annotator, twice.period, change)
    if n < FEWEST:
        return Difference(n, n, Estimate(value, None, Why.TOO_FEW_ANSWERS))
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


def _with_interval(value: float, terms: Floats, answers: _Answers) -> Estimate:
    """The value with Student's interval; `terms` are what each answer adds to its error."""
    people, items = _count(answers.annotator), _count(answers.item)
    if (why := _too_few_clusters(people, items)) is not None:
        return Estimate(value, None, why)
    variance = _variance(terms, answers)
    if variance <= 1e-18:
        return Estimate(value, None, Why.NO_SPREAD)
    reach = _student(min(people, items) - 1) * sqrt(variance)
    return Estimate(value, Interval(max(-1.0, value - reach), min(1.0, value + reach)))


def _variance(terms: Floats, answers: _Answers) -> float:
    """Cluster-robust by person and by item; there are at least two of both. Each answer is its own crossing."""
    by_person, by_item = _clustered(terms, answers.annotator), _clustered(terms, answers.item)
    alone = float(terms @ terms) * len(terms) / (len(terms) - 1)
    return max(by_person + by_item - alone, by_person, by_item)


def _clustered(terms: Floats, cluster: Ints) -> float:
    names, which = np.unique(cluster, return_inverse=True)
    sums = np.bincount(which.reshape(-1), weights=terms)
    return float(sums @ sums) * len(names) / (len(names) - 1)


def _too_few_clusters(people: int, items: int) -> Why | None:
    if people < 2:
        return Why.ONE_PERSON
    return Why.ONE_ITEM if items < 2 else None


def _count(values: Ints) -> int:
    return len(np.unique(values))


def _centred(values: Floats, period: Ints) -> Floats:
    n = np.bincount(period)
    means = np.divide(np.bincount(period, weights=values), n, out=np.zeros(len(n)), where=n > 0)
    return values - means[period]


def _student(degrees: int) -> float:
    """The 97.5 % quantile of Student's t: the table up to 30, then Cornish and Fisher's series."""
    if degrees <= len(_T):
        return _T[degrees - 1]
    z = _Z
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def in_scope(accounts: Sequence[Account], modality: Modality, scope: Scope) -> list[Account]:
    """The accounts of one modality and scope."""
    return [each for each in accounts if each.group.modality is modality and each.group.scope is scope]
