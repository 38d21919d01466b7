"""The labelled examples of a perspective as files that a search can read without a database.

A folder a version of the store holds the texts, their labels and digests, and for each embedding a matrix that is
mapped into memory and shared by all processes. Everything is written beside its place and put there in one move, so a
reader sees a whole file or none; a lock lets one process at a time embed. Vectors of texts that an earlier version of
the store had are taken over and not asked for again. Nothing here touches the database.
"""

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
from typing import IO

import numpy as np
from numpy.typing import NDArray

from moderation.domain.predict.nearest_examples import nearest
from moderation.domain.predict.perspectives import Example, Neighbourhood, digest_of
from providers.messages import Refused
from providers.vendors.embeddings import Embedder, Vectors

Row = tuple[int, str, bool, str]
"""An example's id, text, label (hateful or not) and digest."""

_AT_ONCE = 320
"""Texts between two signs of life: the batches of every vendor fit into it."""
_KEPT = 2
"""Versions of a store that are kept: runs under way may still read the last but one."""


@dataclass(frozen=True)
class ExampleStore:
    """One version of a perspective's examples: its folder, all files but the matrices present."""

    folder: Path

    @property
    def count(self) -> int:
        """How many examples it has."""
        return len(self._rows.ids)

    @property
    def _rows(self) -> "_Rows":
        return _rows(self.folder)

    def has_vectors(self, embedder: Embedder) -> bool:
        """Whether a search can begin at once."""
        return self._matrix(embedder).exists()

    def prepare(self, embedder: Embedder, watch: Callable[[int, int], None] = lambda done, all: None) -> None:
        """Embed what this embedding has not embedded yet; raises what `Embedder.embed` raises.

        `watch` hears how many of how many are done. A text that the vendor's filter stops has no vector and is never
        found.
        """
        target = self._matrix(embedder)
        with _alone(self.folder.parent):
            if target.exists():
                return
            known = self._known(target.name)
            vectors = self._embedded(embedder, known, watch)
            with _beside(target) as file:
                np.save(file, vectors)

    def search(self, embedder: Embedder, text: str, count: int, wanted: Vectors | None = None) -> Neighbourhood:
        """Return the nearest examples to the text, never one with the same normal form (those are counted).

        `wanted`: the text's vector by this embedding, where several stores are searched for one text.
        """
        self.prepare(embedder)
        if not self.count:
            return Neighbourhood()
        rows, same = self._rows, bytes.fromhex(digest_of(text))
        if wanted is None:
            [wanted] = embedder.embed([text])
        vectors = _mapped(self._matrix(embedder))
        found, barred = nearest(vectors, wanted, count, lambda row: bytes(rows.digests[row]) == same)
        return Neighbourhood(nearest=[rows.example(row, near) for row, near in found], same_text=barred)

    def _matrix(self, embedder: Embedder) -> Path:
        return self.folder / f"{hashlib.sha256(embedder.name.encode()).hexdigest()[:16]}.npy"

    def _known(self, matrix: str) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors of another version of this store, by digest."""
        for other in _versions(self.folder.parent):
            if other != self.folder and (other / matrix).exists():
                digests, vectors = _rows(other).digests, _mapped(other / matrix)
                return {bytes(digest): vectors[row] for row, digest in enumerate(digests)}
        return {}

    def _embedded(
        self, embedder: Embedder, known: dict[bytes, NDArray[np.float32]], watch: Callable[[int, int], None]
    ) -> Vectors:
        rows, matrix = self._rows, np.zeros((0, 0), np.float32)
        for start in range(0, self.count, _AT_ONCE):
            part = range(start, min(start + _AT_ONCE, self.count))
            new = [row for row in part if bytes(rows.digests[row]) not in known]
            found = dict(zip(new, _embed(embedder, [rows.text(row) for row in new]), strict=True))
            for row in part:
                vector = found[row] if row in found else known[bytes(rows.digests[row])]
                if vector is None:
                    continue
                if not len(matrix):
                    matrix = np.zeros((self.count, len(vector)), np.float32)
                matrix[row] = vector
            watch(part.stop, self.count)
        return matrix


def store_at(root: Path, perspective: str, version: int) -> ExampleStore | None:
    """Return the store of this version, if its files are laid out."""
    folder = root / perspective / f"v{version}"
    return ExampleStore(folder) if folder.is_dir() else None


def write_store(root: Path, perspective: str, version: int, rows: Iterable[Row]) -> ExampleStore:
    """Write the files of a version; whoever is second finds those of the first. Older versions go but for one."""
    folder = root / perspective / f"v{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _write(made, rows)
        os.rename(made, folder)
    except OSError:
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    for old in _versions(folder.parent)[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return ExampleStore(folder)


def forget_others(root: Path, perspectives: Iterable[str]) -> None:
    """Remove the files of perspectives that are no more."""
    kept = set(perspectives)
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.is_dir() and folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


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
    return np.asarray(vectors)  # a plain array over the same mapping: the subclass is slow in every step


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
    """Return the vectors of these texts; where a filter stops the batch, each by itself and None for what it stops."""
    try:
        return list(embedder.embed(texts))
    except Refused:
        if len(texts) == 1:
            return [None]
        return [vector for text in texts for vector in _embed(embedder, [text])]


def _versions(folder: Path) -> list[Path]:
    """Return the versions of a store, newest first."""
    found = [each for each in folder.iterdir() if each.name[0] == "v" and each.name[1:].isdigit()]
    return sorted(found, key=lambda each: -int(each.name[1:]))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the store's lock, which ends with this process at the latest."""
    with (folder / ".lock").open("ab") as file:
        flock(file, LOCK_EX)
        yield


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """Return a file that takes the target's place once it is written whole."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".new-", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, target)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
