"""JSON lines: one object a line; only LF and CR LF end a line."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Format, Limits, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import ColumnTally
from annotation.domain.formats.inner_columns import inner_paths, unfolded, with_paths
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.formats.mapping import Shape
from annotation.domain.formats.one_object import is_one_object, layout_of, rows_in
from annotation.domain.formats.research_datasets import READERS, read_record
from annotation.domain.formats.tools.argilla import Record


class JsonLines:
    """The rows of a file of JSON lines, with our own names, mapped names, or the names of a data set."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading
        self.shape: Shape | None = None
        self._paths: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        has_rows = False
        for line, entry, text in object_sources(self.stream, self.reading.limits, self.reading.columns):
            has_rows = True
            yield self._row(line, entry, text)
        if not has_rows:
            raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))

    def _row(self, line: int, entry: int, text: str) -> Row | RowError:
        name = ""
        try:
            values = object_of(text)
            name = str(values.get("id", values.get("post_id", "")))[:128]
            reader = READERS.get(self.reading.format)
            if reader:
                return read_record(reader, line, "", values, self.reading, entry)
            if self.shape is None:
                self._paths = inner_paths(self.reading.mapped, values)
                self.shape = self._shape(line, unfolded(values, self._paths))
            return self.shape.row(line, unfolded(values, self._paths) if self._paths else values, entry)
        except BadValue as fault:
            return fault.at(line, name, entry)

    def _shape(self, line: int, values: Mapping[str, Any]) -> Shape:
        """Return the shape of the rows. Our own rows may lack any key; others follow the keys of the first line.

        Raises Unreadable.
        """
        usual_keys = {"id", "text", "image"} if self.reading.format is Format.INTERPLAY else set()
        try:
            if self.reading.format is Format.ARGILLA:
                return Record(self.reading, values)
            return Shape(self.reading, frozenset(values.keys() | usual_keys))
        except BadValue as fault:
            raise Unreadable(with_paths(fault, values).at(line)) from fault


def object_sources(
    stream: BinaryIO, limits: Limits, columns: ColumnTally | None = None
) -> Iterator[tuple[int, int, str]]:
    """Yield (line, entry, JSON source) of each object: of a line each (entry 0), of one array, or within one object.

    What an object says beside its rows and is not taken is told to `columns`. Raises Unreadable.
    """
    layout = layout_of(stream, limits) if is_one_object(stream, limits) else None
    if layout is None:
        yield from array_or_lines(stream, limits)
        return
    if columns is not None:
        for name in layout.left_out:
            columns.tell_left_out(f"{name} (of the whole file)")
    yield from rows_in(stream, layout, limits)


def array_or_lines(stream: BinaryIO, limits: Limits) -> Iterator[tuple[int, int, str]]:
    """Yield (line, entry, JSON source) of each object: of a line each (entry 0), or of one array. Raises Unreadable."""
    if check_head(stream).lstrip().startswith(b"["):
        for entry, (line, _key, source) in enumerate(strict_json.entries(stream, limits.entry_chars), start=1):
            yield line, entry, f"{source}\n"
        return
    for line, text in read_lines(stream, limits.line_bytes):
        if not text.isspace():
            yield line, 0, text


def object_of(text: str) -> dict[str, Any]:
    """Return the object that a line of JSON holds. Raises BadValue."""
    try:
        values = strict_json.parse(text)
    except BadValue as fault:
        if fault.code == "invalid_json" and not text.endswith("\n"):
            reason = f"The last line is not a whole JSON object: was the file cut off? ({fault.reason})"
            raise BadValue("cut_line", reason) from fault
        raise
    if isinstance(values, list):
        reason = "The line is a JSON array. JSON lines hold one object a line, without brackets around them."
        raise BadValue("json_array", reason)
    if not isinstance(values, dict):
        raise BadValue("not_an_object", "The line is no JSON object.")
    return values
