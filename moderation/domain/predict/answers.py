"""The forms of the answers in PREDICT, and how a label or a position is read.

A label is read only if the whole value is one of its known forms. Nothing is searched for inside a sentence, so that
"not hateful" is never read as "hateful".
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from moderation.domain.predict.perspectives import Perspective
from moderation.domain.verdicts import AnswerShape

DONT_KNOW = "I don't know"
HATE, NON_HATE = "Hate", "Non-hate"

Sentence = Annotated[str, Field(min_length=1, max_length=3000)]


class Position(StrEnum):
    """A debater's reaction to the other side's argument."""

    AGREE = "agree"
    REBUT = "rebut"


# ── Reading one of several words ──────────────────────────────────────────────

_AROUND = " \t\r\n\"'“”‘’「」『』`*_"
_BETWEEN = re.compile(r"(?<=\w)[\s_\-‐‑‒–—−]+(?=\w)")

_HATE_FORMS = ("hate", "hateful", "hate speech", "혐오", "혐오 표현", "仇恨", "仇恨言论")
_NON_HATE_FORMS = (
    *(f"{no} {form}" for no in ("non", "not") for form in ("hate", "hateful", "hate speech")),
    *("비혐오", "비혐오 표현", "非仇恨", "非仇恨言论"),
)
_DONT_KNOW_FORMS = (DONT_KNOW, "I do not know", "Don't know", "Do not know")
_AGREE_FORMS = ("agree", "agreed", "I agree", "동의", "同意")
_REBUT_FORMS = ("rebut", "rebuttal", "I rebut", "disagree", "disagreed", "I disagree", "반박", "反驳")

Forms = Mapping[str, str]
"""Form, as `_folded` returns it → the value that it stands for."""


def _folded(written: str) -> str:
    """Return a word without case, quotation marks around it, a full stop, and spaces or hyphens between its parts."""
    plain = unicodedata.normalize("NFKC", written.replace("’", "'")).casefold().strip(_AROUND)
    plain = plain.removesuffix(".").removesuffix("。").strip(_AROUND)
    return _BETWEEN.sub("", plain)


def _forms(values: Mapping[str, Iterable[str]]) -> Forms:
    """Return the forms of all values; a form of several values stands for none of them."""
    values_of_form: dict[str, set[str]] = {}
    for value, forms in values.items():
        for form in forms:
            values_of_form.setdefault(_folded(form), set()).add(value)
    return {form: next(iter(of)) for form, of in values_of_form.items() if len(of) == 1}


def _reader(values: Mapping[str, Iterable[str]]) -> BeforeValidator:
    """Return a validator that accepts exactly one of these values, in any of its forms."""
    exact = {value.casefold(): value for value in values}
    forms = _forms({value: (value, *others) for value, others in values.items()})
    allowed = ", ".join(values)

    def read(written: Any) -> str:
        word = str(written).strip()
        value = exact.get(word.casefold()) or forms.get(_folded(word))
        if value is None:
            raise PydanticCustomError(
                "invalid_label", "{given} is none of: {allowed}", {"given": word[:80], "allowed": allowed}
            )
        return value

    return BeforeValidator(read)


# ── Forms ─────────────────────────────────────────────────────────────────────


class PredictAnswer(AnswerShape):
    """An answer whose keys may be written in any case: the paper's prompts ask for `Label` and `Reason`."""

    @model_validator(mode="before")
    @classmethod
    def _with_small_keys(cls, value: Any) -> Any:
        """Return the answer with its keys in small letters; two values for one key are an error."""
        if not isinstance(value, Mapping):
            return value
        small: dict[str, Any] = {}
        for key, part in value.items():
            name = str(key).strip().casefold()
            if name in cls.model_fields and name in small and small[name] != part:
                raise PydanticCustomError("invalid_output", "the key {key} has two values", {"key": name})
            small[name] = part
        return small


class Argument(PredictAnswer):
    """A side's argument in round 1."""

    argument: Sentence


class Response(PredictAnswer):
    """A side's argument in round 2."""

    argument: Sentence
    position: Annotated[Position, _reader({Position.AGREE: _AGREE_FORMS, Position.REBUT: _REBUT_FORMS})]


class Judgement(PredictAnswer):
    """The judge's answer, with the reason first."""

    reason: str = Field(min_length=1, max_length=6000)
    label: Annotated[
        str,
        _reader({HATE: _HATE_FORMS, NON_HATE: _NON_HATE_FORMS}),
        WithJsonSchema({"type": "string", "enum": [HATE, NON_HATE]}),
    ]


class View(PredictAnswer):
    """A perspective's answer; the reason may be missing only if it abstains."""

    reason: str = Field(default="", max_length=3000)
    label: str

    @model_validator(mode="after")
    def _has_reason(self) -> "View":
        if not self.reason and self.label != DONT_KNOW:
            raise PydanticCustomError("invalid_output", "the reason is missing")
        return self


def view_shape(perspective: Perspective) -> type[View]:
    """Return the form of a perspective's answer: one of its two labels, or that it does not know."""
    return _view(perspective.hateful_label, perspective.other_label)


@lru_cache(maxsize=128)
def _view(hateful_label: str, other_label: str) -> type[View]:
    labels = [hateful_label, other_label, DONT_KNOW]
    hateful_forms, other_forms = _forms_of_labels(hateful_label, other_label)
    reader = _reader({hateful_label: hateful_forms, other_label: other_forms, DONT_KNOW: _DONT_KNOW_FORMS})
    label = Annotated[str, reader, WithJsonSchema({"type": "string", "enum": labels})]
    reason = Annotated[str, Field(max_length=3000)]
    return create_model("ViewOfPerspective", __base__=View, reason=(reason, ...), label=(label, ...))


def _forms_of_labels(hateful_label: str, other_label: str) -> tuple[Iterable[str], Iterable[str]]:
    """Return the further forms of a perspective's two labels.

    Where the labels say hate and no hate, every form of these counts. Where one is the other with "not" or "non", both
    negations count. What is offensive to a community need not be hateful, so no other word stands for its labels.
    """
    hate, non_hate = set(map(_folded, _HATE_FORMS)), set(map(_folded, _NON_HATE_FORMS))
    if _folded(hateful_label) in hate and _folded(other_label) in non_hate:
        return _HATE_FORMS, _NON_HATE_FORMS
    negated = [f"{no} {hateful_label}" for no in ("not", "non")]
    return (), negated if _folded(other_label) in map(_folded, negated) else ()
