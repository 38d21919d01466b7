"""The folder of a release: writing files with their hashes, and proving later that nothing in it has changed.

`manifest.json` lists every other file with size and SHA-256, and what the files should hold. `SHA256SUMS` lists
the same for `sha256sum -c`, with the manifest itself. Verification needs no database.
"""

import csv
import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from annotation.core.stored_files import StoreAway
from annotation.domain.releases.columns import COLUMNS, FORMAT, gold_codes, label_columns
from annotation.pages.csv_response import CsvBuffer
from annotation.releases.folders import LeadsOut, ReleaseFolder

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
ITEMS = "items.jsonl"
ITEMS_CSV = "items.csv"
LABELS_CSV = "labels.csv"
PLAIN_ITEMS_CSV, PLAIN_LABELS_CSV = "items_plain.csv", "labels_plain.csv"
CARD = "README.md"

_BLOCK = 1 << 20
_ROWS = 200
"""Rows of CSV that are hashed and written at once."""
_PROBLEMS_SHOWN = 100


@dataclass(frozen=True)
class ReleasedFile:
    """A file of a release: path relative to its folder (with /), bytes, SHA-256 in hex."""

    path: str
    size: int
    sha256: str


class Changed(Exception):
    """A file of a release is missing or differs from what its manifest states."""

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path, self.sentence = path, sentence


class HashedFile:
    """A file that is being written: computes its hash, and is synced to disk when it is closed."""

    def __init__(self, folder: Path, path: str) -> None:
        self.path = path
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = target.open("xb", buffering=_BLOCK)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, block: bytes) -> None:
        self._file.write(block)
        self._hash.update(block)
        self.size += len(block)

    def close(self) -> ReleasedFile:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return ReleasedFile(self.path, self.size, self._hash.hexdigest())


class CsvFile:
    """A CSV file that is being written."""

    def __init__(self, folder: Path, path: str, header: list[str], *, is_plain: bool = False) -> None:
        self._out = HashedFile(folder, path)
        self._buffer = CsvBuffer(is_plain=is_plain)
        self._buffer.add(header)
        self._waiting = 0

    def row(self, values: Iterable[Any]) -> None:
        self._buffer.add(values)
        self._waiting += 1
        if self._waiting == _ROWS:
            self._flush()

    def close(self) -> ReleasedFile:
        self._flush()
        return self._out.close()

    def _flush(self) -> None:
        """Hash and write many rows at once."""
        self._out.write(self._buffer.take())
        self._waiting = 0


def write_small(folder: Path, path: str, text: str) -> ReleasedFile:
    """Write a whole text file."""
    out = HashedFile(folder, path)
    out.write(text.encode())
    return out.close()


def hashed(folder: Path, path: str) -> ReleasedFile:
    """Sync a file that is already written to disk, and hash it."""
    with (folder / path).open("rb") as file:
        os.fsync(file.fileno())
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return ReleasedFile(path, file.tell(), digest)


def copy_hashed(source: IO[bytes], folder: Path, path: str) -> ReleasedFile:
    """Copy a file into the folder."""
    out = HashedFile(folder, path)
    while block := source.read(_BLOCK):
        out.write(block)
    return out.close()


def write_manifest(folder: Path, manifest: dict[str, Any], files: list[ReleasedFile]) -> dict[str, Any]:
    """Write the manifest, with its list of files, and SHA256SUMS. Return the whole manifest.

    Nothing may be added to the folder afterwards.
    """
    listed = [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in files]
    full_manifest = manifest | {"files": listed}
    sealed = write_small(folder, MANIFEST, manifest_text(full_manifest))
    write_small(folder, SUMS, "".join(f"{file.sha256}  {file.path}\n" for file in [*files, sealed]))
    sync(folder)
    return full_manifest


def manifest_text(manifest: dict[str, Any]) -> str:
    """Return the manifest as its file holds it: keys sorted, since PostgreSQL does not keep their order in the row."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False, sort_keys=True) + "\n"


def checksum(manifest: dict[str, Any]) -> str:
    """Return the SHA-256 of the manifest's file: one value that identifies the whole release."""
    return hashlib.sha256(manifest_text(manifest).encode()).hexdigest()


def sync(folder: Path) -> None:
    """Sync a folder's directory entries to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ── Verification ──────────────────────────────────────────────────────────────


def open_verified(folder: ReleaseFolder, listed: dict[str, Any]) -> IO[bytes]:
    """Verify a listed file and return it, open at its start.

    Raises Changed if its bytes differ from the manifest.
    """
    path = str(listed["path"])
    try:
        file = folder.open(path)
    except StoreAway:
        raise
    except LeadsOut as fault:
        raise Changed(path, str(fault)) from None
    except OSError:
        raise Changed(path, f"{path}: the file is missing.") from None
    content: Any = file  # the types of `hashlib` know fewer files than it reads
    digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != listed["sha256"]:
        file.close()
        raise Changed(path, f"{path}: the SHA-256 is {digest}, the manifest says {listed['sha256']}.")
    file.seek(0)
    return file


def problems(folder: ReleaseFolder) -> list[str]:
    """Return everything that is wrong with the release in this folder, as messages; empty if it is intact.

    At most a hundred problems are listed, followed by the number of further ones.
    """
    sentences = list(_all_problems(folder))
    more = len(sentences) - _PROBLEMS_SHOWN
    return sentences[:_PROBLEMS_SHOWN] + ([f"… and {more:,} more problems."] if more > 0 else [])


def _all_problems(folder: ReleaseFolder) -> Iterator[str]:
    try:
        manifest = read_manifest(folder)
    except Changed as fault:
        yield fault.sentence
        return
    listed = {file["path"]: file for file in manifest["files"]}
    changed = set()
    for path, file in listed.items():
        try:
            open_verified(folder, file).close()
            if folder.size(path) != file["size"]:
                raise Changed(path, f"{path}: the size differs from the manifest's.")
        except Changed as fault:
            changed.add(path)
            yield fault.sentence
    yield from _strangers(folder, set(listed))
    yield from _sums(folder, listed)
    yield from (f"{path}: the manifest does not list it." for path in (ITEMS, CARD) if path not in listed)
    if ITEMS in listed and ITEMS not in changed:
        yield from _contents(folder, manifest, listed)


def read_manifest(folder: ReleaseFolder) -> dict[str, Any]:
    """Return the manifest of a release.

    Raises Changed if there is none that can be read.
    """
    try:
        manifest = json.loads(_content(folder, MANIFEST))
        files = manifest["files"]
        has_keys = all(isinstance(file[key], kind) for file in files for key, kind in _FILE_KEYS.items())
    except StoreAway:
        raise
    except FileNotFoundError:
        raise Changed(MANIFEST, f"{MANIFEST}: the file is missing; this is no release.") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise Changed(MANIFEST, f"{MANIFEST}: the file cannot be read.") from None
    if manifest.get("format") != FORMAT or not has_keys or not isinstance(manifest.get("counts"), dict):
        raise Changed(MANIFEST, f"{MANIFEST}: this is no manifest of the format {FORMAT}.")
    return dict(manifest)


_FILE_KEYS = {"path": str, "size": int, "sha256": str}


def _content(folder: ReleaseFolder, path: str) -> bytes:
    with folder.open(path) as file:
        return file.read()


def _strangers(folder: ReleaseFolder, listed: set[str]) -> Iterator[str]:
    for path in folder.paths():
        if path not in listed | {MANIFEST, SUMS} or folder.is_link(path):
            yield f"{path}: the file is not part of the release."


def _sums(folder: ReleaseFolder, listed: dict[str, dict[str, Any]]) -> Iterator[str]:
    manifest = hashlib.sha256(_content(folder, MANIFEST)).hexdigest()
    expected = "".join(f"{file['sha256']}  {path}\n" for path, file in listed.items()) + f"{manifest}  {MANIFEST}\n"
    try:
        same = _content(folder, SUMS) == expected.encode()
    except FileNotFoundError:
        same = False
    if not same:
        yield f"{SUMS}: the file is missing or does not agree with {MANIFEST}."


def _contents(folder: ReleaseFolder, manifest: dict[str, Any], listed: dict[str, dict[str, Any]]) -> Iterator[str]:
    counts: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    ids: set[str] = set()
    pictures: set[str] = set()
    columns = tuple(manifest.get("columns", COLUMNS))
    with folder.open(ITEMS) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                counts["items"] += 1
                counts["labels"] += len(row["labels"])
                gold.update(map(str, gold_codes(row)))
                yield from _row_problems(row, number, columns, listed, ids)
                if row["image_sha256_released"] and row["image"]:
                    pictures.add(row["image"])
            except (ValueError, KeyError, TypeError, RecursionError):
                yield f"{ITEMS}, line {number}: this is no row of a release."
    counts["pictures"] = len(pictures)
    for name, stated_count in counts.items():
        if stated_count != manifest["counts"].get(name):
            yield f"{ITEMS}: {stated_count:,} {name}, the manifest says {manifest['counts'].get(name)}."
    if dict(gold) != manifest["counts"].get("gold"):
        yield f"{ITEMS}: the counts of gold categories differ from the manifest's."
    for items, labels in ((ITEMS_CSV, LABELS_CSV), (PLAIN_ITEMS_CSV, PLAIN_LABELS_CSV)):
        yield from _csv_rows(folder, listed, items, counts["items"])
        yield from _csv_rows(folder, listed, labels, counts["labels"])


def _row_problems(
    row: dict[str, Any], number: int, columns: tuple[str, ...], listed: dict[str, Any], ids: set[str]
) -> Iterator[str]:
    where = f"{ITEMS}, line {number}"
    if tuple(row) != columns or any(tuple(label) != label_columns(columns) for label in row["labels"]):
        yield f"{where}: the columns are not those of {FORMAT}."
    if row["id"] in ids:
        yield f"{where}: the id {row['id']!r} occurs twice."
    ids.add(row["id"])
    sha256 = row["image_sha256_released"]
    if sha256 and row["image"] and listed.get(row["image"], {}).get("sha256") != sha256:
        yield f"{where}: the picture {row['image']} is not among the files with this SHA-256."


def _csv_rows(folder: ReleaseFolder, listed: dict[str, Any], path: str, expected: int) -> Iterator[str]:
    if path not in listed:
        return
    csv.field_size_limit(1 << 24)
    try:
        with io.TextIOWrapper(folder.open(path), encoding="utf-8-sig", newline="") as rows:
            counted = sum(1 for _row in csv.reader(rows, strict=True)) - 1
    except FileNotFoundError:
        return  # told already
    except (csv.Error, UnicodeDecodeError):
        yield f"{path}: the table cannot be read."
        return
    if counted != expected:
        yield f"{path}: {counted:,} rows, {ITEMS} has {expected:,}."
