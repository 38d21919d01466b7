"""The figures of one arm on one data set over its repeats, as JSON values for tables."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.patterns import PATTERNS
from annotation.domain.statistics.figure import Figure
from annotation.domain.statistics.intervals import Interval
from moderation.domain.disagreement import Inner
from moderation.domain.evaluation.answers import (
    HATEFUL,
    GivenAnswer,
    Gold,
    MarkedAnswer,
    Question,
    is_readable,
    mark_answer,
)
from moderation.domain.evaluation.binary import TwoClass, two_class
from moderation.domain.evaluation.classification import Confusion
from moderation.domain.evaluation.intervals import intervals
from moderation.domain.evaluation.repeats import kappa, spread
from moderation.domain.evaluation.scores import LEVELS, Scores, levels_of, score_answers
from moderation.domain.task import Task

_COUNTED = ("total", "right", "refused", "unreadable")
FIGURES = ("accuracy", "macro_f1", "weighted_f1", "precision", "recall", "f1")


@dataclass(frozen=True)
class RunEnd:
    """How the run of one item in one repeat ended; `state` and `reason` are those of the run's row."""

    state: str
    reason: str = ""
    label: int | None = None
    hateful: bool | None = None
    explanation: str = ""
    stances: Sequence[Mapping[str, str]] = ()
    """The votes of the perspectives, for methods that have them."""
    way: str = ""
    """The way of an ARCADE debate; empty for other methods."""
    rounds: int | None = None
    calls: int = 0
    tokens: int = 0
    faults: Sequence[Mapping[str, Any]] = ()
    """What went wrong without ending the run, for methods that search."""
    no_search: bool = False
    limit: Mapping[str, str] | None = None
    """The limit at which the run ended early with what it had."""
    warnings: Sequence[str] = ()
    """What readers of the verdict should know."""
    disagreement: Mapping[Inner, Figure] = field(default_factory=dict)
    """The figures of the disagreement inside a debate."""
    read_by: str = ""
    """Who read an explanation in prose (`ReadBy`); empty where no reader is bound, and where nothing was read."""

    def answer(self, task: Task) -> GivenAnswer | None:
        """Return the answer for the figures.

        Returns None for failed and cancelled runs: they count as coverage only.
        """
        match self.state:
            case "succeeded":
                return GivenAnswer(self.label) if task is Task.SIX else GivenAnswer(hateful=self.hateful)
            case "refused":
                return GivenAnswer(refused=True)
            case "unreadable":
                return GivenAnswer()
            case _:
                return None

    def counted_as(self, question: Question) -> str:
        """Return the state that figures count: a run that succeeded without a usable answer is unreadable.

        An explanation without a conclusion is one. Its run has succeeded, and the explanation is scored.
        """
        answer = self.answer(question.task)
        if self.state == "succeeded" and answer is not None and not is_readable(answer, question):
            return "unreadable"
        return self.state


Repeat = Mapping[str, RunEnd]
"""Item's id → how its run ended."""


def arm_figures(gold: Sequence[Gold], repeats: Sequence[Repeat], question: Question, names: Mapping[int, str]) -> Any:
    """Return all figures of one arm on one data set. `names` are the categories' names by code."""
    repeat_answers = [_answers(repeat, question.task) for repeat in repeats]
    scores = [score_answers(gold, answers, question) for answers in repeat_answers]
    pairs = answered_pairs(gold, repeats, question)
    bounds = intervals(pairs, HATEFUL if question.task is Task.BINARY else None)
    confusion = _pooled(pairs, question)
    sides = [[_side(repeat.get(item.id), question) for repeat in repeats] for item in gold]
    return {
        "items": len(gold),
        "hateful": sum(item.hateful for item in gold),
        "coverage": _coverage(gold, repeats, question),
        "scores": [score.as_json() for score in scores],
        "figures": {name: _spread([score.as_json()[name] for score in scores]) for name in FIGURES}
        | {level: _spread([score.by_difficulty[level].accuracy for score in scores]) for level in LEVELS},
        "intervals": {
            "accuracy": _interval(bounds.accuracy),
            "macro_f1": _interval(bounds.macro_f1),
            "f1": _interval(bounds.f1),
        },
        "two_class": _two_class(scores) if question.task is Task.BINARY else None,
        "confusion": {"labels": list(confusion.labels), "counts": [list(row) for row in confusion.counts]},
        "levels": _kinds(gold, repeat_answers, question, levels_of, LEVELS),
        "patterns": _kinds(gold, repeat_answers, question, lambda item: (item.pattern,), PATTERNS),
        "refused_by_pattern": _refused(gold, repeats),
        "refused_by_category": _by_category(gold, repeats, names),
        "subsets": _subsets(gold, repeat_answers, question),
        "kappa": kappa(sides) if len(repeats) > 1 else None,
    }


def right_by_item(gold: Sequence[Gold], repeat: Repeat, question: Question) -> dict[str, bool]:
    """Return item → whether its answer was right, for tests on the same items. Refused items are left out."""
    answers = _answers(repeat, question.task)
    return {
        item.id: mark_answer(item, answers[item.id], question).right
        for item in gold
        if item.id in answers and not answers[item.id].refused
    }


def answered_pairs(gold: Sequence[Gold], repeats: Sequence[Repeat], question: Question) -> list[list[tuple[int, int]]]:
    """Return for each item (truth, predicted) of every repeat that answered it. Refused items are left out."""
    repeat_answers = [_answers(repeat, question.task) for repeat in repeats]
    return [_pairs(item, repeat_answers, question) for item in gold]


def _answers(repeat: Repeat, task: Task) -> dict[str, GivenAnswer]:
    return {name: answer for name, run_end in repeat.items() if (answer := run_end.answer(task)) is not None}


def _pairs(
    gold: Gold, repeat_answers: Sequence[Mapping[str, GivenAnswer]], question: Question
) -> list[tuple[int, int]]:
    """Return (truth, predicted) of every repeat that answered the item, sorted."""
    marked: list[MarkedAnswer] = [
        mark_answer(gold, answers[gold.id], question)
        for answers in repeat_answers
        if gold.id in answers and not answers[gold.id].refused
    ]
    return sorted((answer.truth, answer.predicted) for answer in marked)


def _pooled(pairs: Sequence[Sequence[tuple[int, int]]], question: Question) -> Confusion:
    flat = [pair for row in pairs for pair in row]
    labels = (0, 1) if question.task is Task.BINARY else tuple(sorted(question.sides))
    return Confusion.of([truth for truth, _ in flat], [answer for _, answer in flat], labels)


def _side(run_end: RunEnd | None, question: Question) -> bool | None:
    if run_end is None or run_end.state != "succeeded":
        return None
    if run_end.hateful is not None:
        return run_end.hateful
    return question.sides.get(run_end.label) if run_end.label is not None else None


def _spread(values: Sequence[float | None]) -> Any:
    figure = spread(values)
    return figure.as_json() if figure else None


def _interval(bounds: Interval | None) -> Any:
    return bounds.as_json() if bounds else None


def _two_class(scores: Sequence[Scores]) -> Any:
    """Return the figures of both classes and their mean; over repeats, the mean of each figure."""
    tables: list[TwoClass] = [two_class(score.confusion) for score in scores if score.overall.total]
    if not tables:
        return None
    rows = [table.as_json() for table in tables]
    names = ("precision", "recall", "f1", "support")
    return {part: {name: sum(row[part][name] for row in rows) / len(rows) for name in names} for part in rows[0]}


def _coverage(gold: Sequence[Gold], repeats: Sequence[Repeat], question: Question) -> dict[str, Any]:
    run_ends = [repeat.get(item.id) for item in gold for repeat in repeats]
    states = Counter(run_end.counted_as(question) if run_end else "missing" for run_end in run_ends)
    return {
        "asked": len(run_ends),
        **{state: states[state] for state in ("succeeded", "refused", "unreadable", "failed", "cancelled", "missing")},
        "reasons": dict(Counter(run_end.reason for run_end in run_ends if run_end and run_end.reason)),
    }


def _kinds(
    gold: Sequence[Gold],
    repeat_answers: Sequence[Mapping[str, GivenAnswer]],
    question: Question,
    kinds_of: Callable[[Gold], Sequence[str]],
    kinds: Sequence[str],
) -> dict[str, dict[str, int]]:
    """Return kind of item → its answers in all repeats: answered, right, unreadable; and refused ones apart."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    for item in gold:
        for answers in repeat_answers:
            answer = answers.get(item.id)
            if answer is None:
                continue
            marked = None if answer.refused else mark_answer(item, answer, question)
            for kind in kinds_of(item):
                if kind in counts:
                    counts[kind].update(_counted(marked))
    return {kind: {name: row[name] for name in _COUNTED} for kind, row in counts.items()}


def _counted(marked: MarkedAnswer | None) -> dict[str, int]:
    """Return what one answer adds to the counts; None is a refusal."""
    if marked is None:
        return {"refused": 1}
    return {"total": 1, "right": int(marked.right), "unreadable": int(not marked.readable)}


def _refused(gold: Sequence[Gold], repeats: Sequence[Repeat]) -> dict[str, int]:
    counts = Counter(
        item.pattern
        for item in gold
        for repeat in repeats
        if item.pattern and (run_end := repeat.get(item.id)) and run_end.state == "refused"
    )
    return {code: counts[code] for code in PATTERNS}


def _by_category(gold: Sequence[Gold], repeats: Sequence[Repeat], names: Mapping[int, str]) -> dict[str, Any]:
    """Return category of the truth → how many items were asked, refused by the model, blocked by the provider."""
    rows: dict[str, Counter[str]] = {}
    for item in gold:
        side = "hateful" if item.hateful else "not hateful"
        row = rows.setdefault(side if item.label is None else names.get(item.label, str(item.label)), Counter())
        for repeat in repeats:
            run_end = repeat.get(item.id)
            row["asked"] += 1
            if run_end and run_end.state == "refused":
                row["blocked" if run_end.reason == "provider_blocked" else "refused"] += 1
    return {name: {key: row[key] for key in ("asked", "refused", "blocked")} for name, row in rows.items()}


def _subsets(
    gold: Sequence[Gold], repeat_answers: Sequence[Mapping[str, GivenAnswer]], question: Question
) -> dict[str, Any]:
    """Return part of the data → accuracy, and recall of its hateful items (AntiHateAgent, Table 3)."""
    parts: dict[str, Counter[str]] = {}
    for item in gold:
        row = parts.setdefault(item.subset, Counter()) if item.subset else Counter[str]()
        for answers in repeat_answers:
            answer = answers.get(item.id)
            if answer is None or answer.refused:
                row["refused"] += answer is not None
                continue
            marked = mark_answer(item, answer, question)
            row["total"] += 1
            row["right"] += marked.right
            row["hateful"] += item.hateful
            row["found"] += item.hateful and marked.side_right
    return {
        name: {
            "total": row["total"],
            "refused": row["refused"],
            "accuracy": row["right"] / row["total"] if row["total"] else None,
            "hateful": row["hateful"],
            "recall": row["found"] / row["hateful"] if row["hateful"] else None,
        }
        for name, row in parts.items()
    }
