"""HateXScore of one explanation: what is read from it, then the score with the probabilities (design section 8).

`read` needs no model and says what would be masked; `score` takes p before and after. Both are pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.cc import Rule, consistency
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.htc import conclusion_line, conclusions
from moderation.domain.hatexscore.masking import Rationale, mask
from moderation.domain.hatexscore.normalize import Span
from moderation.domain.hatexscore.qf import is_trivial, quotation_faithfulness
from moderation.domain.hatexscore.quotations import Quotation, quotations
from moderation.domain.hatexscore.second_reading import SecondReading
from moderation.domain.hatexscore.tgi import NamedGroup, groups, identified
from moderation.domain.hatexscore.words.shared_words import shared_runs
from moderation.domain.hatexscore.words.tokenize import language_of

PARTS = ("htc", "qf", "tgi", "cc")
THRESHOLDS = tuple(number / 10 for number in range(1, 10))


@dataclass(frozen=True)
class Weights:
    """How much each part counts: numbers that are not negative, and not all 0."""

    htc: float = 1.0
    qf: float = 1.0
    tgi: float = 1.0
    cc: float = 1.0

    def __post_init__(self) -> None:
        if min(self.values) < 0 or not 0 < sum(self.values) < float("inf"):
            raise ValueError("Weights are numbers that are not negative, and at least one is above 0.")

    @classmethod
    def read(cls, said: str) -> "Weights":
        """Four numbers with commas or blanks between them. Raises ValueError."""
        parts = [float(part) for part in said.replace(",", " ").split()]
        if len(parts) != 4:
            raise ValueError("Weights are four numbers: of HTC, QF, TGI and CC, such as 1, 1, 1, 1.")
        return cls(*parts)

    @property
    def values(self) -> tuple[float, float, float, float]:
        """In the order of the parts."""
        return self.htc, self.qf, self.tgi, self.cc


@dataclass(frozen=True)
class Measure:
    """How CC and the mean are taken; a threshold of None is the rule's own."""

    rule: Rule = Rule.PAPER
    threshold: float | None = None
    weights: Weights = field(default_factory=Weights)

    def __post_init__(self) -> None:
        if not 0 <= self.tau <= 1:
            raise ValueError("A threshold is a number from 0 to 1.")

    @property
    def tau(self) -> float:
        """The threshold in force."""
        return self.rule.threshold if self.threshold is None else self.threshold


@dataclass(frozen=True)
class Reading:
    """What an explanation says, before any probability is known; offsets are code points."""

    text: str
    explanation: str
    language: str
    conclusions: Sequence[Conclusion]
    quotations: Sequence[Quotation]
    rationales: Sequence[Rationale]
    """What it quotes that stands in the text; without any quotation mark, the words they share."""
    spans: Sequence[Span]
    masked: str
    groups: Sequence[NamedGroup]
    appended: bool = False
    """Whether the conclusion line was added for the label of a structured answer."""
    second: SecondReading | None = None
    """What a model read in it; None: nobody was asked, or the answer was of no use."""
    second_groups: Sequence[NamedGroup] = ()

    @property
    def is_trivial(self) -> bool:
        """Whether the whole raw text is all that it quotes."""
        return is_trivial(self.text, [each.quote for each in self.rationales])

    @property
    def has_evidence(self) -> bool:
        """Whether there is something to mask: only then probabilities are needed."""
        return bool(self.rationales) and not self.is_trivial

    @property
    def stated(self) -> bool | None:
        """What its last conclusion says, else what the reader read; None where it comes to none."""
        if self.conclusions:
            return self.conclusions[-1].hateful
        return self.second.conclusion if self.second else None


@dataclass(frozen=True)
class Score:
    """The four parts and their weighted mean, all in [0, 1]; `groups` are those that count."""

    htc: int
    qf: float
    tgi: int
    cc: int
    score: float
    groups: Sequence[NamedGroup]


def read(
    text: str,
    explanation: str,
    *,
    language: str = "",
    listed: Groups | None = None,
    label: bool | None = None,
    second: SecondReading | None = None,
) -> Reading:
    """Read an explanation of a text. Raises MissingExtra where the language's library is not there.

    Without a language it is told by the script; without a list it is the language's default. `label` is that of a
    structured answer, appended as a conclusion line. `second` is what a model read in it.
    """
    if label is not None:
        explanation = f"{explanation.rstrip()}\n{conclusion_line(label)}"
    language = language or language_of(explanation)
    listed = group_list_files.built_in(group_list_files.default_name(language)) if listed is None else listed
    quoted = quotations(explanation)
    quotes = [each.text for each in quoted] if quoted else shared_runs(text, explanation, language)
    masked = mask(text, quotes)
    return Reading(
        text=text,
        explanation=explanation,
        language=language,
        conclusions=conclusions(explanation, quoted),
        quotations=quoted,
        rationales=masked.rationales,
        spans=masked.spans,
        masked=masked.text,
        groups=groups(explanation, quoted, language, listed),
        appended=label is not None,
        second=second,
        second_groups=second.groups_in(explanation, quoted, language, listed) if second else (),
    )


def score(
    reading: Reading,
    prediction: bool | None,
    p: float | None = None,
    p_masked: float | None = None,
    measure: Measure | None = None,
) -> Score:
    """Score what was read. Raises UnreadableProbability where p is needed and is no number from 0 to 1."""
    measure = measure or Measure()
    qf = 0.0
    if reading.has_evidence and prediction is not None:
        qf = quotation_faithfulness(prediction, p, p_masked)
    found = identified([*reading.groups, *reading.second_groups], prediction)
    return combined(int(reading.stated is not None), qf, int(bool(found)), prediction, measure, found)


def combined(
    htc: int, qf: float, tgi: int, prediction: bool | None, measure: Measure, found: Sequence[NamedGroup] = ()
) -> Score:
    """Return the score of these parts; CC follows from them."""
    cc = consistency(prediction, qf, tgi, measure.tau, measure.rule)
    weights = measure.weights.values
    mean = sum(weight * part for weight, part in zip(weights, (htc, qf, tgi, cc), strict=True)) / sum(weights)
    return Score(htc, qf, tgi, cc, min(1.0, max(0.0, mean)), found)


@dataclass(frozen=True)
class Scored:
    """The parts of a score that a change of the threshold leaves as they are."""

    htc: int
    qf: float
    tgi: int
    prediction: bool | None


def sweep(
    scores: Sequence[Scored], measure: Measure, thresholds: Sequence[float] = THRESHOLDS
) -> list[dict[str, float]]:
    """Return the mean CC and score at each threshold (paper, appendix A.4); nothing without scores."""
    rows = []
    for threshold in thresholds if scores else ():
        at = Measure(measure.rule, threshold, measure.weights)
        found = [combined(each.htc, each.qf, each.tgi, each.prediction, at) for each in scores]
        rows.append(
            {
                "threshold": threshold,
                "cc": fmean(each.cc for each in found),
                "score": fmean(each.score for each in found),
            }
        )
    return rows
