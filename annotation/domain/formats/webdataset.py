"""WebDataset: a tar archive. Consecutive members with the same name up to the first dot form one item."""

import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import PASSED_OVER
from annotation.domain.formats.labels.of_row import with_label
from annotation.domain.formats.mapping import Shape
from annotation.domain.formats.zip_archives import PICTURE_ENDINGS, shown

MAGIC, MAGIC_AT = b"ustar", 257
MEMBERS = 1_000_000
_SMALL = frozenset({"json", "txt", "cls"})
_SMALL_BYTES = 16 << 20


class Shard:
    """The rows of one shard; pictures are given to `reading.keep`."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self.stream, self.reading = stream, reading

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the archive cannot be read."""
        number = 0
        for key, parts in self._samples():
            number += 1
            try:
                yield self._row(number, key, parts)
            except BadValue as fault:
                yield fault.at(number, key[:128])
        if not number:
            raise Unreadable(RowError(0, "no_rows", "The archive holds no items. A table comes alone or in a ZIP."))

    def _samples(self) -> Iterator[tuple[str, dict[str, Any]]]:
        self.stream.seek(0)
        parts: dict[str, Any] = {}
        earlier_names: set[str] = set()
        key = ""
        try:
            # "r|" reads the archive once from start to end; nothing is ever written to a path.
            with tarfile.open(fileobj=self.stream, mode="r|") as tar:
                for count, member in enumerate(tar, start=1):
                    name, ending = _split(member, count)
                    if not ending:
                        continue
                    if name != key and parts:
                        yield key, parts
                        parts = {}
                    if name != key and name in earlier_names:
                        reason = f"The members of {shown(name)} do not stand together."
                        raise Unreadable(RowError(0, "scattered_members", reason))
                    key = name
                    earlier_names.add(name)
                    self._take(tar, member, ending, parts)
        except (tarfile.TarError, EOFError, OSError) as fault:
            raise Unreadable(RowError(0, "bad_archive", "The tar archive is damaged; was it cut off?")) from fault
        if parts:
            yield key, parts

    def _take(self, tar: tarfile.TarFile, member: tarfile.TarInfo, ending: str, parts: dict[str, Any]) -> None:
        file = tar.extractfile(member)
        if file is None:
            return
        if ending in _SMALL:
            if ending in parts:
                raise Unreadable(RowError(0, "duplicate_member", f"{shown(member.name)} stands twice in the archive."))
            if member.size > _SMALL_BYTES:
                raise Unreadable(RowError(0, "member_too_large", f"{shown(member.name)} is too large."))
            parts[ending] = file.read()
        elif f".{ending}" in PICTURE_ENDINGS and self.reading.keep is not None:
            try:
                if "image" in parts:
                    reason = f"{shown(member.name)} is the second picture of this item, which can have one."
                    raise BadValue("two_pictures", reason, "image")
                parts["image"] = self.reading.keep(member.name, file)
            except BadValue as fault:
                parts["refused"] = fault
        else:
            self.reading.columns.count({f".{ending}"[:80]: "a member"}, lambda _: PASSED_OVER)

    def _row(self, number: int, key: str, parts: Mapping[str, Any]) -> Row:
        if "refused" in parts:
            raise parts["refused"]
        values: dict[str, Any] = {}
        if "json" in parts:
            read = strict_json.parse(_text(parts["json"], "json"))
            if not isinstance(read, dict):
                raise BadValue("not_an_object", "The .json of an item is a JSON object.", "json")
            values |= read
        values |= {"image": parts.get("image", values.get("image"))}
        if "txt" in parts:
            values["text"] = _text(parts["txt"], "txt")
            strict_json.check_text(values["text"], "txt")
        values.setdefault("id", key.rpartition("/")[2])
        shape = Shape(self.reading, frozenset(values) | {"id", "text", "image"})
        row = shape.row(number, values)
        if "cls" not in parts or row.gold is not None:
            return row
        labelled = replace(self.reading, mapped=replace(self.reading.mapped, label="cls"))
        return with_label(row, _text(parts["cls"], "cls").strip(), labelled)


def _text(content: bytes, field: str) -> str:
    try:
        return content.decode("utf-8-sig" if field != "txt" else "utf-8")
    except UnicodeDecodeError as fault:
        raise BadValue("encoding", f"The .{field} of the item is not UTF-8.", field) from fault


def _split(member: tarfile.TarInfo, count: int) -> tuple[str, str]:
    """Return the name up to the first dot, and the ending; no ending for folders and files of operating systems.

    Raises Unreadable.
    """
    if count > MEMBERS:
        raise Unreadable(RowError(0, "too_many_members", f"The archive has more than {MEMBERS:,} members."))
    name = member.name.removeprefix("./")
    parts = name.split("/")
    if member.isdir() or parts[-1].startswith("._") or parts[-1] == ".DS_Store" or "__MACOSX" in parts:
        return "", ""
    if not member.isfile() or name.startswith("/") or ".." in parts or "\\" in name or not name.isprintable():
        reason = f"The member {shown(name)} is no plain file inside the archive."
        raise Unreadable(RowError(0, "unsafe_member", reason))
    folder, _slash, last = name.rpartition("/")
    base, _dot, ending = last.partition(".")
    return (f"{folder}/{base}" if folder else base), ending.lower()
