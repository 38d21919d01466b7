"""What every format of a release is written by, and the writers that a release asks for."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from annotation.domain.splits import Part
from annotation.domain.votes import Category
from annotation.release_files import ReleasedFile, hashed


class Writer(Protocol):
    """Takes the rows of a release one by one; holds little of them."""

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        """Write a row; `picture` is the released file of its picture, where the release has it."""

    def close(self) -> list[ReleasedFile]:
        """Finish; returns the files, which are on the disk then."""


class Target:
    """Where a writer writes and what it needs to know of the release."""

    def __init__(self, folder: Path, columns: Sequence[str], categories: Sequence[Category]) -> None:
        self.folder, self.columns, self.categories = folder, columns, categories
        self.name_of = {category.code: category.name for category in categories}

    def open(self, path: str) -> Path:
        """The path of a new file, its folder made."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def twin(self, picture: Path, path: str) -> ReleasedFile:
        """The picture once more under another name, taking no room where the disk allows it."""
        target = self.open(path)
        os.link(picture, target)
        return ReleasedFile(path, target.stat().st_size, picture.stem)

    def finished(self, path: str) -> ReleasedFile:
        """A file that some library wrote: on the disk, and hashed."""
        return hashed(self.folder, path)


def part_of(row: Mapping[str, Any]) -> str:
    """The part a row belongs to; what is not split is for training, as readers of data sets take it."""
    return str(row.get("split") or Part.TRAIN.value)
