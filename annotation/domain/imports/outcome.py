"""What a row's labels, gold and known answer make of its item.

A row whose labels fill all seats is decided by the same pure rule as items in a browser
(`annotation.domain.item_decision`), so that imported labels and labels submitted one by one have the same result.
"""

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace

from annotation.domain.alignment import aligned_flag, alignment
from annotation.domain.category_sets import as_stored
from annotation.domain.choices import Modality, Reason, Source, Stage
from annotation.domain.formats.base import BadValue, Row
from annotation.domain.imports.cells import Named
from annotation.domain.item_decision import Case, Decision, Findings, MoreSeats, Rules, decide, findings
from annotation.domain.patterns import Priors, corrected, pattern

_REMEMBERED = 10_000


@dataclass(frozen=True)
class Outcome:
    """The state of an item at its import: the values of the fields with the same names in its row."""

    stage: Stage
    reasons: tuple[Reason, ...] = ()
    level: str | None = None
    category: int | None = None
    hateful: bool | None = None
    category_source: Source | None = None
    aligned: bool | None = None
    pattern: str | None = None
    difficulty: str | None = None
    excluded_for: Reason | None = None
    categories: tuple[int, ...] = ()
    rationale: str = ""
    """The rationale of an adjudication that came with the data."""


_WAITS, _READY, _BEGUN, _KNOWN = map(Outcome, (Stage.IMPORTED, Stage.READY, Stage.LABELLING, Stage.KNOWN))
"""Outcomes without figures: most rows of most files have one of the first two."""


class Outcomes:
    """The outcomes of the rows of one file. Decided cases are cached, because many of a file are equal."""

    def __init__(self, rules: Rules, awaited: Collection[Modality]) -> None:
        """Take the modalities whose priors are `awaited` before annotators get an item."""
        self._rules, self._awaited = rules, awaited
        self._decided: dict[Hashable, Outcome] = {}

    def of(self, row: Row, case: Case, gold: Named | None, seats: int) -> Outcome:
        """Return what a row makes of its item, from its labels, intent and priors (`case`) and its gold.

        Raises BadValue where they contradict each other, or what the file says of their outcome.
        """
        labels = len(case.votes)
        if row.known_category is not None:
            return _known(labels, gold)
        if gold is not None and 0 < labels < seats:
            reason = f"The row has gold and {labels} of {seats} labels; give all of them or none."
            raise BadValue("gold_with_open_seats", reason, "gold")
        if labels:
            outcome = _BEGUN if labels < seats else self._closed(row, case, gold)
        elif gold is not None:  # it came with the data and without votes: it has no level
            outcome = _final(gold, Source.IMPORTED, Findings(), case, case.priors)
        else:
            outcome = self._unlabelled(row, case.priors)
        if row.claimed_pattern or row.claimed_difficulty:
            _check_claims(row, outcome)
        return outcome

    def _unlabelled(self, row: Row, priors: Priors) -> Outcome:
        parts = ((Modality.TEXT, row.text), (Modality.IMAGE, row.picture))
        waits = any(content and part in self._awaited and part not in priors for part, content in parts)
        return _WAITS if waits else _READY

    def _closed(self, row: Row, case: Case, gold: Named | None) -> Outcome:
        key = (case.votes, case.intent, tuple(case.priors.items()))
        outcome = self._decided.get(key)
        if outcome is None:
            if len(self._decided) > _REMEMBERED:
                self._decided.clear()
            outcome = self._decided[key] = _outcome_of(decide(case, self._rules))
        return outcome if gold is None else _with_gold(row, gold, case, outcome)


def _outcome_of(decision: Decision) -> Outcome:
    """Return the values that a decision about all seats writes into the item's row, as `annotation.consensus` does."""
    if isinstance(decision, MoreSeats):
        return _BEGUN
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


def _known(labels: int, gold: Named | None) -> Outcome:
    """Return the outcome of an item with a known answer: no votes and no gold.

    Raises BadValue for a row with labels or gold.
    """
    if labels or gold is not None:
        reason = "A row with a known answer has neither labels nor gold: such an item is in no figure and no release."
        raise BadValue("known_with_labels", reason, "known_category")
    return _KNOWN


def _with_gold(row: Row, gold: Named, case: Case, outcome: Outcome) -> Outcome:
    """Return the outcome of a row with gold and all labels. Gold is adjudicated if the row says so.

    Raises BadValue if it is not adjudicated and contradicts the labels, or has no rationale.
    """
    if row.gold_source == Source.ADJUDICATED:
        if not row.rationale.strip():
            raise BadValue("missing_rationale", "An adjudicated category needs its rationale.", "rationale")
        final = _final(gold, Source.ADJUDICATED, findings(case), case, corrected(case.priors, case.votes))
        return replace(final, rationale=row.rationale, reasons=outcome.reasons)
    if (outcome.category, outcome.categories) != (gold.code, gold.codes):
        reason = (
            f"gold is {gold}, which is not what the labels agree on. If a person decided so, the row "
            'needs "gold_source": "adjudicated" and a rationale.'
        )
        raise BadValue("gold_contradicts_labels", reason, "gold")
    return outcome


def _final(gold: Named, source: Source, figures: Findings, case: Case, priors: Priors) -> Outcome:
    category, *further = gold.categories
    bits = pattern(priors, category.hateful)
    return Outcome(
        stage=Stage.GOLD,
        level=figures.level,
        category=category.code,
        categories=gold.codes,
        hateful=category.hateful,
        category_source=source,
        aligned=aligned_flag(alignment(category, category.hateful, case.intent, tuple(further))),
        pattern=bits.code if bits else None,
        difficulty=bits.difficulty if bits else None,
    )


def _check_claims(row: Row, outcome: Outcome) -> None:
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
