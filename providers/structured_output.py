"""Read the one value of the expected shape from a model's text, or say what is wrong with it (threats L01-L06).

Strict on purpose: no nearest match, no clipping, no guess. An invalid answer goes back to the model, then to a person.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from providers.json_pieces import Piece, holds_json, piece_of, pieces, unwrapped
from providers.refusals import is_error, refuses
from providers.thoughts import without_thoughts

Shape = TypeVar("Shape", bound=BaseModel)

_LONGEST = 100_000
_LABEL_ERRORS = {"invalid_label", "enum", "literal_error"}

_CANNOT = r"(?:can['’]?t|cannot|can not|won['’]?t|will not|am unable|am not able|must decline|have to decline)\b"
_BEFORE_REFUSAL = " \t\r\n\"'*#>-“"

# What a model says that does not write. A text against something may begin with "We cannot" itself: only what is said
# of the request counts.
_TASK = (
    r"(?:request|prompt|instruction|task|content|counter[ -]?speech|repl(?:y|ies)|response|"
    r"that kind of|this kind of|this type of|that type of)\b"
)
_NO_TASK = (
    r"(?:(?:help|assist)(?: you)?(?: with\b|\s*[.,!;]|\s*$)|comply\b|fulfil|(?:do|write) (?:this|that)\s*(?:[.,!;]|$)|"
    rf"(?:write|generate|create|produce|provide|compose|engage|respond|answer|process|complete|discuss)\b[^.!?]{{0,60}}?{_TASK})"
)
_SORRY = (
    r"(?:unfortunately,? |(?:(?:i['’]m|i am|we['’]re)? ?(?:very |really |truly )?sorry|i apologi[sz]e|my apologies)\b"
    r"[^.!?]{0,30}?)"
)
_NOT_WRITTEN = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_SORRY}?\b(?:i|we) {_CANNOT} {_NO_TASK}",
        rf"{_SORRY}?\b(?:i['’]m|i am)(?: sorry, but i['’]m)? (?:unable to|not able to|not comfortable) {_NO_TASK}",
        r"(?:i['’]m|i am) not comfortable\b[^.!?]{0,20}?\b(?:writing|generating|creating|producing|answering)\b",
        rf"i (?:do not|don['’]t) feel comfortable\b[^.!?]{{0,40}}?(?:\b(?:writing|generating|creating)\b|{_TASK})",
        r"as an ai\b",
        r"(?:this|that|the|your) (?:content|request|prompt)\b[^.!?]{0,60}?\b(?:our|my)\b[^.!?]{0,40}?"
        r"\b(?:polic(?:y|ies)|guidelines)\b",
        r"(?:很|非常)?(?:抱歉|对不起)[^。!?！？]{0,12}?(?:无法|不能|不便)"
        r"(?:协助|帮助|帮您|回答|提供|处理|满足|生成|撰写|完成|回应(?:该|此|这个|您的)请求)",
        r"我(?:无法|不能)(?:协助|帮助您|帮您|回答|提供|处理|满足|生成|撰写|完成)",
        r"(?:죄송(?:하지만|합니다)[^!?]{0,40}?|이 요청은? )?(?:도와|도움을|작성|답변|응답|생성|처리|요청)"
        r"[^.!?]{0,20}?(?:수 없|어렵|못)",
    )
]


@dataclass(frozen=True)
class ReadAnswer(Generic[Shape]):
    """The value. `raw` is the text it was read from; `repaired` if that was not all of the answer, or not valid."""

    value: Shape
    raw: str
    repaired: bool


@dataclass(frozen=True)
class InvalidAnswer:
    """Why there is no value: a reason code of runs, and a sentence for the model (see `correction_prompt`)."""

    code: Literal["invalid_output", "invalid_label"]
    error: str


def invalid_label(label: object, allowed: list[str]) -> PydanticCustomError:
    """Return the error that a shape's validator raises for a label outside the closed set.

    `read_answer` then reports `invalid_label`.
    """
    return PydanticCustomError(
        "invalid_label", "{given} is none of the labels: {allowed}", {"given": label, "allowed": ", ".join(allowed)}
    )


def read_answer(
    text: str, shape: type[Shape], context: Mapping[str, Any] | None = None
) -> ReadAnswer[Shape] | InvalidAnswer:
    """Return the one value of `shape` in `text`; `context` is passed to the shape's validators.

    Values of other shapes are ignored; two different values of the shape are invalid.
    """
    if len(text) > _LONGEST:
        return InvalidAnswer("invalid_output", f"the answer has {len(text):,} characters")
    answer = without_thoughts(text)
    wrong = InvalidAnswer("invalid_output", "the answer holds no JSON value")
    answers: list[ReadAnswer[Shape]] = []
    for piece in pieces(answer):
        if piece.unfit:
            wrong = InvalidAnswer("invalid_output", piece.unfit)
            continue
        try:
            value, is_wrapped = _value_of(piece, shape, dict(context or {}))
        except ValidationError as fault:
            wrong = _wrong(fault)
            continue
        answers.append(ReadAnswer(value, piece.raw, piece.repaired or is_wrapped or answer != text))
    if not answers:
        return wrong
    if any(later.value != answers[0].value for later in answers[1:]):
        return InvalidAnswer("invalid_output", "the answer holds two different values, and one was asked for")
    return answers[0]


def _value_of(piece: Piece, shape: type[Shape], context: dict[str, Any]) -> tuple[Shape, bool]:
    """Return the value of the piece, and whether it stood in a wrapping.

    Raises ValidationError if neither the piece nor what is wrapped in it has the shape.
    """
    try:
        return shape.model_validate_json(piece.canonical, context=context), False
    except ValidationError as fault:
        for inner in unwrapped(json.loads(piece.canonical)):
            with suppress(ValidationError):
                return shape.model_validate_json(json.dumps(inner), context=context), True
        raise fault


def read_only_value(text: str, shape: type[Shape]) -> Shape | None:
    """Return the value of `shape` that is the whole text.

    Returns None if the text holds anything else beside it, or no such value.
    """
    piece = piece_of(text.strip(), repaired=False) if len(text) <= _LONGEST else None
    if piece is None or piece.unfit:
        return None
    read = read_answer(piece.raw, shape)
    return read.value if isinstance(read, ReadAnswer) else None


def correction_prompt(error: str) -> str:
    """Return the message for a model whose answer could not be used."""
    return (
        f"Your answer could not be used: {error}.\n"
        "Answer again with the one JSON value that was asked for, and nothing around it."
    )


def is_refusal(text: str) -> bool:
    """Return whether the answer is a refusal in prose, without JSON, or a filter's error."""
    return is_error(text) if holds_json(text) else refuses(text)


def declines_to_write(text: str) -> bool:
    """Return whether a text that was to be written is a refusal to write it.

    Narrower than `is_refusal`: "We cannot let words like these stand" is a reply.
    """
    said = without_thoughts(text).replace("**", "").lstrip(_BEFORE_REFUSAL)
    return not holds_json(said) and any(refusal.match(said) for refusal in _NOT_WRITTEN)


def _wrong(fault: ValidationError) -> InvalidAnswer:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    error_text = "; ".join(f"{'.'.join(map(str, error['loc'])) or 'the value'}: {error['msg']}" for error in errors[:3])
    labels_only = all(error["type"] in _LABEL_ERRORS for error in errors)
    return InvalidAnswer("invalid_label" if labels_only else "invalid_output", error_text)
