"""How large the body of a request to a view may rightly become: the longest texts that its forms and shapes accept."""

import inspect
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.urls import URLPattern, get_resolver
from rest_framework import serializers

APPS = ("annotation", "config", "generation", "moderation", "runs")
BYTES_OF_A_LETTER = 12
"""An emoji in a form is %F0%9F%98%80, in JSON at worst an escape of two halves; a CJK letter takes nine at most."""
UNBOUNDED, LINE, OTHER = 10**6, 200, 40
"""Letters of a text without a limit, of an input of one line without a limit, and of any other field."""
Body = type[forms.BaseForm] | type[serializers.BaseSerializer[Any]]


def routes(patterns: Any = None, names: tuple[str, ...] = ()) -> Iterator[tuple[str, URLPattern]]:
    """Yield the name and the route of each address that an app of the site answers itself."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if not isinstance(pattern, URLPattern):
            yield from routes(pattern.url_patterns, (*names, *filter(None, [pattern.namespace])))
        elif pattern.callback.__module__.startswith(APPS):
            yield ":".join((*names, pattern.name or "")), pattern


def largest_body(view: Any) -> int:
    """Return the bytes of the largest body that a form or shape of the view accepts; 0 if it has none."""
    return BYTES_OF_A_LETTER * max(map(letters, bodies(getattr(view, "cls", view))), default=0)


def bodies(view: Any) -> set[Body]:
    """Return the forms and shapes into which functions that a view reaches put what was sent."""
    reached: set[Any] = set()
    _reach(inspect.unwrap(view), reached)
    return {found for function in reached if inspect.isfunction(function) for found in _filled_by(function)}


def _reach(found: Any, reached: set[Any]) -> None:
    if found in reached or _is_body(found):
        return
    reached.add(found)
    if inspect.isclass(found):
        for base in found.__mro__:
            for part in vars(base).values() if base.__module__.startswith(APPS) else ():
                if inspect.isfunction(part):
                    _reach(inspect.unwrap(part), reached)
    elif inspect.isfunction(found):
        for part in _named_in(found):
            if inspect.isfunction(part) or (inspect.isclass(part) and not _is_body(part)):
                _reach(inspect.unwrap(part), reached)


def _filled_by(function: Any) -> Iterator[Body]:
    if {"POST", "data"} & {*_names(function.__code__)}:
        yield from filter(_is_body, _named_in(function))


def _is_body(found: Any) -> bool:
    """Return whether it is a form or a shape. One of a model's rows only writes answers."""
    kinds = (forms.BaseForm, serializers.BaseSerializer)
    return inspect.isclass(found) and issubclass(found, kinds) and not issubclass(found, serializers.ModelSerializer)


def _named_in(function: Any) -> Iterator[Any]:
    """Yield what the function names of its module, or of another module of the site that it names."""
    names = {*_names(function.__code__)}
    for name in names:
        found = function.__globals__.get(name)
        if isinstance(found, ModuleType) and found.__name__.startswith(APPS):
            yield from (
                part for name in names if getattr(part := vars(found).get(name), "__module__", "") == found.__name__
            )
        elif str(getattr(found, "__module__", "")).startswith(APPS):
            yield found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def letters(body: Body) -> int:
    """Return how many letters the texts of a form or of a shape have at most, in all."""
    if issubclass(body, forms.BaseForm):
        return sum(_of_field(field) for field in getattr(body, "base_fields", {}).values())
    return _of_shape(body())


def _of_field(field: forms.Field) -> int:
    if not isinstance(field, forms.CharField):
        return OTHER
    limits = [rule.limit_value for rule in field.validators if isinstance(rule, MaxLengthValidator)]
    known = [getattr(field, "limit", None) or field.max_length or min(limits, default=0)]
    return int(known[0]) or (UNBOUNDED if isinstance(field.widget, forms.Textarea) else LINE)


def _of_shape(field: Any) -> int:
    match field:
        case serializers.ListSerializer():
            return int(field.max_length or 100) * _of_shape(field.child)
        case serializers.BaseSerializer():
            return sum(_of_shape(part) for part in getattr(field, "fields", {}).values() if not part.read_only)
        case serializers.ListField(child=serializers.ChoiceField()):
            return OTHER * len(field.child.choices)
        case serializers.ListField():
            return int(field.max_length or UNBOUNDED) * _of_shape(field.child)
        case serializers.CharField():
            return int(field.max_length or UNBOUNDED)
        case serializers.DictField() | serializers.JSONField():
            return UNBOUNDED
        case _:
            return OTHER
