"""What a row's labels, gold and known answer make of its item."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.domain.alignment import Intent, aligned_flag, alignment
from annotation.domain.category_sets import as_stored, codes_of, further_of
from annotation.domain.choices import Source, Stage
from annotation.domain.formats.base import BadValue, Row
from annotation.domain.imports.values import IncomingLabel, Outcome
from annotation.domain.item_decision import Case, Decision, Findings, MoreSeats, findings
from annotation.domain.patterns import Priors, corrected, pattern
from annotation.domain.votes import Category


@dataclass(frozen=True)
class Gold:
    """The final category that a row gives; `categories` are the codes of all where there are several."""

    category: Category
    categories: tuple[int, ...] = ()

    @property
    def all_codes(self) -> tuple[int, ...]:
        """The codes of one category or several."""
        return codes_of(self.category.code, self.categories)

    def __str__(self) -> str:
        return ", ".join(map(str, self.categories)) or f"{self.category.code} {self.category.name}"


def closed_outcome(decision: Decision) -> Outcome:
    """Return the values that a decision about all seats writes into the item's row, as `annotation.consensus` does."""
    if isinstance(decision, MoreSeats):
        return Outcome(Stage.LABELLING)
    figures = decision.findings
    return Outcome(
        stage=decision.stage,
        reasons=decision.reasons,
        level=figures.level,
        category=figures.category.code if figures.category else None,
        categories=tuple(as_stored(value.code for value in (figures.category, *figures.further) if value)),
        hateful=figures.hateful,
        category_source=Source.CONSENSUS if decision.stage is Stage.GOLD else None,
        aligned=aligned_flag(figures.alignment),
        pattern=figures.pattern.code if figures.pattern else None,
        difficulty=figures.pattern.difficulty if figures.pattern else None,
        excluded_for=decision.reasons[0] if decision.stage is Stage.EXCLUDED else None,
    )


def known_outcome(labels: Sequence[IncomingLabel], gold: Gold | None) -> Outcome:
    """Return the outcome of an item with a known answer: no votes and no gold.

    Raises BadValue for a row with labels or gold.
    """
    if labels or gold is not None:
        reason = "A row with a known answer has neither labels nor gold: such an item is in no figure and no release."
        raise BadValue("known_with_labels", reason, "known_category")
    return Outcome(Stage.KNOWN)


def given_outcome(gold: Gold, priors: Priors, intent: Intent | None) -> Outcome:
    """Return the outcome of gold that came with the data and without votes: it has no level."""
    return _final(gold, Source.IMPORTED, Findings(), priors, intent)


def outcome_with_gold(row: Row, gold: Gold, case: Case, outcome: Outcome) -> Outcome:
    """Return the outcome of a row with gold and all labels. Gold is adjudicated if the row says so.

    Raises BadValue if it is not adjudicated and contradicts the labels, or has no rationale.
    """
    if row.gold_source == Source.ADJUDICATED:
        if not row.rationale.strip():
            raise BadValue("missing_rationale", "An adjudicated category needs its rationale.", "rationale")
        final = _final(gold, Source.ADJUDICATED, findings(case), corrected(case.priors, case.votes), case.intent)
        return replace(final, rationale=row.rationale, reasons=outcome.reasons)
    if (outcome.category, outcome.categories) != (gold.category.code, gold.categories):
        reason = (
            f"gold is {gold}, which is not what the labels agree on. If a person decided so, the row "
            'needs "gold_source": "adjudicated" and a rationale.'
        )
        raise BadValue("gold_contradicts_labels", reason, "gold")
    return outcome


def _final(gold: Gold, source: Source, figures: Findings, priors: Priors, intent: Intent | None) -> Outcome:
    category = gold.category
    bits = pattern(priors, category.hateful)
    further = further_of(category, gold.categories)
    return Outcome(
        stage=Stage.GOLD,
        level=figures.level,
        category=category.code,
        categories=gold.categories,
        hateful=category.hateful,
        category_source=source,
        aligned=aligned_flag(alignment(category, category.hateful, intent, further)),
        pattern=bits.code if bits else None,
        difficulty=bits.difficulty if bits else None,
    )


def check_claims(row: Row, outcome: Outcome) -> None:
    """Compare the claimed pattern and difficulty with the derived ones.

    Raises BadValue if they differ: the file then has an error.
    """
    for name, claimed, derived in (
        ("type", row.claimed_pattern, outcome.pattern),
        ("difficulty", row.claimed_difficulty, outcome.difficulty),
    ):
        if claimed and derived is not None and claimed != derived:
            reason = f"{row.external_id}: the file says {name} {claimed!r}, its labels give {str(derived)!r}."
            raise BadValue("contradiction", reason, name)
