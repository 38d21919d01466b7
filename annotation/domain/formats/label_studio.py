"""Label Studio: exported tasks (JSON), and its short forms with a row for each annotation (JSON-MIN, CSV).

An annotation is an annotator's label; a prediction is a model's prior. `data` holds the item, with our own names if
Interplay wrote it. Cancelled annotations are ignored.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO
from urllib.parse import unquote

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import UNNAMED, BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.csv import Table
from annotation.domain.formats.kept_columns import PREFIX as KEPT
from annotation.domain.formats.labels.listed import OFFERED
from annotation.domain.formats.mapping import NAMES, Shape
from annotation.domain.label_studio.answers import PREFIX, read_result, with_versions
from annotation.domain.label_studio.task import (
    ANNOTATOR,
    CORRECTED,
    FLAGS,
    GROUP,
    ITEM_ID,
    LABEL,
    LOCAL_FILES,
    LOW_QUALITY,
    NOT_SURE,
    NOTE,
    SIDE,
)
from annotation.domain.questions.released_answers import VERSIONS

MARKS = frozenset({"annotation_id", "lead_time"})
"""Columns by which the short forms are recognized."""
_SIDES = {word: "hateful" if side else "not_hateful" for side, word in SIDE.items()}
_PREDICTED = frozenset({"text_label", "image_label", "text_explanation", "image_explanation"})
_OURS = frozenset({FLAGS, *CORRECTED.values(), "replaced_by", "text_label", "image_label"})
_READ_OF_SHORT = ("annotator", "created_at", "lead_time")
_FRAME = MARKS | {*_READ_OF_SHORT, "updated_at", "id"}
_OF_TASKS = frozenset({"id", "data", "annotations", "completions", "predictions", "meta"})
"""What is read of a task."""
_OF_ANNOTATIONS = frozenset({"result", "completed_by", "lead_time", "created_at", "was_cancelled"})
_ANSWERED = (FLAGS, NOTE, GROUP, ANNOTATOR, *CORRECTED.values(), "replaced_by")
"""The columns of the short forms that hold parts of a label of ours."""
_WORDS = {NOTE: "note", GROUP: "target_group", "target_group": "target_group", ANNOTATOR: "annotator"}
"""Text answers → what they are in a label; older releases called the group `target_group`."""


class Tasks:
    """The rows of an export."""

    def __init__(self, stream: BinaryIO, reading: Reading, table: bool = False) -> None:
        """Take the file; `table` says that it has the CSV form."""
        self.stream, self.reading, self.table = stream, reading, table

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors. Raises Unreadable if the rest of the file cannot be read."""
        has_tasks = False
        for line, entry, entries in self._grouped():
            has_tasks = True
            name = str(entries[0].get("id", ""))[:128]
            try:
                yield self._row(line, entry, entries)
            except BadValue as fault:
                yield fault.at(line, name, entry)
        if not has_tasks:
            raise Unreadable(RowError(0, "no_rows", "The file holds no tasks."))

    def _grouped(self) -> Iterator[tuple[int, int, list[Mapping[str, Any]]]]:
        """Yield (line and number of the first entry, entries of one item).

        Consecutive entries of the short form for the same item are one group.
        """
        group: list[Mapping[str, Any]] = []
        first = (0, 0)
        for line, number, entry in self._entries():
            if group and not (_is_short(entry) and _is_short(group[0]) and entry.get("id") == group[0].get("id")):
                yield *first, group
                group = []
            if not group:
                first = (line, number)
            group.append(entry)
        if group:
            yield *first, group

    def _entries(self) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
        if self.table:
            yield from ((line, 0, cells) for line, cells in Table(self.stream, self.reading).plain())
            return
        sources = strict_json.entries(self.stream, self.reading.limits.entry_chars)
        for number, (line, _key, source) in enumerate(sources, start=1):
            try:
                value = strict_json.parse(source)
            except BadValue as fault:
                raise Unreadable(fault.at(line, entry=number)) from fault
            if not isinstance(value, dict):
                raise Unreadable(RowError(line, "not_an_object", "A task is a JSON object.", entry=number))
            yield line, number, value

    def _row(self, line: int, number: int, entries: Sequence[Mapping[str, Any]]) -> Row:
        first = entries[0]
        if _is_short(first):
            names = {name for entry in entries for name in entry} - _FRAME
            answered, entries = self._label_name(names), sorted(entries, key=_annotation_number)
            others = names - {answered, *_ANSWERED, *_answer_names(names)}
            data = self._said_by_all([name for name in [*first, *sorted(names)] if name in others], entries)
            labels = [_flat_label(entry, answered) for entry in entries]
            self._tell_frame(entries, labels)
            data[VERSIONS] = _parsed(data.get(VERSIONS))
        else:
            data = dict(first.get("data", first)) if isinstance(first.get("data", first), dict) else {}
            annotations = first.get("annotations", first.get("completions")) or ()
            every = _objects(annotations, "annotations")
            labels = [
                None if annotation.get("was_cancelled") else self._annotation(annotation, place)
                for place, annotation in enumerate(every, start=1)
            ]
            said = [self._elsewhere(annotation) for annotation in every if not annotation.get("was_cancelled")]
            data = _by_control(said) | _meta(first, data) | data | _priors(first)
            for name in _other_predictions(first):
                self.reading.columns.tell_left_out(f"prediction.{name}")
            self._tell(first, _OF_TASKS if "data" in first else first, "task")
            for annotation in every:
                self._tell(annotation, _OF_ANNOTATIONS, "annotation")
        ours = ITEM_ID in data
        data["id"] = data.pop(ITEM_ID, None) or data.get("id", first.get("id"))
        if isinstance(data.get("image"), str):
            data["image"] = _path(data["image"])
        with_versions(labels, data.pop(VERSIONS, None))
        data["labels"] = [label for label in labels if label is not None]
        shape = Shape(self.reading, frozenset(data) | {"id", "text", "image"}, ours=ours)
        return shape.row(line, data, number)

    def _tell_frame(self, entries: Sequence[Mapping[str, Any]], labels: Sequence[Any]) -> None:
        """Tell what the rows of a short form say of their annotations, and what of it is not read."""
        for entry, label in zip(entries, labels, strict=True):
            self._tell(entry, entry.keys() - _FRAME | {"id"} | (set() if label is None else {*_READ_OF_SHORT}), "")

    def _tell(self, said: Mapping[str, Any], read: Collection[str], of: str) -> None:
        """Tell the values of a task, or of an annotation, that are not read; numbers that only count are none."""
        for name in said:
            if name not in read and said[name] not in (None, "", [], {}, False, 0):
                self.reading.columns.tell_left_out(f"{of}.{name}".lstrip("."))

    def _said_by_all(self, names: Sequence[str], entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return what the rows of one item have in columns: one value, or a list by annotation, which is kept."""
        of_item = {"text", "image", self.reading.mapped.text, self.reading.mapped.image}
        said: dict[str, Any] = {}
        for name in dict.fromkeys(names):
            values = [entry.get(name) for entry in entries]
            if name in of_item or all(value == values[0] for value in values):
                said[name] = values[0]
            else:
                said[f"{KEPT}{name}" if name in NAMES else name] = values
        return said

    def _label_name(self, names: set[str]) -> str:
        return self.reading.mapped.label or "label"

    def _annotation(self, annotation: Mapping[str, Any], place: int) -> dict[str, Any] | None:
        results = _objects(annotation.get("result") or (), "result")
        label: dict[str, Any] = {"challenges": []}
        label_name = self._label_control(results)
        for result in results:
            _read(result, label, label_name)
        if not label.keys() & {"category", "not_sure", "low_quality", "replaced_by"}:
            return None  # the annotator submitted no answer
        label["annotator"] = label.get("annotator") or _annotator(annotation.get("completed_by"), place)
        label[OFFERED] = {name: _places(value) for name, value in self._elsewhere(annotation).items()}
        label["seconds"], label["at"] = annotation.get("lead_time"), annotation.get("created_at")
        return label

    def _label_control(self, results: Sequence[Mapping[str, Any]]) -> str:
        """Return the name of the control whose choices are the category. Raises BadValue where several may be it."""
        named = self.reading.mapped.label
        controls = dict.fromkeys(_name(result) for result in results if _is_choice(result))
        if named or LABEL in controls or len(controls) < 2:
            return named or (LABEL if LABEL in controls else next(iter(controls), ""))
        reason = f"Several controls have choices: {', '.join(controls)}. Name that of the category as the label column."
        raise BadValue("bad_labels", reason, "result")

    def _elsewhere(self, annotation: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an annotation says in controls that are neither label nor answer, by their names."""
        results = _objects(annotation.get("result") or (), "result")
        label_name, said = self._label_control(results), dict[str, list[Any]]()
        for result in results:
            name = _name(result)
            if name not in (label_name, *_OURS, *_WORDS) and not name.startswith(PREFIX):
                said.setdefault(name, []).append(_said(result))
        return {name: _alone(values) for name, values in said.items()}


def _meta(task: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a task says beside its data, under names that mean nothing else here."""
    meta = task.get("meta")
    if not isinstance(meta, dict):
        return {}
    return {f"{KEPT}{name}" if name in NAMES or name in data else name: value for name, value in meta.items()}


def _by_control(said: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return a list by annotation for each control, under a name that is kept and means nothing else here."""
    names = dict.fromkeys(name for one in said for name in one)
    return {f"{KEPT}{name}" if name in NAMES else name: [one.get(name) for one in said] for name in names}


def _name(result: Mapping[str, Any]) -> str:
    """Return the control of a result; a relation has none, and is called so."""
    return str(result.get("from_name") or result.get("type"))


def _is_choice(result: Mapping[str, Any]) -> bool:
    name, value = _name(result), result.get("value")
    return isinstance(value, dict) and "choices" in value and name not in _OURS and not name.startswith(PREFIX)


def _said(result: Mapping[str, Any]) -> Any:
    """Return what a result says: its one value, or all that it consists of."""
    value = result.get("value")
    if not isinstance(value, dict):
        return {name: part for name, part in result.items() if name not in ("id", "type", "from_name", "to_name")}
    return _alone(next(iter(value.values()))) if len(value) == 1 else value


def _places(said: Any) -> Any:
    """Return the places of marked passages; anything else stays as it was said."""
    regions = said if isinstance(said, list) else [said]
    if regions and all(isinstance(region, dict) and {"start", "end"} <= region.keys() for region in regions):
        return [[region["start"], region["end"]] for region in regions]
    return said


def _alone(values: Any) -> Any:
    return values[0] if isinstance(values, list) and len(values) == 1 else values


def _read(result: Mapping[str, Any], label: dict[str, Any], label_name: str) -> None:
    """Put what one result says into the label; controls that are neither label nor answer are left to others."""
    name, value = _name(result), result.get("value")
    if not isinstance(value, dict):
        if result.get("type") == "relation":
            return
        raise BadValue("bad_labels", "A result has no value.", "result")
    if read_result(name, value, label.setdefault("answers", {})):
        return
    if "choices" in value and (name == label_name or name in _OURS):
        _set_choices(label, "category" if name == label_name else name, value["choices"])
    elif "text" in value and name in _WORDS:
        label[_WORDS[name]] = _joined(value["text"])


def _is_short(entry: Mapping[str, Any]) -> bool:
    return "annotation_id" in entry and "data" not in entry


def _objects(value: Any, field: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, Sequence) or not all(isinstance(entry, dict) for entry in value):
        raise BadValue("bad_labels", f"{field} is a list of objects.", field)
    return list(value)


def _chosen(choices: Any) -> list[str]:
    words = [choices] if isinstance(choices, str) else choices
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadValue("bad_labels", "choices is a list of words.", "choices")
    return words


def _set_choices(label: dict[str, Any], name: str, choices: Any) -> None:
    words = _chosen(choices)
    if not words:
        return
    if name == FLAGS:
        label["not_sure"] = NOT_SURE in words
        label["low_quality"] = LOW_QUALITY in words
        return
    chosen = SEPARATOR.join(_SIDES.get(word) or word for word in words)
    for modality, corrected in CORRECTED.items():
        if name == corrected:
            sides = {"hateful": True, "not_hateful": False}
            side = {"hateful": sides[chosen]} if chosen in sides else {"category": chosen}
            label["challenges"].append({"modality": modality} | side)
            return
    if name in ("category", "replaced_by"):
        label[name] = chosen


def _flat_label(entry: Mapping[str, Any], answered: str) -> dict[str, Any] | None:
    """Return the label of one row of a short form. Returns None if the row has no answer."""
    label: dict[str, Any] = {"challenges": []}
    for name in (answered, FLAGS, *CORRECTED.values(), "replaced_by"):
        value = entry.get(name)
        if value in (None, ""):
            continue
        value = _parsed(value)
        value = value.get("choices") if isinstance(value, dict) else value
        _set_choices(label, "category" if name == answered else name, value)
    if not label.keys() & {"category", "not_sure", "low_quality", "replaced_by"}:
        return None
    answer_names = [name for name in _answer_names(entry) if entry[name] not in (None, "")]
    label["answers"] = {name.removeprefix(PREFIX): _flat_answer(entry[name]) for name in answer_names}
    label |= {_WORDS[name]: _words(entry[name]) for name in (NOTE, GROUP, ANNOTATOR) if entry.get(name)}
    label["annotator"] = label.get("annotator") or _annotator(entry.get("annotator"))
    label["at"] = entry.get("created_at")
    seconds = entry.get("lead_time")
    with suppress(ValueError):
        seconds = float(seconds) if isinstance(seconds, str) and seconds else seconds or None
    label["seconds"] = seconds
    return label


def _answer_names(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(PREFIX) and name != VERSIONS]


def _annotation_number(entry: Mapping[str, Any]) -> int:
    """Return the place of a row of a short form among those of its task, whose rows come in any order."""
    number = str(entry.get("annotation_id"))
    return strict_json.whole_number(number) if number.isdecimal() else 0


def _flat_answer(value: Any) -> Any:
    """Return an answer of a short form: a value, an object with it, or a list of marked passages."""
    value = _parsed(value)
    if isinstance(value, dict):
        value = next((value[kind] for kind in ("choices", "rating", "text") if kind in value), None)
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return [part.get("rating") if "rating" in part else [part.get("start"), part.get("end")] for part in value]
    return value


def _parsed(value: Any) -> Any:
    """Return what a cell of a table holds as JSON; other values stay as they are."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        with suppress(BadValue):
            return strict_json.parse(value)
    return value


def _words(value: Any) -> Any:
    """Return the text answer of a short form: words as they are, or an object with a list of paragraphs."""
    parsed = _parsed(value)
    return _joined(parsed["text"]) if isinstance(parsed, dict) and "text" in parsed else value


def _joined(text: Any) -> Any:
    """Return the paragraphs of a text answer as one text."""
    return "\n".join(map(str, text)) if isinstance(text, list) else text


def _annotator(value: Any, place: int = 1) -> str:
    """Return an annotator's name that identifies nobody outside the file: numbers stay, e-mail addresses are hashed.

    Who is not named any more, since the account is gone, is called by the place of the annotation.
    """
    if value is None:
        return f"{UNNAMED.removesuffix('1')}{place}"
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise BadValue("missing_annotator", "An annotation needs completed_by.", "completed_by")
    name = str(value)
    if "@" in name:
        name = hashlib.sha256(name.encode()).hexdigest()[:12]
    return fields.line(f"ls-{name}", "completed_by", 128)


def _path(written: str) -> str:
    """Return a picture's path without the address prefix of a Label Studio server."""
    return unquote(written.removeprefix(LOCAL_FILES)) if written.startswith(LOCAL_FILES) else written.removeprefix("/")


def _priors(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the priors from predictions named `text_label` and `image_label`, as values of a row.

    Its export has numbers in place of predictions unless it is asked for them; these say nothing.
    """
    priors: dict[str, Any] = {}
    predictions = task.get("predictions") or ()
    if isinstance(predictions, list):
        predictions = [prediction for prediction in predictions if not isinstance(prediction, int)]
    for prediction in _objects(predictions, "predictions"):
        for result in _objects(prediction.get("result") or (), "result"):
            name, value = str(result.get("from_name")), result.get("value")
            if not isinstance(value, dict):
                continue
            modality = name.partition("_")[0]
            if name in ("text_label", "image_label") and value.get("choices"):
                choice = _chosen(value["choices"])[0]
                priors |= {name: _SIDES.get(choice, choice), f"{modality}_model": prediction.get("model_version")}
            elif name in ("text_explanation", "image_explanation") and value.get("text"):
                priors[name] = _joined(value["text"])
    return priors


def _other_predictions(task: Mapping[str, Any]) -> list[str]:
    """Return the controls of predictions that are no priors of ours."""
    predictions = task.get("predictions")
    whole = [one for one in predictions if isinstance(one, dict)] if isinstance(predictions, list) else []
    results = (result for prediction in whole for result in _objects(prediction.get("result") or (), "result"))
    return [name for result in results if (name := _name(result)) not in _PREDICTED]


def is_task(record: Any) -> bool:
    """Return whether an entry of a JSON array is a task, in the long or the short form."""
    if not isinstance(record, dict):
        return False
    return isinstance(record.get("data"), dict) or record.keys() >= MARKS
