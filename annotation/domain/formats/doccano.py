"""doccano: JSON lines with a list of labels; exported by annotator, a ZIP with a file for each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, RowLabel, Unreadable
from annotation.domain.formats.lines import read_lines
from annotation.domain.formats.mapping import with_label

_NOBODY = frozenset({"unknown", "all"})
"""What doccano calls the file of posts that nobody labelled."""
_OWN = frozenset({"id", "text", "data", "label", "labels", "filename", "Comments", "comments"})


def is_doccano(record: Any) -> bool:
    """Whether a line is doccano's: a label that is a list, beside a text or a file name."""
    return (
        isinstance(record, dict)
        and isinstance(record.get("label"), list)
        and bool(record.keys() & {"text", "data", "filename"})
    )


class Doccano:
    """The rows of one file; a label is used as the mapping says."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading
        self.ignored: set[str] = set()

    def __iter__(self) -> Iterator[Row | RowError]:
        """Raises Unreadable where nothing further can be read."""
        found = False
        for line, text in read_lines(self.stream, self.reading.limits.line_bytes):
            if text.isspace():
                continue
            found = True
            name = ""
            try:
                record = _record(text)
                name = str(record.get("id", ""))[:128]
                self.ignored |= record.keys() - _OWN
                yield with_label(_bare(line, record, self.reading), _category(record), _labelled(self.reading))
            except BadValue as fault:
                yield fault.at(line, name)
        if not found:
            raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))


class ByAnnotator:
    """The rows of several files, one an annotator, who is named by the file; each item has the labels of all."""

    def __init__(self, files: Sequence[tuple[str, BinaryIO]], reading: Reading) -> None:
        self.reading = reading
        self.files = [(PurePosixPath(name).stem, stream) for name, stream in files]
        self.ignored: set[str] = set()

    def __iter__(self) -> Iterator[Row | RowError]:
        """Raises Unreadable where nothing further can be read."""
        places = self._places()
        if not places:
            raise Unreadable(RowError(0, "no_rows", "The files hold no rows."))
        for number, (name, found) in enumerate(places.items(), start=1):
            try:
                yield self._row(number, found)
            except BadValue as fault:
                yield fault.at(number, name[:128])

    def _places(self) -> dict[str, list[tuple[int, int]]]:
        """Where each item stands: for each id the files, and the byte at which its line begins."""
        places: dict[str, list[tuple[int, int]]] = {}
        for which, (annotator, stream) in enumerate(self.files):
            offset = 0
            for line, text in read_lines(stream, self.reading.limits.line_bytes):
                begins, offset = offset, stream.tell()
                if text.isspace():
                    continue
                try:
                    name = fields.external_id(_record(text).get("id"))
                except BadValue as fault:
                    raise Unreadable(RowError(line, fault.code, f"{annotator}: {fault.reason}")) from fault
                found = places.setdefault(name, [])
                if found and found[-1][0] == which:
                    reason = f"{annotator}: the id {name} stands twice."
                    raise Unreadable(RowError(line, "duplicate_id", reason, "id"))
                found.append((which, begins))
        return places

    def _row(self, number: int, found: Sequence[tuple[int, int]]) -> Row:
        row: Row | None = None
        labels = []
        for which, begins in found:
            annotator, stream = self.files[which]
            stream.seek(begins)
            record = _record(stream.readline().decode("utf-8-sig"))
            self.ignored |= record.keys() - _OWN
            here = _bare(number, record, self.reading)
            if row is not None and (here.text, here.picture) != (row.text, row.picture):
                raise BadValue("contradiction", "The files have different texts or pictures for this id.", "text")
            row = here
            category = _category(record)
            if category is not None and annotator not in _NOBODY:
                values = self.reading.mapped.values
                labels.append(RowLabel(fields.short(annotator, "annotator", 128), values.get(category, category)))
        assert row is not None
        return replace(row, labels=tuple(labels))


def _record(text: str) -> Mapping[str, Any]:
    record = strict_json.parse(text)
    if not isinstance(record, dict):
        raise BadValue("not_an_object", "The line is no JSON object.")
    return record


def _bare(line: int, record: Mapping[str, Any], reading: Reading) -> Row:
    text = fields.item_text(record.get("text", record.get("data")))
    picture = fields.picture_path(record.get("filename"), "filename")
    if not text and not picture:
        raise BadValue("no_content", "The row has neither a text nor a picture.", "text")
    name = fields.external_id(record["id"]) if record.get("id") is not None else f"{reading.id_prefix}{line}"
    return Row(line, name, text=text, picture=picture)


def _category(record: Mapping[str, Any]) -> str | None:
    labels = record.get("label", record.get("labels"))
    if labels is None or labels == []:
        return None
    named = labels.split("#") if isinstance(labels, str) else labels
    if not isinstance(named, list) or not all(isinstance(each, str | int) for each in named):
        raise BadValue("bad_labels", "label is a list of categories; marked spans are not read.", "label")
    if len(named) > 1:
        raise BadValue("bad_labels", f"The row has {len(named)} categories; an item has one.", "label")
    return fields.category(named[0], "label")


def _labelled(reading: Reading) -> Reading:
    return replace(reading, mapped=replace(reading.mapped, label="label"))
