"""Read the one value of the expected shape from a model's text, or say what is wrong with it (threats L01-L06).

Strict on purpose: no nearest match, no clipping, no guess. An invalid answer goes back to the model, then to a person.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from providers.half_characters import whole_texts
from providers.refusals import is_error, refuses

Shape = TypeVar("Shape", bound=BaseModel)

_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_LONGEST = 100_000
_REPAIRABLE = 20_000
_STARTS = 200  # a text of brackets alone must not cost a parse at each of them
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


@dataclass(frozen=True)
class _Piece:
    """A JSON value in the text, as canonical JSON; `unfit` says why it may not be used."""

    raw: str
    canonical: str
    repaired: bool
    unfit: str = ""


class _Unfit(ValueError):
    """JSON that the standard library accepts and we do not."""


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
    answer = without_thinking(text)
    wrong = InvalidAnswer("invalid_output", "the answer holds no JSON value")
    answers: list[ReadAnswer[Shape]] = []
    for piece in _pieces(answer):
        if piece.unfit:
            wrong = InvalidAnswer("invalid_output", piece.unfit)
            continue
        try:
            value = shape.model_validate_json(piece.canonical, context=dict(context or {}))
        except ValidationError as fault:
            wrong = _wrong(fault)
            continue
        answers.append(ReadAnswer(value, piece.raw, piece.repaired or answer != text))
    if not answers:
        return wrong
    if any(later.value != answers[0].value for later in answers[1:]):
        return InvalidAnswer("invalid_output", "the answer holds two different values, and one was asked for")
    return answers[0]


def correction_prompt(error: str) -> str:
    """Return the message for a model whose answer could not be used."""
    return (
        f"Your answer could not be used: {error}.\n"
        "Answer again with the one JSON value that was asked for, and nothing around it."
    )


def is_refusal(text: str) -> bool:
    """Return whether the answer is a refusal in prose, without JSON, or a filter's error."""
    return is_error(text) if _has_json(text) else refuses(text)


def declines_to_write(text: str) -> bool:
    """Return whether a text that was to be written is a refusal to write it.

    Narrower than `is_refusal`: "We cannot let words like these stand" is a reply.
    """
    said = without_thinking(text).replace("**", "").lstrip(_BEFORE_REFUSAL)
    return not _has_json(said) and any(refusal.match(said) for refusal in _NOT_WRITTEN)


def without_thinking(text: str) -> str:
    """Return the text without the thoughts that some models put before it."""
    return _THINKING.sub("", text)


def _has_json(text: str) -> bool:
    return "{" in text or bool(re.search(r"\[\s*[\"{\[]", text))


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the JSON values of the text: the whole, else those in fences, else those in prose, else a repaired one."""
    whole = _piece(text.strip(), repaired=False)
    if whole:
        yield whole
        return
    fenced = [piece for block in _FENCE.findall(text) if (piece := _piece(block.strip(), repaired=True))]
    loose = fenced or list(_loose(text))
    if any(piece.canonical.startswith("{") for piece in loose) or not _has_json(text):
        yield from loose
        return
    yield from (piece for piece in loose if piece.canonical.startswith("[{"))  # a list without its object
    if repaired := _repaired(text):
        yield repaired
    else:
        yield from loose


def _piece(raw: str, *, repaired: bool) -> _Piece | None:
    try:
        value = json.loads(raw, object_pairs_hook=_object, parse_constant=_no_constant)
        if r"\u0000" in raw:  # in strict JSON NUL stands in no other way
            _refuse_nul(value)
        if r"\ud" in raw.lower():  # an emoji that was cut: its half would make the whole answer unreadable
            value = whole_texts(value)
        return _Piece(raw, json.dumps(value, allow_nan=False, sort_keys=True), repaired)
    except _Unfit as fault:
        return _Piece(raw, "{}", repaired, unfit=str(fault))
    except (ValueError, RecursionError):
        return None


def _loose(text: str) -> Iterator[_Piece]:
    """Yield whole objects and arrays inside prose, outermost only."""
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_STARTS):
        start = re.compile(r"[{\[]").search(text, at)
        if not start:
            return
        try:
            _, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            at = start.end()
            continue
        if piece := _piece(text[start.start() : at], repaired=True):
            yield piece


def _repaired(text: str) -> _Piece | None:
    """Return nearly valid JSON repaired. Only an object counts: json-repair turns almost anything into an array."""
    block = next(iter(_FENCE.findall(text)), text)
    nearly = block[block.find("{") :] if "{" in block else ""
    if not nearly or len(nearly) > _REPAIRABLE:
        return None
    try:
        value = json_repair.loads(nearly)
        _refuse_nul(value)
        return (
            _Piece(nearly, json.dumps(value, allow_nan=False, sort_keys=True), True)
            if isinstance(value, dict)
            else None
        )
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, part in pairs:
        if key in value and value[key] != part:
            raise _Unfit(f"the key {key} has two values")
        value[key] = part
    return value


def _refuse_nul(value: Any) -> None:
    """Raise _Unfit for a text with NUL, which the databases do not store in every kind of column."""
    if isinstance(value, str) and "\x00" in value:
        raise _Unfit("a text holds the NUL character")
    if isinstance(value, dict):
        value = [*value, *value.values()]
    for part in value if isinstance(value, list) else ():
        _refuse_nul(part)


def _no_constant(word: str) -> Any:
    raise _Unfit(f"{word} is no number")


def _wrong(fault: ValidationError) -> InvalidAnswer:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    error_text = "; ".join(f"{'.'.join(map(str, error['loc'])) or 'the value'}: {error['msg']}" for error in errors[:3])
    labels_only = all(error["type"] in _LABEL_ERRORS for error in errors)
    return InvalidAnswer("invalid_label" if labels_only else "invalid_output", error_text)
