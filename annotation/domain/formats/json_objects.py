"""Data sets that are one large JSON object (id to record) or array of records, read one entry at a time."""

from collections.abc import Iterator
from typing import BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.research_datasets import READERS, read_record


class Entries:
    """The rows of H-VLI, MMHS150K or HateXplain as one JSON value."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        reader = READERS[self.reading.format]
        entry = 0
        sources = strict_json.entries(self.stream, self.reading.limits.entry_chars)
        for entry, (line, key, source) in enumerate(sources, start=1):
            try:
                record = strict_json.parse(source)
                if not isinstance(record, dict):
                    raise BadValue("not_an_object", "The entry is no JSON object.")
                yield read_record(reader, line, key, record, self.reading, entry)
            except BadValue as fault:
                yield fault.at(line, key[:128], entry)
        if not entry:
            raise Unreadable(RowError(0, "no_rows", "The file holds no records."))
