"""Columns that the site does not know are kept with the post, as they were written, under the names of the file.

Releases and lists give them back as `extra` (JSON) or `extra_NAME` (tables), and imports read both again. `provenance`
is an older name of `extra`.
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue
from annotation.domain.formats.strict_json import check_text

EXTRA, PREFIX = "extra", "extra_"
OBJECTS = (EXTRA, "provenance")
"""Columns whose objects hold kept columns: each of their keys is one."""
MOST_COLUMNS, MOST_BYTES, LONGEST_NAME = 40, 4096, 100
"""The limits of what is kept of one row."""
ALL_OTHERS = "*"
"""In place of a name: every column that the site does not know and that is not named otherwise."""


@dataclass(frozen=True)
class Keeping:
    """Which of the columns that the site does not know are kept."""

    left_out: frozenset[str] = frozenset()
    asked_for: frozenset[str] = frozenset()
    """Those that are kept although they look like labels."""

    def keeps(self, name: str) -> bool:
        """Return whether a column of this name is kept."""
        return bool(name) and name not in self.left_out and (name in self.asked_for or ALL_OTHERS not in self.left_out)

    def decides(self, name: str) -> bool:
        """Return whether somebody said what becomes of a column of this name if it looks like labels."""
        return bool({name, ALL_OTHERS} & (self.left_out | self.asked_for))


NOTHING: Mapping[str, Any] = {}
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def is_kept_name(name: str) -> bool:
    """Return whether files give kept columns under this name."""
    return name in OBJECTS or (name.startswith(PREFIX) and name != PREFIX)


def kept_columns(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is kept of a row's unknown columns, by the name it has in the site; empty values are left out.

    Raises BadValue if it is more than can be kept, or cannot be stored.
    """
    if not any(value not in (None, "") for value in values.values()):
        return NOTHING
    kept: dict[str, Any] = {}
    for column, value in values.items():
        for name, part in _parts(column, value):
            if (stored := _storable(part, column)) in (None, "", [], {}):
                continue
            if name in kept:
                reason = f"Two columns are kept under the name {name[:80]!r}. Rename one of them, or leave it out."
                raise BadValue("kept_twice", reason, column)
            if not _is_name(name):
                raise _bad_name(name, column)
            kept[name] = stored
    check_size(kept)
    return kept


def in_order(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return kept columns, and the keys inside their values, in the order of the alphabet: as files have them."""
    return {name: _ordered(kept[name]) for name in sorted(kept)}


def as_cell(value: Any) -> Any:
    """Return a kept value as the cell of a table: a list or an object as its JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return in_order(value)
    return [_ordered(part) for part in value] if isinstance(value, list) else value


def _parts(column: str, value: Any) -> Collection[tuple[str, Any]]:
    """Return what a column gives: itself, or each key of an object that holds kept columns."""
    if column in OBJECTS:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = strict_json.parse(value)
        if isinstance(value, dict):
            return list(value.items())
    if is_kept_name(column) and column not in OBJECTS:
        return ((column.removeprefix(PREFIX), value),)
    return ((column, value),)


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.isprintable() and bool(name.strip())


def _bad_name(name: str, column: str) -> BadValue:
    reason = (
        f"The name {name[:40]!r} is no name for a kept column: it has at most {LONGEST_NAME} characters, all of "
        "which can be seen. Rename the column, or leave it out."
    )
    return BadValue("bad_column_name", reason, column[:80], LONGEST_NAME)


def check_size(kept: Mapping[str, Any]) -> None:
    """Raise BadValue where an item would keep more columns, or more bytes of them, than it may."""
    if len(kept) > MOST_COLUMNS:
        reason = (
            f"The row has {len(kept)} columns that the site does not know; at most {MOST_COLUMNS} are kept. Leave out "
            f"those that nobody needs, or all ({ALL_OTHERS}) but those that you name."
        )
        raise BadValue("too_many_kept", reason, EXTRA, MOST_COLUMNS)
    sizes = {name: len(_encoded(value).encode()) for name, value in kept.items()}
    size = sum(sizes.values()) + sum(len(name.encode()) + 6 for name in kept)
    if size > MOST_BYTES:
        longest = max(sizes, key=lambda name: sizes[name])
        reason = (
            f"The columns that the site does not know take {size:,} bytes in this row; at most {MOST_BYTES:,} are "
            f"kept. The longest is {longest[:80]!r}: leave it out, or shorten it."
        )
        raise BadValue("too_much_kept", reason, longest[:80], MOST_BYTES)


def _storable(value: Any, column: str) -> Any:
    """Return a value as JSON has it; a missing number is None. Raises BadValue for what the database cannot store."""
    match value:
        case str():
            check_text(value, column)
        case list() | tuple():
            return [_storable(part, column) for part in value]
        case dict():
            for key in value:
                check_text(str(key), column)
            return {str(key): _storable(part, column) for key, part in value.items()}
        case float():
            return None if math.isnan(value) else value if math.isfinite(value) else str(value)
        case Decimal():
            return None if value.is_nan() else str(value)
        case date() | time():
            return value.isoformat()
        case UUID():
            return str(value)
        case bool() | int() | None:
            pass
        case _:
            reason = f"{column[:80]} holds values of the kind {type(value).__name__}, which are not kept: leave it out."
            raise BadValue("bad_value", reason, column)
    return value
