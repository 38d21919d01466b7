"""The fields of a statement of reasons (DSA Article 17) and their limits, as in the European Commission's validator.

Values are texts, lists of texts, yes or no, and dates as `YYYY-MM-DD`. Closed fields are free text within the limits,
unless a project has its platform's lists of values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from annotation.domain.text_rules import BadText, is_blank, read_optional_text


class FieldKind(StrEnum):
    """The kind of value of a field."""

    LINE = "line"
    TEXT = "text"
    LINES = "lines"
    FLAG = "flag"
    DAY = "day"


@dataclass(frozen=True)
class Field:
    """One field: its name in the export, its kind, and its most characters (of each line if it has several)."""

    name: str
    kind: FieldKind
    limit: int = 500
    needed: bool = False


MEASURES = ("decision_visibility", "decision_monetary", "decision_provision", "decision_account")
"""The fields about measures against the content or its author; a statement needs at least one of them."""
GROUNDS = ("illegal", "incompatible")
AUTOMATED = ("not automated", "partially automated")
"""A person confirms every decision, so none is fully automated."""

FIELDS: Sequence[Field] = (
    *(Field(name, FieldKind.LINE) for name in MEASURES),
    Field("decision_ground", FieldKind.LINE, needed=True),
    Field("illegal_content_legal_ground", FieldKind.LINE, 500),
    Field("illegal_content_explanation", FieldKind.TEXT, 2000),
    Field("incompatible_content_ground", FieldKind.LINE, 500),
    Field("incompatible_content_explanation", FieldKind.TEXT, 2000),
    Field("incompatible_content_illegal", FieldKind.FLAG),
    Field("content_type", FieldKind.LINES, 100, needed=True),
    Field("category", FieldKind.LINE, 500, needed=True),
    Field("territorial_scope", FieldKind.LINES, 100),
    Field("application_date", FieldKind.DAY, needed=True),
    Field("end_date", FieldKind.DAY),
    Field("decision_facts", FieldKind.TEXT, 5000, needed=True),
    Field("source_type", FieldKind.LINE, 500, needed=True),
    Field("automated_detection", FieldKind.FLAG),
    Field("automated_decision", FieldKind.LINE, needed=True),
    Field("content_date", FieldKind.DAY),
    Field("content_language", FieldKind.LINE, 20),
    Field("url", FieldKind.LINE, 2000),
    Field("puid", FieldKind.LINE, 500, needed=True),
    Field("redress", FieldKind.TEXT, 2000),
)

LISTABLE = tuple(
    field.name
    for field in FIELDS
    if field.kind in (FieldKind.LINE, FieldKind.LINES)
    and field.name not in ("decision_ground", "automated_decision", "url", "puid")
)
"""The fields whose values a platform may list."""
MOST_VALUES = 500
_PUID = re.compile(r"[A-Za-z0-9_-]{1,500}")
_MOST_LINES = 50


class BadLists(ValueError):
    """Lists of values that cannot be used; the message says what they must look like."""


def read_lists(content: Any) -> dict[str, list[str]]:
    """Return a platform's values by field, from a JSON object of lists.

    Raises BadLists.
    """
    if not isinstance(content, dict):
        raise BadLists('Write one object: {"category": ["value", "another value"]}.')
    lists: dict[str, list[str]] = {}
    for name, values in content.items():
        field = next((known for known in FIELDS if known.name == name and name in LISTABLE), None)
        if field is None:
            raise BadLists(f"There is no field {str(name)[:60]!r} with values; there are {', '.join(LISTABLE)}.")
        if not isinstance(values, list) or not 1 <= len(values) <= MOST_VALUES:
            raise BadLists(f"{name} needs a list of 1 to {MOST_VALUES} values.")
        if not all(isinstance(value, str) and _there(value) and _line(value, field.limit) is None for value in values):
            raise BadLists(f"{name}: every value is a text of 1 to {field.limit} characters.")
        lists[name] = list(dict.fromkeys(value.strip() for value in values))
    return lists


class Wrong(StrEnum):
    """The kinds of problems of a field."""

    MISSING = "missing"
    TOO_LONG = "too_long"
    BAD_TEXT = "bad_text"
    BAD_DAY = "bad_day"
    BEFORE = "before"
    """The end is before the start."""
    UNKNOWN_VALUE = "unknown_value"
    BAD_PUID = "bad_puid"
    NO_MEASURE = "no_measure"
    TOO_MANY = "too_many"


@dataclass(frozen=True)
class Problem:
    """The problem of a field, and the limit or the values that apply."""

    wrong: Wrong
    about: str = ""


def problems(fields: Mapping[str, Any], lists: Mapping[str, Sequence[str]] | None = None) -> dict[str, Problem]:
    """Return the problem of each field that is not valid; empty for a valid statement.

    `lists` are the platform's own values of fields.
    """
    by_field = {field.name: problem for field in FIELDS if (problem := _of(field, fields.get(field.name))) is not None}
    ground = fields.get("decision_ground")
    if ground and ground not in GROUNDS:
        by_field["decision_ground"] = Problem(Wrong.UNKNOWN_VALUE, ", ".join(GROUNDS))
    for name in ("legal_ground", "explanation") if ground == "illegal" else ():
        _need(by_field, fields, f"illegal_content_{name}")
    for name in ("ground", "explanation") if ground == "incompatible" else ():
        _need(by_field, fields, f"incompatible_content_{name}")
    if (automated := fields.get("automated_decision")) and automated not in AUTOMATED:
        by_field["automated_decision"] = Problem(Wrong.UNKNOWN_VALUE, ", ".join(AUTOMATED))
    for name, values in (lists or {}).items():
        if name not in by_field and not set(_lines(fields.get(name))) <= set(values):
            by_field[name] = Problem(Wrong.UNKNOWN_VALUE, cut(", ".join(values), 300))
    if not any(_there(fields.get(name)) for name in MEASURES):
        by_field.setdefault(MEASURES[0], Problem(Wrong.NO_MEASURE))
    if "puid" not in by_field and not _PUID.fullmatch(str(fields.get("puid", ""))):
        by_field["puid"] = Problem(Wrong.BAD_PUID, "500")
    begin, end = day(fields.get("application_date")), day(fields.get("end_date"))
    if begin is not None and end is not None and end < begin:
        by_field["end_date"] = Problem(Wrong.BEFORE)
    return by_field


def day(value: Any) -> date | None:
    """Return the date that a field holds.

    Returns None if it holds none.
    """
    try:
        return date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def cut(text: str, limit: int) -> str:
    """Return the text within the limit, with an ellipsis if it was cut."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _lines(value: Any) -> Sequence[str]:
    """Return the values of a field: its lines, or its only text."""
    return [value] if isinstance(value, str) and value else value if isinstance(value, list) else []


def _need(by_field: dict[str, Problem], fields: Mapping[str, Any], name: str) -> None:
    if not _there(fields.get(name)):
        by_field.setdefault(name, Problem(Wrong.MISSING))


def _there(value: Any) -> bool:
    return bool(value) and not (isinstance(value, str) and is_blank(value))


def _of(field: Field, value: Any) -> Problem | None:
    if field.kind is FieldKind.FLAG:
        return None if value is None or isinstance(value, bool) else Problem(Wrong.MISSING)
    if not _there(value):
        return Problem(Wrong.MISSING) if field.needed else None
    if field.kind is FieldKind.DAY:
        return None if day(value) is not None else Problem(Wrong.BAD_DAY)
    lines = value if field.kind is FieldKind.LINES else [value]
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return Problem(Wrong.BAD_TEXT)
    if len(lines) > _MOST_LINES:
        return Problem(Wrong.TOO_MANY, str(_MOST_LINES))
    return next((problem for line in lines if (problem := _line(line, field.limit)) is not None), None)


def _line(text: str, limit: int) -> Problem | None:
    try:
        read_optional_text(text, limit)
    except BadText as bad:
        return Problem(Wrong.TOO_LONG, f"{limit:,}") if bad.limit else Problem(Wrong.BAD_TEXT)
    return None
