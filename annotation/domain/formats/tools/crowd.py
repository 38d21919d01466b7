"""Result tables of crowd platforms, with a row for each assignment: Amazon Mechanical Turk and Prolific.

Only work that its requester has not refused counts. The others' rows say in the report why they do not.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, Format, LabelUse, Mapped, NotCounted, Reading, Row
from annotation.domain.formats.columns import COMPUTED
from annotation.domain.formats.labels.of_row import NO_LABEL
from annotation.domain.formats.mapping import Shape, id_of_content
from annotation.domain.sources.text_names import is_text_name

_INPUT, _ANSWER, _TASK = "Input.", "Answer.", "Answer.taskAnswers"
_MTURK = frozenset({"WorkerId", "AssignmentStatus"})
_PROLIFIC = frozenset({"prolific_pid", "prolificpid", "prolific id", "prolific_id", "prolificid"})
_EXPORT = frozenset({"submission id", "participant id"})
"""Columns by which files of the two are recognized."""
_REFUSED = frozenset({"rejected"})
_UNFINISHED = frozenset({"returned", "timed-out", "timed out", "active", "screened out", "reserved"})
"""What platforms write about work that does not count."""
_ABOUT_WORK = (
    *("HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments"),
    *("RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration"),
    *("NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "AcceptTime", "AutoApprovalTime", "ApprovalTime"),
    *("RejectionTime", "RequesterFeedback", "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate"),
    *("Approve", "Reject", "AssignmentStatus", "WorkTimeInSeconds", "SubmitTime"),
)
"""Columns of Mechanical Turk about its own work, which say nothing of the post; two of them time the label."""
_ZONES = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7}


def platform_of(names: Collection[str]) -> Format | None:
    """Return whose results a table of these columns holds. Returns None if it is nobody's."""
    small = {name.strip().lower() for name in names}
    if set(names) >= _MTURK:
        return Format.MTURK
    return Format.PROLIFIC if small & _PROLIFIC or small >= _EXPORT else None


@dataclass(frozen=True)
class _Answers:
    """The column of the label, or the columns of a value each that say which was chosen."""

    label: str = ""
    chosen: Mapping[str, str] | None = None


class Assignments(Shape):
    """A reader of the named values of one assignment as a `Row` with at most one label."""

    def __init__(self, reading: Reading, columns: frozenset[str]) -> None:
        self._status = _first(columns, "assignmentstatus", "status", "submission status", "submission_status")
        super().__init__(replace(reading, mapped=self._mapped(reading.mapped, columns)), columns)

    def _mapped(self, mapped: Mapped, columns: frozenset[str]) -> Mapped:
        use = LabelUse.SEAT if mapped.label_is is LabelUse.INTENDED else mapped.label_is
        worker = mapped.annotator or _first(columns, *_PROLIFIC, "participant id")
        label = mapped.label or ("" if mapped.names_labels else _first(columns, "label"))
        return replace(mapped, label_is=use, annotator=worker, label=label)

    def _made_id(self, number: int, value: Any) -> str:
        return "made of the text"

    def row(self, line: int, values: Mapping[str, Any], entry: int = 0) -> Row:
        reason = self._not_counted(values)
        if reason:
            values = {**values, **dict.fromkeys((self.label, *self.category_columns, *self.raters), "")}
        row = super().row(line, values, entry)
        if not self.id:
            row.external_id = id_of_content(row.text, row.picture)
        if reason:
            row.labels, row.not_counted = (), {reason.value: 1}
        return row

    def _not_counted(self, values: Mapping[str, Any]) -> NotCounted | None:
        status = str(values.get(self._status) or "").strip().lower()
        if status in _REFUSED:
            return NotCounted.REJECTED
        return NotCounted.UNFINISHED if status in _UNFINISHED else None


class Turk(Assignments):
    """A row of a batch of Mechanical Turk: `Input.…` is the post, `Answer.…` what one worker said."""

    def _mapped(self, mapped: Mapped, columns: frozenset[str]) -> Mapped:
        """Return the columns of the post and of the label, where nobody named them."""
        inputs = sorted(name for name in columns if name.startswith(_INPUT))
        named = [name for name in inputs if is_text_name(name.removeprefix(_INPUT))]
        only = next((names[0] for names in (named, inputs) if len(names) == 1), f"{_INPUT}text")
        text = mapped.text or _first(columns, "input.text") or only
        self._wanted = mapped.label
        given = mapped.category_columns or mapped.raters
        answers = _Answers() if given else _answers(columns, mapped.label)
        return replace(
            super()._mapped(mapped, columns),
            text=text,
            image=mapped.image or _first(columns, "input.image", "input.image_url"),
            id=mapped.id or _first(columns, "input.id", "id", "hitid"),
            annotator=mapped.annotator or "WorkerId",
            label="" if answers.chosen else answers.label,
            category_columns=answers.chosen or mapped.category_columns,
            none_is=mapped.none_is or (NO_LABEL if answers.chosen else ""),
        )

    def _use_of(self, name: str) -> str:
        used = name in (self.text, self.image, self.id, self.annotator, self.label)
        return COMPUTED if name in _ABOUT_WORK and not used else super()._use_of(name)

    def row(self, line: int, values: Mapping[str, Any], entry: int = 0) -> Row:
        if _TASK in values:
            values = _with_task_answers(values)
            self.label = _answers(values, self._wanted).label
        row = super().row(line, values, entry)
        said = {name: value for name, value in values.items() if name.startswith(_ANSWER) and name != self.label}
        offered = {_control(name): value for name, value in said.items() if value not in (None, "")}
        seconds, at = _seconds(values.get("WorkTimeInSeconds")), _moment(values.get("SubmitTime"))
        row.labels = tuple(replace(label, offered=offered, seconds=seconds, at=at) for label in row.labels)
        return row

    def _not_counted(self, values: Mapping[str, Any]) -> NotCounted | None:
        """Return why a row does not count: it is rejected, or its requester marked it for that in the table."""
        marked = str(values.get("Reject") or "").strip()
        return NotCounted.REJECTED if marked else super()._not_counted(values)


def _first(columns: Collection[str], *names: str) -> str:
    """Return the column of the first of these names that there is, in any case; "" for none."""
    by_name = {column.strip().lower(): column for column in columns}
    return next((by_name[name] for name in names if name in by_name), "")


def _control(name: str) -> str:
    """Return the control that a column of answers belongs to: `Answer.hate`, `Answer.hate.label` or `.Racist`."""
    return name.removeprefix(_ANSWER).split(".")[0]


def _answers(names: Collection[str], wanted: str) -> _Answers:
    """Return where the label stands. Raises BadValue where several controls may be it."""
    controls: dict[str, list[str]] = {}
    for name in sorted(names):
        if name.startswith(_ANSWER) and name != _TASK:
            controls.setdefault(_control(name), []).append(name)
    if wanted in names:
        return _Answers(wanted)
    named = _control(wanted) if wanted else "label" if "label" in controls else ""
    if not controls and not wanted:
        return _Answers()
    if named not in controls and (wanted or len(controls) > 1):
        reason = f"There are several answers: {', '.join(controls)}. Name the label column: one of them."
        raise BadValue("bad_labels", reason, "label")
    columns = controls.get(named) or next(iter(controls.values()))
    if len(columns) == 1:
        return _Answers(columns[0])
    return _Answers(chosen={name: name.removeprefix(f"{_ANSWER}{_control(name)}.") for name in columns})


def _with_task_answers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with a column for each control of the JSON in which newer forms send their answers."""
    task = values[_TASK]
    given = strict_json.parse(task) if isinstance(task, str) and task else task or [{}]
    said = given[0] if isinstance(given, list) and given else given
    if not isinstance(said, dict):
        raise BadValue("bad_labels", f"{_TASK} is a list of one object.", _TASK)
    answers = {f"{_ANSWER}{control}": _chosen(value) for control, value in said.items()}
    return {name: value for name, value in values.items() if name != _TASK} | answers


def _chosen(value: Any) -> Any:
    """Return what was chosen: a value, the label of a control that has options, or the options that are true."""
    if not isinstance(value, dict):
        return value
    if "label" in value or "labels" in value:
        return value.get("label", value.get("labels"))
    return SEPARATOR.join(str(option) for option, is_chosen in value.items() if is_chosen is True)


def _seconds(value: Any) -> float | None:
    with suppress(ValueError, BadValue):
        return fields.seconds(float(value), "WorkTimeInSeconds") if value not in (None, "") else None
    return None


def _moment(value: Any) -> datetime | None:
    """Return a time as Mechanical Turk writes it: Thu Oct 09 07:30:20 PDT 2025. Returns None for another."""
    parts = str(value or "").split()
    if len(parts) != 6 or parts[4] not in _ZONES:
        return None
    with suppress(ValueError):
        read = datetime.strptime(" ".join([*parts[:4], parts[5]]), "%a %b %d %H:%M:%S %Y")
        return read.replace(tzinfo=timezone(timedelta(hours=_ZONES[parts[4]])))
    return None
