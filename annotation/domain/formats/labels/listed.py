"""Labels of a row: a list of objects, or its JSON source in a table's cell, with challenges and further answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.domain.choices import Modality
from annotation.domain.columns.labels import LABELS
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, RowChallenge, RowLabel, Twice

OFFERED = "offered"
"""The key under which readers of other programs give answers that count where the project asks such a question."""
_OF_OTHERS = "If the column holds something else, name it as the label column, or say that it is to be kept as it is."
ABSENT = (None, "")
"""What stands in a cell without a value."""


def labels(value: Any, limit: int, twice: Twice = Twice.REFUSE) -> tuple[RowLabel, ...]:
    """Return the labels of a row, from a list or, in a table's cell, from its JSON source. Raises BadValue."""
    read = strict_json.parse(value) if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") else value
    if not isinstance(read, list):
        raise BadValue("bad_labels", f"labels is a list of objects. {_OF_OTHERS}", "labels")
    if len(read) > limit:
        raise BadValue("too_many_labels", f"The row has {len(read):,} labels; at most {limit}.", "labels", limit)
    row_labels = tuple(_placed(place, entry) for place, entry in enumerate(read))
    refuse_doubled_annotators(row_labels, twice)
    return row_labels


def refuse_doubled_annotators(row_labels: Sequence[RowLabel], twice: Twice = Twice.REFUSE) -> None:
    """Raise BadValue if an annotator labels the item twice, unless it is said which label counts."""
    for name, times in Counter(label.annotator for label in row_labels).items():
        if times > 1 and twice is Twice.REFUSE:
            reason = f"The annotator {name[:80]!r} labels this item twice. {WHICH_COUNTS}"
            raise BadValue("duplicate_annotator", reason, "labels")


WHICH_COUNTS = "Say which label counts, the first or the last, or remove the other."


def one_each(row_labels: tuple[RowLabel, ...], twice: Twice) -> tuple[RowLabel, ...]:
    """Return one label of each annotator: the first or the last by their dates, else by their places in the file.

    Raises BadValue if somebody labels twice and nobody said which counts.
    """
    if len(row_labels) < 2 or len({label.annotator for label in row_labels}) == len(row_labels):
        return row_labels
    refuse_doubled_annotators(row_labels, twice)
    counted: dict[str, RowLabel] = {}
    for label in row_labels:
        earlier = counted.get(label.annotator)
        if earlier is None or (twice is Twice.LAST) is _is_later(label, earlier):
            counted[label.annotator] = label
    return tuple(counted.values())


def _is_later(label: RowLabel, earlier: RowLabel) -> bool:
    return label.at is None or earlier.at is None or label.at >= earlier.at


def _placed(place: int, value: Any) -> RowLabel:
    """Read the label at a place of the list; an error names the place."""
    try:
        return label(value)
    except BadValue as fault:
        field = f"labels[{place}].{fault.field}".rstrip(".")
        raise BadValue(fault.code, fault.reason, field, fault.limit) from fault


def label(value: Any) -> RowLabel:
    """Read one annotator's label. Raises BadValue with the name of the label's own field."""
    if not isinstance(value, dict):
        raise BadValue("bad_labels", f"A label is an object with annotator and category. {_OF_OTHERS}")
    values = {key: _LABEL[key](raw, key) for key, raw in value.items() if raw not in ABSENT and key in _LABEL}
    for name in ("category", "replaced_by"):  # the whole set, where the row has it, stands for its first category
        several = values.pop("categories" if name == "category" else f"{name}_categories", None)
        if several is not None:
            values[name] = several
    if value.get("answers") or value.get("answer_versions"):
        values["answers"] = asked_answers(value.get("answers") or {}, value.get("answer_versions"))
    if not values.get("annotator", "").strip():
        raise BadValue("missing_annotator", "A label needs its annotator.", "annotator")
    if isinstance(value.get(OFFERED), dict):
        values[OFFERED] = value[OFFERED]
    read = RowLabel(**values)
    if read.not_sure and read.category is not None:
        raise BadValue("label_shape", "A label is either a category or not sure, never both.")
    if read.category is None and not read.not_sure and not read.low_quality:
        raise BadValue("label_shape", "A label needs a category, not_sure or low_quality.")
    if read.category is not None and read.replaced_by is not None:
        raise BadValue("label_shape", "Only a label without a category can be replaced.")
    return read


def challenges(value: Any, field: str) -> tuple[RowChallenge, ...]:
    """Read the priors that an annotator corrects. Raises BadValue."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > 2:
        raise BadValue("bad_challenges", "challenges is a list of at most one object a modality.", field)
    return tuple(_challenge(entry, field) for entry in value)


def _challenge(value: Any, field: str) -> RowChallenge:
    if not isinstance(value, dict) or value.get("modality") not in tuple(Modality):
        raise BadValue("bad_challenges", "A challenge names its modality: text or image.", field)
    category, hateful = fields.category(value.get("category"), field), fields.flag(value.get("hateful"), field)
    if category is None and hateful is None:
        raise BadValue("bad_challenges", "A challenge gives a category, or hateful.", field)
    return RowChallenge(Modality(value["modality"]), category, hateful)


def asked_answers(answers: Any, versions: Any) -> dict[str, Any]:
    """Return answers by code, each with its version where the file has it. Raises BadValue."""
    if not isinstance(answers, dict) or not isinstance(versions, dict | None):
        raise BadValue(
            "bad_answers", "answers, and answer_versions, are objects by the code of the question.", "answers"
        )
    if versions is None:
        return dict(answers)
    with_version = {code: {"version": number, "value": answers.get(code)} for code, number in versions.items()}
    return {code: value for code, value in answers.items() if code not in versions} | with_version


_BY_NAME: Mapping[str, Callable[[Any, str], Any]] = {
    "at": fields.moment,
    "challenges": challenges,
    "annotator": fields.annotator,
}
_LABEL: Mapping[str, Callable[[Any, str], Any]] = {
    column.name: _BY_NAME.get(column.name) or fields.reader_of(column) for column in LABELS if column.file is not None
}
"""The readers of the parts of a label."""
