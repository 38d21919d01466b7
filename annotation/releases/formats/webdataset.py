"""WebDataset: tar shards in which the members of one item share their name up to the first dot."""

import json
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from annotation.releases.files import ReleasedFile
from annotation.releases.formats.base import Target, part_of

SHARD_ITEMS = 1000
SHARD_BYTES = 256 << 20


class WebDataset:
    """`webdataset/train-000000.tar` …: `000042.jpg`, `.txt` (the text), `.json` (the row), `.cls` (the gold code)."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._shards: dict[str, _Shard] = {}
        self._numbers: dict[str, int] = {}
        self._files: list[ReleasedFile] = []
        self._count = 0

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        shard = self._shard(part_of(row))
        key = f"{self._count:06}"
        self._count += 1
        if picture is not None:
            shard.put(f"{key}{picture.suffix}", picture.read_bytes())
        if row["text"] is not None:
            shard.put(f"{key}.txt", row["text"].encode())
        shard.put(f"{key}.json", json.dumps({name: row[name] for name in self._target.columns}).encode())
        if row["gold"] is not None:
            shard.put(f"{key}.cls", str(row["gold"]).encode())
        shard.items += 1

    def _shard(self, part: str) -> "_Shard":
        open_one = self._shards.get(part)
        if open_one is not None and (open_one.items >= SHARD_ITEMS or open_one.size >= SHARD_BYTES):
            self._finish(part)
        if part not in self._shards:
            number = self._numbers.get(part, 0)
            self._numbers[part] = number + 1
            path = f"webdataset/{part}-{number:06}.tar"
            self._shards[part] = _Shard(path, self._target.open(path))
        return self._shards[part]

    def _finish(self, part: str) -> None:
        shard = self._shards.pop(part)
        shard.close()
        self._files.append(self._target.finished(shard.path))

    def close(self) -> list[ReleasedFile]:
        for part in sorted(self._shards):
            self._finish(part)
        return sorted(self._files, key=lambda file: file.path)


class _Shard:
    """One tar file; equal members give equal bytes at any time and on any machine."""

    def __init__(self, path: str, place: Path) -> None:
        self.path, self.items, self.size = path, 0, 0
        self._tar = tarfile.open(place, "x", format=tarfile.PAX_FORMAT)  # noqa: SIM115 (closed by `close`)

    def put(self, name: str, content: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(content), 0o644
        self._tar.addfile(member, BytesIO(content))
        self.size += len(content)

    def close(self) -> None:
        self._tar.close()
