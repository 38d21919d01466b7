"""Label Studio: exported tasks (JSON), and its short forms with a row for each annotation (JSON-MIN, CSV).

An annotation is an annotator's label; a prediction is a model's prior. `data` holds the item, under our own names
where it was we who wrote it. Annotations that were cancelled are passed over.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import Table
from annotation.domain.formats.mapping import Shape
from annotation.domain.releases.label_studio_task import CORRECTED, FLAGS, GROUP, LOW_QUALITY, NOT_SURE, NOTE, SIDE

MARKS = frozenset({"annotation_id", "lead_time"})
"""Columns by which the short forms are known."""
_SIDES = {word: "hateful" if side else "not_hateful" for side, word in SIDE.items()}
_OURS = frozenset({FLAGS, *CORRECTED.values(), "replaced_by", "text_label", "image_label"})
_FRAME = MARKS | {"annotator", "created_at", "updated_at", "id"}
_LOCAL = "/data/local-files/?d="


class Tasks:
    """The rows of an export."""

    def __init__(self, stream: BinaryIO, reading: Reading, table: bool = False) -> None:
        """`table`: the CSV form."""
        self.stream, self.reading, self.table = stream, reading, table
        self.ignored: set[str] = set()

    def __iter__(self) -> Iterator[Row | RowError]:
        """Raises Unreadable where nothing further can be read."""
        found = False
        for line, entries in self._grouped():
            found = True
            name = str(entries[0].get("id", ""))[:128]
            try:
                yield self._row(line, entries)
            except BadValue as fault:
                yield fault.at(line, name)
        if not found:
            raise Unreadable(RowError(0, "no_rows", "The file holds no tasks."))

    def _grouped(self) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
        """Entries, those of the short form that follow one another for the same item as one."""
        group: list[Mapping[str, Any]] = []
        first = 0
        for line, entry in self._entries():
            if group and not (_is_short(entry) and _is_short(group[0]) and entry.get("id") == group[0].get("id")):
                yield first, group
                group = []
            if not group:
                first = line
            group.append(entry)
        if group:
            yield first, group

    def _entries(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        if self.table:
            yield from Table(self.stream, self.reading).plain()
            return
        for line, _key, source in strict_json.entries(self.stream, self.reading.limits.entry_chars):
            try:
                value = strict_json.parse(source)
            except BadValue as fault:
                raise Unreadable(fault.at(line)) from fault
            if not isinstance(value, dict):
                raise Unreadable(RowError(line, "not_an_object", "A task is a JSON object."))
            yield line, value

    def _row(self, line: int, entries: Sequence[Mapping[str, Any]]) -> Row:
        first = entries[0]
        if _is_short(first):
            names = {name for each in entries for name in each} - _FRAME
            data = {name: value for name, value in first.items() if name not in _FRAME}
            answered = self._label_name(names)
            for name in (answered, FLAGS, NOTE, *CORRECTED.values(), "replaced_by"):
                data.pop(name, None)
            labels = [_flat_label(each, answered) for each in entries]
        else:
            data = dict(first.get("data", first)) if isinstance(first.get("data", first), dict) else {}
            found = first.get("annotations", first.get("completions")) or ()
            labels = [
                self._annotation(each) for each in _objects(found, "annotations") if not each.get("was_cancelled")
            ]
            data |= _priors(first)
        data.setdefault("id", first.get("id"))
        if isinstance(data.get("image"), str):
            data["image"] = _path(data["image"])
        data["labels"] = [label for label in labels if label is not None]
        shape = Shape(self.reading, frozenset(data) | {"id", "text", "image"})
        self.ignored |= data.keys() - shape.used
        return shape.row(line, data)

    def _label_name(self, names: set[str]) -> str:
        return self.reading.mapped.label or "label"

    def _annotation(self, annotation: Mapping[str, Any]) -> dict[str, Any] | None:
        results = _objects(annotation.get("result") or (), "result")
        label: dict[str, Any] = {"annotator": _annotator(annotation.get("completed_by")), "challenges": []}
        for result in results:
            self._read(result, label)
        if not label.keys() & {"category", "not_sure", "low_quality", "replaced_by"}:
            return None  # looked at, and nothing said
        label["seconds"], label["at"] = annotation.get("lead_time"), annotation.get("created_at")
        return label

    def _read(self, result: Mapping[str, Any], label: dict[str, Any]) -> None:
        name, value = str(result.get("from_name")), result.get("value")
        if not isinstance(value, dict):
            raise BadValue("bad_labels", "A result has no value.", "result")
        wanted = self.reading.mapped.label
        if "choices" in value:
            _set_choices(
                label, "category" if name == wanted or (not wanted and name not in _OURS) else name, value["choices"]
            )
        elif "text" in value and name in (GROUP, NOTE):
            text = value["text"]
            label[name] = "\n".join(map(str, text)) if isinstance(text, list) else text


def _is_short(entry: Mapping[str, Any]) -> bool:
    return "annotation_id" in entry and "data" not in entry


def _objects(value: Any, field: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, Sequence) or not all(isinstance(each, dict) for each in value):
        raise BadValue("bad_labels", f"{field} is a list of objects.", field)
    return list(value)


def _set_choices(label: dict[str, Any], name: str, choices: Any) -> None:
    said = [choices] if isinstance(choices, str) else choices
    if not isinstance(said, list) or not all(isinstance(each, str) for each in said):
        raise BadValue("bad_labels", "choices is a list of words.", "choices")
    if not said:
        return
    if name == FLAGS:
        label["not_sure"] = NOT_SURE in said
        label["low_quality"] = LOW_QUALITY in said
        return
    if len(said) > 1:
        raise BadValue("bad_labels", f"{name} names {len(said)} categories; an item has one.", "choices")
    written = _SIDES.get(said[0], said[0])
    for modality, corrected in CORRECTED.items():
        if name == corrected:
            sides = {"hateful": True, "not_hateful": False}
            side = {"hateful": sides[written]} if written in sides else {"category": written}
            label["challenges"].append({"modality": modality} | side)
            return
    if name in ("category", "replaced_by"):
        label[name] = written


def _flat_label(entry: Mapping[str, Any], answered: str) -> dict[str, Any] | None:
    """The label of one row of a short form."""
    label: dict[str, Any] = {"annotator": _annotator(entry.get("annotator")), "challenges": []}
    for name in (answered, FLAGS, *CORRECTED.values(), "replaced_by"):
        value = entry.get(name)
        if value in (None, ""):
            continue
        if isinstance(value, str) and value.startswith(("{", "[")):
            with suppress(BadValue):
                value = strict_json.parse(value)
        value = value.get("choices") if isinstance(value, dict) else value
        _set_choices(label, "category" if name == answered else name, value)
    if not label.keys() & {"category", "not_sure", "low_quality", "replaced_by"}:
        return None
    label["note"], label["at"] = entry.get(NOTE), entry.get("created_at")
    seconds = entry.get("lead_time")
    with suppress(ValueError):
        seconds = float(seconds) if isinstance(seconds, str) and seconds else seconds or None
    label["seconds"] = seconds
    return label


def _annotator(value: Any) -> str:
    """A name that leads to nobody outside the file: numbers stay, addresses are hashed."""
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise BadValue("missing_annotator", "An annotation needs completed_by.", "completed_by")
    written = str(value)
    if "@" in written:
        written = hashlib.sha256(written.encode()).hexdigest()[:12]
    return fields.short(f"ls-{written}", "completed_by", 128)


def _path(written: str) -> str:
    """A picture's path; Label Studio writes addresses of its own server."""
    return written.removeprefix(_LOCAL).removeprefix("/")


def _priors(task: Mapping[str, Any]) -> dict[str, Any]:
    """The priors that predictions of the names `text_label` and `image_label` give."""
    found: dict[str, Any] = {}
    for prediction in _objects(task.get("predictions") or (), "predictions"):
        for result in _objects(prediction.get("result") or (), "result"):
            name, value = str(result.get("from_name")), result.get("value")
            if not isinstance(value, dict):
                continue
            modality = name.partition("_")[0]
            if name in ("text_label", "image_label") and value.get("choices"):
                written = str(value["choices"][0])
                found |= {name: _SIDES.get(written, written), f"{modality}_model": prediction.get("model_version")}
            elif name in ("text_explanation", "image_explanation") and value.get("text"):
                text = value["text"]
                found[name] = "\n".join(map(str, text)) if isinstance(text, list) else text
    return found


def is_task(record: Any) -> bool:
    """Whether an entry of a JSON array is a task, in the long or the short form."""
    if not isinstance(record, dict):
        return False
    return isinstance(record.get("data"), dict) or record.keys() >= MARKS
