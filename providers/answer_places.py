"""Where servers put a model's answer, and its text from there, for every protocol.

Most put it into `content`: as a text, in parts, or as an object. Some have it as the arguments of a call, or beside the
message. What stands with the thoughts is told apart: the answer is there only where nothing else holds it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_KINDS = {
    *("text", "output_text", "json", "output_json", "tool_use", "tool_call", "function_call"),
    *("thinking", "reasoning", "reasoning.text", "reasoning.summary", "redacted_thinking", "refusal"),
}
_NOT_SAID = {"thinking", "reasoning", "redacted_thinking", "refusal"}


class Said(NamedTuple):
    """The text of an answer, what stands in its place with the thoughts, and with which words the model declined."""

    text: str
    thought: str = ""
    declined: str = ""


def said_in(choice: Mapping[str, Any]) -> Said:
    """Return what one choice of an answer says."""
    found = choice.get("message") or choice.get("delta")
    message: Mapping[str, Any] = found if isinstance(found, Mapping) else {"content": found}
    content = text_of(message.get("content"))
    called = "\n".join(_arguments(message))
    # Both are kept: words before a call are no answer, and two answers that differ must not be read as one.
    text = "\n".join(part for part in (content, called) if part.strip()) or content
    if not text.strip():
        text = text_of(message.get("parsed")) or text_of(choice.get("text")) or text
    return Said(text, "" if text.strip() else _thought(message), _declined(message))


def choices_in(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the choices of an answer, also where a gateway passes on a body of another protocol or wraps it.

    Empty if there is none: such a body may tell of a fault.
    """
    body: Any = answer
    for name in ("data", "result", "response"):
        if isinstance(body.get(name), Mapping) and "choices" not in body:
            body = body[name]
    listed = body.get("choices")
    if isinstance(listed, Mapping | list):
        return [choice for choice in (listed if isinstance(listed, list) else [listed]) if isinstance(choice, Mapping)]
    if body.get("error") or answer.get("error"):
        return []
    if isinstance(listed := body.get("candidates"), list):  # Gemini
        return [
            {"message": {"content": choice.get("content")}, "finish_reason": choice.get("finishReason")}
            for choice in listed
            if _is_object(choice)
        ]
    output = body.get("output")
    if isinstance(output, list):  # OpenAI's responses: thoughts and calls stand beside the message
        said = [item for item in output if _is_object(item) and item.get("type") == "message"]
        return said[-1:] and [{"message": said[-1], "finish_reason": body.get("status")}]
    message = output.get("message") if isinstance(output, Mapping) else body.get("message")
    if not isinstance(message, Mapping):
        is_message = body.get("type") == "message" and isinstance(body.get("content"), list)  # Anthropic
        message = body if is_message else {"content": body.get("text") or body.get("response")}
    end = next((body[name] for name in _ENDS if body.get(name)), None)  # a text without an end may tell of a fault
    return [{"message": message, "finish_reason": end}] if end and text_of(message.get("content")).strip() else []


_ENDS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "done")


def _is_object(part: Any) -> bool:
    return isinstance(part, Mapping)


def text_of(content: Any) -> str:
    """Return the text of a content: a string, a list of parts, or an object that is the answer itself."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        if content.keys() <= {"parts", "role"}:
            return text_of(content.get("parts"))
        return _text_of_part(content) if _is_part(content) else json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        if content and all(isinstance(part, Mapping) and not _is_part(part) for part in content):
            return json.dumps(content, ensure_ascii=False)
        return "".join(map(_text_of_part, content))
    return ""


def _is_part(content: Mapping[str, Any]) -> bool:
    """Return whether an object is a part of a content and not an answer: a part has its kind, or nothing but a text."""
    kind = content.get("type")
    if isinstance(kind, str) and kind in _KINDS:
        return True
    return content.keys() <= {
        "type",
        "text",
        "annotations",
        "index",
        "thinking",
        "signature",
        "closed",
        "refusal",
        "thought",
        "thoughtSignature",
    } and (bool(content.keys() & {"type", "text", "thinking"}) or not content)


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") in _NOT_SAID or part.get("thought") is True:
        return ""
    text = part.get("text")
    if isinstance(text, Mapping):
        text = text.get("value")
    return text if isinstance(text, str) else "".join(_called(part, "json", "input", "arguments"))


def _arguments(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments of each call: a model that was given no tool can only mean its answer by them."""
    calls = message.get("tool_calls")
    calls = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    for function in (*(call.get("function", call) for call in calls), message.get("function_call")):
        if isinstance(function, Mapping):
            yield from _called(function, "arguments", "parameters", "input")


def _called(call: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Yield what a call was made with: it stands as JSON, or as the value itself."""
    value = next((call[name] for name in names if name in call), None)
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        yield json.dumps(value, ensure_ascii=False)


def _declined(message: Mapping[str, Any]) -> str:
    """Return the refusal that stands in a field of its own, or in a part of the content of that kind."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    said = (message.get("refusal"), *(part.get("refusal") for part in parts if part.get("type") == "refusal"))
    return next((words for words in said if isinstance(words, str) and words.strip()), "")


def _thought(message: Mapping[str, Any]) -> str:
    return next((text for name in _THOUGHTS if (text := text_of(message.get(name))).strip()), "")
