"""Exports of labelling programs with one answer a line: Prodigy and Potato."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.domain.formats import fields
from annotation.domain.formats.base import UNNAMED, BadValue, NotCounted, Reading, Row, RowLabel
from annotation.domain.formats.tools.passages import marked, named_by, of_doccano, without_label
from annotation.domain.text_rules import text_digest

PRODIGY_USES = {
    **{"text": "text", "image": "image", "_input_hash": "id", "accept": "labels", "label": "labels"},
    **{"answer": "answer", "_annotator_id": "annotator", "_session_id": "annotator", "_timestamp": "labels"},
    **dict.fromkeys(("options", "config", "tokens", "_task_hash", "_view_id", "_is_binary"), "computed"),
}
POTATO_USES = {
    **{"instance_id": "id", "id": "id", "displayed_text": "text", "text": "text", "user_id": "annotator"},
    "label_annotations": "labels",
}


def is_prodigy(record: Mapping[str, Any]) -> bool:
    """Return whether a line is an answer from Prodigy."""
    return record.get("answer") in ("accept", "reject", "ignore") and bool(record.keys() & {"accept", "label", "spans"})


def is_potato(record: Mapping[str, Any]) -> bool:
    """Return whether a line is an answer from Potato."""
    return isinstance(record.get("label_annotations"), dict) and "user_id" in record


def prodigy(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read one answer. Only an accepted one is a label; the others are counted.

    Who rejects a category names none, unless the mapping of values says what "not CATEGORY" is. Marked passages name
    the category where no choice does.
    """
    text = fields.item_text(record.get("text"))
    picture = fields.picture_path(record.get("image"), "image")
    if not text and not picture:
        raise BadValue("no_content", "The row has neither a text nor a picture.", "text")
    given = record.get("_input_hash")
    name = fields.external_id(given, "_input_hash") if given is not None else text_digest(text)[:16]
    chosen = record.get("accept") if "accept" in record else record.get("label")
    category = fields.category(chosen, "accept")
    row, passages = Row(line, name, text=text, picture=picture), of_doccano(record.get("spans"))
    if record.get("answer") != "accept":
        rejected = "" if record.get("answer") == "ignore" or "accept" in record else category
        if f"not {rejected}" not in reading.mapped.values:
            row.not_counted = {(NotCounted.NOT_THIS if rejected else NotCounted.DISCARDED).value: 1}
            return row
        category, passages = f"not {rejected}", ()
    if passages:
        category = named_by(passages, category, reading)
    row.labels = _label(category, _who(record), _moment(record))
    if passages and row.labels:
        row.labels = (marked(row.labels[0], passages, reading),)
    elif passages:
        row.not_counted = without_label({}, passages)
    return row


def prodigy_use(name: str, record: Mapping[str, Any]) -> str | None:
    """Return what a column is read as. Returns None for others, also for regions of a picture, which are kept."""
    return "answers" if name == "spans" and of_doccano(record[name]) else PRODIGY_USES.get(name)


def potato(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read what one person said of one post. With several schemes the label column names the one that is the label."""
    text = fields.item_text(record.get("displayed_text", record.get("text")), "displayed_text")
    schemes = _schemes(record)
    scheme = _label_scheme(schemes, reading)
    if schemes and not scheme:
        reason = f"There are several schemes: {', '.join(map(str, schemes))}. Name the label column: one of them."
        raise BadValue("bad_labels", reason, "label_annotations")
    answer = schemes.get(scheme)
    category = fields.category(list(answer), scheme) if isinstance(answer, dict) else None
    name = fields.external_id(record.get("instance_id", record.get("id")), "instance_id")
    who = fields.annotator(record.get("user_id"), "user_id") or UNNAMED
    return Row(line, name, text=text, labels=_label(category, who, None))


def other_schemes(record: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Return what was said in schemes that are not the label, under names of their own."""
    schemes = _schemes(record)
    scheme = _label_scheme(schemes, reading)
    return {f"label_annotations.{name}": value for name, value in schemes.items() if name != scheme}


def _schemes(record: Mapping[str, Any]) -> Mapping[str, Any]:
    schemes = record.get("label_annotations")
    return schemes if isinstance(schemes, dict) else {}


def _label_scheme(schemes: Mapping[str, Any], reading: Reading) -> str:
    return reading.mapped.label or (next(iter(schemes)) if len(schemes) == 1 else "")


def _label(category: str | None, annotator: str, at: datetime | None) -> tuple[RowLabel, ...]:
    return () if category is None else (RowLabel(annotator, category, at=at),)


def _who(record: Mapping[str, Any]) -> str:
    given = record.get("_annotator_id") or record.get("_session_id")
    return fields.annotator(given, "_annotator_id") or UNNAMED


def _moment(record: Mapping[str, Any]) -> datetime | None:
    """Return when an answer was given, in seconds since 1970. Returns None if the row does not say it."""
    given = record.get("_timestamp")
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 < given < 2**32:
        return None
    return datetime.fromtimestamp(given, UTC)
