"""ZIP files from untrusted users: the directory is checked first, then each member is read and its bytes are counted.

Nothing from an archive is ever written to a path; members are read into memory by name (threats B67-B78).
"""

import lzma
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from annotation.domain.formats.encodings import likely_encoding
from annotation.domain.formats.picture_words import FOLDER as WORDS_FOLDER

PICTURE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif"}) | {
    *(".heic", ".heif", ".avif", ".tif", ".tiff", ".bmp")
}
TABLE_ENDINGS = frozenset(
    {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".parquet", ".feather", ".xlsx", ".xlsm"}
)
WORKBOOK_ENDINGS = frozenset({".xlsx", ".xlsm"})
_ARCHIVE_ENDINGS = frozenset({".zip", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz", ".jar"})
_ARCHIVE_MAGIC = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf", b"Rar!")
_IGNORED_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(NotImplementedError, RuntimeError),  # a compression that zipfile does not know; an encrypted member
)
"""What zipfile raises for a member that cannot be read."""
_LOCAL_HEADER = 30
_UTF8_FLAG, _ENCRYPTED_FLAG = 0x800, 0x1


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits: members, total bytes, bytes of one member, and the ratio of a member's size to its packed size."""

    members: int = 10_000
    total: int = 2**30
    member: int = 2**30
    ratio: int = 100
    ratio_from: int = 2**20
    """The size from which `ratio` is checked: a small table of repeated lines may be compressed more."""


class BadArchive(Exception):
    """The archive is refused as a whole: a stable code, a message, the HTTP status, the exceeded limit."""

    def __init__(self, code: str, sentence: str, status: int = 400, limit: int | None = None) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.status, self.limit = code, sentence, status, limit


@dataclass(frozen=True)
class Archive:
    """An archive that passed the checks. `members` by path; `ignored` counts files of operating systems."""

    file: zipfile.ZipFile
    members: Mapping[str, zipfile.ZipInfo]
    ignored: int

    def read(self, name: str, limit: int) -> bytes:
        """Return the member's bytes.

        Raises BadArchive: `member_too_large` beyond `limit`, `bad_archive`, `size_lies`.
        """
        info = self.members[name]
        if info.file_size > limit:
            raise BadArchive("member_too_large", f"{shown(name)} is larger than {limit:,} bytes.", 413, limit)
        return b"".join(self.pieces(name))

    def pieces(self, name: str, size: int = 65_536) -> Iterator[bytes]:
        """Yield the member's bytes in pieces.

        Raises BadArchive if the member is damaged or its size differs from the directory's.
        """
        info, bytes_read = self.members[name], 0
        try:
            with self.file.open(info) as stream:
                while piece := stream.read(size):
                    bytes_read += len(piece)
                    yield piece
        except _DAMAGED as fault:
            raise BadArchive("bad_archive", f"{shown(name)} in the archive is damaged.") from fault
        if bytes_read != info.file_size:
            reason = f"{shown(name)} holds {bytes_read:,} bytes, but the archive says {info.file_size:,}."
            raise BadArchive("size_lies", reason)

    def tables(self) -> list[str]:
        """Return the members that may be the table, by their ending, nearest to the root first."""
        endings = (name for name in self.members if PurePosixPath(name).suffix.lower() in TABLE_ENDINGS)
        names = [name for name in endings if PurePosixPath(name).parent.name != WORDS_FOLDER]
        return sorted(names, key=lambda name: (name.count("/"), name))

    def pictures(self) -> list[str]:
        return [name for name in self.members if PurePosixPath(name).suffix.lower() in PICTURE_ENDINGS]


def open_archive(stream: BinaryIO, limits: ArchiveLimits, encoding: str = "") -> Archive:
    """Check the directory of a ZIP and open it; only the first bytes of members are unpacked.

    `encoding` is that of member names which are not marked as UTF-8; without it the names themselves decide.
    Raises BadArchive.
    """
    try:
        file = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as fault:
        raise BadArchive("bad_archive", "The file is not a whole ZIP archive; was it cut off?") from fault
    infos = file.infolist()
    if len(infos) > limits.members:
        reason = f"The archive has {len(infos):,} members; at most {limits.members:,}."
        raise BadArchive("too_many_members", reason, limit=limits.members)
    _check_places(file, infos)
    members: dict[str, zipfile.ZipInfo] = {}
    ignored = 0
    encoding = encoding or _encoding_of_names(infos)
    for info in infos:
        name = _checked_name(info, encoding)
        if info.is_dir() or name.endswith("/"):
            continue
        if _is_litter(name):
            ignored += 1
            continue
        if name in members:
            raise BadArchive("duplicate_member", f"{shown(name)} stands twice in the archive.")
        members[name] = info
    _check_sizes(members, limits)
    _check_doubles(members)
    for name, info in members.items():
        _check_no_archive(file, name, info)
    return Archive(file, members, ignored)


def shown(name: str) -> str:
    """Return a member's name for a message: quoted, at most 120 characters; letters of every script as written.

    What cannot be seen or would change the direction of the line is escaped.
    """
    return f"'{''.join(map(_readable, name[:120]))}'"


def _readable(character: str) -> str:
    return character if character.isprintable() and character not in "'\\" else ascii(character)[1:-1]


def _checked_name(info: zipfile.ZipInfo, encoding: str) -> str:
    raw = info.orig_filename
    if not info.flag_bits & _UTF8_FLAG:
        raw = _decoded(raw, encoding)
    raw = raw.replace("\\", "/")  # as old programs of Windows write folders
    unsafe = raw.startswith("/") or ":" in raw.split("/")[0] or ".." in raw.split("/")
    if unsafe or not raw or any(ord(char) < 32 or ord(char) == 127 for char in raw) or len(raw) > 512:
        raise BadArchive("unsafe_member", f"The member name {shown(raw)} leads out of the archive or is no file name.")
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadArchive("unsafe_member", f"{shown(raw)} is a link or a device, not a file.")
    if info.flag_bits & _ENCRYPTED_FLAG:
        raise BadArchive("encrypted", f"{shown(raw)} is encrypted. Pack the archive without a password.")
    return raw.removeprefix("./")


def _decoded(name: str, encoding: str) -> str:
    """Decode a name without the UTF-8 flag: as UTF-8 if possible, else in the encoding, else as cp437."""
    for tried in ("utf-8", encoding or "utf-8"):
        with suppress(UnicodeError):
            return name.encode("cp437").decode(tried)
    return name


def _encoding_of_names(infos: list[zipfile.ZipInfo]) -> str:
    """Return the encoding that all names without the UTF-8 flag most likely have; empty if none fits well.

    Windows packs names in the encoding of its country, for example CP949 in Korea.
    """
    raw = b""
    for info in infos:
        with suppress(UnicodeError):
            name = info.orig_filename.encode("cp437")
            if not info.flag_bits & _UTF8_FLAG and not name.isascii():
                raw += name + b"\n"
    return likely_encoding(raw) or "" if raw else ""


def _is_litter(name: str) -> bool:
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name in _IGNORED_NAMES or path.name.startswith("._")


def _check_places(file: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> None:
    """Raise BadArchive if two members share bytes or one reaches into the directory."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    ends = [info.header_offset for info in ordered[1:]] + [file.start_dir]
    for info, end in zip(ordered, ends, strict=True):
        if info.header_offset + _LOCAL_HEADER + info.compress_size > end:
            raise BadArchive("overlapping_members", "Members of the archive overlap; pack it anew.")


def _check_sizes(members: Mapping[str, zipfile.ZipInfo], limits: ArchiveLimits) -> None:
    total = 0
    for name, info in members.items():
        total += info.file_size
        dense = info.file_size > limits.ratio * max(info.compress_size, 1)
        if info.file_size >= limits.ratio_from and dense:
            reason = f"{shown(name)} unpacks to more than {limits.ratio} times its packed size."
            raise BadArchive("ratio", reason, limit=limits.ratio)
        if info.file_size > limits.member:
            reason = f"{shown(name)} has {info.file_size:,} bytes; at most {limits.member:,}."
            raise BadArchive("member_too_large", reason, 413, limits.member)
    if total > limits.total:
        reason = f"The archive unpacks to {total:,} bytes; at most {limits.total:,}."
        raise BadArchive("too_large", reason, 413, limits.total)


def _check_doubles(members: Mapping[str, zipfile.ZipInfo]) -> None:
    names_by_plain: dict[str, str] = {}
    for name in members:
        plain = unicodedata.normalize("NFC", name).casefold()
        if plain in names_by_plain:
            raise BadArchive("duplicate_member", f"{shown(names_by_plain[plain])} and {shown(name)} are the same name.")
        names_by_plain[plain] = name


def _check_no_archive(file: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> None:
    ending = PurePosixPath(name).suffix.lower()
    is_archive = ending in _ARCHIVE_ENDINGS
    if not is_archive and ending not in PICTURE_ENDINGS | WORKBOOK_ENDINGS:
        try:
            with file.open(info) as stream:
                is_archive = stream.read(8).startswith(_ARCHIVE_MAGIC)
        except _DAMAGED as fault:
            raise BadArchive("bad_archive", f"{shown(name)} in the archive is damaged.") from fault
    if is_archive:
        raise BadArchive("nested_archive", f"{shown(name)} is an archive inside the archive; unpack it first.")
