"""Reading of one row for one project: its categories, labels, priors and answers, each once, as values to decide on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.domain.choices import Modality, SourceLabels
from annotation.domain.columns.priors import NOTHING_ABOUT
from annotation.domain.formats.base import BadValue, Row, RowChallenge, RowLabel, RowPrior
from annotation.domain.formats.mapping import contradicting_gold
from annotation.domain.imports.answers import AnswerReader
from annotation.domain.imports.category_reader import CategoryReader, Named
from annotation.domain.imports.decided import Gold
from annotation.domain.imports.values import IncomingIntent, IncomingKnown, IncomingLabel, IncomingPrior, Terms

MAX_SEATS = 15


@dataclass(frozen=True)
class ReadRow:
    """What a row says, in the project's categories."""

    intent: IncomingIntent
    labels: tuple[IncomingLabel, ...]
    priors: tuple[IncomingPrior, ...]
    seats: int
    gold: Gold | None
    severity: int | None
    provenance: Mapping[str, Any]
    """Where it comes from, with what no other field keeps."""


class RowReader:
    """A reader of the rows of one file. It remembers the cells that it has read."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.categories = CategoryReader(terms.categories, terms.choose)
        self._answers = None if terms.questions is None else AnswerReader(terms.questions)
        self._votes = terms.source_labels is SourceLabels.INTENDED

    def read_row(self, row: Row, masked: bool) -> ReadRow | None:
        """Return what a row says. Returns None if its labels only say what is intended, and are not unanimous.

        Raises BadValue with the field that has the error.
        """
        intent = self.intent(row)
        labels = self._answered(row, tuple(map(self._label, row.labels)), masked)
        provenance = dict(row.provenance)
        if labels and self._votes:
            unanimous = self._unanimous(row)
            if unanimous is None:
                return None
            provenance["source_votes"] = [label.as_record() for label in labels]
            intent, labels = _confirmed(intent, unanimous), ()
        priors, seats, gold = self.priors(row), self._seats(len(labels)), self._gold(row)
        if gold is not None and not labels and row.rationale:
            provenance["rationale"] = row.rationale
        return ReadRow(intent, labels, priors, seats, gold, _severity(row, priors), provenance)

    def intent(self, row: Row) -> IncomingIntent:
        """Return the intent of the row: categories, or only hateful or not, or neither. Raises BadValue."""
        if row.intended is None:
            return IncomingIntent(hateful=row.intended_hateful)
        named = self.categories.read_cell(row.intended, "intended")
        if row.intended_hateful is not None and row.intended_hateful != named.hateful:
            reason = "intended and intended_hateful contradict each other."
            raise BadValue("intent_contradiction", reason, "intended_hateful")
        return _meant(named)

    def known(self, row: Row) -> IncomingKnown | None:
        """Return the known answer of the row.

        Returns None if it has none.
        Raises BadValue for an unknown category.
        """
        if row.known_category is None:
            if row.known_explanation or row.known_training:
                reason = "known_explanation and known_training need a known_category."
                raise BadValue("known_without_category", reason, "known_category")
            return None
        named = self.categories.read_cell(row.known_category, "known_category")
        code = named.category("known_category").code
        return IncomingKnown(code, row.known_explanation, row.known_training, named.codes)

    def priors(self, row: Row) -> tuple[IncomingPrior, ...]:
        """Return the priors ready to be stored. Raises BadValue for an unknown category."""
        return tuple(
            self._prior(modality, prior)
            for modality, prior in ((Modality.TEXT, row.text_prior), (Modality.IMAGE, row.image_prior))
            if prior is not None
        )

    def _prior(self, modality: Modality, prior: RowPrior) -> IncomingPrior:
        field = f"{modality}_label"
        named = self.categories.read_cell(prior.category, field).alone(field)
        return IncomingPrior(modality, named.code, named.hateful, {**NOTHING_ABOUT, **prior.about})

    def _label(self, label: RowLabel) -> IncomingLabel:
        named = None if label.category is None else self.categories.read_cell(label.category, "labels")
        code = None
        if named is not None:
            code = named.code if self._votes else named.category("labels").code
        challenges = tuple(map(self._challenge, label.challenges))
        expert = None if label.replaced_by is None else self.categories.read_cell(label.replaced_by, "labels")
        either = named or expert
        return IncomingLabel(
            label.annotator,
            code,
            label.not_sure,
            label.low_quality,
            label.note,
            label.seconds,
            label.at,
            label.target_group,
            challenges,
            None if expert is None else expert.category("labels").code,
            () if either is None else either.codes,
        )

    def _challenge(self, challenge: RowChallenge) -> Mapping[str, Any]:
        code, hateful = None, challenge.hateful
        if challenge.category is not None:
            named = self.categories.read_cell(challenge.category, "labels").alone("labels")
            code, hateful = named.code, named.hateful
            if challenge.hateful not in (None, hateful):
                raise BadValue("bad_challenges", "A challenge's category and hateful contradict each other.", "labels")
        return {"modality": str(challenge.modality), "category": code, "hateful": hateful}

    def _unanimous(self, row: Row) -> Named | None:
        """Return the common label of all of the source's annotators. Returns None if they differ or one is unsure."""
        if any(label.category is None or label.low_quality for label in row.labels):
            return None
        said = [self.categories.read_cell(str(label.category), "labels") for label in row.labels]
        return said[0] if len({(named.code, named.hateful, named.codes) for named in said}) == 1 else None

    def _gold(self, row: Row) -> Gold | None:
        if row.gold is None:
            return None
        gold = self._read_gold(row.gold)
        if row.gold_lead is not None and not set(self._read_gold(row.gold_lead).all_codes) <= set(gold.all_codes):
            raise BadValue("gold_contradicts_categories", contradicting_gold(row.gold_lead, row.gold), "gold")
        return gold

    def _read_gold(self, written: str) -> Gold:
        named = self.categories.read_cell(written, "gold")
        return Gold(named.category("gold"), named.codes)

    def _answered(self, row: Row, labels: tuple[IncomingLabel, ...], masked: bool) -> tuple[IncomingLabel, ...]:
        """Return the labels with their answers to further questions. Raises BadValue."""
        reader = self._answers
        if reader is None or not any(label.answers or label.offered for label in row.labels):
            return labels
        answered = []
        for place, (label, written) in enumerate(zip(labels, row.labels, strict=True)):
            try:
                answers = reader.offered(written.offered, row.text, masked)
                answers |= reader.read(written.answers, row.text, masked)
            except BadValue as fault:
                raise BadValue(fault.code, fault.reason, f"labels[{place}].{fault.field}", fault.limit) from fault
            answered.append(replace(label, answers=answers))
        return tuple(answered)

    def _seats(self, labels: int) -> int:
        if labels <= self.terms.seats:
            return self.terms.seats
        if not self.terms.seats_from_data:
            reason = f"The row has {labels} labels, an item of this project {self.terms.seats} seats."
            raise BadValue("too_many_labels", reason, "labels", self.terms.seats)
        if labels > MAX_SEATS:
            raise BadValue("too_many_labels", f"The row has {labels} labels; at most {MAX_SEATS}.", "labels", MAX_SEATS)
        return labels


def _meant(named: Named) -> IncomingIntent:
    return IncomingIntent(named.first, None if named.categories else named.hateful, named.codes)


def _confirmed(intent: IncomingIntent, votes: Named) -> IncomingIntent:
    """Return the row's own intent together with what all of its source say. Raises BadValue if they contradict."""
    side = intent.category.hateful if intent.category else intent.hateful
    if (intent.category and votes.categories and intent.code != votes.code) or side not in (None, votes.hateful):
        raise BadValue("intent_contradiction", "The source's votes and intended contradict each other.", "intended")
    meant = intent if intent.category and not votes.categories else _meant(votes)
    return replace(meant, codes=intent.codes or votes.codes)


def _severity(row: Row, priors: Sequence[IncomingPrior]) -> int | None:
    """Return the row's own severity, else the higher one of its priors."""
    if row.severity is not None:
        return row.severity
    severities = [prior.about["severity"] for prior in priors]
    return max((severity for severity in severities if severity is not None), default=None)
