"""What an annotator submits, as a value: which answers say something, and when two answers are the same."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from annotation.domain.choices import Modality
from annotation.domain.text_rules import NOTE_LIMIT, BadText, read_optional_text

TARGET_GROUP_LIMIT = 200
"""Characters of a target group."""


class BadAnswer(ValueError):
    """An answer that cannot be stored: a stable code, a sentence for people, and the field it is about."""

    def __init__(self, code: str, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


@dataclass(frozen=True)
class Correction:
    """What the annotator holds against one prior: another category (by code), or only hateful or not."""

    modality: Modality
    category: int | None = None
    hateful: bool | None = None


@dataclass(frozen=True)
class Answer:
    """A category (by code) or *not sure*; *low quality* is a flag beside either, or alone."""

    category: int | None = None
    not_sure: bool = False
    low_quality: bool = False
    target_group: str = ""
    note: str = ""
    corrections: tuple[Correction, ...] = ()

    def body(self) -> dict[str, Any]:
        """The answer as JSON values; equal answers have equal bodies, in whatever order corrections were given."""
        return {
            "category": self.category,
            "not_sure": self.not_sure,
            "low_quality": self.low_quality,
            "target_group": self.target_group,
            "note": self.note,
            "corrections": sorted([str(each.modality), each.category, each.hateful] for each in self.corrections),
        }

    def digest(self, about: str) -> str:
        """SHA-256 of the answer and of what it is about, in hex: the same key with another digest is refused."""
        text = json.dumps([about, self.body()], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def check(answer: Answer) -> None:
    """Raise BadAnswer for what no form should let through; whether a category exists is the project's affair."""
    if answer.not_sure and answer.category is not None:
        raise BadAnswer("contradiction", "Choose a category or “not sure”, not both.", "category")
    if answer.category is None and not answer.not_sure and not answer.low_quality:
        raise BadAnswer("no_answer", "Choose a category, “not sure” or “low quality”.", "category")
    _check_text("target_group", answer.target_group, TARGET_GROUP_LIMIT)
    _check_text("note", answer.note, NOTE_LIMIT)
    modalities = [each.modality for each in answer.corrections]
    if len(set(modalities)) != len(modalities):
        raise BadAnswer("double_challenge", "A prior can be challenged once in an answer.", "challenges")
    if any((each.category is None) == (each.hateful is None) for each in answer.corrections):
        raise BadAnswer("no_correction", "Say what the prior should be: a category, or hateful or not.", "challenges")


def _check_text(field: str, value: str, limit: int) -> None:
    try:
        read_optional_text(value, limit)
    except BadText as bad:
        raise BadAnswer(bad.code, bad.sentence, field) from None
