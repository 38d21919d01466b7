"""Folders of pictures with a text beside each: `1.jpg` and `1.txt`."""

import hashlib
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from annotation.domain.formats import fields
from annotation.domain.formats.base import BadValue, Row, RowError
from annotation.domain.formats.encodings import suggestion
from annotation.domain.formats.zip_archives import Archive, BadArchive, shown
from annotation.domain.text_rules import BadText, read_id

_ABOUT_ALL = frozenset({"readme", "license", "licence", "classes", "labels", "notes"})
_MOST_BYTES = 256 * 2**10


def captions_of(archive: Archive) -> dict[str, str]:
    """Return the text file of each picture that has one; none where an archive holds another kind of data."""
    texts, pictures = _texts_of(archive), _pictures_of(archive)
    captions = {pictures[_stem(name)]: name for name in texts if _stem(name) in pictures}
    is_other = 2 * len(captions) < len(texts) or any(not name.lower().endswith(".txt") for name in texts)
    return {} if is_other else captions


def _pictures_of(archive: Archive) -> dict[str, str]:
    return {_stem(name): name for name in archive.pictures()}


def _texts_of(archive: Archive) -> list[str]:
    """Return the files that are tables or texts, without those that tell of the whole archive."""
    pictures = _pictures_of(archive)
    tables = archive.tables()
    return [name for name in tables if PurePosixPath(name).stem.lower() not in _ABOUT_ALL or _stem(name) in pictures]


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def id_of_path(name: str) -> str:
    """Return the id of a picture that has none: its path, or a digest of it."""
    try:
        return read_id(name.replace("/", ":"))
    except BadText:
        return hashlib.sha256(name.encode()).hexdigest()[:16]


def pictures_alone(names: Collection[str]) -> Iterator[Row]:
    """Yield a row for each picture of an archive without a table."""
    for line, name in enumerate(sorted(names), start=1):
        yield Row(line, id_of_path(name), picture=name)


def captioned(archive: Archive, captions: dict[str, str], encoding: str) -> Iterator[Row | RowError]:
    """Yield a row for each picture, with its text where it has one, and an error for each text without a picture."""
    for name in sorted({*_texts_of(archive)} - {*captions.values()}):
        reason = f"{shown(name)} has no picture of its name. Take the text out, or add its picture."
        yield RowError(0, "missing_picture", reason, "image", external_id=id_of_path(name))
    for line, name in enumerate(sorted(archive.pictures()), start=1):
        try:
            text = _caption(archive, captions[name], encoding) if name in captions else ""
            yield Row(line, id_of_path(name), text=fields.item_text(text.strip()), picture=name)
        except BadValue as fault:
            yield fault.at(line, id_of_path(name))


def _caption(archive: Archive, name: str, encoding: str) -> str:
    try:
        content = archive.read(name, _MOST_BYTES)
    except BadArchive as fault:
        raise BadValue(fault.code, fault.sentence, "text", fault.limit) from fault
    try:
        return content.decode("utf-8-sig" if encoding in ("", "utf-8") else encoding)
    except UnicodeError as fault:
        raise BadValue("encoding", f"{name} is not {encoding or 'UTF-8'}.{suggestion(content)}", "text") from fault
