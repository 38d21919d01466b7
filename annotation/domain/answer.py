"""The answer that an annotator submits: which answers are valid, and when two answers are equal."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from annotation.domain.choices import Modality
from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text

TARGET_GROUP_LIMIT = 200
"""The maximum length of a target group, in characters."""


class BadAnswer(ValueError):
    """An answer that cannot be stored: a stable code, a message for people, and the field with the error."""

    def __init__(self, code: str, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


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

    def body(self) -> dict[str, Any]:
        """Return the answer as JSON values. Equal answers have equal bodies, in any order of their corrections."""
        return {
            "category": self.category,
            "not_sure": self.not_sure,
            "low_quality": self.low_quality,
            "target_group": self.target_group,
            "note": self.note,
            "corrections": sorted(
                [str(correction.modality), correction.category, correction.hateful] for correction in self.corrections
            ),
        }

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
