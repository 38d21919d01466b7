"""The answer that an annotator submits: which answers are valid, and when two answers are equal."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from annotation.domain.choices import Modality
from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text

FIRST_OF_CATEGORIES = "`category` is the first of `categories`; leave it out."
"""What is said of an answer whose two fields contradict each other."""
CHANGE_TIME = timedelta(minutes=30)
"""How long an answer can be changed in a project that mixes in checks; elsewhere it is until everybody has answered."""
TARGET_GROUP_LIMIT = 200
"""The maximum length of a target group, in characters."""


class BadAnswer(ValueError):
    """An answer that cannot be stored: a stable code, a message for people, and the field with the error."""

    def __init__(self, code: str, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


MOST_SECONDS = 10**9
"""The highest number of seconds that counts as a number of seconds at all."""


def read_seconds(value: Any) -> float | None:
    """Return the working time that a client counted, in seconds; None where it counted none.

    Raises BadAnswer for anything but a finite number of 0 or more.
    """
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MOST_SECONDS:  # NaN is in no range
        sentence = "`seconds` is a finite number, 0 or more. Leave it out if you counted no working time."
        raise BadAnswer("bad_seconds", sentence, "seconds")
    return float(value)


@dataclass(frozen=True)
class Correction:
    """An annotator's objection to one prior: another category (by code), or only hateful or not."""

    modality: Modality
    category: int | None = None
    hateful: bool | None = None


@dataclass(frozen=True)
class Answer:
    """A category (by code) or *not sure*. *Low quality* is a flag that may stand beside either, or alone."""

    category: int | None = None
    not_sure: bool = False
    low_quality: bool = False
    target_group: str = ""
    note: str = ""
    corrections: tuple[Correction, ...] = ()
    categories: tuple[int, ...] = ()
    """The codes of all categories, sorted, where the answer names several; `category` is the first."""
    answers: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Answers to further questions by code, as they came: `domain.questions.answers` reads them."""

    def body(self) -> dict[str, Any]:
        """Return the answer as JSON values. Equal answers have equal bodies, in any order of their corrections."""
        body = {
            "category": self.category,
            "not_sure": self.not_sure,
            "low_quality": self.low_quality,
            "target_group": self.target_group,
            "note": self.note,
            "corrections": sorted(
                [str(correction.modality), correction.category, correction.hateful] for correction in self.corrections
            ),
        }
        several = {"categories": list(self.categories)} if self.categories else {}
        return body | several | ({"answers": dict(self.answers)} if self.answers else {})

    def digest(self, about: str) -> str:
        """Return the SHA-256 of the answer and of its subject `about`, in hex.

        A submission that repeats a key with another digest is refused.
        """
        text = json.dumps([about, self.body()], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def check(answer: Answer) -> None:
    """Raise BadAnswer for a contradictory, empty or overlong answer.

    Whether the category exists in the project is not checked here.
    """
    if answer.not_sure and answer.category is not None:
        raise BadAnswer("contradiction", "Choose a category or “not sure”, not both.", "category")
    if answer.categories and answer.category != answer.categories[0]:
        raise BadAnswer("contradiction", FIRST_OF_CATEGORIES, "categories")
    if answer.category is None and not answer.not_sure and not answer.low_quality:
        raise BadAnswer("no_answer", "Choose a category, “not sure” or “low quality”.", "category")
    _check_text("target_group", answer.target_group, TARGET_GROUP_LIMIT)
    _check_text("note", answer.note, NOTE_LIMIT)
    modalities = [correction.modality for correction in answer.corrections]
    if len(set(modalities)) != len(modalities):
        raise BadAnswer("double_challenge", "A prior can be challenged once in an answer.", "challenges")
    if any((correction.category is None) == (correction.hateful is None) for correction in answer.corrections):
        raise BadAnswer("no_correction", "Say what the prior should be: a category, or hateful or not.", "challenges")


def _check_text(field: str, value: str, limit: int) -> None:
    try:
        read_optional_text(value, limit)
    except BadText as bad:
        raise BadAnswer(bad.code, bad.sentence, field) from None
