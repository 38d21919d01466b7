"""Files that are one JSON object with rows inside: a list of objects, an object of records, or a value by column.

pandas writes such files (`to_json` with each of its orients), `datasets` a dict of lists, and exports of programs a
list beside what they say of the whole file.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import SPLITS, BadValue, Limits, RowError, Unreadable
from annotation.domain.formats.inner_columns import text_paths
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.sources.text_names import is_text_name

Source = tuple[int, int, str]
"""The line of an object, its running number, and its JSON source."""
_LONGEST = 200
"""Characters of a value of the whole file that is kept with each post."""
_DEEPEST = 3
"""Objects around a list of posts that are looked into."""
_COMPARED = 2
"""Records whose keys are compared."""


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
    ONE_AFTER_ANOTHER = "one after another"
    """Objects that each take several lines."""
    SPLIT = "split"
    """The names of the columns, and a list of lists."""
    PARTS = "parts"
    """For each part of a data set (train, test …) its columns as lists, as a `DatasetDict` has them."""


@dataclass(frozen=True)
class Layout:
    """Where the rows of an object stand. `about` is what it says of all of them, `left_out` what is not taken."""

    kind: Kind
    path: tuple[str, ...] = ()
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
    parts = [*value.values()]
    if parts and all(isinstance(part, dict | list) for part in parts):
        return not all(isinstance(part, dict) for part in parts) or _are_alike(parts) or _holds_posts(value)
    return not _has_text(value) and _holds_posts(value)


def _holds_posts(value: Any, depth: int = _DEEPEST) -> bool:
    """Return whether a list of objects with a text stands in a value."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and (_has_text(value[0]) or bool(text_paths(value[0])))
    return depth > 0 and isinstance(value, dict) and any(_holds_posts(part, depth - 1) for part in value.values())


def _are_alike(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the first two of these objects share a key, as records do."""
    return len(objects) < 2 or not objects[0] or not objects[0].keys().isdisjoint(objects[1])


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
        return Layout(Kind.ONE_AFTER_ANOTHER) if _are_several(stream, limits) else None
    return seen.layout() or _deeper(stream, limits)


def _are_several(stream: BinaryIO, limits: Limits) -> bool:
    """Return whether an object follows the first one of a file."""
    with suppress(Unreadable):
        return len([*islice(strict_json.objects(stream, limits.entry_chars), 2)]) > 1
    return False


def _deeper(stream: BinaryIO, limits: Limits) -> Layout | None:
    """Return where the one list of posts stands inside the objects of an object. Raises Unreadable for several."""
    about: dict[str, Any] = {}
    first: dict[tuple[str, ...], Any] = {}
    for _line, path, source in strict_json.entries_below(stream, limits.entry_chars, _is_within):
        if path[-1] != "":
            about[".".join(path)] = strict_json.parse(source)
        elif path[:-1] not in first:
            first[path[:-1]] = strict_json.parse(source)
    lists = {path: [entry] for path, entry in first.items() if isinstance(entry, dict)}
    posts = [path for path, entry in lists.items() if _holds_posts(entry)] or [*lists]
    if len(posts) > 1:
        raise Unreadable(_several([".".join(path) for path in posts]))
    if not posts:
        return None
    told = {".".join(path) for path in first if path != posts[0]}
    short = {name: value for name, value in about.items() if name != "id" and _is_short(value)}
    said = {name for name, value in about.items() if value not in (None, "", {}, [])}
    return Layout(Kind.LIST, posts[0], short, sorted({*said, *told} - short.keys()))


def _is_within(path: tuple[str, ...]) -> bool:
    return "" not in path and len(path) <= _DEEPEST


def _several(names: Sequence[str]) -> RowError:
    reason = (
        f"The file holds several lists of objects ({', '.join(name[:40] for name in names[:6])}). Save the "
        "one with the posts as a file of its own: an array of objects, or one object a line."
    )
    return RowError(1, "unknown_format", reason)


@dataclass
class _Seen:
    """What stands directly in an object: single values, lists with their first entry, and objects with their keys."""

    single: dict[str, Any] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    keys: dict[str, list[str]] = field(default_factory=dict)
    parts: dict[str, set[str]] = field(default_factory=dict)
    """The columns of each part of a data set; a column that is no list has an empty name."""

    def note(self, path: tuple[str, ...], source: str) -> None:
        match path:
            case (name,):
                self.single[name] = strict_json.parse(source)
            case (name, ""):
                if name not in self.first:
                    self.first[name] = strict_json.parse(source)
                self.lengths[name] = self.lengths.get(name, 0) + 1
            case (name, inner):
                if name.casefold() in SPLITS:
                    self.parts.setdefault(name, set()).add(inner if source.lstrip().startswith("[") else "")
                keys = self.keys.setdefault(name, [])
                if len(self.keys) <= _COMPARED:
                    keys.append(inner)

    def layout(self) -> Layout | None:
        lists = [name for name, first in self.first.items() if isinstance(first, dict)]
        posts = [name for name in lists if _holds_posts([self.first[name]])] or lists
        if len(posts) > 1:
            raise Unreadable(_several(posts))
        if posts:
            return self._of_list(posts[0])
        columns = [*self.parts.values()]
        if columns and all(names == columns[0] for names in columns) and "" not in columns[0] and _has_text(columns[0]):
            return Layout(Kind.PARTS, left_out=sorted({*self.single, *self.first, *self.keys} - self.parts.keys()))
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
        return Layout(Kind.LIST, (name,), about, sorted({*said, *self.first, *self.keys} - {name, *about}))

    def _of_objects(self) -> Layout | None:
        inner, *others = islice(chain(self.keys.values(), [[]]), _COMPARED)
        if others and others[0] and not {*inner} & {*others[0]}:
            return None
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
    walk = strict_json.entries_below(stream, limits.entry_chars, lambda path: path == layout.path[: len(path)])
    for line, path, source in walk:
        if path == (*layout.path, ""):
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


def _of_parts(stream: BinaryIO, layout: Layout, limits: Limits) -> Iterator[Source]:
    entry = 0
    for line, part, source in strict_json.entries(stream, limits.entry_chars):
        columns = _parsed(line, source) if part.casefold() in SPLITS else {}
        if len(lengths := {len(values) for values in columns.values()}) > 1:
            reason = f"The columns of {part[:40]} are not of one length: {min(lengths)} to {max(lengths)} values."
            raise Unreadable(RowError(line, "column_count", reason))
        for values in zip(*columns.values(), strict=True):
            entry += 1
            yield line, entry, _source({"split": part, **dict(zip(columns, values, strict=True))})


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


def _one_after_another(stream: BinaryIO, _layout: Layout, limits: Limits) -> Iterator[Source]:
    for entry, (line, source) in enumerate(strict_json.objects(stream, limits.entry_chars), start=1):
        yield line, entry, f"{source}\n"


_ROWS: Mapping[Kind, Callable[[BinaryIO, Layout, Limits], Iterator[Source]]] = {
    Kind.LIST: _of_list,
    Kind.RECORDS: _of_records,
    Kind.COLUMNS: _of_columns,
    Kind.LISTS: _of_lists,
    Kind.SPLIT: _of_split,
    Kind.PARTS: _of_parts,
    Kind.ONE_AFTER_ANOTHER: _one_after_another,
}


def _whole(stream: BinaryIO, limits: Limits) -> dict[str, Any]:
    """Return the columns of a file. Raises Unreadable where one cannot be read."""
    columns = {key: _parsed(line, source) for line, key, source in strict_json.entries(stream, limits.entry_chars)}
    kinds = {type(column) for column in columns.values()}
    if kinds not in ({dict}, {list}):
        raise Unreadable(RowError(1, "unknown_format", "The columns of the file are not all of one kind."))
    return columns


def _parsed(line: int, source: str) -> Any:
    """Return a JSON value that begins on a line. Raises Unreadable."""
    try:
        return strict_json.parse(source)
    except BadValue as fault:
        raise Unreadable(fault.at(line)) from fault


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
