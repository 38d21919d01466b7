"""Import of one row into one project: the whole decision, without a database (design sections 3, 4, 10).

A row whose labels fill all seats is decided by the same pure rule as items in a browser
(`annotation.domain.item_decision`), so that imported labels and labels submitted one by one have the same result.
"""

import hashlib
import unicodedata
from collections.abc import Hashable, Mapping, Sequence

from annotation.domain.category_sets import further_of
from annotation.domain.choices import Modality, Stage
from annotation.domain.columns.in_files import NOTHING_ABOUT
from annotation.domain.formats.base import BadValue, Row
from annotation.domain.imports.decided import (
    check_claims,
    closed_outcome,
    given_outcome,
    known_outcome,
    outcome_with_gold,
)
from annotation.domain.imports.redaction import Mask, mask
from annotation.domain.imports.row_reader import ReadRow, RowReader
from annotation.domain.imports.values import Dropped, Incoming, IncomingLabel, IncomingPrior, Outcome, Terms
from annotation.domain.item_decision import Case, decide
from annotation.domain.patterns import Prior, Priors
from annotation.domain.pictures.words import GIVEN
from annotation.domain.votes import Challenge, Vote

_REMEMBERED = 10_000
_UNMASKED: Mapping[Mask, int] = {}
_WAITS, _READY = Outcome(Stage.IMPORTED), Outcome(Stage.READY)
"""Outcomes of a row without labels: most rows of most files have one of these two."""


class Intake:
    """A reader of rows as items of one project. It caches decided cases."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.reader = terms, RowReader(terms)
        self._outcomes: dict[Hashable, Outcome] = {}

    def take(self, row: Row) -> Incoming | Dropped:
        """Return the item of a row, or Dropped. Raises BadValue with the field that has the error."""
        terms = self.terms
        text, masked = mask(row.text, terms.masks) if terms.masks else (row.text, _UNMASKED)
        words = mask(row.picture_text, terms.masks)[0] if terms.masks else row.picture_text
        read = self.reader.read_row(row, bool(masked))
        if read is None:
            return Dropped(row.line)
        outcome = self._outcome(row, read)
        asks_more = outcome.stage is Stage.LABELLING and len(read.labels) == read.seats
        return Incoming(
            line=row.line,
            entry=row.entry,
            external_id=row.external_id,
            text=text,
            text_sha256=text_digest(text),
            picture=row.picture,
            about={**NOTHING_ABOUT, **terms.about, **row.about},
            severity=read.severity,
            provenance=read.provenance,
            rationales_left=row.rationales_left,
            intended=read.intent.code,
            intended_categories=read.intent.codes,
            intended_hateful=read.intent.hateful,
            priors=read.priors,
            labels=read.labels,
            seats=read.seats,
            extra_seats=terms.rules.extra_seats if asks_more else 0,
            outcome=outcome,
            decided_before=read.gold is not None and outcome.stage is Stage.GOLD,
            known=self.reader.known(row),
            masked=masked,
            picture_text=words,
            picture_text_reader=row.picture_text_reader or (GIVEN if row.picture_text else ""),
        )

    def _outcome(self, row: Row, read: ReadRow) -> Outcome:
        labels, seats, gold, intent = read.labels, read.seats, read.gold, read.intent.value()
        prior_values = self._prior_values(read.priors)
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
            case = Case(tuple(self._vote(label) for label in labels), intent, prior_values)
            outcome = self._decided(case)
            if gold is not None:
                outcome = outcome_with_gold(row, gold, case, outcome)
        check_claims(row, outcome)
        return outcome

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

    def _prior_values(self, priors: Sequence[IncomingPrior]) -> Priors:
        """Return the priors as values for the rules."""
        return {
            prior.modality: Prior(
                prior.hateful, None if prior.category is None else self.reader.categories.by_code[prior.category]
            )
            for prior in priors
        }

    def _vote(self, label: IncomingLabel) -> Vote:
        """Return the label as a vote for the rules."""
        code = label.replaced_by if label.category is None else label.category
        category = None if code is None else self.reader.categories.by_code[code]
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
