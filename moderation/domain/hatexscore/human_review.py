"""People's ratings of explanations against each other and against the score (HateXScore, sections 4.4 and 5.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.statistics.agreement import fleiss_kappa, tally
from annotation.domain.statistics.figure import Figure
from moderation.domain.hatexscore.cc import reaches

PANEL = 3
"""Raters of an explanation that are counted, as in the paper; two where none has three."""
SIDES = 0.5


@dataclass(frozen=True)
class Rating:
    """What one person said of one explanation."""

    quotes: bool
    group: bool
    hateful: bool


@dataclass(frozen=True)
class Rated:
    """A scored explanation with its ratings in the order they came; `label` is what the people's votes say."""

    ratings: Sequence[Rating]
    qf: float
    tgi: bool
    threshold: float
    score: float
    prediction: bool | None
    label: bool | None


@dataclass(frozen=True)
class Kappas:
    """Fleiss' κ between people, and with the score as one more rater."""

    name: str
    people: Figure
    with_score: Figure | None


@dataclass(frozen=True)
class Share:
    """Of so many ratings where prediction and label differ, how many side with the prediction."""

    model: int
    of: int

    @property
    def percent(self) -> float | None:
        """None of none."""
        return 100 * self.model / self.of if self.of else None


@dataclass(frozen=True)
class Report:
    """What the ratings come to: raters counted, explanations, κ, and whom people side with above and below 0.5."""

    raters: int
    explanations: int
    kappas: Sequence[Kappas]
    above: Share
    below: Share


def report(rated: Sequence[Rated]) -> Report:
    """Only explanations with as many ratings as the panel count for κ, their first ones; all for the shares."""
    most = max((len(each.ratings) for each in rated), default=0)
    raters = min(PANEL, max(2, most))
    panel = [each for each in rated if len(each.ratings) >= raters]
    kappas = [
        _kappas(
            "QF",
            [[one.quotes for one in _first(each, raters)] for each in panel],
            raters,
            [reaches(each.qf, each.threshold) for each in panel],
        ),
        _kappas(
            "TGI", [[one.group for one in _first(each, raters)] for each in panel], raters, [each.tgi for each in panel]
        ),
        _kappas("hateful", [[one.hateful for one in _first(each, raters)] for each in panel], raters, None),
    ]
    differing = [each for each in rated if None not in (each.label, each.prediction) and each.label != each.prediction]
    return Report(
        raters,
        len(panel),
        kappas,
        _share([each for each in differing if each.score >= SIDES]),
        _share([each for each in differing if each.score < SIDES]),
    )


def _first(each: Rated, raters: int) -> Sequence[Rating]:
    return each.ratings[:raters]


def _kappas(name: str, people: Sequence[Sequence[bool]], raters: int, score: Sequence[bool] | None) -> Kappas:
    between = fleiss_kappa(tally([[int(said) for said in row] for row in people], 2), raters)
    if score is None:
        return Kappas(name, between, None)
    rows = [[*map(int, row), int(said)] for row, said in zip(people, score, strict=True)]
    return Kappas(name, between, fleiss_kappa(tally(rows, 2), raters + 1))


def _share(rated: Sequence[Rated]) -> Share:
    sides = [rating.hateful == each.prediction for each in rated for rating in each.ratings]
    return Share(sum(sides), len(sides))
