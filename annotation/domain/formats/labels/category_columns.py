"""Tables with a column for each category, which holds 1 where the post has it: one label a row."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.formats.base import BadValue, Mapped

_OPTION = ":::"
"""What Potato writes before an option in the name of its column; the cell holds the option itself."""
_ONE, _ZERO = frozenset({"1", "1.0", "true", "yes"}), frozenset({"0", "0.0", "false", "no"})


def named_columns(lines: Iterable[str]) -> dict[str, str]:
    """Return the columns, each with what it stands for, from NAME or NAME=CATEGORY; "": as it is called."""
    columns = {}
    for line in lines:
        name, sign, category = line.rpartition("=")
        columns[name if sign else line] = category if sign else ""
    return columns


def category_of(get: Callable[[str], Any], mapped: Mapped, no_label: str) -> str | None:
    """Return the categories whose columns hold a 1, between semicolons.

    Returns None where no column has a value. Values that are mapped to `no_label` are none. Raises BadValue.
    """
    marks = {name: mark(get(name), name, mapped.values, no_label) for name in mapped.category_columns}
    if all(mark is None for mark in marks.values()):
        return None
    chosen = [mapped.category_columns[name] or name for name, mark in marks.items() if mark]
    if chosen or mapped.none_is:
        return SEPARATOR.join(dict.fromkeys(chosen)) or mapped.none_is
    reason = (
        "None of the columns of one category each holds a 1 in this row. Say which category such a row has, or that it "
        f"has no label: {no_label}."
    )
    raise BadValue("no_category", reason, next(iter(marks)))


def mark(value: Any, name: str, values: Mapping[str, str], no_label: str) -> bool | None:
    """Return whether a cell says that the post has what the column stands for: by a 1, or by the name of the column.

    Returns None for an empty one. Raises BadValue.
    """
    word = "" if value is None or value != value else str(value).strip().casefold()
    if not word or values.get(word) == no_label:
        return None
    if word in _ONE or word in _ZERO:
        return word in _ONE
    if word == name.rpartition(_OPTION)[2].strip().casefold():
        return True
    reason = f"{name[:80]} is {word[:40]!r}. A column of one category, or of one option, holds 1 or 0, or nothing."
    raise BadValue("bad_mark", reason, name[:80])
