"""A file as it came, opened: the table to read, the pictures beside it, and how far the reading is."""

import hashlib
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from annotation.domain.archives import Archive, ArchiveLimits, BadArchive, open_archive, shown
from annotation.domain.formats.detecting import ZIP_MAGIC, Reader, detect, open_reader
from annotation.domain.formats.rows import Format, Reading, RowError, Unreadable
from annotation.import_terms import ImportOptions, Update
from annotation.pictures import NoPictures, PictureArchive, PictureFolder, PictureSource

_TICK = 0.5
_COPY = 2**20


class Cancelled(Exception):
    """Somebody stopped the import; nothing was stored."""


@dataclass(frozen=True)
class Progress:
    """How far the check is: rows read, share of the file read (0 to 1), rows a second."""

    rows: int
    share: float
    rate: float


Watch = Callable[[Progress], None]
"""Called now and then while a file is read; may raise Cancelled."""


@dataclass(frozen=True)
class Bundle:
    """A table, opened, and where its pictures are; no table where an archive only brings pictures."""

    table: BinaryIO | None
    pictures: PictureSource
    container: str
    size: int
    archive: Archive | None = None

    def reader(self, options: ImportOptions) -> tuple[Format, Reader]:
        """The table's format and its rows. Raises Unreadable."""
        if self.table is None:
            raise Unreadable(RowError(0, "no_table", "The archive holds no table (.jsonl, .json, .csv, .tsv)."))
        found = detect(self.table, options.mapped) if options.format is Format.AUTO else options.format
        update = options.update is not None
        reading = Reading(found, options.mapped, id_prefix=f"{_digest(self.table)[:8]}-", update=update)
        return found, open_reader(self.table, reading)


def unpacked(file: BinaryIO, stack: ExitStack, options: ImportOptions, images: Path | None, spacious: bool) -> Bundle:
    """The bundle in a file, read from its start; what it opens is closed with `stack`. Raises BadArchive."""
    file.seek(0)
    packed = file.read(4) == ZIP_MAGIC
    size = file.seek(0, 2)
    source: PictureSource = PictureFolder(images) if images else NoPictures()
    if not packed:
        return Bundle(file, source, "", size)
    archive = open_archive(file, _archive_limits(spacious))
    table = _table_of(archive, options)
    if table is None:
        return Bundle(None, PictureArchive(archive), "zip", size, archive)
    unpacked = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    for piece in archive.pieces(table):
        unpacked.write(piece)
    return Bundle(unpacked, PictureArchive(archive, table), "zip", size, archive)


def _archive_limits(spacious: bool) -> ArchiveLimits:
    times = 10 if spacious else 1
    total = settings.ARCHIVE_MAX_BYTES * times
    return ArchiveLimits(members=settings.ARCHIVE_MAX_MEMBERS * times, total=total, member=total)


def _table_of(archive: Archive, options: ImportOptions) -> str | None:
    tables = archive.tables()
    if options.table:
        if options.table not in archive.members:
            raise BadArchive("no_table", f"There is no {shown(options.table)} in the archive.")
        return options.table
    if len(tables) > 1:
        named = ", ".join(shown(name) for name in tables[:10])
        reason = f"The archive holds {len(tables)} tables ({named}). Keep one, or name the one to read."
        raise BadArchive("several_tables", reason)
    if not tables and options.update is not Update.IMAGES:
        raise BadArchive("no_table", "The archive holds no table (.jsonl, .json, .csv, .tsv).")
    return tables[0] if tables else None


class Clock:
    """Tells how far the reading is, a few times a second."""

    def __init__(self, bundle: Bundle, watch: Watch) -> None:
        self.bundle, self.watch = bundle, watch
        self.began = self.last = time.monotonic()
        assert bundle.table is not None
        here = bundle.table.tell()
        self.size = bundle.table.seek(0, 2) or 1
        bundle.table.seek(here)

    def tick(self, rows: int) -> None:
        now = time.monotonic()
        if now - self.last < _TICK:
            return
        self.last = now
        assert self.bundle.table is not None
        share = min(1.0, self.bundle.table.tell() / self.size)
        self.watch(Progress(rows, share, rows / max(now - self.began, 0.001)))


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(_COPY):
        digest.update(piece)
    return digest.hexdigest()
