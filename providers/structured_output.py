"""Read the one value of the expected shape from a model's text, or say what is wrong with it (threats L01-L06).

Strict on purpose: no nearest match, no clipping, no guess. An invalid answer goes back to the model, then to a person.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from providers.json_pieces import Piece, holds_json, piece_of, pieces, unwrapped
from providers.refusals import declines_to_write, is_error, refuses, refuses_in_prose
from providers.thoughts import without_thoughts
from vocabulary.written_values import OwnWords

Shape = TypeVar("Shape", bound=BaseModel)

_LONGEST = 100_000
_LONGEST_LABEL = 20
_LABEL_ERRORS = {"invalid_label", "enum", "literal_error"}


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
    whole = json.loads(piece.canonical)
    is_alone = isinstance(whole, list) and len(whole) == 1 and isinstance(whole[0], dict)
    if is_alone and not shape.model_fields.keys().isdisjoint(whole[0]):  # a list of rows has the rows' own fields
        return shape.model_validate_json(json.dumps(whole[0]), context=context), True
    try:
        return shape.model_validate_json(piece.canonical, context=context), False
    except ValidationError as fault:
        for inner in (_in_names_of(shape, whole), *unwrapped(whole)):
            with suppress(ValidationError):
                return shape.model_validate_json(json.dumps(inner), context=context), True
        raise fault


def _in_names_of(shape: type[BaseModel], value: Any) -> Any:
    """Return an object with the shape's own names for those that differ in capitals, blanks or hyphens alone."""
    if not isinstance(value, dict):
        return value
    names = {_plain_name(name): name for name in shape.model_fields}
    renamed = {names.get(_plain_name(key), key): part for key, part in value.items()}
    return renamed if len(renamed) == len(value) else value


def _plain_name(name: str) -> str:
    return name.casefold().strip().replace(" ", "_").replace("-", "_")


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
        f"Your answer could not be used:\n{error}\n"
        "Answer again with the one JSON value that was asked for, and nothing around it."
    )


def is_refusal(text: str) -> bool:
    """Return whether the answer is a refusal in prose, without JSON, or a filter's error."""
    return is_error(text) if holds_json(text) else refuses_in_prose(text)


def is_refused(value: BaseModel) -> bool:
    """Return whether a field of the model's own words refuses, or all texts of the value do.

    A list of texts, or of values that hold such words, refuses if each of its members does.
    """
    texts = [*_texts(value)]
    return any(_refusals(value)) or (bool(texts) and all(map(declines_to_write, texts)))


def only_refuses(text: str) -> bool:
    """Return whether the JSON of an answer that has not the form says nothing but a refusal, labels aside."""
    read = (json.loads(piece.canonical) for piece in pieces(without_thoughts(text)) if not piece.unfit)
    said = [words for value in read for words in _leaves(value)]
    declined = [words for words in said if declines_to_write(words)]
    return bool(declined) and all(len(words) <= _LONGEST_LABEL for words in said if words not in declined)


def _leaves(value: Any) -> Iterator[str]:
    """Yield every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)


def _refusals(value: BaseModel) -> Iterator[bool]:
    """Yield for each field with a model's own words, also within other values, whether it refuses."""
    for name, field in type(value).model_fields.items():
        held = getattr(value, name)
        members = held if isinstance(held, list) else [held]
        if own := next((mark for mark in field.metadata if isinstance(mark, OwnWords)), None):
            yield bool(members) and all(map(refuses if own.judges else declines_to_write, members))
        elif members and all(isinstance(member, BaseModel) for member in members):
            yield all(any(_refusals(member)) for member in members)


def _texts(value: BaseModel) -> Iterator[str]:
    """Yield every text of a value, those of closed sets left out."""
    for name, field in type(value).model_fields.items():
        held = getattr(value, name)
        for member in held if isinstance(held, list) else [held]:
            if isinstance(member, BaseModel):
                yield from _texts(member)
            elif isinstance(member, str) and member and get_origin(field.annotation) is not Literal:
                yield member


def _wrong(fault: ValidationError) -> InvalidAnswer:
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    error_text = "; ".join(f"{'.'.join(map(str, error['loc'])) or 'the value'}: {error['msg']}" for error in errors[:3])
    labels_only = all(error["type"] in _LABEL_ERRORS for error in errors)
    return InvalidAnswer("invalid_label" if labels_only else "invalid_output", error_text)
