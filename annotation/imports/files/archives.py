"""An opened import file: the table to read, the pictures beside it, and the progress of reading."""

import hashlib
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from django.conf import settings

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Format, Reading, RowError, Unreadable
from annotation.domain.formats.columns import ColumnTally
from annotation.domain.formats.detect import ZIP_MAGIC, Reader, binary_format, detect, open_reader
from annotation.domain.formats.doccano import ByAnnotator, is_doccano
from annotation.domain.formats.encodings import transcode
from annotation.domain.formats.imagefolder import Folders, WithClassFolders
from annotation.domain.formats.lines import refuse_empty_zip
from annotation.domain.formats.shards import is_shard, rows_of_shards, shards_among
from annotation.domain.formats.tools.documents import Documents, documents_in
from annotation.domain.formats.xlsx import is_workbook
from annotation.domain.formats.zip_archives import Archive, ArchiveLimits, BadArchive, open_archive, shown
from annotation.domain.sources.captions import captioned, captions_of, pictures_alone
from annotation.domain.sources.packed import is_packed
from annotation.imports.files.embedded_pictures import InlinePictures
from annotation.imports.files.packed_tables import unpacked_table
from annotation.imports.files.reader_process import ReaderProcess
from annotation.imports.files.remote_pictures import WithAddresses
from annotation.imports.options import ImportOptions
from annotation.media.picture_sources import NoPictures, PictureArchive, PictureFolder, PictureSource

_TICK = 0.5
_UNPACKED = (Format.PARQUET, Format.FEATHER, Format.WEBDATASET, Format.XLSX)
_COPY = 2**20


@dataclass(frozen=True)
class Progress:
    """The progress of a check: rows read, share of the file read (0 to 1), rows per second."""

    rows_done: int
    share: float
    rate: float


Watch = Callable[[Progress], None]
"""A function called several times a second while a file is read; it may raise JobCancelled or JobInterrupted."""


@dataclass(frozen=True)
class Bundle:
    """An opened table and the source of its pictures; no table if an archive only contains pictures."""

    table: BinaryIO | None
    pictures: PictureSource
    container: str
    size: int
    archive: Archive | None = None
    inline: InlinePictures | None = None
    several: tuple[tuple[str, BinaryIO], ...] = ()
    """Tables that together form one data set: one per split folder (ImageFolder), or one per annotator (doccano)."""
    documents: Format | None = None
    """The format of an archive whose files are each what one person marked in one text."""
    table_name: str = ""
    """The table's path in the archive; empty if it is a file of its own, or if the pictures stand alone."""
    columns: ColumnTally = field(default_factory=ColumnTally)
    """What became of each column; whole once the rows are read."""
    pixels: int = 0
    """The maximum number of pixels of all its pictures together."""

    def in_utf8(self, encoding: str, stack: ExitStack) -> "Bundle":
        """Return the bundle with its tables in UTF-8; tables that are not text stay. Raises Unreadable."""
        assert self.table is not None
        several = tuple((name, _transcoded(table, encoding, stack)) for name, table in self.several)
        table = several[0][1] if several else _transcoded(self.table, encoding, stack)
        return replace(self, table=table, several=several)

    def reader(
        self,
        options: ImportOptions,
        is_category: Callable[[str], bool] = lambda word: False,
        watch: Callable[[], None] = lambda: None,
    ) -> tuple[Format, Reader]:
        """Return the table's format and its rows. `is_category` says of a class folder whether the project knows it.

        `watch` is called while a separate process has no rows yet; what it raises ends that process.
        Raises Unreadable if the table cannot be read.
        """
        if self.table is None and self.archive is not None and options.update is None:
            return self._of_pictures(self.archive, options, is_category)
        if self.table is None:
            raise Unreadable(RowError(0, "no_table", _no_table(self.archive)))
        if self.several:
            return self._together(options, is_category, watch)
        requested = options.format
        detected = detect(self.table, options.mapped) if requested in (Format.AUTO, Format.IMAGEFOLDER) else requested
        update = options.update is not None
        keep = self.inline.keep if self.inline else None
        prefix = f"{_digest(self.table)[:8]}-"
        reading = Reading(
            detected,
            options.mapped,
            id_prefix=prefix,
            update=update,
            keep=keep,
            sheet=options.sheet,
            header_line=options.header_line,
            twice=options.twice,
            columns=self.columns,
        )
        rows = _reader(self.table, reading, watch)
        if self.archive is None or not _is_metadata(self.table_name):
            return detected, rows
        return detected, WithClassFolders(rows, reading, self._pictures_beside(self.table_name), is_category)

    def first_rows(self, options: ImportOptions, watch: Callable[[], None]) -> dict[str, Any]:
        """Return the columns and the first rows of the table as they stand there; nothing if it cannot be read."""
        if self.table is None or self.several:
            return {}
        try:
            format = detect(self.table) if options.format is Format.AUTO else options.format
        except Unreadable:
            return {}
        columns = ColumnTally()
        sheet, line = options.sheet, options.header_line
        reading = Reading(format, sheet=sheet, header_line=line, looks=True, columns=columns)
        try:
            list(_reader(self.table, reading, watch))
        except Unreadable:
            return {}
        return {**columns.first, "format": str(format)} if columns.first else {}

    def _of_pictures(
        self, archive: Archive, options: ImportOptions, is_category: Callable[[str], bool]
    ) -> tuple[Format, Reader]:
        """Return the format and the rows of pictures without a table: what their folders, or texts beside them, say."""
        captions, pictures = captions_of(archive), archive.pictures()
        kind = Format.CAPTIONS if captions else Format.IMAGEFOLDER
        rows = captioned(archive, captions, options.encoding) if captions else pictures_alone(pictures)
        reading = Reading(kind, options.mapped, twice=options.twice, columns=self.columns)
        return kind, WithClassFolders(rows, reading, pictures, is_category)

    def _pictures_beside(self, table: str) -> list[str]:
        """Return the pictures in the folder of a table, by their paths from there."""
        assert self.archive is not None
        folder = PurePosixPath(table).parent
        pictures = map(PurePosixPath, self.archive.pictures())
        return [str(path.relative_to(folder)) for path in pictures if path.is_relative_to(folder)]

    def _together(
        self, options: ImportOptions, is_category: Callable[[str], bool], watch: Callable[[], None]
    ) -> tuple[Format, Reader]:
        """Return the format and one reader for the rows of several tables."""
        assert self.table is not None
        if self.documents is not None:
            reading = Reading(self.documents, options.mapped, twice=options.twice, columns=self.columns)
            return self.documents, Documents(self.several, reading)
        first, table = self.several[0]
        if is_shard(first):
            readings = [self._reading_of(table, options) for _name, table in self.several]
            opened = [
                (name, partial(_reader, table, reading, watch))
                for (name, table), reading in zip(self.several, readings, strict=True)
            ]
            return readings[0].format, rows_of_shards(opened, self.columns)
        if not _is_metadata(first):
            return Format.DOCCANO, ByAnnotator(
                self.several, Reading(Format.DOCCANO, options.mapped, columns=self.columns)
            )
        readers = []
        for name, table in self.several:
            reading = self._reading_of(table, options)
            rows = WithClassFolders(_reader(table, reading, watch), reading, self._pictures_beside(name), is_category)
            readers.append((str(PurePosixPath(name).parent), rows))
        return Format.IMAGEFOLDER, Folders(readers)

    def _reading_of(self, table: BinaryIO, options: ImportOptions) -> Reading:
        """Return how one of several tables is read."""
        prefix = f"{_digest(table)[:8]}-"
        return Reading(
            detect(table, options.mapped),
            options.mapped,
            id_prefix=prefix,
            keep=self.inline.keep_of(prefix) if self.inline else None,
            twice=options.twice,
            columns=self.columns,
        )


def _reader(table: BinaryIO, reading: Reading, watch: Callable[[], None]) -> Reader:
    """Open a table. A format that must be unpacked is read in a separate process."""
    if reading.format in _UNPACKED or is_packed(table):
        return ReaderProcess(table, reading, watch=watch)
    return open_reader(table, reading)


def unpacked(
    file: BinaryIO,
    stack: ExitStack,
    options: ImportOptions,
    images: Path | None,
    *,
    spacious: bool = False,
    fetches: bool = True,
) -> Bundle:
    """Open the bundle in a file, read from its start; `stack` closes everything that is opened.

    `fetches` says whether pictures named by URL are fetched. `spacious` allows archives ten times as large.
    Raises BadArchive if the archive is refused, and Unreadable if it is empty, or if the table has not the encoding of
    the options.
    """
    bundle = _opened(file, stack, options, images, spacious)
    if options.encoding not in ("", "utf-8") and bundle.table is not None:
        bundle = bundle.in_utf8(options.encoding, stack)
    pixels = settings.UPLOAD_MAX_PIXELS * (10 if spacious else 1)
    return replace(bundle, pictures=WithAddresses(bundle.pictures, fetches=fetches), pixels=pixels)


def _opened(file: BinaryIO, stack: ExitStack, options: ImportOptions, images: Path | None, spacious: bool) -> Bundle:
    limits, size = _archive_limits(spacious), file.seek(0, 2)
    file = unpacked_table(file, limits, stack)
    file.seek(0)
    opening = file.read(4)
    refuse_empty_zip(opening)
    is_zip = opening == ZIP_MAGIC and not is_workbook(file)
    source = _pictures_at(images, stack, limits, options.encoding)
    if not is_zip:
        kind = binary_format(file)
        if kind is None or (images is not None and kind is not Format.WEBDATASET):
            return Bundle(file, source, "", size)
        inline = _inline(stack, limits)
        return Bundle(file, inline, "", size, inline=inline)
    archive = open_archive(file, limits, options.encoding)
    documents = _documents(archive, options)
    if documents is not None:
        format, names = documents
        tables = tuple((name, _unpack(archive, name, stack)) for name in names)
        return Bundle(tables[0][1], PictureArchive(archive), "zip", size, archive, several=tables, documents=format)
    if not options.table and captions_of(archive):
        return Bundle(None, PictureArchive(archive), "zip", size, archive)
    shards = [] if options.table else shards_among(archive.tables(), archive.members)
    if shards:
        tables = tuple((name, _unpack(archive, name, stack)) for name in shards)
        inline = _inline(stack, limits)
        return Bundle(tables[0][1], inline, "zip", size, inline=inline, several=tables)
    several = _several(archive, options)
    if several:
        tables = tuple((name, _unpack(archive, name, stack)) for name in several)
        return Bundle(tables[0][1], PictureArchive(archive), "zip", size, archive, several=tables)
    table = _table_of(archive, options)
    if table is None:
        return Bundle(None, PictureArchive(archive), "zip", size, archive)
    opened = _unpack(archive, table, stack)
    if images is not None:
        return Bundle(opened, source, "zip", size)
    return Bundle(opened, PictureArchive(archive, table), "zip", size, archive, table_name=table)


def _inline(stack: ExitStack, limits: ArchiveLimits) -> InlinePictures:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="inline-"))
    return InlinePictures(Path(folder), settings.PICTURE_MAX_BYTES, limits.total)


def _pictures_at(images: Path | None, stack: ExitStack, limits: ArchiveLimits, encoding: str) -> PictureSource:
    """Return the pictures of a folder or a ZIP beside the table. Raises BadArchive."""
    if images is None:
        return NoPictures()
    if images.is_dir():
        return PictureFolder(images)
    return PictureArchive(open_archive(stack.enter_context(images.open("rb")), limits, encoding), complete=False)


def _transcoded(table: BinaryIO, encoding: str, stack: ExitStack) -> BinaryIO:
    if binary_format(table) is not None:
        return table
    text: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    transcode(table, text, encoding)
    return text


def _unpack(archive: Archive, name: str, stack: ExitStack) -> BinaryIO:
    unpacked: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    for piece in archive.pieces(name):
        unpacked.write(piece)
    return unpacked


def _documents(archive: Archive, options: ImportOptions) -> tuple[Format, list[str]] | None:
    """Return the format of an archive of documents, and those of its files that are read. Returns None for another."""
    if options.table or options.format not in (Format.AUTO, Format.BRAT, Format.INCEPTION):
        return None
    return documents_in(archive.members, lambda name: next(archive.pieces(name), b""))


def _is_metadata(name: str) -> bool:
    """Return whether a member is the table of an ImageFolder."""
    return PurePosixPath(name).name in ("metadata.jsonl", "metadata.csv", "metadata.parquet")


def _several(archive: Archive, options: ImportOptions) -> list[str]:
    """Return the members that together form one table; empty if a single table is read."""
    tables = archive.tables()
    if options.table or len(tables) < 2:
        return []
    folders = sorted(name for name in tables if _is_metadata(name))
    if folders and len(folders) == len(tables):
        return folders
    lines = [name for name in tables if PurePosixPath(name).suffix.lower() in (".jsonl", ".json")]
    is_doccano_requested = options.format is Format.DOCCANO
    if len(lines) == len(tables) and (
        is_doccano_requested or all(_begins_as_doccano(archive, name) for name in tables)
    ):
        return sorted(tables)
    return []


def _begins_as_doccano(archive: Archive, name: str) -> bool:
    head = next(archive.pieces(name), b"").split(b"\n", 1)[0]
    try:
        return is_doccano(strict_json.parse(head.decode("utf-8-sig")))
    except (BadValue, UnicodeDecodeError):
        return False


def _archive_limits(spacious: bool) -> ArchiveLimits:
    times = 10 if spacious else 1
    total = settings.ARCHIVE_MAX_BYTES * times
    return ArchiveLimits(members=settings.ARCHIVE_MAX_MEMBERS * times, total=total, member=total)


def _no_table(archive: Archive | None) -> str:
    """Return the sentence for an archive without a table, which names what it holds instead."""
    if archive is not None and any(name.lower().endswith((".xmi", ".xml")) for name in archive.members):
        return "The archive holds XML (XMI). From INCEpTION, export WebAnno TSV 3 or UIMA CAS JSON; else save a table."
    return "The archive holds no table (.jsonl, .json, .csv, .tsv, .xlsx)."


def _table_of(archive: Archive, options: ImportOptions) -> str | None:
    tables = archive.tables()
    if "mimetype" in archive.members and "content.xml" in archive.members:
        raise BadArchive("opendocument", "The file is an OpenDocument table. Save it as .xlsx or CSV.", 415)
    if options.table:
        if options.table not in archive.members:
            raise BadArchive("no_table", f"There is no {shown(options.table)} in the archive.")
        return options.table
    if len(tables) > 1:
        listed = ", ".join(shown(name) for name in tables[:10])
        reason = f"The archive holds {len(tables)} tables ({listed}). Keep one, or name the one to read."
        raise BadArchive("several_tables", reason)
    if not tables and not archive.pictures():
        raise BadArchive("no_table", _no_table(archive))
    return tables[0] if tables else None


class Clock:
    """A reporter of the reading progress, at most twice a second."""

    def __init__(self, bundle: Bundle, watch: Watch) -> None:
        self.table, self.watch = bundle.table, watch
        self.began = self.last = time.monotonic()
        if self.table is not None:
            position = self.table.tell()
            self.size = self.table.seek(0, 2) or 1
            self.table.seek(position)

    def tick(self, rows: int) -> None:
        now = time.monotonic()
        if now - self.last < _TICK:
            return
        self.last = now
        share = 0.0 if self.table is None else min(1.0, self.table.tell() / self.size)
        self.watch(Progress(rows, share, rows / max(now - self.began, 0.001)))


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(_COPY):
        digest.update(piece)
    return digest.hexdigest()
