"""Read the one reply in the answer of a model that answers an instruction plainly.

Such a model gives prose. What some models put around it all the same is taken off: thoughts, a code fence, quotation
marks, a JSON value that holds this one text.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, model_validator

from generation.domain.counterspeech.options import MOST_REPLY
from providers.refusals import declines_to_write
from providers.structured_output import InvalidAnswer, read_answer
from providers.thoughts import without_thoughts
from runs.domain.states import Reason

_FENCED = re.compile(r"\A```[a-zA-Z0-9_-]*[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_JSON = re.compile(r"\A\{|\A\[\s*[\"{\[]|\{\s*[\"']\w+[\"']\s*:")
_ESCAPED = re.compile(r'\A"(?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*"\Z')
_QUOTES = {"“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』", "‘": "’", '"': '"', "'": "'"}
_IN_A_WORD = re.compile(r"(?<=\w)['’](?=\w)")
_NAMES = ("reply", "replies", "counterspeech", "response", "answer", "text")


class _Wrapped(BaseModel):
    """A JSON value that holds one reply."""

    reply: str

    @model_validator(mode="before")
    @classmethod
    def _unwrapped(cls, value: Any) -> dict[str, str]:
        text = _only_text(value)
        if text is None:
            raise ValueError("it does not hold exactly one text")
        return {"reply": text}


def read_plain_reply(answer: str) -> tuple[str, str]:
    """Return the reply in a model's answer and the reason why there is none; one of them is empty."""
    text = without_thoughts(answer).strip()
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    if _JSON.search(text) or _ESCAPED.match(text):
        reading = read_answer(text, _Wrapped)
        if isinstance(reading, InvalidAnswer) or _is_cut(text):
            return "", Reason.INVALID_OUTPUT
        text = reading.value.reply
    text = _without_quotes(text.strip())
    if declines_to_write(text):
        return "", Reason.REFUSED
    if not any(letter.isalnum() for letter in text):
        return "", Reason.EMPTY_OUTPUT
    return (text, "") if len(text) <= MOST_REPLY else ("", Reason.TOO_LARGE)


def _only_text(value: Any) -> str | None:
    """Return the one text in a JSON value. Returns None if it has none or several."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _only_text(value[0]) if len(value) == 1 else None
    if isinstance(value, Mapping):
        named = [value[name] for name in _NAMES if name in value]
        parts = named or list(value.values())
        return _only_text(parts[0]) if len(parts) == 1 else None
    return None


def _is_cut(text: str) -> bool:
    """Return whether a JSON value stops before its end: half a reply is none, even if it can be repaired."""
    return text[0] in "{[" and text[-1] not in "}]"


def _without_quotes(text: str) -> str:
    """Take off quotation marks around the whole text. Marks around its parts stay."""
    while len(text) > 2 and text[-1] == _QUOTES.get(text[0]) and _is_one_quotation(text):
        text = text[1:-1].strip()
    return text


def _is_one_quotation(text: str) -> bool:
    """Return whether the first mark is closed by the last character and by none before it."""
    opening, closing, inner = text[0], text[-1], _IN_A_WORD.sub("", text[1:-1])
    if opening == closing:
        return opening not in inner
    depth = 1
    for mark in inner:
        depth += (mark == opening) - (mark == closing)
        if depth == 0:
            return False
    return depth == 1
