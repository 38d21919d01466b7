"""Put an answer that came as a stream of events together, so that it reads as if it had come in one piece.

Both protocols: OpenAI's chunks with deltas, and DashScope's events, each of which holds what is new or all so far.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from providers.half_characters import whole_texts

_STATUS = re.compile(r":\s?HTTP_STATUS/(\d{3})\s*", re.ASCII)
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_THOUGHTS = ("reasoning_content", "reasoning")
_TEXTS = ("content", *_THOUGHTS, "refusal")


class CutStream(ValueError):
    """A stream that stops before its end: half an answer is none."""


def is_stream(content: bytes, content_type: str = "") -> bool:
    """Return whether this is a stream of events."""
    begins = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    return begins.startswith(_FIELDS[:3]) or (
        "text/event-stream" in content_type.lower() and begins.startswith(_FIELDS)
    )


def whole_answer(content: bytes) -> dict[str, Any]:
    """Return the one answer that the events of a stream make up, or the first that tells of a fault.

    Raises ValueError for what is no stream of JSON, CutStream for one without its end.
    """
    events, is_done = _events(content)
    if fault := next((event for event in events if _is_fault(event)), None):
        return fault
    answers = [event for event in events if any(isinstance(event.get(name), list | dict) for name in _ANSWERS)]
    if not answers:
        raise CutStream("no event of the stream holds an answer")
    whole = _of_dashscope(answers) if "output" in answers[-1] else _of_openai(answers)
    if not is_done and not _has_end(whole):
        raise CutStream("the stream stopped before its end")
    return whole


_ANSWERS = ("choices", "output", "usage")


def _is_fault(event: Mapping[str, Any]) -> bool:
    is_answer = any(event.get(name) is not None for name in _ANSWERS)
    return bool(event.get("error") or (not is_answer and (event.get("code") or event.get("message"))))


def _events(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Return the JSON objects of the events, and whether the last says that it is the last.

    One that has a status of its own, which DashScope writes as a comment, holds it as `status_code` if it is an error.
    """
    events: list[dict[str, Any]] = []
    for said, status in _data(content.decode("utf-8-sig", "replace")):
        if said == "[DONE]":
            return events, True
        event = whole_texts(json.loads(said))
        if isinstance(event, dict):
            events.append({"status_code": status} | event if status >= 400 else event)
    return events, False


def _data(text: str) -> Iterable[tuple[str, int]]:
    """Yield the data of each event, its lines `data:` joined, and its status; 0 if it has none."""
    lines: list[str] = []
    status = 0
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            lines.append(line.removeprefix("data:").strip())
        elif (own := _STATUS.fullmatch(line)) is not None:
            status = int(own[1])
        elif not line and lines:
            yield "\n".join(lines), status
            lines, status = [], 0


def _has_end(answer: Mapping[str, Any]) -> bool:
    output = answer.get("output", answer)
    choices = output.get("choices") or [output]
    ends = [choice.get("finish_reason") if isinstance(choice, dict) else None for choice in choices]
    return all(end not in (None, "", "null") for end in ends)


def _last(answers: Sequence[Mapping[str, Any]], name: str) -> Any:
    return next((answer[name] for answer in reversed(answers) if answer.get(name)), None)


# ── OpenAI ────────────────────────────────────────────────────────────────────


def _of_openai(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    parts: dict[Any, list[dict[str, Any]]] = {}
    for answer in answers:
        for choice in answer.get("choices") or ():
            if isinstance(choice, dict):
                parts.setdefault(choice.get("index", 0), []).append(choice)
    choices = [_choice(of_one) for _index, of_one in sorted(parts.items(), key=lambda item: str(item[0]))]
    return {"model": _last(answers, "model"), "choices": choices, "usage": _last(answers, "usage")}


def _choice(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the choice that its chunks make up; its other fields, such as a filter's, are those said last."""
    whole: dict[str, Any] = {}
    for part in parts:
        whole |= {name: value for name, value in part.items() if value is not None}
    deltas = [part["delta"] for part in parts if isinstance(part.get("delta"), dict)]
    complete = next((part["message"] for part in reversed(parts) if isinstance(part.get("message"), dict)), None)
    if not deltas and complete is None:
        whole["text"] = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    whole.pop("delta", None)
    return whole | {"message": complete if complete and not deltas else _message(deltas)}


def _message(deltas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    for name in _TEXTS:
        message[name] = "".join(_text(delta.get(name)) for delta in deltas) or None
    if calls := _calls(deltas):
        message["tool_calls"] = calls
    if functions := [delta["function_call"] for delta in deltas if isinstance(delta.get("function_call"), dict)]:
        message["function_call"] = {"arguments": "".join(_text(function.get("arguments")) for function in functions)}
    return message


def _calls(deltas: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    arguments: dict[Any, str] = {}
    for delta in deltas:
        for call in delta.get("tool_calls") or ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                place = call.get("index", 0)
                arguments[place] = arguments.get(place, "") + _text(function.get("arguments"))
    return [{"type": "function", "function": {"arguments": said}} for said in arguments.values()]


def _text(said: Any) -> str:
    """Return the text of a delta: a string, or from some servers a list of parts."""
    if isinstance(said, list):
        return "".join(_text(part.get("text")) for part in said if isinstance(part, dict))
    return said if isinstance(said, str) else ""


# ── DashScope ─────────────────────────────────────────────────────────────────


def _of_dashscope(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    outputs = [answer["output"] for answer in answers if isinstance(answer.get("output"), dict)]
    output = dict(outputs[-1])
    chosen = [output["choices"][0] for output in outputs if _is_chosen(output)]
    if chosen:
        messages = [choice["message"] for choice in chosen if isinstance(choice.get("message"), dict)]
        said = {name: _joined([_text(message.get(name)) for message in messages]) for name in ("content", *_THOUGHTS)}
        output["choices"] = [chosen[-1] | {"message": {**(messages[-1] if messages else {}), **said}}]
    elif any(isinstance(one.get("text"), str) for one in outputs):
        output["text"] = _joined([_text(one.get("text")) for one in outputs])
    return {**answers[-1], "output": output, "usage": _last(answers, "usage")}


def _is_chosen(output: Mapping[str, Any]) -> bool:
    choices = output.get("choices")
    return isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict)


def _joined(texts: Sequence[str]) -> str:
    """Return what the events say together: the last, where each begins with the one before it, else all in a row.

    Events that hold all so far hold it in the last one too.
    """
    said = [text for text in texts if text]
    is_repeated = bool(texts) and said[-1:] == [texts[-1]] and all(map(str.startswith, said[1:], said))
    return said[-1] if is_repeated else "".join(said)
