"""Import of one row into one project: the whole decision, without a database (design sections 3, 4, 10).

A row whose labels fill all seats is decided by the same pure rule as items in a browser
(`annotation.domain.item_decision`), so that imported labels and labels submitted one by one have the same result.
"""

import hashlib
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent
from annotation.domain.category_sets import further_of
from annotation.domain.choices import Modality, SourceLabels, Stage
from annotation.domain.columns.items import NOTHING_ABOUT
from annotation.domain.columns.priors import NOTHING_ABOUT as NOTHING_ABOUT_A_PRIOR
from annotation.domain.formats.base import BadValue, Row, RowChallenge, RowLabel, RowPrior
from annotation.domain.formats.mapping import contradicting_gold
from annotation.domain.imports.answers import AnswerReader
from annotation.domain.imports.category_reader import CategoryReader
from annotation.domain.imports.decided import (
    Gold,
    check_claims,
    closed_outcome,
    given_outcome,
    known_outcome,
    outcome_with_gold,
)
from annotation.domain.imports.redaction import Mask, mask
from annotation.domain.imports.values import (
    Dropped,
    Incoming,
    IncomingKnown,
    IncomingLabel,
    IncomingPrior,
    Outcome,
    Terms,
)
from annotation.domain.item_decision import Case, decide
from annotation.domain.patterns import Prior, Priors
from annotation.domain.pictures.words import GIVEN
from annotation.domain.votes import Challenge, Vote

MAX_SEATS = 15
_REMEMBERED = 10_000
_UNMASKED: Mapping[Mask, int] = {}
_WAITS, _READY = Outcome(Stage.IMPORTED), Outcome(Stage.READY)
"""Outcomes of a row without labels: most rows of most files have one of these two."""


class Intake:
    """A reader of rows as items of one project. It caches decided cases."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.categories = CategoryReader(terms.categories, terms.choose)
        self._outcomes: dict[Hashable, Outcome] = {}
        self._answers = None if terms.questions is None else AnswerReader(terms.questions)

    def take(self, row: Row) -> Incoming | Dropped:
        """Return the item of a row, or Dropped. Raises BadValue with the field that has the error."""
        terms = self.terms
        text, masked = mask(row.text, terms.masks) if terms.masks else (row.text, _UNMASKED)
        intended, intended_hateful = self.intent_of(row)
        several = self.categories.codes(row.intended)
        labels = self._answered(row, tuple(self._label(label) for label in row.labels), bool(masked))
        provenance = dict(row.provenance)
        if labels and terms.source_labels is SourceLabels.INTENDED:
            unanimous = self._unanimous(row)
            if unanimous is None:
                return Dropped(row.line)
            intended, intended_hateful = self._checked_intent(*unanimous, intended, intended_hateful)
            several = several or self.categories.codes(row.labels[0].category)
            provenance["source_votes"] = [label.as_record() for label in labels]
            labels = ()
        priors = tuple(self._priors(row))
        seats = self._seats(len(labels))
        outcome = self._outcome(row, labels, seats, priors, self.intent(intended, intended_hateful, several))
        if row.gold is not None and not labels and row.rationale:
            provenance["rationale"] = row.rationale
        asks_more = outcome.stage is Stage.LABELLING and len(labels) == seats
        return Incoming(
            line=row.line,
            entry=row.entry,
            external_id=row.external_id,
            text=text,
            text_sha256=text_digest(text),
            picture=row.picture,
            about={**NOTHING_ABOUT, **terms.about, **row.about},
            severity=_severity(row),
            provenance=provenance,
            rationales_left=row.rationales_left,
            intended=intended,
            intended_categories=several,
            intended_hateful=intended_hateful,
            priors=priors,
            labels=labels,
            seats=seats,
            extra_seats=terms.rules.extra_seats if asks_more else 0,
            outcome=outcome,
            decided_before=row.gold is not None and outcome.stage is Stage.GOLD,
            known=self.known_of(row),
            masked=masked,
            picture_text=mask(row.picture_text, terms.masks)[0] if terms.masks else row.picture_text,
            picture_text_reader=row.picture_text_reader or (GIVEN if row.picture_text else ""),
        )

    # ── Intents and known answers ─────────────────────────────────────────────

    def intent_of(self, row: Row) -> tuple[int | None, bool | None]:
        """Return the intent of the row: a category's code, or only hateful or not, or neither. Raises BadValue."""
        if row.intended is None:
            return None, row.intended_hateful
        code, hateful = self.categories.code_or_side(row.intended, "intended")
        if row.intended_hateful is not None and row.intended_hateful != hateful:
            reason = "intended and intended_hateful contradict each other."
            raise BadValue("intent_contradiction", reason, "intended_hateful")
        return (code, None) if code is not None else (None, hateful)

    def _checked_intent(
        self, code: int | None, hateful: bool, own_code: int | None, own_hateful: bool | None
    ) -> tuple[int | None, bool | None]:
        """Return the intent from the source's votes together with the row's own.

        Raises BadValue if they contradict each other.
        """
        side = self.categories.by_code[own_code].hateful if own_code is not None else own_hateful
        if (own_code is not None and code is not None and own_code != code) or (side is not None and side != hateful):
            raise BadValue("intent_contradiction", "The source's votes and intended contradict each other.", "intended")
        if code is None and own_code is not None:
            return own_code, None
        return (code, None) if code is not None else (None, hateful)

    def intent(self, code: int | None, hateful: bool | None, codes: Sequence[int] = ()) -> Intent | None:
        if code is not None:
            return IntendedCategory(self.categories.by_code[code], further_of(self.categories.by_code[code], codes))
        return None if hateful is None else IntendedHateful(hateful)

    def known_of(self, row: Row) -> IncomingKnown | None:
        """Return the known answer of the row.

        Returns None if it has none.
        Raises BadValue for an unknown category.
        """
        if row.known_category is None:
            if row.known_explanation or row.known_training:
                reason = "known_explanation and known_training need a known_category."
                raise BadValue("known_without_category", reason, "known_category")
            return None
        category = self.categories.of_side(row.known_category, "known_category")
        codes = self.categories.codes(row.known_category)
        return IncomingKnown(category.code, row.known_explanation, row.known_training, codes)

    # ── Labels and priors ─────────────────────────────────────────────────────

    def _label(self, label: RowLabel) -> IncomingLabel:
        category = None
        if label.category is not None:
            read = (
                self.categories.code_or_side
                if self.terms.source_labels is SourceLabels.INTENDED
                else self._seat_category
            )
            category = read(label.category, "labels")[0]
        return IncomingLabel(
            label.annotator,
            category,
            label.not_sure,
            label.low_quality,
            label.note,
            label.seconds,
            label.at,
            label.target_group,
            tuple(self._challenge(challenge) for challenge in label.challenges),
            None if label.replaced_by is None else self._seat_category(label.replaced_by, "labels")[0],
            self.categories.codes(label.category or label.replaced_by),
        )

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

    def _seat_category(self, written: str, field: str) -> tuple[int, bool]:
        category = self.categories.of_side(written, field)
        return category.code, category.hateful

    def _challenge(self, challenge: RowChallenge) -> Mapping[str, Any]:
        code, hateful = None, challenge.hateful
        if challenge.category is not None:
            code, hateful = self.categories.one_or_side(challenge.category, "labels")
            if challenge.hateful is not None and challenge.hateful != hateful:
                raise BadValue("bad_challenges", "A challenge's category and hateful contradict each other.", "labels")
        return {"modality": str(challenge.modality), "category": code, "hateful": hateful}

    def _unanimous(self, row: Row) -> tuple[int | None, bool] | None:
        """Return the common label of all of the source's annotators. Returns None if they differ or one is unsure."""
        if any(label.category is None or label.low_quality for label in row.labels):
            return None
        read = self.categories
        answers = {
            (read.code_or_side(str(label.category), "labels"), read.codes(label.category)) for label in row.labels
        }
        return answers.pop()[0] if len(answers) == 1 else None

    def _priors(self, row: Row) -> Sequence[IncomingPrior]:
        return [
            self.prior(modality, prior)
            for modality, prior in ((Modality.TEXT, row.text_prior), (Modality.IMAGE, row.image_prior))
            if prior is not None
        ]

    def prior(self, modality: Modality, prior: RowPrior) -> IncomingPrior:
        """Return a prior ready to be stored. Raises BadValue for an unknown category."""
        code, hateful = self.categories.one_or_side(prior.category, f"{modality}_label")
        return IncomingPrior(modality, code, hateful, {**NOTHING_ABOUT_A_PRIOR, **prior.about})

    def _seats(self, labels: int) -> int:
        if labels <= self.terms.seats:
            return self.terms.seats
        if not self.terms.seats_from_data:
            reason = f"The row has {labels} labels, an item of this project {self.terms.seats} seats."
            raise BadValue("too_many_labels", reason, "labels", self.terms.seats)
        if labels > MAX_SEATS:
            raise BadValue("too_many_labels", f"The row has {labels} labels; at most {MAX_SEATS}.", "labels", MAX_SEATS)
        return labels

    # ── The outcome ─────────────────────────────────────────────────────────

    def _outcome(
        self,
        row: Row,
        labels: Sequence[IncomingLabel],
        seats: int,
        priors: Sequence[IncomingPrior],
        intent: Intent | None,
    ) -> Outcome:
        prior_values = self.prior_values(priors)
        gold = None if row.gold is None else self._gold(row.gold, row.gold_lead)
        if row.known_category is not None:
            return known_outcome(labels, gold)
        if gold is not None and labels and len(labels) < seats:
            reason = f"The row has gold and {len(labels)} of {seats} labels; give all of them or none."
            raise BadValue("gold_with_open_seats", reason, "gold")
        if not labels:
            outcome = self._unlabelled(row, prior_values) if gold is None else given_outcome(gold, prior_values, intent)
        elif len(labels) < seats:
            outcome = Outcome(Stage.LABELLING)
        else:
            case = Case(tuple(self.vote(label) for label in labels), intent, prior_values)
            outcome = self._decided(case)
            if gold is not None:
                outcome = outcome_with_gold(row, gold, case, outcome)
        check_claims(row, outcome)
        return outcome

    def _gold(self, written: str, lead: str | None) -> Gold:
        gold = self._read_gold(written)
        if lead is not None and not set(self._read_gold(lead).all_codes) <= set(gold.all_codes):
            raise BadValue("gold_contradicts_categories", contradicting_gold(lead, written), "gold")
        return gold

    def _read_gold(self, written: str) -> Gold:
        category = self.categories.of_side(written, "gold")
        return Gold(category, self.categories.codes(written))

    def _decided(self, case: Case) -> Outcome:
        """Return the outcome of a case. Outcomes are cached, because many cases of a file are equal."""
        key = (case.votes, case.intent, tuple(case.priors.items()))
        outcome = self._outcomes.get(key)
        if outcome is None:
            if len(self._outcomes) > _REMEMBERED:
                self._outcomes.clear()
            outcome = self._outcomes[key] = closed_outcome(decide(case, self.terms.rules))
        return outcome

    def _unlabelled(self, row: Row, priors: Priors) -> Outcome:
        for_text = self.terms.text_prior_wanted and bool(row.text) and Modality.TEXT not in priors
        waits = for_text or (self.terms.image_prior_wanted and bool(row.picture) and Modality.IMAGE not in priors)
        return _WAITS if waits else _READY

    def prior_values(self, priors: Sequence[IncomingPrior]) -> Priors:
        """Return the priors as values for the rules."""
        return {
            prior.modality: Prior(
                prior.hateful, None if prior.category is None else self.categories.by_code[prior.category]
            )
            for prior in priors
        }

    def vote(self, label: IncomingLabel) -> Vote:
        """Return the label as a vote for the rules."""
        code = label.replaced_by if label.category is None else label.category
        category = None if code is None else self.categories.by_code[code]
        challenges = tuple(
            Challenge(Modality(challenge["modality"]), bool(challenge["hateful"])) for challenge in label.challenges
        )
        further = further_of(category, label.categories) if category and label.categories else ()
        return Vote(category, label.low_quality, challenges, further)


def text_digest(text: str) -> str:
    """Return the SHA-256 of the text in composed form (NFC), which equal texts share; "" for no text."""
    if not text:
        return ""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return hashlib.sha256(composed.encode()).hexdigest()


def _severity(row: Row) -> int | None:
    """Return the row's own severity, else the higher one of its priors."""
    if row.severity is not None:
        return row.severity
    severities = [prior.about.get("severity") for prior in (row.text_prior, row.image_prior) if prior]
    return max((severity for severity in severities if severity is not None), default=None)
