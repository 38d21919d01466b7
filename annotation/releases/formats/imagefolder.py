"""ImageFolder: the pictures of each part in a folder of its own, together with the table of their rows.

The table is Parquet: in JSON lines a column that is null throughout one part would have another type there, and
`datasets` refuses parts whose columns differ. A row without a picture has no `file_name`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.releases.column_types import Typed, types_of
from annotation.releases.files import ReleasedFile
from annotation.releases.formats.base import Target, part_of
from annotation.releases.formats.parquet import ParquetFile


class ImageFolder:
    """`imagefolder/train/metadata.parquet` with `000000.jpg` … beside it, and the same for each other part."""

    def __init__(self, target: Target) -> None:
        self._target = target
        names = ("file_name", *("image_path" if name == "image" else name for name in target.columns))
        self._typed = Typed(types_of(names, target.kinds, target.kept), target.categories)
        self._tables: dict[str, ParquetFile] = {}
        self._files: list[ReleasedFile] = []
        self._count = 0

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        part = part_of(row)
        if part not in self._tables:
            self._tables[part] = ParquetFile(self._target, f"imagefolder/{part}/metadata.parquet", self._typed)
        name = f"{self._count:06}{picture.suffix}" if picture else None
        if picture is not None:
            self._files.append(self._target.twin(picture, f"imagefolder/{part}/{name}"))
        self._tables[part].add(self._typed.values({**row, "file_name": name, "image_path": row["image"]}))
        self._count += 1

    def close(self) -> list[ReleasedFile]:
        return [*self._files, *(self._tables[part].close() for part in sorted(self._tables))]
