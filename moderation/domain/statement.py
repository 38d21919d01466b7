"""The fields of a statement of reasons (DSA Article 17) and their limits, as the Commission's validator holds them.

Values are texts, lists of texts, yes or no, and dates as `YYYY-MM-DD`. Closed fields are free text within the limits,
unless a project brings its platform's lists of values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from annotation.domain.text_rules import BadText, is_blank, read_optional_text


class Kind(StrEnum):
    """What a field holds."""

    LINE = "line"
    TEXT = "text"
    LINES = "lines"
    FLAG = "flag"
    DAY = "day"


@dataclass(frozen=True)
class Field:
    """One field: its name in the export, what it holds, the most characters (of each line, where there are several)."""

    name: str
    kind: Kind
    limit: int = 500
    needed: bool = False


MEASURES = ("decision_visibility", "decision_monetary", "decision_provision", "decision_account")
"""What was done about the content or its author; at least one is."""
GROUNDS = ("illegal", "incompatible")
AUTOMATED = ("not automated", "partially automated")
"""A person always confirms: no decision here is fully automated."""

FIELDS: Sequence[Field] = (
    *(Field(name, Kind.LINE) for name in MEASURES),
    Field("decision_ground", Kind.LINE, needed=True),
    Field("illegal_content_legal_ground", Kind.LINE, 500),
    Field("illegal_content_explanation", Kind.TEXT, 2000),
    Field("incompatible_content_ground", Kind.LINE, 500),
    Field("incompatible_content_explanation", Kind.TEXT, 2000),
    Field("incompatible_content_illegal", Kind.FLAG),
    Field("content_type", Kind.LINES, 100, needed=True),
    Field("category", Kind.LINE, 500, needed=True),
    Field("territorial_scope", Kind.LINES, 100),
    Field("application_date", Kind.DAY, needed=True),
    Field("end_date", Kind.DAY),
    Field("decision_facts", Kind.TEXT, 5000, needed=True),
    Field("source_type", Kind.LINE, 500, needed=True),
    Field("automated_detection", Kind.FLAG),
    Field("automated_decision", Kind.LINE, needed=True),
    Field("content_date", Kind.DAY),
    Field("content_language", Kind.LINE, 20),
    Field("url", Kind.LINE, 2000),
    Field("puid", Kind.LINE, 500, needed=True),
    Field("redress", Kind.TEXT, 2000),
)

LISTABLE = tuple(
    field.name
    for field in FIELDS
    if field.kind in (Kind.LINE, Kind.LINES)
    and field.name not in ("decision_ground", "automated_decision", "url", "puid")
)
"""Fields whose values a platform may close."""
MOST_VALUES = 500
_PUID = re.compile(r"[A-Za-z0-9_-]{1,500}")
_MOST_LINES = 50


class BadLists(ValueError):
    """Lists of values that cannot be used; the sentence says what they must look like."""


def read_lists(given: Any) -> dict[str, list[str]]:
    """A platform's values by field: a JSON object of lists. Raises BadLists."""
    if not isinstance(given, dict):
        raise BadLists('Write one object: {"category": ["value", "another value"]}.')
    found: dict[str, list[str]] = {}
    for name, values in given.items():
        field = next((each for each in FIELDS if each.name == name and name in LISTABLE), None)
        if field is None:
            raise BadLists(f"There is no field {str(name)[:60]!r} with values; there are {', '.join(LISTABLE)}.")
        if not isinstance(values, list) or not 1 <= len(values) <= MOST_VALUES:
            raise BadLists(f"{name} needs a list of 1 to {MOST_VALUES} values.")
        if not all(isinstance(value, str) and _there(value) and _line(value, field.limit) is None for value in values):
            raise BadLists(f"{name}: every value is a text of 1 to {field.limit} characters.")
        found[name] = list(dict.fromkeys(value.strip() for value in values))
    return found


class Wrong(StrEnum):
    """What is wrong with a field."""

    MISSING = "missing"
    TOO_LONG = "too_long"
    BAD_TEXT = "bad_text"
    BAD_DAY = "bad_day"
    BEFORE = "before"
    """The end lies before the beginning."""
    UNKNOWN_VALUE = "unknown_value"
    BAD_PUID = "bad_puid"
    NO_MEASURE = "no_measure"
    TOO_MANY = "too_many"


@dataclass(frozen=True)
class Problem:
    """What is wrong, and the limit or the values that hold."""

    wrong: Wrong
    about: str = ""


def problems(fields: Mapping[str, Any], lists: Mapping[str, Sequence[str]] | None = None) -> dict[str, Problem]:
    """What keeps these fields from being a valid statement, by field; nothing where they are one.

    `lists` are the platform's own values of fields that it closes.
    """
    found = {field.name: problem for field in FIELDS if (problem := _of(field, fields.get(field.name))) is not None}
    ground = fields.get("decision_ground")
    if ground and ground not in GROUNDS:
        found["decision_ground"] = Problem(Wrong.UNKNOWN_VALUE, ", ".join(GROUNDS))
    for name in ("legal_ground", "explanation") if ground == "illegal" else ():
        _need(found, fields, f"illegal_content_{name}")
    for name in ("ground", "explanation") if ground == "incompatible" else ():
        _need(found, fields, f"incompatible_content_{name}")
    if (automated := fields.get("automated_decision")) and automated not in AUTOMATED:
        found["automated_decision"] = Problem(Wrong.UNKNOWN_VALUE, ", ".join(AUTOMATED))
    for name, values in (lists or {}).items():
        if name not in found and not set(_lines(fields.get(name))) <= set(values):
            found[name] = Problem(Wrong.UNKNOWN_VALUE, cut(", ".join(values), 300))
    if not any(_there(fields.get(name)) for name in MEASURES):
        found.setdefault(MEASURES[0], Problem(Wrong.NO_MEASURE))
    if "puid" not in found and not _PUID.fullmatch(str(fields.get("puid", ""))):
        found["puid"] = Problem(Wrong.BAD_PUID, "500")
    begin, end = day(fields.get("application_date")), day(fields.get("end_date"))
    if begin is not None and end is not None and end < begin:
        found["end_date"] = Problem(Wrong.BEFORE)
    return found


def day(value: Any) -> date | None:
    """The date that a field holds, if it holds one."""
    try:
        return date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def cut(text: str, limit: int) -> str:
    """The text within the limit, its end marked where something was left out."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _lines(value: Any) -> Sequence[str]:
    """What a field says: its lines, or its one text."""
    return [value] if isinstance(value, str) and value else value if isinstance(value, list) else []


def _need(found: dict[str, Problem], fields: Mapping[str, Any], name: str) -> None:
    if not _there(fields.get(name)):
        found.setdefault(name, Problem(Wrong.MISSING))


def _there(value: Any) -> bool:
    return bool(value) and not (isinstance(value, str) and is_blank(value))


def _of(field: Field, value: Any) -> Problem | None:
    if field.kind is Kind.FLAG:
        return None if value is None or isinstance(value, bool) else Problem(Wrong.MISSING)
    if not _there(value):
        return Problem(Wrong.MISSING) if field.needed else None
    if field.kind is Kind.DAY:
        return None if day(value) is not None else Problem(Wrong.BAD_DAY)
    lines = value if field.kind is Kind.LINES else [value]
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
