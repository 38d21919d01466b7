"""Files that are one JSON object with rows inside: a list of objects, an object of records, or a value by column.

pandas writes such files (`to_json` with each of its orients), `datasets` a dict of lists, and exports of programs a
list beside what they say of the whole file.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Limits, RowError, Unreadable
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.sources.text_names import is_text_name

Source = tuple[int, int, str]
"""The line of an object, its running number, and its JSON source."""
_LONGEST = 200
"""Characters of a value of the whole file that is kept with each post."""


class Kind(StrEnum):
    """How the rows stand in the object."""

    LIST = "list"
    """A list of objects under one key."""
    RECORDS = "records"
    """An object for each id."""
    COLUMNS = "columns"
    """For each column an object of values by the number of the row."""
    LISTS = "lists"
    """For each column a list of its values."""
    SPLIT = "split"
    """The names of the columns, and a list of lists."""


@dataclass(frozen=True)
class Layout:
    """Where the rows of an object stand. `about` is what it says of all of them, `left_out` what is not taken."""

    kind: Kind
    key: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    left_out: Sequence[str] = ()


def is_one_object(stream: BinaryIO, limits: Limits) -> bool:
    """Return whether a file of JSON is one object with rows inside, and not an object on each line."""
    if check_head(stream).lstrip()[:1] != b"{":
        return False
    lines = (text for _, text in read_lines(stream, limits.line_bytes) if not text.isspace())
    first, second = next(lines), next(lines, "")
    try:
        value = strict_json.parse(first)
    except BadValue as fault:
        return fault.code == "invalid_json" and _continues(first, second)
    return not second and isinstance(value, dict) and _wraps(value)


def _continues(first: str, second: str) -> bool:
    """Return whether the second line continues the object of the first (indented JSON)."""
    opening = second.lstrip()[:1]
    return opening != "{" and (first.rstrip()[-1] in "{[,:" or opening in ",:]}")


def _wraps(value: Mapping[str, Any]) -> bool:
    """Return whether an object of one line holds posts, and is none: all its parts do, or one list of texts."""
    if value and all(isinstance(part, dict | list) for part in value.values()):
        return True
    return not _has_text(value) and any(
        isinstance(part, list) and part and isinstance(part[0], dict) and _has_text(part[0]) for part in value.values()
    )


def _has_text(names: Collection[str]) -> bool:
    return any(is_text_name(name) for name in names)


def layout_of(stream: BinaryIO, limits: Limits) -> Layout | None:
    """Return how the rows stand in the one object of a file. Returns None where it holds none that can be told.

    Raises Unreadable where several lists of objects may be the posts.
    """
    seen = _Seen()
    try:
        for _line, path, source in strict_json.entries_below(stream, limits.entry_chars, lambda path: len(path) == 1):
            seen.note(path, source)
    except (BadValue, Unreadable):
        return None
    return seen.layout()


@dataclass
class _Seen:
    """What stands directly in an object: single values, lists with their first entry, and objects with their keys."""

    single: dict[str, Any] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)

    def note(self, path: tuple[str, ...], source: str) -> None:
        match path:
            case (name,):
                self.single[name] = strict_json.parse(source)
            case (name, ""):
                if name not in self.first:
                    self.first[name] = strict_json.parse(source)
                self.lengths[name] = self.lengths.get(name, 0) + 1
            case (name, inner):
                keys = self.keys.setdefault(name, [])
                if len(self.keys) == 1:
                    keys.append(inner)

    def layout(self) -> Layout | None:
        lists = [name for name, first in self.first.items() if isinstance(first, dict)]
        if len(lists) > 1:
            reason = (
                f"The file holds several lists of objects ({', '.join(name[:40] for name in lists[:6])}). Save the "
                "one with the posts as a file of its own: an array of objects, or one object a line."
            )
            raise Unreadable(RowError(1, "unknown_format", reason))
        if lists:
            return self._of_list(lists[0])
        if {"columns", "data"} <= self.first.keys() and isinstance(self.first["data"], list):
            return Layout(Kind.SPLIT)
        if self.single or (self.first and self.keys):
            return None
        if self.first:
            return Layout(Kind.LISTS) if len(set(self.lengths.values())) == 1 else None
        return self._of_objects()

    def _of_list(self, name: str) -> Layout:
        about = {key: value for key, value in self.single.items() if key != "id" and _is_short(value)}
        said = {key for key, value in self.single.items() if value not in (None, "")}
        return Layout(Kind.LIST, name, about, sorted({*said, *self.first, *self.keys} - {name, *about}))

    def _of_objects(self) -> Layout | None:
        inner = next(iter(self.keys.values()), [])
        if inner and all(key.isdecimal() for key in inner) and not all(name.isdecimal() for name in self.keys):
            return Layout(Kind.COLUMNS)
        return Layout(Kind.RECORDS) if len(self.keys) > 1 or _has_text(inner) else None


def _is_short(value: Any) -> bool:
    return value not in (None, "") and len(str(value)) <= _LONGEST


def rows_in(stream: BinaryIO, layout: Layout, limits: Limits) -> Iterator[Source]:
    """Yield the rows of a file that is one object. Raises Unreadable."""
    yield from _ROWS[layout.kind](stream, layout, limits)


def _of_list(stream: BinaryIO, layout: Layout, limits: Limits) -> Iterator[Source]:
    entry = 0
    walk = strict_json.entries_below(stream, limits.entry_chars, lambda path: path == (layout.key,))
    for line, path, source in walk:
        if path == (layout.key, ""):
            entry += 1
            yield line, entry, _with(layout.about, source)


def _of_records(stream: BinaryIO, _layout: Layout, limits: Limits) -> Iterator[Source]:
    for entry, (line, key, source) in enumerate(strict_json.entries(stream, limits.entry_chars), start=1):
        yield line, entry, _with({"id": key}, source)


def _of_columns(stream: BinaryIO, _layout: Layout, limits: Limits) -> Iterator[Source]:
    columns = _whole(stream, limits)
    first = next(iter(columns.values()))
    for entry, number in enumerate(first, start=1):
        yield 1, entry, _source({name: values.get(number) for name, values in columns.items()})


def _of_lists(stream: BinaryIO, _layout: Layout, limits: Limits) -> Iterator[Source]:
    columns = _whole(stream, limits)
    for entry, values in enumerate(zip(*columns.values(), strict=True), start=1):
        yield 1, entry, _source(dict(zip(columns, values, strict=True)))


def _of_split(stream: BinaryIO, _layout: Layout, limits: Limits) -> Iterator[Source]:
    names: list[str] = []
    entry = 0
    walk = strict_json.entries_below(stream, limits.entry_chars, lambda path: path in (("columns",), ("data",)))
    for line, path, source in walk:
        if path == ("columns", ""):
            names.append(str(strict_json.parse(source)))
        elif path == ("data", ""):
            entry += 1
            cells = strict_json.parse(source)
            if not isinstance(cells, list) or len(cells) != len(names):
                reason = f"This entry of data is no list of {len(names)} values, as columns has."
                raise Unreadable(RowError(line, "column_count", reason, entry=entry))
            yield line, entry, _source(dict(zip(names, cells, strict=True)))


_ROWS: Mapping[Kind, Callable[[BinaryIO, Layout, Limits], Iterator[Source]]] = {
    Kind.LIST: _of_list,
    Kind.RECORDS: _of_records,
    Kind.COLUMNS: _of_columns,
    Kind.LISTS: _of_lists,
    Kind.SPLIT: _of_split,
}


def _whole(stream: BinaryIO, limits: Limits) -> dict[str, Any]:
    """Return the columns of a file. Raises Unreadable where one cannot be read."""
    columns = {}
    for line, key, source in strict_json.entries(stream, limits.entry_chars):
        try:
            columns[key] = strict_json.parse(source)
        except BadValue as fault:
            raise Unreadable(fault.at(line)) from fault
    kinds = {type(column) for column in columns.values()}
    if kinds not in ({dict}, {list}):
        raise Unreadable(RowError(1, "unknown_format", "The columns of the file are not all of one kind."))
    return columns


def _with(more: Mapping[str, Any], source: str) -> str:
    """Return the source of an object with further keys in front, as far as it has none of them."""
    try:
        keys = strict_json.parse(source)
    except BadValue:
        return f"{source}\n"
    new = {name: value for name, value in more.items() if name not in keys} if isinstance(keys, dict) else {}
    if not new:
        return f"{source}\n"
    return f"{_source(new).rstrip()[:-1]}{', ' if keys else ''}{source.lstrip()[1:]}\n"


def _source(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False)}\n"
