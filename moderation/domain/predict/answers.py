"""The forms of the answers in PREDICT, and how a label or a position is read.

A label is read only if the whole value is one of its known forms. Nothing is searched for inside a sentence, so that
"not hateful" is never read as "hateful".
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from moderation.domain.predict.perspectives import Perspective
from moderation.domain.verdicts import HATEFUL_FORMS, NOT_HATEFUL_FORMS, AnswerShape, Reasoning
from vocabulary.folded_words import folded
from vocabulary.written_values import OWN_WORDS, ClosedSet

DONT_KNOW = "I don't know"
HATE, NON_HATE = "Hate", "Non-hate"

Sentence = Annotated[str, Field(min_length=1, max_length=3000), OWN_WORDS]


class Position(StrEnum):
    """A debater's reaction to the other side's argument."""

    AGREE = "agree"
    REBUT = "rebut"


# ── Reading one of several words ──────────────────────────────────────────────

_DONT_KNOW_FORMS = (
    *(DONT_KNOW, "I do not know", "Don't know", "Do not know", "dont know", "unsure", "not sure", "uncertain"),
    *(
        "cannot tell",
        "can't tell",
        "cannot determine",
        "cannot judge",
        "모르겠어요",
        "잘 모르겠어요",
        "판단할 수 없음",
    ),
    *("판단하기 어려움", "판단하기 어렵다", "难以判断", "难以确定"),
    *("모르겠음", "모르겠다", "모르겠습니다", "잘 모르겠음", "잘 모르겠습니다", "모름", "알 수 없음", "판단 불가"),
    *("不知道", "我不知道", "不清楚", "不确定", "我不确定", "无法判断", "无法确定"),
)
_AGREE_FORMS = (
    *(
        "agree",
        "agrees",
        "agreed",
        "I agree",
        "concede",
        "concedes",
        "수긍",
        "동의",
        "동의함",
        "동의한다",
        "동의합니다",
        "찬성",
        "찬성함",
    ),
    *("同意", "我同意", "赞同", "我赞同", "赞成", "认同"),
)
_REBUT_FORMS = (
    *("rebut", "rebuts", "rebuttal", "I rebut", "rebutted", "disagree", "disagrees", "disagreed", "I disagree"),
    *("refute", "refutes", "반론", "비동의"),
    *("반박", "반박함", "반박한다", "반박합니다", "반대", "반대함", "동의하지 않음", "동의하지 않습니다"),
    *("反驳", "我反驳", "反对", "我反对", "不同意", "我不同意", "不赞同", "不认同"),
)
_LABEL_WORDS = {
    "offensive": (
        *("공격적", "공격적임", "공격적이다", "공격적인", "모욕적", "모욕적임", "불쾌함", "불쾌감을 줌"),
        *("冒犯", "冒犯性", "冒犯性的", "冒犯的", "有冒犯性", "具有冒犯性", "攻击性", "有攻击性", "具有攻击性"),
    ),
    "notoffensive": (
        *(
            "공격적이지 않음",
            "공격적이지 않다",
            "공격적 아님",
            "비공격적",
            "모욕적이지 않음",
            "불쾌하지 않음",
        ),
        *("不冒犯", "非冒犯", "非冒犯性", "无冒犯", "无冒犯性", "没有冒犯性", "不具冒犯性", "不具有冒犯性"),
        *("无攻击性", "没有攻击性", "非攻击性", "不具攻击性", "不具有攻击性"),
    ),
}
"""The labels of the first perspectives in the words of other languages, by the label as `folded` returns it."""


def _reader(values: Mapping[str, Iterable[str]]) -> BeforeValidator:
    """Return a validator that accepts exactly one of these values, in any of its forms."""
    own = {folded(value) for value in values}  # a label of one's own counts before other words for another
    known = ClosedSet(
        {value: (value, *(form for form in others if folded(form) not in own)) for value, others in values.items()}
    )
    allowed = ", ".join(values)

    def read(written: Any) -> str:
        value = known.read(written)
        if value is None:
            raise PydanticCustomError(
                "invalid_label", "{given} is none of: {allowed}", {"given": str(written)[:80], "allowed": allowed}
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

    reason: Reasoning
    label: Annotated[
        str,
        _reader({HATE: HATEFUL_FORMS, NON_HATE: NOT_HATEFUL_FORMS}),
        WithJsonSchema({"type": "string", "enum": [HATE, NON_HATE]}),
    ]


class View(PredictAnswer):
    """A perspective's answer; the reason may be missing only if it abstains."""

    reason: Annotated[str, Field(max_length=3000), OWN_WORDS] = ""
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
    reason = Annotated[str, Field(max_length=3000), OWN_WORDS]
    return create_model("ViewOfPerspective", __base__=View, reason=(reason, ...), label=(label, ...))


def _forms_of_labels(hateful_label: str, other_label: str) -> tuple[Iterable[str], Iterable[str]]:
    """Return the further forms of a perspective's two labels.

    Where the labels say hate and no hate, every form of these counts. Where one is the other with "not" or "non", both
    negations count, and its words in other languages. What is offensive to a community need not be hateful, so no
    other word stands for its labels.
    """
    hateful, other = folded(hateful_label), folded(other_label)
    if hateful in map(folded, HATEFUL_FORMS) and other in map(folded, NOT_HATEFUL_FORMS):
        return HATEFUL_FORMS, NOT_HATEFUL_FORMS
    negated = [f"{no} {hateful_label}" for no in ("not", "non")]
    if other not in map(folded, negated):
        return (), ()
    return _LABEL_WORDS.get(hateful, ()), (*negated, *_LABEL_WORDS.get(f"not{hateful}", ()))
