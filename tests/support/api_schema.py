"""The API's own description, and answers held against it.

Objects of the description are closed here: an answer with a field that is not described is as untrue as one that
lacks a field.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpResponseBase
from django.urls import Resolver404, resolve
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema import Draft202012Validator, FormatChecker
from rest_framework import serializers

from config.api.schema import KeptDescription

NO_BODY = (204, 304)
_HTTP_METHODS = ("get", "put", "post", "patch", "delete")
_CONVERTER = re.compile(r"<(?:\w+:)?(\w+)>")
_FORMATS = FormatChecker(formats=())


def _reads(field: type[serializers.Field[Any, Any, Any, Any]]) -> Any:
    """Return a check that the field's type can read a text."""

    def check(value: object) -> bool:
        if isinstance(value, str):
            field().run_validation(value)
        return True

    return check


for _name, _field in (
    ("uuid", serializers.UUIDField),
    ("date-time", serializers.DateTimeField),
    ("date", serializers.DateField),
):
    _FORMATS.checks(_name, raises=serializers.ValidationError)(_reads(_field))


@dataclass(frozen=True)
class Operation:
    """One method of one address, as the description has it."""

    method: str
    path: str
    spec: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def answers(self) -> dict[str, dict[str, Any]]:
        """The declared answers by status, without references."""
        return {status: _followed(answer) for status, answer in self.spec["responses"].items()}


@cache
def document() -> dict[str, Any]:
    """Return the description of the API as programs get it."""
    rendered = OpenApiJsonRenderer().render(KeptDescription().get_schema())
    described: dict[str, Any] = json.loads(rendered)
    return described


@cache
def operations() -> dict[tuple[str, str], Operation]:
    """Return every operation by method and path."""
    return {
        (method, path): Operation(method, path, spec)
        for path, methods in document()["paths"].items()
        for method, spec in methods.items()
        if method in _HTTP_METHODS
    }


def operation_at(method: str, address: str) -> Operation | None:
    """Return the operation that an address of the site stands for; None if the description has none."""
    try:
        route = _CONVERTER.sub(r"{\1}", resolve(address).route)
    except Resolver404:
        return None
    return operations().get((method, f"/{route}"))


def disagreements(operation: Operation, answer: HttpResponseBase) -> list[str]:
    """Return in words how an answer differs from what the description says."""
    status = str(answer.status_code)
    declared = operation.answers.get(status)
    if declared is None:
        return [f"{operation}: status {status} is not declared"]
    missing = [name for name in declared.get("headers", {}) if name not in answer.headers]
    wrong = [f"{operation}: {status} has no header {name}" for name in missing]
    if answer.status_code in NO_BODY:
        return wrong + ([] if answer.streaming or not answer.content else [f"{operation}: {status} has a body"])
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    content = declared.get("content", {}).get(kind)
    if content is None:
        return [*wrong, f"{operation}: {status} comes as {kind!r}, declared are {sorted(declared.get('content', {}))}"]
    if kind != "application/json":
        return wrong
    body = json.loads(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    return wrong + [f"{operation}: {status} {problem}" for problem in faults(content["schema"], body)]


def faults(schema: dict[str, Any], body: Any) -> list[str]:
    """Return what in a JSON value differs from a schema of the description."""
    whole = {"components": closed_document()["components"], **_closed(schema)}
    found = Draft202012Validator(whole, format_checker=_FORMATS).iter_errors(body)
    return [f"{'/'.join(map(str, error.absolute_path)) or 'body'}: {error.message[:300]}" for error in found]


def free_forms(operation: Operation) -> Iterator[str]:
    """Yield the declared answers of JSON that describe no value at all."""
    for status, answer in operation.answers.items():
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {"type": "none"})
        if _is_free(_followed(schema)):
            yield f"{operation}: {status} describes nothing"


def _is_free(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "array":
        return _is_free(_followed(schema["items"]))
    if schema.get("type") == "object":
        return not schema.get("properties") and not schema.get("additionalProperties")
    return "type" not in schema and "anyOf" not in schema and "oneOf" not in schema


@cache
def closed_document() -> dict[str, Any]:
    """Return the description with no properties but the described ones."""
    closed: dict[str, Any] = _closed(document())
    return closed


def _closed(schema: Any) -> Any:
    """Return a copy in which objects have no properties but the described ones."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: _closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        copy.setdefault("additionalProperties", False)
    return copy


def _followed(part: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference leads to; anything else as it is."""
    if "$ref" not in part:
        return part
    target: Any = document()
    for name in part["$ref"].removeprefix("#/").split("/"):
        target = target[name]
    return _followed(deepcopy(target))
