"""Find the JSON values in a model's text: the whole, in fences, in prose, nearly valid ones, and what they wrap."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

from providers.half_characters import whole_texts

_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_REPAIRABLE = 20_000
_STARTS = 200  # a text of brackets alone must not cost a parse at each of them
_WRAPPINGS = 3
_WRAPPERS = {
    *("answer", "final_answer", "response", "output", "result", "json", "data"),
    *("arguments", "parameters", "properties", "function"),
}
_ON_WRAPPINGS = {
    *("name", "type", "id", "tool", "tool_name", "tool_call_id", "call_id", "recipient_name", "status", "index"),
    *("title", "required", "additionalproperties"),
}
_PARAMETER = re.compile(r"<parameter(?:=|\s+name=\")([\w-]{1,60})\"?\s*>")
_WIDE_COLON = re.compile(r"(?<=[\"'])\s*：(?=\s*[\"'\d\[{tfnTFN-])")
_WIDE_COMMA = re.compile(r"(?<=[\"'\d\]}el])，(?=\s*[\"'{\[])")
_ARGUMENT = re.compile(r"<arg_key>\s*([\w-]{1,60})\s*</arg_key>\s*<arg_value>")


@dataclass(frozen=True)
class Piece:
    """A JSON value in the text, as canonical JSON; `unfit` says why it may not be used."""

    raw: str
    canonical: str
    repaired: bool
    unfit: str = ""


class _Unfit(ValueError):
    """JSON that the standard library accepts and we do not."""


def holds_json(text: str) -> bool:
    """Return whether an object or a list of them begins in the text."""
    return "{" in text or bool(re.search(r"\[\s*[\"{\[]", text))


def pieces(text: str) -> Iterator[Piece]:
    """Yield the JSON values of the text: the whole, else those in fences and in prose, else a repaired one."""
    whole = piece_of(text.strip(), repaired=False)
    if whole:
        yield whole
        return
    if called := _written_call(text):
        yield called
        return
    if "&quot;" in text and '"' not in text:
        text = html.unescape(text)
    fenced = [piece for block in _FENCE.findall(text) if (piece := piece_of(block.strip(), repaired=True))]
    loose = [*fenced, *_loose(_FENCE.sub(" ", text) if fenced else text)]
    if any(piece.canonical.startswith("{") for piece in loose) or not holds_json(text):
        yield from loose
        return
    yield from (piece for piece in loose if piece.canonical.startswith("[{"))  # a list without its object
    if repaired := _repaired(text):
        yield repaired
    else:
        yield from loose


def piece_of(raw: str, *, repaired: bool) -> Piece | None:
    try:
        value = _within_text(json.loads(raw, object_pairs_hook=_object, parse_constant=_no_constant))
        if r"\u0000" in raw:  # in strict JSON NUL stands in no other way
            _refuse_nul(value)
        if r"\ud" in raw.lower():  # an emoji that was cut: its half would make the whole answer unreadable
            value = whole_texts(value)
        return Piece(raw, json.dumps(value, allow_nan=False, sort_keys=True), repaired)
    except _Unfit as fault:
        return Piece(raw, "{}", repaired, unfit=str(fault))
    except (ValueError, RecursionError):
        return None


def _loose(text: str) -> Iterator[Piece]:
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
        if piece := piece_of(text[start.start() : at], repaired=True):
            yield piece


def _written_call(text: str) -> Piece | None:
    """Return the call that a model wrote as tags, a tag for each field, where its server has no parser for them."""
    for tag, ends in ((_PARAMETER, "</parameter>"), (_ARGUMENT, "</arg_value>")):
        written = [(found[1], part[found.end() :]) for part in text.split(ends)[:-1] if (found := tag.search(part))]
        if written:
            fields = (f"{json.dumps(name)}: {_as_json(value.strip())}" for name, value in written)
            return piece_of(f"{{{', '.join(fields)}}}", repaired=True)
    return None


def _as_json(written: str) -> str:
    """Return a value as JSON: a list or an object is so already, and a number may be a text (`written_values`)."""
    is_json = written.startswith(("{", "[")) and piece_of(written, repaired=True)
    return written if is_json else json.dumps(written, ensure_ascii=False)


def _repaired(text: str) -> Piece | None:
    """Return nearly valid JSON repaired. Only an object counts: json-repair turns almost anything into an array."""
    block = next(iter(_FENCE.findall(text)), text)
    nearly = block[block.find("{") :] if "{" in block else ""
    if not nearly or len(nearly) > _REPAIRABLE:
        return None
    try:
        value = json_repair.loads(_WIDE_COMMA.sub(",", _WIDE_COLON.sub(":", nearly)))
        _refuse_nul(value)
        return (
            Piece(nearly, json.dumps(value, allow_nan=False, sort_keys=True), True) if isinstance(value, dict) else None
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


def unwrapped(value: Any) -> Iterator[Any]:
    """Yield what is wrapped in a value under one of the usual names, as the arguments of a call are, outermost first.

    What stands under any other name, or beside another value, may be a draft and is not looked at.
    """
    for _ in range(_WRAPPINGS):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return
        inside = [part for name, part in value.items() if name.lower() in _WRAPPERS]
        if len(inside) != 1 or not {name.lower() for name in value} <= _WRAPPERS | _ON_WRAPPINGS:
            return
        value = _within_text(inside[0])
        yield value


def _within_text(value: Any) -> Any:
    """Return the object or list that a text is, also a text of a text; anything else as it is."""
    inner = value
    for _ in range(_WRAPPINGS):
        if not isinstance(inner, str) or not inner.strip().startswith(("{", "[", '"')):
            break
        try:
            inner = json.loads(inner, object_pairs_hook=_object, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return value
    return inner if isinstance(inner, dict | list) else value
