"""The interface that each format's writer implements, and the target that it writes to."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from annotation.domain.questions.question import Question
from annotation.domain.questions.released_answers import Kinds
from annotation.domain.releases.splits import Part
from annotation.domain.votes import Category
from annotation.releases.files import ReleasedFile, hashed


class Writer(Protocol):
    """Writer that takes the rows of a release one by one and keeps few of them in memory."""

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        """Write a row; `picture` is the released file of its picture, if the release has it."""

    def close(self) -> list[ReleasedFile]:
        """Finish writing and return the files, which are then synced to disk."""


class Target:
    """Destination of a writer, and what it needs to know about the release."""

    def __init__(
        self,
        folder: Path,
        columns: Sequence[str],
        categories: Sequence[Category],
        questions: Sequence[Question] = (),
        kept: Mapping[str, str] | None = None,
    ) -> None:
        """Take the folder and what rows hold.

        `questions` are the newest versions of the further questions, `kept` the kept columns with their types.
        """
        self.kept = kept or {}
        self.folder, self.columns, self.categories, self.questions = folder, columns, categories, questions
        self.kinds: Kinds = {question.code: question.kind for question in questions}
        self.name_of = {category.code: category.name for category in categories}

    def open(self, path: str) -> Path:
        """Make the folder of a new file and return the file's path."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def twin(self, picture: Path, path: str) -> ReleasedFile:
        """Link a picture under another name; the link takes no further disk space."""
        target = self.open(path)
        os.link(picture, target)
        return ReleasedFile(path, target.stat().st_size, picture.stem)

    def finished(self, path: str) -> ReleasedFile:
        """Sync a file that a library wrote to disk, and hash it."""
        return hashed(self.folder, path)


def part_of(row: Mapping[str, Any]) -> str:
    """Return the part of a row. Rows that are not split count as training data, as readers of data sets expect."""
    return str(row.get("split") or Part.TRAIN.value)
