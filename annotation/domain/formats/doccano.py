"""doccano: JSON lines with a list of labels, or an export by annotator: a ZIP with one file for each annotator."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, LabelUse, Mapped, Passage, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import PASSED_OVER
from annotation.domain.formats.jsonl import object_sources
from annotation.domain.formats.kept_columns import kept_columns
from annotation.domain.formats.labels.of_row import with_label
from annotation.domain.formats.lines import read_lines
from annotation.domain.formats.tools.passages import of_doccano, with_passages

_NOBODY = frozenset({"unknown", "all"})
"""Names that doccano gives to the file of posts without labels."""
_USES = {
    "id": "id",
    "text": "text",
    "data": "text",
    "filename": "image",
    "label": "label",
    "labels": "label",
    "cats": "label",
    "entities": "answers",
}
_LABELS = ("label", "labels", "cats")


def is_doccano(record: Any) -> bool:
    """Return whether a line is from doccano: a list of labels beside a text or a file name."""
    if not isinstance(record, dict) or not record.keys() & {"text", "data", "filename"}:
        return False
    return (
        isinstance(record.get("label"), list) or bool(_passages(record)) or record.keys() >= {"entities", "relations"}
    )


def names_no_other(mapped: Mapped) -> bool:
    """Return whether somebody named only the column in which doccano has labels."""
    return mapped.label in _LABELS and not any((mapped.text, mapped.image, mapped.id, mapped.annotator, mapped.raters))


class Doccano:
    """The rows of one file. A category is used as the mapping says; where nobody named its column, it is none."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading
        self.is_named = reading.mapped.names_labels

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        has_rows = False
        for line, entry, text in object_sources(self.stream, self.reading.limits):
            has_rows = True
            name = ""
            try:
                record = _record(text)
                name = str(record.get("id", ""))[:128]
                row = _bare(line, record, self.reading, entry, is_named=self.is_named)
                if passages := _passages(record):
                    yield with_passages(row, passages, _category(record), self.reading)
                else:
                    yield with_label(row, _category(record), _labelled(self.reading)) if self.is_named else row
            except BadValue as fault:
                yield fault.at(line, name, entry)
        if not has_rows:
            raise Unreadable(RowError(0, "no_rows", "The file holds no rows."))


class ByAnnotator:
    """The rows of several files, one file for each annotator, named after the annotator. An item gets all labels."""

    def __init__(self, files: Sequence[tuple[str, BinaryIO]], reading: Reading) -> None:
        self.reading = reading
        self.files = [(PurePosixPath(name).stem, stream) for name, stream in files]

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the files cannot be read."""
        places = self._places()
        if not places:
            raise Unreadable(RowError(0, "no_rows", "The files hold no rows."))
        for number, (name, item_places) in enumerate(places.items(), start=1):
            try:
                yield self._row(number, item_places)
            except BadValue as fault:
                yield fault.at(number, name[:128])

    def _places(self) -> dict[str, list[tuple[int, int]]]:
        """Return the places of each item: by id, the index of the file and the byte at which its line begins."""
        places: dict[str, list[tuple[int, int]]] = {}
        for file_index, (annotator, stream) in enumerate(self.files):
            offset = 0
            for line, text in read_lines(stream, self.reading.limits.line_bytes):
                start, offset = offset, stream.tell()
                if text.isspace():
                    continue
                try:
                    name = fields.external_id(_record(text).get("id"))
                except BadValue as fault:
                    raise Unreadable(RowError(line, fault.code, f"{annotator}: {fault.reason}")) from fault
                item_places = places.setdefault(name, [])
                if item_places and item_places[-1][0] == file_index:
                    reason = f"{annotator}: the id {name} stands twice."
                    raise Unreadable(RowError(line, "duplicate_id", reason, "id"))
                item_places.append((file_index, start))
        return places

    def _row(self, number: int, places: Sequence[tuple[int, int]]) -> Row:
        row: Row | None = None
        for file_index, start in places:
            annotator, stream = self.files[file_index]
            stream.seek(start)
            record = _record(stream.readline().decode("utf-8-sig"))
            new_row = _bare(number, record, self.reading)
            if row is not None and (new_row.text, new_row.picture) != (row.text, row.picture):
                raise BadValue("contradiction", "The files have different texts or pictures for this id.", "text")
            if row is not None:
                extra = {**row.extra, **new_row.extra}
                new_row = replace(new_row, extra=extra, labels=row.labels, not_counted=row.not_counted)
            row = new_row if annotator in _NOBODY else self._labelled(new_row, record, annotator)
        assert row is not None
        return row

    def _labelled(self, row: Row, record: Mapping[str, Any], annotator: str) -> Row:
        if passages := _passages(record):
            return with_passages(row, passages, _category(record), self.reading, annotator)
        seats = replace(self.reading, mapped=replace(self.reading.mapped, label="label", label_is=LabelUse.SEAT))
        return with_label(row, _category(record), seats, annotator)


def _use_of(name: str) -> str:
    return _USES.get(name, PASSED_OVER)


def _use_of_unnamed(name: str) -> str:
    return PASSED_OVER if name in _LABELS else _use_of(name)


def _record(text: str) -> Mapping[str, Any]:
    record = strict_json.parse(text)
    if not isinstance(record, dict):
        raise BadValue("not_an_object", "The line is no JSON object.")
    return record


def _bare(line: int, record: Mapping[str, Any], reading: Reading, entry: int = 0, *, is_named: bool = True) -> Row:
    use_of = _use_of if is_named or _passages(record) else _use_of_unnamed
    extra = kept_columns(reading.columns.count(record, use_of))
    text = fields.item_text(record.get("text", record.get("data")))
    picture = fields.picture_path(record.get("filename"), "filename")
    if not text and not picture:
        raise BadValue("no_content", "The row has neither a text nor a picture.", "text")
    given = record.get("id")
    name = fields.external_id(given) if given is not None else f"{reading.id_prefix}{entry or line}"
    return Row(line, name, text=text, picture=picture, extra=extra, entry=entry)


def _category(record: Mapping[str, Any]) -> str | None:
    labels = record.get("cats") if _passages(record) else record.get("label", record.get("labels"))
    if labels is None or labels == []:
        return None
    names = labels.split("#") if isinstance(labels, str) else labels
    if not isinstance(names, list) or not all(isinstance(name, str | int) for name in names):
        raise BadValue("bad_labels", "label is a list of categories, or of marked passages.", "label")
    return fields.category(names, "label")


def _passages(record: Mapping[str, Any]) -> tuple[Passage, ...]:
    """Return the passages that somebody marked."""
    return next(filter(None, (of_doccano(record.get(name)) for name in ("label", "labels", "entities"))), ())


def _labelled(reading: Reading) -> Reading:
    return replace(reading, mapped=replace(reading.mapped, label="label"))
