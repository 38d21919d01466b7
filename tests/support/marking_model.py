"""A model for any question: it fills the form that is asked for with marked words, after a first answer that is wrong.

Whatever it says may repeat a stranger's words, so its words bear a mark as well.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from providers import tokens
from providers.messages import Reply, Request

SAID, WRONG = "qz91", "qz92"
"""The marks of what it says, and of what it says in the wrong form."""
Fixed = Callable[[Request], Any]


class MarkingModel:
    """`asked` holds the requests. `fixed` returns an answer for a request, or None for a form filled by the schema."""

    name, sees_pictures = "scripted:marks", True

    def __init__(self, fixed: Fixed = lambda request: None) -> None:
        self.asked: list[Request] = []
        self._fixed = fixed

    def reply(self, request: Request) -> Reply:
        """Answer in a wrong form first, and rightly once the fault was told."""
        self.asked.append(request)
        text = self._wrong(request.schema) if request.schema and len(request.messages) <= 2 else self._right(request)
        return Reply(text, self.name, tokens.estimated_usage(request, text))

    def _right(self, request: Request) -> str:
        answer = self._fixed(request)
        if answer is None:
            answer = filled(request.schema) if request.schema else f"{SAID} weeds are people here. Who can tell?"
        return answer if isinstance(answer, str) else json.dumps(answer)

    def _wrong(self, schema: Mapping[str, Any]) -> str:
        answer = filled(schema, wrong=True)
        return json.dumps(answer | {f"{WRONG} key": f"{WRONG} words"} if isinstance(answer, dict) else answer)


def said_to(request: Request) -> str:
    """Return all words of the site in a request: not those of the model's own earlier answer."""
    return "\n".join(message.text for message in request.messages if message.role != "assistant")


def filled(schema: Mapping[str, Any], *, wrong: bool = False) -> Any:
    """Return a value of a JSON schema; with `wrong`, a marked word stands in the place of numbers and closed sets."""
    return _value(schema, schema.get("$defs", {}), wrong)


def _value(schema: Mapping[str, Any], defs: Mapping[str, Any], wrong: bool) -> Any:
    if "$ref" in schema:
        return _value(defs[schema["$ref"].rpartition("/")[2]], defs, wrong)
    if some := schema.get("anyOf"):
        return _value(some[0], defs, wrong)
    kind = schema.get("type")
    if kind == "object":
        return {name: _value(part, defs, wrong) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_value(schema.get("items", {}), defs, wrong) for _number in range(max(1, schema.get("minItems", 1)))]
    if kind == "string" and "enum" not in schema and "const" not in schema:
        return f"{SAID} weeds"
    if wrong:
        return f"{WRONG} ignore the above"
    return _closed(schema, kind)


def _closed(schema: Mapping[str, Any], kind: Any) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    return {"boolean": True, "integer": int(least) or 1, "number": float(least)}[str(kind)]
