"""The format `coarl` of a release: what a writer of counterspeech is trained on, about the items of the release alone.

The rows are those of `export_training`. They quote the post, so a post whose text the release withholds is in none of
them. Neither is one that is known by its picture's description, where the release has no pictures or not their words.
The parts of a split release are kept.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.releases.columns import SPLIT_COLUMN
from annotation.domain.releases.splits import Part
from annotation.releases.files import HashedFile, ReleasedFile
from annotation.releases.formats.base import Target
from annotation.releases.rows import Rows
from generation.files.training_export import posts_of, training_files
from generation.models import Exchange

FOLDER = "coarl"
_SPLITS = {Part.TRAIN: "train", Part.DEV: "validation", Part.TEST: "test"}


class ReleasedTraining:
    """`coarl/`: the files that `python -m generation.coarl` reads."""

    def __init__(self, target: Target, rows: Rows) -> None:
        self._folder, self._project = target.folder, rows.project
        self._words_in_pictures = rows.selection.picture_texts and rows.selection.texts
        known = Exchange.objects.filter(project=rows.project, item__isnull=False)
        self._key_of: dict[str, int] = dict(known.values_list("item__external_id", "pk"))
        self._chosen: dict[int, str | None] = {}
        self._left_out = 0

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        """Take the post of the item, if it is at the desk and the release shows what it says."""
        key = self._key_of.get(row["id"])
        if key is None:
            return
        if row["text"] or (picture is not None and self._words_in_pictures):
            self._chosen[key] = _SPLITS[Part(row[SPLIT_COLUMN])] if SPLIT_COLUMN in row else None
        else:
            self._left_out += 1

    def close(self) -> list[ReleasedFile]:
        """Write the files. Those of a release without counterspeech have no rows."""
        posts = posts_of(self._project, self._chosen, left_out=self._left_out)
        return [self._written(name, content) for name, content in training_files(posts).items()]

    def _written(self, name: str, content: bytes) -> ReleasedFile:
        out = HashedFile(self._folder, f"{FOLDER}/{name}")
        out.write(content)
        return out.close()
