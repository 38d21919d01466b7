"""The decision about an item when all its seats are labelled (design sections 3 and 4), as one function.

Order of checks: not sure, low quality, consensus, alignment, challenges. The `review` policy keeps every reason that
applies. The `paper` policy uses the first reason that applies and ignores challenges.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.domain.alignment import Alignment, Intent, Misaligned, NotApplicable, alignment
from annotation.domain.choices import Level, Policy, Reason, Stage
from annotation.domain.consensus import Agreed, Binary, Consensus, KindUndecided, NoMajority, consensus_of_sets
from annotation.domain.patterns import Pattern, Priors, contested, corrected, pattern
from annotation.domain.votes import Category, Vote


@dataclass(frozen=True)
class Rules:
    """A project's settings for the decision about an item."""

    policy: Policy = Policy.REVIEW
    low_quality_threshold: int = 1
    """The number of low-quality flags from which `low_quality` applies."""
    extra_seats: int = 0
    """Seats to add if no category has a majority, before a reviewer sees the item."""


@dataclass(frozen=True)
class Case:
    """A fully labelled item: the votes of all its seats (not-sure ones replaced), its intent, its usable priors."""

    votes: tuple[Vote, ...]
    intent: Intent | None = None
    priors: Priors = field(default_factory=dict)


@dataclass(frozen=True)
class Findings:
    """The figures that the votes give, whatever the decision; None if they are not defined."""

    level: Level | None = None
    category: Category | None = None
    binary: Binary | None = None
    alignment: Alignment = field(default_factory=NotApplicable)
    pattern: Pattern | None = None
    further: tuple[Category, ...] = ()
    """The final categories beside the first, where votes name several."""

    @property
    def hateful(self) -> bool | None:
        """The binary outcome: that of the final category if there is one, else the binary majority."""
        if self.category is not None:
            return self.category.hateful
        return self.binary.hateful if self.binary else None


@dataclass(frozen=True)
class Settled:
    """Every check passed: the item is gold by consensus."""

    findings: Findings
    stage: Stage = Stage.GOLD
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Disputed:
    """A person must decide; there are one or more reasons."""

    reasons: tuple[Reason, ...]
    findings: Findings
    stage: Stage = Stage.DISPUTED


@dataclass(frozen=True)
class Excluded:
    """The strict filter of the paper drops the item, for exactly one reason."""

    reasons: tuple[Reason, ...]
    findings: Findings
    stage: Stage = Stage.EXCLUDED


@dataclass(frozen=True)
class MoreSeats:
    """There is no majority, and the project asks more people first."""

    count: int


Verdict = Settled | Disputed | Excluded
Decision = Verdict | MoreSeats

_PAPER_EXCLUDES = frozenset({Reason.LOW_QUALITY, Reason.NO_MAJORITY, Reason.MISALIGNED})


def decide(case: Case, rules: Rules) -> Decision:
    """Return the next stage of a fully labelled item and its reasons. Raises ValueError for fewer than two votes."""
    figures = findings(case)
    reasons = reasons_of(case, figures, rules)
    if rules.extra_seats > 0 and reasons[:1] == (Reason.NO_MAJORITY,):
        return MoreSeats(rules.extra_seats)
    if not reasons:
        return Settled(figures)
    if rules.policy is Policy.REVIEW:
        return Disputed(reasons, figures)
    first = reasons[:1]
    return Excluded(first, figures) if first[0] in _PAPER_EXCLUDES else Disputed(first, figures)


def findings(case: Case) -> Findings:
    """Return level, category, binary outcome, alignment and pattern of the votes; empty if a seat has no category."""
    outcome = _consensus(case.votes)
    if outcome is None:
        return Findings()
    category, further = (outcome.category, outcome.further) if isinstance(outcome, Agreed) else (None, ())
    hateful = category.hateful if category else outcome.binary.hateful
    settled_bit = None if isinstance(outcome, NoMajority) else hateful
    return Findings(
        level=outcome.level,
        category=category,
        binary=outcome.binary,
        alignment=alignment(category, hateful, case.intent, further),
        pattern=pattern(corrected(case.priors, case.votes), settled_bit),
        further=further,
    )


def reasons_of(case: Case, figures: Findings, rules: Rules) -> tuple[Reason, ...]:
    """Return every reason that applies, in the order of the checks."""
    outcome = _consensus(case.votes)
    applies = {
        Reason.NOT_SURE: outcome is None,
        Reason.LOW_QUALITY: sum(vote.low_quality for vote in case.votes) >= rules.low_quality_threshold,
        Reason.NO_MAJORITY: isinstance(outcome, NoMajority),
        Reason.KIND_UNDECIDED: isinstance(outcome, KindUndecided),
        Reason.MISALIGNED: isinstance(figures.alignment, Misaligned),
        Reason.PRIOR_CHALLENGED: rules.policy is Policy.REVIEW and bool(contested(case.priors, case.votes)),
    }
    return tuple(reason for reason, holds in applies.items() if holds)


def _consensus(votes: Sequence[Vote]) -> Consensus | None:
    """Return the consensus. Returns None if a seat has no category."""
    chosen = [vote.chosen for vote in votes]
    return consensus_of_sets(chosen) if all(chosen) else None
