"""Where an item goes once all its seats are labelled (design sections 3 and 4): the whole decision, as one function.

Order of checks: not sure, low quality, consensus, alignment, challenges. The `review` policy keeps every reason
that applies; in `paper` the first that applies decides, and challenges play no part.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.domain.alignment import Alignment, Intent, Misaligned, NotApplicable, alignment
from annotation.domain.choices import Level, Policy, Reason, Stage
from annotation.domain.consensus import Agreed, Binary, Consensus, KindUndecided, NoMajority, consensus
from annotation.domain.patterns import Pattern, Priors, contested, corrected, pattern
from annotation.domain.votes import Category, Vote


@dataclass(frozen=True)
class Rules:
    """What a project may set about closing."""

    policy: Policy = Policy.REVIEW
    low_quality_threshold: int = 1
    """As many flags make an item a case for `low_quality`."""
    extra_seats: int = 0
    """Seats still to be added where no category has a majority, before a reviewer sees the item."""


@dataclass(frozen=True)
class Case:
    """A closed item: the votes of all its seats (with not-sure ones replaced), its intent, its usable priors."""

    votes: tuple[Vote, ...]
    intent: Intent | None = None
    priors: Priors = field(default_factory=dict)


@dataclass(frozen=True)
class Findings:
    """What the votes say, wherever the item goes; None where it cannot be said."""

    level: Level | None = None
    category: Category | None = None
    binary: Binary | None = None
    alignment: Alignment = field(default_factory=NotApplicable)
    pattern: Pattern | None = None

    @property
    def hateful(self) -> bool | None:
        """The binary outcome: of the final category where there is one, else the binary majority."""
        if self.category is not None:
            return self.category.hateful
        return self.binary.hateful if self.binary else None


@dataclass(frozen=True)
class Settled:
    """Every check passed: gold by consensus."""

    findings: Findings
    stage: Stage = Stage.GOLD
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Disputed:
    """A person has to look; one or more reasons."""

    reasons: tuple[Reason, ...]
    findings: Findings
    stage: Stage = Stage.DISPUTED


@dataclass(frozen=True)
class Excluded:
    """The strict filter of the paper drops the item; exactly one reason."""

    reasons: tuple[Reason, ...]
    findings: Findings
    stage: Stage = Stage.EXCLUDED


@dataclass(frozen=True)
class MoreSeats:
    """No majority, and the project asks more people first."""

    count: int


Verdict = Settled | Disputed | Excluded
Decision = Verdict | MoreSeats

_PAPER_EXCLUDES = frozenset({Reason.LOW_QUALITY, Reason.NO_MAJORITY, Reason.MISALIGNED})


def decide(case: Case, rules: Rules) -> Decision:
    """Where the closed item goes and why. Raises ValueError for fewer than two votes."""
    found = findings(case)
    reasons = reasons_of(case, found, rules)
    if rules.extra_seats > 0 and reasons[:1] == (Reason.NO_MAJORITY,):
        return MoreSeats(rules.extra_seats)
    if not reasons:
        return Settled(found)
    if rules.policy is Policy.REVIEW:
        return Disputed(reasons, found)
    first = reasons[:1]
    return Excluded(first, found) if first[0] in _PAPER_EXCLUDES else Disputed(first, found)


def findings(case: Case) -> Findings:
    """Level, category, binary outcome, alignment and pattern of the votes; empty while a seat has no category."""
    agreed = _consensus(case.votes)
    if agreed is None:
        return Findings()
    category = agreed.category if isinstance(agreed, Agreed) else None
    hateful = category.hateful if category else agreed.binary.hateful
    settled_bit = None if isinstance(agreed, NoMajority) else hateful
    return Findings(
        level=agreed.level,
        category=category,
        binary=agreed.binary,
        alignment=alignment(category, hateful, case.intent),
        pattern=pattern(corrected(case.priors, case.votes), settled_bit),
    )


def reasons_of(case: Case, found: Findings, rules: Rules) -> tuple[Reason, ...]:
    """Every reason that applies, in the order of the checks."""
    agreed = _consensus(case.votes)
    applies = {
        Reason.NOT_SURE: agreed is None,
        Reason.LOW_QUALITY: sum(vote.low_quality for vote in case.votes) >= rules.low_quality_threshold,
        Reason.NO_MAJORITY: isinstance(agreed, NoMajority),
        Reason.KIND_UNDECIDED: isinstance(agreed, KindUndecided),
        Reason.MISALIGNED: isinstance(found.alignment, Misaligned),
        Reason.PRIOR_CHALLENGED: rules.policy is Policy.REVIEW and bool(contested(case.priors, case.votes)),
    }
    return tuple(reason for reason, holds in applies.items() if holds)


def _consensus(votes: Sequence[Vote]) -> Consensus | None:
    """The consensus, or None while a seat has no category."""
    categories = [vote.category for vote in votes if vote.category is not None]
    return consensus(categories) if len(categories) == len(votes) else None
