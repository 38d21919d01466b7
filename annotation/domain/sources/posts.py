"""Posts as a platform gives them: read by names of ours, and told where the platform itself took one away.

A module for each platform turns a record of it into named values. All that has no field here is a kept column, but
for what says little of a post and is long (`Beside`): it is told by name, and kept where somebody asks for it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.mapping import Shape

Values = Mapping[str, Any]
Record = tuple[int, int, Any]
"""The line of a record, its entry (0 where each has a line of its own), and the record."""


class Beside(NamedTuple):
    """A value that is kept only where its name is asked for."""

    value: Any


class Left(StrEnum):
    """Why a record of a file is no post of the import."""

    REMOVED = "removed"
    """The platform, its moderators or the author took the post away."""
    SERVICE = "service"
    """The record tells of an event, as that somebody joined."""
    EMPTY = "empty"
    """The record has neither a text nor a picture that comes with the file."""


class Posts:
    """The rows of records that `post` turns into named values, or says why they are none."""

    def __init__(
        self, records: Iterable[Record | RowError], post: Callable[[Any], Values | Left], reading: Reading
    ) -> None:
        self._records, self._post, self._reading = records, post, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        shape = Shape(self._reading, frozenset({"id", "text", "image"}))
        has_rows = False
        for record in self._records:
            row = record if isinstance(record, RowError) else self._row(shape, *record)
            if row is not None:
                has_rows = True
                yield row
        if not has_rows:
            raise Unreadable(RowError(0, "no_rows", nothing_left(self._reading.columns.left)))

    def _row(self, shape: Shape, line: int, entry: int, record: Any) -> Row | RowError | None:
        name = ""
        try:
            values = self._post(record)
            if not isinstance(values, Left) and not values.get(shape.text) and not values.get(shape.image):
                values = Left.EMPTY
            if isinstance(values, Left):
                self._reading.columns.left[values] += 1
                return None
            values = self._wanted(values)
            name = str(values.get("id", ""))[:128]
            self._reading.columns.known.update(values)
            return shape.row(line, values, entry)
        except BadValue as fault:
            return fault.at(line, name, entry)

    def _wanted(self, values: Values) -> Values:
        """Return the values without those that nobody asked for, which are told by name."""
        columns, wanted = self._reading.columns, {}
        for name, value in values.items():
            if not isinstance(value, Beside):
                wanted[name] = value
            elif name in columns.asked_for:
                wanted[name] = value.value
            elif value.value:
                columns.tell_left_out(name)
        return wanted


def nothing_left(left: Counter[str]) -> str:
    """Return the sentence for a file without a post that can be imported."""
    told = ", ".join(f"{count:,} {reason}" for reason, count in sorted(left.items()) if count)
    return f"The file holds no posts that can be imported{f' ({told})' if told else ''}."


def object_at(record: Any) -> Mapping[str, Any]:
    """Return the record, which must be an object. Raises BadValue."""
    if not isinstance(record, dict):
        raise BadValue("not_an_object", "The entry is no JSON object.")
    return record


def others(record: Mapping[str, Any], read: Collection[str], beside: Collection[str] | None = None) -> dict[str, Any]:
    """Return the fields of a record that are not read. Those in `beside`, or all for None, are kept only by wish."""
    return {
        name: Beside(value) if beside is None or name in beside else value
        for name, value in record.items()
        if name not in read
    }


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that say something."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def moment_of(seconds: Any) -> Any:
    """Return seconds since 1970, as platforms write times, as a moment that people can read; else the value itself."""
    try:
        return datetime.fromtimestamp(int(float(seconds)), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return seconds


def unescaped(text: Any) -> Any:
    """Return a text without the three escapes that APIs put in place of <, > and &."""
    if not isinstance(text, str):
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
