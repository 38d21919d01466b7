"""What a row's columns say of its labels, as the mapping of columns and of values has it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from annotation.domain import category_sets
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import UNNAMED, BadValue, LabelUse, Reading, Row, RowLabel, RowPrior
from annotation.domain.formats.labels.listed import ABSENT, asked_answers

NO_LABEL = "skip"
"""What a value is mapped to that is no label."""
ANSWER = "answer_"
"""The beginning of columns that hold answers of a row's one label to further questions; the rest is the code."""
_VERSION = "_version"


def translated(row: Row, values: Mapping[str, str]) -> Row:
    """Return the row with its categories as the mapping of values says; what it does not name stays as written."""
    if not values:
        return row

    def category(written: str | None) -> str | None:
        mapped = None if written is None else category_sets.mapped(written, values)
        return None if mapped == NO_LABEL else mapped

    def in_prior(prior: RowPrior | None) -> RowPrior | None:
        return None if prior is None else replace(prior, category=values.get(prior.category, prior.category))

    return replace(
        row,
        intended=category(row.intended),
        gold=category(row.gold),
        gold_lead=category(row.gold_lead),
        known_category=category(row.known_category),
        text_prior=in_prior(row.text_prior),
        image_prior=in_prior(row.image_prior),
        labels=tuple(
            replace(label, category=named, replaced_by=category(label.replaced_by))
            for label in row.labels
            if (named := category(label.category)) is not None or label.category is None or label.low_quality
        ),
    )


def with_label(row: Row, value: Any, reading: Reading, annotator: Any = None) -> Row:
    """Return the row with its one label, used as the mapping says.

    The labels `hateful` and `not_hateful` name a side and no category.
    Raises BadValue.
    """
    if isinstance(value, dict):
        name = reading.mapped.label
        reason = f"{name} holds an object. Name a part of it, or {name}.* where its keys are annotators."
        raise BadValue("bad_labels", reason, name)
    written = str(value).lower() if isinstance(value, bool) else fields.category(value, reading.mapped.label)
    if written is None:
        return row
    mapped = category_sets.mapped(written, reading.mapped.values)
    if mapped == NO_LABEL:
        return row
    match reading.mapped.label_is:
        case LabelUse.INTENDED:
            return replace(row, intended=mapped)
        case LabelUse.GOLD:
            return replace(row, gold=mapped, gold_lead=None)
        case LabelUse.SEAT:
            annotator_name = fields.annotator(annotator) or UNNAMED
            return replace(row, labels=(*row.labels, RowLabel(annotator_name, mapped)))


def with_raters(row: Row, get: Callable[[str], Any], reading: Reading) -> Row:
    """Return the row with a label of each annotator whose column has a value. Raises BadValue."""
    seats = replace(reading.mapped, label_is=LabelUse.SEAT)
    for name in reading.mapped.raters:
        row = with_label(row, get(name), replace(reading, mapped=replace(seats, label=name)), name)
    return row


def with_answers(row: Row, values: Mapping[str, Any]) -> Row:
    """Return the row with the answers of its columns `answer_…` given to its one label. Raises BadValue."""
    columns = {
        name.removeprefix(ANSWER): value
        for name, value in values.items()
        if name.startswith(ANSWER) and value not in ABSENT
    }
    if not columns:
        return row
    if not row.labels:
        raise BadValue("answers_without_label", "The row has answers to further questions and no label.", min(columns))
    versions = {code: columns.pop(f"{code}{_VERSION}", None) for code in list(columns) if not code.endswith(_VERSION)}
    skipped = {code.removesuffix(_VERSION): None for code in columns if code.endswith(_VERSION)}
    versions |= {code: columns.pop(f"{code}{_VERSION}") for code in skipped}
    answers = asked_answers(columns | skipped, {code: _version(number) for code, number in versions.items()})
    return replace(row, labels=(*row.labels[:-1], replace(row.labels[-1], answers=answers)))


def _version(value: Any) -> Any:
    return strict_json.whole_number(value) if isinstance(value, str) and value.isdecimal() else value
