"""The labelled examples of a perspective as files that a search reads without a database.

Each version of the store has a folder with texts, labels and digests, and for each embedding a matrix that all
processes map into memory. Files are written under another name and then renamed, so readers see complete files only; a
lock lets only one process embed at a time. Vectors of texts that an earlier version had are copied, not computed again.
Where several machines serve the site, each has these files, and a matrix that one has computed goes into the bucket for
the others. Nothing here uses the database.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from django.core.files import File
from django.core.files.storage import default_storage

from annotation.core.stored_files import is_bucket, remove_below
from moderation.domain.predict.nearest_examples import nearest
from moderation.domain.predict.perspectives import Example, Neighbourhood, digest_of
from providers.messages import Refused
from providers.vendors.embeddings import Embedder, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[int, str, bool, str]
"""An example's id, text, label (hateful or not) and digest."""

_AT_ONCE = 320
"""The number of texts between two progress reports; no vendor's batch is larger."""
_KEPT = 2
"""The number of versions that are kept; open runs may still read the one before the newest."""


@dataclass(frozen=True)
class ExampleStore:
    """One version of a perspective's examples: its folder, in which only the matrices may be missing."""

    folder: Path

    @property
    def count(self) -> int:
        """The number of its examples."""
        return len(self._rows.ids)

    @property
    def _rows(self) -> _Rows:
        return _rows(self.folder)

    def has_vectors(self, embedder: Embedder) -> bool:
        """Return whether a search can start without embedding first."""
        return self._matrix(embedder).exists()

    def prepare(self, embedder: Embedder, watch: Callable[[int, int], None] = lambda done, all: None) -> None:
        """Embed the texts that have no vector by this embedder yet.

        `watch` is called with the number of texts done and of all texts. A text that the vendor's filter refuses has no
        vector and is never found.

        Raises what `Embedder.embed` raises.
        """
        target = self._matrix(embedder)
        with _alone(self.folder.parent):
            if target.exists():
                return
            if is_bucket() and self._fetch(target):
                return
            known = self._known(target.name)
            vectors = self._embedded(embedder, known, watch)
            with _beside(target) as file:
                np.save(file, vectors)
            if is_bucket():
                with target.open("rb") as matrix:
                    default_storage.save(self._shared_name(target), File(matrix))

    def search(self, embedder: Embedder, text: str, count: int, vector: Vectors | None = None) -> Neighbourhood:
        """Return the nearest examples to the text, without those of the same normal form (those are counted).

        `vector` is the text's vector by this embedder, if several stores are searched for the same text.
        """
        self.prepare(embedder)
        if not self.count:
            return Neighbourhood()
        rows, same = self._rows, bytes.fromhex(digest_of(text))
        if vector is None:
            [vector] = embedder.embed([text])
        vectors = _mapped(self._matrix(embedder))
        neighbours, barred = nearest(vectors, vector, count, lambda row: bytes(rows.digests[row]) == same)
        return Neighbourhood(nearest=[rows.example(row, near) for row, near in neighbours], same_text=barred)

    def _matrix(self, embedder: Embedder) -> Path:
        return self.folder / f"{hashlib.sha256(embedder.name.encode()).hexdigest()[:16]}.npy"

    def _fetch(self, target: Path) -> bool:
        """Take the matrix that another machine has computed. Return False if there is none yet."""
        try:
            with default_storage.open(self._shared_name(target), "rb") as shared, _beside(target) as file:
                shutil.copyfileobj(shared, file)
        except FileNotFoundError:
            return False
        return True

    def _shared_name(self, target: Path) -> str:
        """Return the name of a matrix in the bucket; the digests of the texts are a part of it, so it fits the rows."""
        digests = hashlib.sha256((self.folder / "digests").read_bytes()).hexdigest()[:16]
        return f"{_shared_folder(self.folder.parent.name)}/{self.folder.name}/{digests}-{target.name}"

    def _known(self, matrix: str) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors of another version of this store, by digest."""
        for version in _versions(self.folder.parent):
            if version != self.folder and (version / matrix).exists():
                digests, vectors = _rows(version).digests, _mapped(version / matrix)
                return {bytes(digest): vectors[row] for row, digest in enumerate(digests)}
        return {}

    def _embedded(
        self, embedder: Embedder, known: dict[bytes, NDArray[np.float32]], watch: Callable[[int, int], None]
    ) -> Vectors:
        rows, matrix = self._rows, np.zeros((0, 0), np.float32)
        for start in range(0, self.count, _AT_ONCE):
            part = range(start, min(start + _AT_ONCE, self.count))
            new = [row for row in part if bytes(rows.digests[row]) not in known]
            embedded = dict(zip(new, _embed(embedder, [rows.text(row) for row in new]), strict=True))
            for row in part:
                vector = embedded[row] if row in embedded else known[bytes(rows.digests[row])]
                if vector is None:
                    continue
                if not len(matrix):
                    matrix = np.zeros((self.count, len(vector)), np.float32)
                matrix[row] = vector
            watch(part.stop, self.count)
        return matrix


def store_at(root: Path, perspective: str, version: int) -> ExampleStore | None:
    """Return the store of this version.

    Returns None if its files do not exist.
    """
    folder = root / perspective / f"v{version}"
    return ExampleStore(folder) if folder.is_dir() else None


def write_store(root: Path, perspective: str, version: int, rows: Iterable[Row]) -> ExampleStore:
    """Write the files of a version and remove all but the two newest versions.

    If another process has written the version already, return that one.
    """
    folder = root / perspective / f"v{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _write(unfinished, rows)
        os.rename(unfinished, folder)
    except OSError:
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    for old in _versions(folder.parent)[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
        if is_bucket():
            remove_below(f"{_shared_folder(perspective)}/{old.name}")
    return ExampleStore(folder)


def forget_others(root: Path, perspectives: Iterable[str]) -> None:
    """Remove the files of perspectives that no longer exist."""
    existing = set(perspectives)
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.is_dir() and folder.name not in existing:
            shutil.rmtree(folder, ignore_errors=True)
            if is_bucket():
                remove_below(_shared_folder(folder.name))


def _shared_folder(perspective: str) -> str:
    return f"vectors/{perspective}"


# ── Files ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Rows:
    """The columns of a store; the texts stay in their file."""

    ids: NDArray[np.int64]
    labels: NDArray[np.bool_]
    digests: NDArray[np.void]
    places: NDArray[np.int64]
    texts: NDArray[np.uint8]

    def text(self, row: int) -> str:
        return bytes(self.texts[self.places[row] : self.places[row + 1]]).decode("utf-8", "surrogatepass")

    def example(self, row: int, near: float) -> Example:
        return Example(
            id=int(self.ids[row]), text=self.text(row), hateful=bool(self.labels[row]), similarity=round(near, 4)
        )


def _write(folder: Path, rows: Iterable[Row]) -> None:
    ids, labels, digests, places = [], [], bytearray(), [0]
    with (folder / "texts").open("wb") as file:
        for id, text, hateful, digest in rows:
            ids.append(id)
            labels.append(hateful)
            digests += bytes.fromhex(digest)
            places.append(places[-1] + file.write(text.encode("utf-8", "surrogatepass")))
    np.save(folder / "ids.npy", np.array(ids, np.int64))
    np.save(folder / "labels.npy", np.array(labels, np.bool_))
    np.save(folder / "places.npy", np.array(places, np.int64))
    (folder / "digests").write_bytes(digests)
    (folder / "made.json").write_text(json.dumps({"examples": len(ids)}))


@lru_cache(maxsize=32)
def _rows(folder: Path) -> _Rows:
    digests = (folder / "digests").read_bytes()
    size = (folder / "texts").stat().st_size
    return _Rows(
        np.load(folder / "ids.npy", mmap_mode="r"),
        np.load(folder / "labels.npy", mmap_mode="r"),
        np.frombuffer(digests, "V16"),
        np.load(folder / "places.npy", mmap_mode="r"),
        np.memmap(folder / "texts", np.uint8, "r") if size else np.zeros(0, np.uint8),
    )


@lru_cache(maxsize=32)
def _mapped(matrix: Path) -> Vectors:
    vectors: Vectors = np.load(matrix, mmap_mode="r")
    return np.asarray(vectors)  # a plain array over the same mapping; np.memmap makes every step slow


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
    """Return the vectors of these texts; None for a refused one. If a filter refuses the batch, embed each alone."""
    try:
        return list(embedder.embed(texts))
    except Refused:
        if len(texts) == 1:
            return [None]
        return [vector for text in texts for vector in _embed(embedder, [text])]


def _versions(folder: Path) -> list[Path]:
    """Return the versions of a store, newest first."""
    folders = [
        folder_of_version
        for folder_of_version in folder.iterdir()
        if folder_of_version.name[0] == "v" and folder_of_version.name[1:].isdigit()
    ]
    return sorted(folders, key=lambda version: -int(version.name[1:]))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the store's lock; the system releases it when this process ends."""
    with (folder / ".lock").open("ab") as file:
        flock(file, LOCK_EX)
        yield


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file that replaces the target after it is completely written."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".new-", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, target)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
