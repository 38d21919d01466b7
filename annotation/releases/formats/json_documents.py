"""JSON in one piece, written an entry at a time: H-VLI's object, Label Studio's list."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.domain.columns.items import EVIDENCE, INJECTED
from annotation.domain.formats.kept_columns import EXTRA
from annotation.domain.label_studio.task import config, task
from annotation.domain.questions.released_answers import ANSWER_COLUMNS
from annotation.domain.releases.columns import PICTURE_TEXT_COLUMNS, QUESTION_COLUMN
from annotation.releases.files import HashedFile, ReleasedFile, write_small
from annotation.releases.formats.base import Target

HVLI = "hvli.json"
LABEL_STUDIO = "label_studio.json"
LABEL_STUDIO_CONFIG = "label_studio.xml"


class Hvli:
    """`hvli.json`: object id to the record that H-VLI's own evaluator reads, of the posts with a final category.

    That evaluator would count a post without one as answered wrongly.
    """

    def __init__(self, target: Target) -> None:
        self._name_of = target.name_of
        self._out = _Entries(target, HVLI, "{", "}")

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        if row["gold"] is not None:
            self._out.entry(f"{json.dumps(row['id'], ensure_ascii=False)}: ", self._record(row))

    def close(self) -> list[ReleasedFile]:
        return [self._out.close()]

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for name, column in (("final_label", "gold"), ("text_label", "text_label"), ("image_label", "image_label")):
            code = row[column]
            record |= {name: code, f"{name}_str": None if code is None else self._name_of[code]}
        if "categories" in row:
            record["final_labels"] = row["categories"]
        record |= {"tweet_text": row["text"], "image_path": row["image"]}
        record |= {name: row[name] for name in PICTURE_TEXT_COLUMNS if row.get(name) is not None}
        record |= {name: row[name] for name in (EXTRA, EVIDENCE, INJECTED) if row.get(name)}
        if QUESTION_COLUMN in row:
            record |= {QUESTION_COLUMN: row[QUESTION_COLUMN], "labels": [_answers(label) for label in row["labels"]]}
        return record | {"type": row["pattern"], "difficulty": row["difficulty"]}


def _answers(label: Mapping[str, Any]) -> dict[str, Any]:
    return {name: label[name] for name in ("annotator", *ANSWER_COLUMNS)}


class LabelStudio:
    """`label_studio.json`, a list of tasks, and the labelling interface that reads it."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._out = _Entries(target, LABEL_STUDIO, "[", "]")
        self._count = 0

    def add(self, row: Mapping[str, Any], picture: Path | None) -> None:
        self._count += 1
        self._out.entry("", task(self._count, row, self._target.name_of, self._target.kinds))

    def close(self) -> list[ReleasedFile]:
        names = [category.name for category in self._target.categories]
        interface = config(names, self._target.questions, several="categories" in self._target.columns)
        return [self._out.close(), write_small(self._target.folder, LABEL_STUDIO_CONFIG, interface)]


class _Entries:
    def __init__(self, target: Target, path: str, opening: str, closing: str) -> None:
        self._out, self._next, self._closing = HashedFile(target.folder, path), opening, closing

    def entry(self, key: str, value: Mapping[str, Any]) -> None:
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._out.write(f"{self._next}\n{key}{body}".encode())
        self._next = ","

    def close(self) -> ReleasedFile:
        before = "" if self._next == "," else self._next  # nothing was written yet
        self._out.write(f"{before}\n{self._closing}\n".encode())
        return self._out.close()
