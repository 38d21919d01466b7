"""Scoring a file of explanations, in its order and without holding it: what the command prints."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from uuid import UUID, uuid5

from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.group_list_files import Groups
from moderation.domain.hatexscore.score import PARTS, Measure, Reading, Score, read, score
from moderation.domain.hatexscore.second_reading import ReadBy, SecondReading, read_by
from moderation.hatexscore import method
from moderation.hatexscore.jsonl import Line
from moderation.methods.second_reader import is_unsure
from providers.roles import ModelRole
from providers.structured_output import is_refusal
from runs.control import drain, start
from runs.domain.states import ASIDE, OPEN, RunState
from runs.models import Run

BATCH = 128
_OWN = UUID("6a0b2f0e-6c53-5b7e-9a54-9d4a3f1f7a01")
"""Whose account pays for a file that belongs to no project."""


@dataclass(frozen=True)
class Order:
    """How to score the lines. `model` is the estimator's full name; `account` the project that pays, if one does."""

    estimator: Estimator
    model: str
    measure: Measure
    language: str = ""
    listed: Groups | None = None
    account: UUID = _OWN
    threads: int = 8
    reader: str = ""
    """The model that reads what the rules do not read for sure; empty: none does."""


@dataclass(frozen=True)
class Result:
    """A line's score, or why it has none: `state` is scored, refused, unreadable or failed."""

    line: Line
    state: str
    reading: Reading | None = None
    score: Score | None = None
    why: str = ""
    reader: str = ""
    second: SecondReading | None = None

    @property
    def read_by(self) -> ReadBy:
        """Who read the conclusion, or that it is a refusal."""
        is_stated = self.reading is not None and bool(self.reading.conclusions)
        return read_by(is_stated, self.state == RunState.REFUSED and self.reading is None, self.second)

    @property
    def shown(self) -> dict[str, Any]:
        """Return the result as JSON; one without a score has nulls, and says why."""
        parts = {name: getattr(self.score, name) if self.score else None for name in (*PARTS, "score")}
        shown: dict[str, Any] = {name: round(value, 6) if value is not None else None for name, value in parts.items()}
        shown["conclusion"] = self.reading.stated if self.reading else None
        shown["why"] = self._why_concluded
        shown["rationales"] = [rationale.quote for rationale in self.reading.rationales] if self.reading else []
        shown["groups"] = list(dict.fromkeys(group.term for group in self.score.groups)) if self.score else []
        if self.reader:
            shown["read_by"] = str(self.read_by)
        return shown if self.score else shown | {"state": self.state, "reason": self.why}

    @property
    def _why_concluded(self) -> str:
        """Return the words that state the conclusion, or why there is none."""
        if self.reading is None:
            return self.why
        if not self.reading.conclusions and self.reading.stated is not None:
            return f"{self.reader} reads it so; the rules read no conclusion."
        if not self.reading.conclusions:
            return "The explanation states no conclusion for or against hateful."
        last = self.reading.conclusions[-1]
        return self.reading.explanation[last.start : last.end]


def scored(lines: Iterable[Line], order: Order) -> Iterator[Result]:
    """Yield the results in the order of the lines; those of a batch are estimated at the same time."""
    rest = iter(lines)
    while batch := list(islice(rest, BATCH)):
        yield from _batch(batch, order)


def _batch(batch: Sequence[Line], order: Order) -> Iterator[Result]:
    readings: dict[int, Reading] = {}
    seconds = _second_readings(batch, order) if order.reader else {}
    for line in batch:
        second = seconds.get(line.explanation)
        if line.explanation.strip() and not (second.refusal if second else is_refusal(line.explanation)):
            readings[line.number] = read(
                line.text, line.explanation, language=order.language, listed=order.listed, second=second
            )
    by_model = order.estimator is not Estimator.GIVEN
    unknown = [reading for reading in readings.values() if reading.has_evidence] if by_model else []
    runs = _estimated(unknown, order) if unknown else {}
    for line in batch:
        reading = readings.get(line.number)
        if reading is not None:
            result = _result(line, reading, runs, order)
        elif line.explanation.strip():
            result = Result(line, "refused", why="the explanation is a refusal")
        else:
            result = Result(line, "unreadable", why="it is empty")
        yield replace(result, reader=order.reader, second=seconds.get(line.explanation))


def _second_readings(batch: Sequence[Line], order: Order) -> dict[str, SecondReading]:
    """Return what the reader reads of the explanations that the rules are not sure about, by explanation.

    What it read before is not asked again.
    """
    unsure = {line.explanation for line in batch if line.explanation.strip() and is_unsure(line.explanation)}
    subjects = {uuid5(order.account, explanation): explanation for explanation in unsure}
    seconds = _read_before(subjects, order)
    missing = [subject for subject in subjects if subjects[subject] not in seconds]
    start.queue_runs((_reading_request(subject, subjects[subject], order) for subject in missing), enqueue=False)
    if missing:
        drain.drain_project_runs(order.account, method.NAME, threads=order.threads, tick=lambda: None)
    return seconds | _read_before({subject: subjects[subject] for subject in missing}, order)


def _read_before(subjects: Mapping[UUID, str], order: Order) -> dict[str, SecondReading]:
    runs = Run.objects.filter(
        project=order.account, method=method.NAME, variant=_reader_variant(order), subject__in=subjects
    )
    ended = runs.filter(state=RunState.SUCCEEDED).order_by("id").values_list("subject", "outcome")
    read = {subjects[subject]: (outcome or {}).get("second") for subject, outcome in ended}
    return {explanation: SecondReading.of(order.reader, second) for explanation, second in read.items() if second}


def _reading_request(subject: UUID, explanation: str, order: Order) -> start.RunRequest:
    return start.RunRequest(
        method=method.NAME,
        project=order.account,
        subject=subject,
        model_plan={str(ModelRole.READER): order.reader},
        variant=_reader_variant(order),
        options={"read": explanation},
    )


def _reader_variant(order: Order) -> str:
    return ASIDE + hashlib.sha256(f"read {order.reader}".encode()).hexdigest()[:16]


def _result(line: Line, reading: Reading, runs: Mapping[UUID, Run], order: Order) -> Result:
    p, p_masked = line.p, line.p_masked
    if order.estimator is not Estimator.GIVEN and reading.has_evidence:
        run = runs[_subject(reading, order)]
        if run.state != RunState.SUCCEEDED:
            state = run.state if run.state in ("refused", "unreadable") else "failed"
            return Result(line, state, reading, why=f"the estimator: {run.detail or run.reason or run.state}")
        outcome = run.outcome or {}
        p, p_masked = outcome["p"], outcome["p_masked"]
    return Result(line, "scored", reading, score(reading, line.prediction, p, p_masked, order.measure))


def _estimated(readings: Sequence[Reading], order: Order) -> dict[UUID, Run]:
    """Return the runs that estimated these; what this model answered before is not asked again."""
    by_subject = {_subject(reading, order): reading for reading in readings}
    earlier_runs = _known(by_subject, order)
    missing = [subject for subject in by_subject if subject not in earlier_runs]
    start.queue_runs((_run_request(subject, by_subject[subject], order) for subject in missing), enqueue=False)
    drain.drain_project_runs(order.account, method.NAME, threads=order.threads, tick=lambda: None)
    return earlier_runs | {run.subject: run for run in _runs(order).filter(subject__in=missing).order_by("id")}


def _known(by_subject: Mapping[UUID, Reading], order: Order) -> dict[UUID, Run]:
    done = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
    return {run.subject: run for run in _runs(order).filter(subject__in=by_subject, state__in=done).order_by("id")}


def _runs(order: Order) -> Any:
    return Run.objects.filter(project=order.account, method=method.NAME, variant=_variant(order)).exclude(
        state__in=OPEN, cancel_requested=True
    )


def _run_request(subject: UUID, reading: Reading, order: Order) -> start.RunRequest:
    return start.RunRequest(
        method=method.NAME,
        project=order.account,
        subject=subject,
        model_plan={str(ModelRole.ESTIMATOR): order.model},
        variant=_variant(order),
        options={"text": reading.text, "masked": reading.masked, "estimator": str(order.estimator)},
    )


def _variant(order: Order) -> str:
    return ASIDE + hashlib.sha256(f"{order.estimator} {order.model}".encode()).hexdigest()[:16]


def _subject(reading: Reading, order: Order) -> UUID:
    """Return a name for this pair of texts, so that a second try finds what the first one paid for."""
    return uuid5(order.account, f"{reading.text}\x1f{reading.masked}")
