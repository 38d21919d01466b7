"""The second reading of an explanation: what a model reads where the rules do not read for sure (design section 15).

The rules come first. A model is asked only about explanations in which they read no conclusion or which they take for a
refusal. Where it says nothing for sure either, what the rules read stays.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.quotations import Quotation, blanked, words_of_others
from moderation.domain.hatexscore.tgi import NamedGroup, groups
from moderation.domain.hatexscore.ties import QUOTE
from moderation.domain.verdicts import HATEFUL_FORMS, NOT_HATEFUL_FORMS, AnswerShape
from vocabulary.folded_words import folded
from vocabulary.written_values import NO_FORMS, YES_FORMS, YesNo, one_of

_NOTHING = ("", "null", "none", "nil")


class ReadBy(StrEnum):
    """Who read the conclusion of an explanation, or that it is a refusal."""

    RULES = "rules"
    READER = "reader"
    NOBODY = "nobody"
    """It states no conclusion that the rules or the reader, where there is one, could read."""


def _nothing(written: Any) -> Any:
    return None if isinstance(written, str) and folded(written) in _NOTHING else written


Words = Annotated[str | None, Field(max_length=200), BeforeValidator(_nothing)]


class ReaderAnswer(AnswerShape):
    """The form in which the reader answers; null is what the explanation does not say."""

    refusal: YesNo
    conclusion: Annotated[
        bool | None,
        Field(strict=True),
        one_of({True: (*YES_FORMS, *HATEFUL_FORMS), False: (*NO_FORMS, *NOT_HATEFUL_FORMS)}),
        BeforeValidator(_nothing),
    ]
    group: Words
    tie: Words

    @model_validator(mode="after")
    def _a_refusal_concludes_nothing(self) -> Self:
        if self.refusal and self.conclusion is not None:
            raise ValueError("a refusal has no conclusion: one of the two is wrong")
        return self


@dataclass(frozen=True)
class SecondReading:
    """What a model read: a refusal or not, a conclusion or none, and words for the group and its tie, perhaps empty."""

    model: str
    refusal: bool
    conclusion: bool | None
    group: str = ""
    tie: str = ""

    @classmethod
    def of(cls, model: str, answer: Mapping[str, Any]) -> "SecondReading":
        """Return the reading in a stored answer of this model."""
        said = {name: str(answer.get(name) or "") for name in ("group", "tie")}
        return cls(model, bool(answer["refusal"]), answer["conclusion"], **said)

    def as_json(self) -> dict[str, Any]:
        """Return what is stored of it; `of` reads it back."""
        return asdict(self)

    def groups_in(
        self, explanation: str, quoted: Sequence[Quotation], language: str, listed: Groups
    ) -> list[NamedGroup]:
        """Return the groups of the list that the reader's words name, tied by what it says.

        Words that stand nowhere in the explanation outside its quotations name nobody, and such a tie ties nothing. So
        the list still decides who is a group, and no word counts that the explanation does not hold.
        """
        text = blanked(explanation, words_of_others(explanation, quoted))
        place = _place(self.group, text)
        if place is None:
            return []
        start, end = place
        tie = self.tie if (quoted if self.tie == QUOTE else _place(self.tie, text)) else ""
        named = groups(text[start:end], (), language, listed)
        return [replace(group, start=group.start + start, end=group.end + start, tie=tie) for group in named]


def read_by(is_stated: bool, is_refused: bool, second: SecondReading | None) -> ReadBy:
    """Return who read an explanation, by whether the rules read a conclusion and whether they read a refusal."""
    if second is None:
        return ReadBy.RULES if is_stated or is_refused else ReadBy.NOBODY
    if is_stated and not second.refusal:
        return ReadBy.RULES
    return ReadBy.READER if second.refusal or second.conclusion is not None else ReadBy.NOBODY


def counted_readings(who: Iterable[str]) -> dict[str, int]:
    """Return how many explanations were read by whom; what nobody had to read is empty and counts nowhere."""
    counts = Counter(who)
    return {str(reader): counts[reader] for reader in ReadBy}


def _place(words: str, text: str) -> tuple[int, int] | None:
    found = re.search(re.escape(words), text, re.IGNORECASE) if words else None
    return found.span() if found else None
