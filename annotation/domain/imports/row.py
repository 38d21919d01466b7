"""Reading of one row for one project: what it names in the project's own categories and questions, once, as one value.

No database is asked. What the row makes of its item is decided in `annotation.domain.imports.outcome`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent
from annotation.domain.choices import Modality, SourceLabels, Stage
from annotation.domain.columns.in_files import NOTHING_ABOUT
from annotation.domain.columns.items import INJECTED
from annotation.domain.columns.priors import NOTHING_ABOUT as NOTHING_ABOUT_PRIOR
from annotation.domain.formats.base import PASSAGES, BadValue, NotCounted, Passage, Row, RowChallenge, RowLabel
from annotation.domain.formats.labels.listed import one_each
from annotation.domain.formats.labels.of_annotators import checked
from annotation.domain.formats.mapping import contradicting_gold
from annotation.domain.imports.cells import AnswerReader, CategoryReader, Named
from annotation.domain.imports.outcome import Outcomes
from annotation.domain.imports.read_row import ReadLabel, ReadPrior, ReadRow, Terms
from annotation.domain.item_decision import Case
from annotation.domain.masking.mask import Example, Mask, examples_of
from annotation.domain.patterns import Prior
from annotation.domain.pictures.words import GIVEN
from annotation.domain.questions.answers import Stored
from annotation.domain.text_rules import composed, composed_places, text_digest
from annotation.domain.votes import Challenge, Vote

MAX_SEATS = 15
MOST_EXAMPLES = 10
"""Of what was masked, of each kind."""
_UNMASKED: Mapping[Mask, int] = {}
_NO_ANSWERS: Stored = {}


class RowReader:
    """A reader of the rows of one file for one project. It remembers the cells that it has read, and cases."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.categories = CategoryReader(terms.categories, terms.choose)
        self._outcomes = Outcomes(terms.rules, terms.awaited)
        self._answers = None if terms.questions is None else AnswerReader(terms.questions)
        self._about = {**NOTHING_ABOUT, **terms.about}
        self._votes = terms.source_labels is SourceLabels.INTENDED
        self.mask_examples: dict[str, list[Example]] = {}
        """The first things that were masked, by kind."""

    def _keep_examples(self, text: str, masked: Iterable[Mask]) -> None:
        wanted = {kind for kind in masked if len(self.mask_examples.get(kind, ())) < MOST_EXAMPLES}
        for kind, example in examples_of(text, self.terms.masks, self.terms.regions) if wanted else ():
            kept = self.mask_examples.setdefault(str(kind), [])
            if kind in wanted and len(kept) < MOST_EXAMPLES:
                kept.append(example)

    def _masked_extra(
        self, extra: Mapping[str, Any], masked: Mapping[Mask, int]
    ) -> tuple[Mapping[str, Any], Mapping[Mask, int]]:
        """Return the kept columns without what identifies a person, and the counts with what was found there."""
        counts = Counter(masked)

        def without(value: Any) -> Any:
            match value:
                case str():
                    text, found = self.terms.masked(value)
                    counts.update(found)
                    self._keep_examples(value, found)
                    return text
                case dict():
                    return {name: without(part) for name, part in value.items()}
                case list():
                    return [without(part) for part in value]
            return value

        return without(extra) if extra else extra, counts

    def extra_of(self, row: Row) -> Mapping[str, Any]:
        """Return the kept columns of a row as they are stored."""
        return self._masked_extra(row.extra, _UNMASKED)[0] if self.terms.masks else row.extra

    def read(self, row: Row) -> ReadRow | None:
        """Return what a row says. Returns None if its labels only say what is intended, and are not unanimous.

        Raises BadValue with the field that has the error.
        """
        terms, masked = self.terms, _UNMASKED
        row = self._one_label_each(row)
        text, words, extra = composed(row.text), composed(row.picture_text), row.extra
        is_composed, unmasked = (text, words) != (row.text, row.picture_text), text
        if terms.masks:
            row = replace(row, rationale=self.said(row.rationale), known_explanation=self.said(row.known_explanation))
            text, masked = terms.masked(text)
            words, _ = terms.masked(words)
            self._keep_examples(unmasked, masked)
            extra, masked = self._masked_extra(extra, masked)
        intent, labels, provenance = self.intent(row), self._labels(row, text != unmasked), _provenance(row)
        if labels and self._votes:
            unanimous = _unanimous(labels)
            if unanimous is None:
                return None
            provenance["source_votes"] = [label.as_record() for label in labels]
            intent, labels = _confirmed(intent, unanimous), ()
        priors, seats, gold = self.priors(row), self._seats(len(labels)), self._gold(row)
        if gold is not None and not labels and row.rationale:
            provenance["rationale"] = row.rationale
        case = Case(tuple(map(_vote, labels)), intent_of(intent), _values(priors))
        outcome = self._outcomes.of(row, case, gold, seats)
        asks_more = outcome.stage is Stage.LABELLING and len(labels) == seats
        return ReadRow(
            line=row.line,
            entry=row.entry,
            number=row.number,
            external_id=row.external_id,
            text=text,
            text_sha256=text_digest(text),
            picture=row.picture,
            picture_text=words,
            picture_text_reader=row.picture_text_reader or (GIVEN if row.picture_text else ""),
            about={**self._about, **row.about} if row.about else self._about,
            provenance=provenance,
            extra=extra,
            severity=_severity(row, priors),
            priority=row.priority,
            intent=intent,
            priors=priors,
            labels=labels,
            seats=seats,
            extra_seats=terms.rules.extra_seats if asks_more else 0,
            gold=gold,
            outcome=outcome,
            known=self.known(row),
            known_explanation=row.known_explanation,
            known_training=row.known_training,
            rationales_left=row.rationales_left,
            not_counted=self._left(row, labels),
            composed=is_composed,
            masked=masked,
        )

    def _one_label_each(self, row: Row) -> Row:
        """Return the row with one label of each person. Raises BadValue."""
        if len(row.labels) < 2:
            return row
        labels = one_each(row.labels, self.terms.twice)
        if left := len(row.labels) - len(labels):
            return replace(row, labels=labels, not_counted={**row.not_counted, NotCounted.TWICE.value: left})
        return row

    def _left(self, row: Row, labels: Sequence[ReadLabel]) -> Mapping[str, int]:
        """Return what of a row does not count, with the passages that have no name and that no question asks for."""
        if not labels or self._answers is None:
            return row.not_counted
        code = self._answers.of_passages
        marked = [
            len(written.offered[PASSAGES]) - len(label.passages)
            for written, label in zip(row.labels, labels, strict=False)
            if PASSAGES in written.offered and code not in label.answers
        ]
        if not any(marked):
            return row.not_counted
        return Counter(row.not_counted) + Counter({NotCounted.PASSAGES.value: sum(marked)})

    def intent(self, row: Row) -> Named | None:
        """Return what the author meant: categories, or only a side. Returns None if the row does not say it.

        Raises BadValue.
        """
        hateful = row.intended_hateful
        if row.intended is None:
            return None if hateful is None else Named("", hateful, ())
        named = self.categories.read(row.intended, "intended")
        if hateful not in (None, named.hateful):
            reason = "intended and intended_hateful contradict each other."
            raise BadValue("intent_contradiction", reason, "intended_hateful")
        return named

    def known(self, row: Row) -> Named | None:
        """Return the known answer of the row. Returns None if it has none. Raises BadValue for an unknown category."""
        if row.known_category is None:
            if row.known_explanation or row.known_training:
                reason = "known_explanation and known_training need a known_category."
                raise BadValue("known_without_category", reason, "known_category")
            return None
        return self.categories.read(row.known_category, "known_category").exact("known_category")

    def priors(self, row: Row) -> tuple[ReadPrior, ...]:
        """Return the priors of the row. Raises BadValue for an unknown category."""
        return tuple(
            ReadPrior(modality, self._one(prior.category, f"{modality}_label"), self._about_prior(prior.about))
            for modality, prior in ((Modality.TEXT, row.text_prior), (Modality.IMAGE, row.image_prior))
            if prior is not None
        )

    def _about_prior(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        said = {"explanation": self.said(about["explanation"])} if about.get("explanation") else {}
        return {**NOTHING_ABOUT_PRIOR, **about, **said}

    def said(self, words: str) -> str:
        """Return what somebody wrote about a post, masked as the post is: such words quote it."""
        return self.terms.masked(words)[0] if words else words

    def _one(self, written: str, field: str) -> Named:
        """Return one category or a side. Raises BadValue for several."""
        named = self.categories.read(written, field)
        if named.codes:
            raise BadValue("one_category", "A view of the text or the picture alone is one category.", field)
        return named

    def _labels(self, row: Row, masked: bool) -> tuple[ReadLabel, ...]:
        if not row.labels:
            return ()
        labels = tuple(map(self._label, row.labels))
        if any(label.passages for label in row.labels):
            labels = tuple(
                label._replace(passages=() if masked else _stored_passages(written.passages, row.text))
                for label, written in zip(labels, row.labels, strict=True)
            )
        if self._answers is None or not any(label.answers or label.offered for label in row.labels):
            return labels
        answered = []
        for place, (label, written) in enumerate(zip(labels, row.labels, strict=True)):
            try:
                answers = self._answers.read(written.answers, row.text, masked, written.offered)
            except BadValue as fault:
                raise BadValue(fault.code, fault.reason, f"labels[{place}].{fault.field}", fault.limit) from fault
            answered.append(label._replace(answers=answers))
        return tuple(answered)

    def labels_for(self, row: Row, text: str, sha256: str) -> tuple[tuple[ReadLabel, ...], Mapping[str, int]]:
        """Return the labels of a row for an item that is here, by its text, and how many of them do not count.

        Raises BadValue, also for a row with another text.
        """
        own = composed(row.text)
        read = self.terms.masked(own)[0]
        if row.text and text_digest(read) != sha256:
            reason = f"The item {row.external_id} has another text. Labels are added only to the very text they are of."
            raise BadValue("contradiction", reason, "text")
        row = self._one_label_each(replace(row, text=row.text or text))
        labels = self._labels(row, bool(row.text) and read != own)
        return labels, self._left(row, labels)

    def _label(self, label: RowLabel) -> ReadLabel:
        named = None if label.category is None else self.categories.read(label.category, "labels")
        if named is not None and not self._votes:
            named = named.exact("labels")
        challenges = tuple(map(self._challenge, label.challenges))
        expert = None if label.replaced_by is None else self.categories.read(label.replaced_by, "labels")
        return ReadLabel(
            label.annotator,
            named,
            label.not_sure,
            label.low_quality,
            self.said(label.note),
            label.seconds,
            label.at,
            label.target_group,
            challenges,
            expert and expert.exact("labels"),
            _NO_ANSWERS,
            self._masked_extra(label.person, _UNMASKED)[0] if self.terms.masks else label.person,
        )

    def _challenge(self, challenge: RowChallenge) -> Mapping[str, Any]:
        code, hateful = None, challenge.hateful
        if challenge.category is not None:
            named = self._one(challenge.category, "labels")
            code, hateful = named.code, named.hateful
            if challenge.hateful not in (None, hateful):
                raise BadValue("bad_challenges", "A challenge's category and hateful contradict each other.", "labels")
        return {"modality": str(challenge.modality), "category": code, "hateful": hateful}

    def _gold(self, row: Row) -> Named | None:
        if row.gold is None:
            return None
        gold = self.categories.read(row.gold, "gold").exact("gold")
        if row.gold_lead is not None:
            lead = self.categories.read(row.gold_lead, "gold").exact("gold")
            if not set(lead.categories) <= set(gold.categories):
                raise BadValue("gold_contradicts_categories", contradicting_gold(row.gold_lead, row.gold), "gold")
        return gold

    def _seats(self, labels: int) -> int:
        if labels <= self.terms.seats:
            return self.terms.seats
        if not self.terms.seats_from_data:
            reason = f"The row has {labels} labels, an item of this project {self.terms.seats} seats."
            raise BadValue("too_many_labels", reason, "labels", self.terms.seats)
        if labels > MAX_SEATS:
            raise BadValue("too_many_labels", f"The row has {labels} labels; at most {MAX_SEATS}.", "labels", MAX_SEATS)
        return labels


def _stored_passages(passages: Sequence[Passage], text: str) -> Sequence[Passage]:
    """Return passages of a text as passages of its composed form. Raises BadValue for one outside the text."""
    places = composed_places([passage[:2] for passage in checked(passages, text)], text)
    return [Passage(start, end, passage.name) for (start, end), passage in zip(places, passages, strict=True)]


def _provenance(row: Row) -> dict[str, Any]:
    return {} if row.injected is None else {INJECTED: row.injected}


def intent_of(named: Named | None) -> Intent | None:
    """Return what the author meant as a value for the rules."""
    if named is None:
        return None
    if named.categories:
        return IntendedCategory(named.categories[0], named.categories[1:])
    return IntendedHateful(named.hateful)


def _unanimous(labels: Sequence[ReadLabel]) -> Named | None:
    """Return the common label of all of the source's annotators. Returns None if they differ or one is unsure."""
    if any(label.named is None or label.low_quality for label in labels):
        return None
    said = {(named.code, named.hateful, named.codes): named for label in labels if (named := label.named)}
    return next(iter(said.values())) if len(said) == 1 else None


def _confirmed(intent: Named | None, votes: Named) -> Named:
    """Return the row's own intent, or what all of its source say if that says more.

    Raises BadValue if they contradict each other.
    """
    if intent is None:
        return votes
    codes = {intent.code, votes.code} - {None}
    if len(codes) > 1 or intent.hateful != votes.hateful:
        raise BadValue("intent_contradiction", "The source's votes and intended contradict each other.", "intended")
    return intent if intent.codes or not votes.categories else votes


def _vote(label: ReadLabel) -> Vote:
    """Return a label as a vote for the rules."""
    challenges = tuple(
        Challenge(Modality(challenge["modality"]), bool(challenge["hateful"])) for challenge in label.challenges
    )
    said = label.named or label.replaced_by
    if said is None:
        return Vote(None, label.low_quality, challenges)
    return Vote(said.categories[0], label.low_quality, challenges, said.categories[1:])


def _values(priors: Iterable[ReadPrior]) -> dict[Modality, Prior]:
    """Return the priors as values for the rules."""
    return {
        modality: Prior(named.hateful, named.categories[0] if named.categories else None)
        for modality, named, _ in priors
    }


def _severity(row: Row, priors: Sequence[ReadPrior]) -> int | None:
    """Return the row's own severity, else the higher one of its priors."""
    if row.severity is not None:
        return row.severity
    severities = [prior.about["severity"] for prior in priors]
    return max((severity for severity in severities if severity is not None), default=None)
