"""The figures of one arm on one data set over its repeats, as JSON values that tables are printed from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.patterns import PATTERNS
from moderation.domain.evaluation.answers import HATEFUL, GivenAnswer, Gold, MarkedAnswer, Question, mark_answer
from moderation.domain.evaluation.binary import TwoClass, two_class
from moderation.domain.evaluation.classification import Confusion
from moderation.domain.evaluation.intervals import Interval, intervals
from moderation.domain.evaluation.repeats import kappa, spread
from moderation.domain.evaluation.scores import LEVELS, Scores, score_answers
from moderation.domain.verdicts import Task

FIGURES = ("accuracy", "macro_f1", "weighted_f1", "precision", "recall", "f1")


@dataclass(frozen=True)
class RunEnd:
    """How the run of one item in one repeat ended: `state` and `reason` as the run's row has them."""

    state: str
    reason: str = ""
    label: int | None = None
    hateful: bool | None = None
    explanation: str = ""

    def answer(self, task: Task) -> GivenAnswer | None:
        """Return the answer as it counts.

        Returns None if there is none: failed and cancelled runs are coverage, not answers.
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


Repeat = Mapping[str, RunEnd]
"""How every item's run ended, by the item's id."""


def arm_figures(gold: Sequence[Gold], repeats: Sequence[Repeat], question: Question, names: Mapping[int, str]) -> Any:
    """All figures of one arm on one data set. `names` are the categories' names by code."""
    said = [_answers(repeat, question.task) for repeat in repeats]
    scores = [score_answers(gold, answers, question) for answers in said]
    pairs = [_pairs(each, said, question) for each in gold]
    found = intervals(pairs, HATEFUL if question.task is Task.BINARY else None)
    confusion = _pooled(pairs, question)
    sides = [[_side(repeat.get(each.id), question) for repeat in repeats] for each in gold]
    return {
        "items": len(gold),
        "hateful": sum(each.hateful for each in gold),
        "coverage": _coverage(gold, repeats),
        "scores": [each.as_json() for each in scores],
        "figures": {name: _spread([each.as_json()[name] for each in scores]) for name in FIGURES}
        | {level: _spread([each.by_difficulty[level].accuracy for each in scores]) for level in LEVELS},
        "intervals": {
            "accuracy": _interval(found.accuracy),
            "macro_f1": _interval(found.macro_f1),
            "f1": _interval(found.f1),
        },
        "two_class": _two_class(scores) if question.task is Task.BINARY else None,
        "confusion": {"labels": list(confusion.labels), "counts": [list(row) for row in confusion.counts]},
        "levels": {level: _counts(scores, level) for level in LEVELS},
        "refused_by_pattern": _refused(gold, repeats),
        "refused_by_category": _by_category(gold, repeats, names),
        "subsets": _subsets(gold, said, question),
        "kappa": kappa(sides) if len(repeats) > 1 else None,
    }


def right_by_item(gold: Sequence[Gold], repeat: Repeat, question: Question) -> dict[str, bool]:
    """Whether each answered item was right: for tests on the same items. Refused ones are left out."""
    answers = _answers(repeat, question.task)
    return {
        each.id: mark_answer(each, answers[each.id], question).right
        for each in gold
        if each.id in answers and not answers[each.id].refused
    }


def _answers(repeat: Repeat, task: Task) -> dict[str, GivenAnswer]:
    return {name: answer for name, ended in repeat.items() if (answer := ended.answer(task)) is not None}


def _pairs(gold: Gold, said: Sequence[Mapping[str, GivenAnswer]], question: Question) -> list[tuple[int, int]]:
    """(truth, said) of every repeat that answered the item, in a fixed order."""
    marked: list[MarkedAnswer] = [
        mark_answer(gold, answers[gold.id], question)
        for answers in said
        if gold.id in answers and not answers[gold.id].refused
    ]
    return sorted((each.truth, each.said) for each in marked)


def _pooled(pairs: Sequence[Sequence[tuple[int, int]]], question: Question) -> Confusion:
    flat = [pair for row in pairs for pair in row]
    labels = (0, 1) if question.task is Task.BINARY else tuple(sorted(question.sides))
    return Confusion.of([one for one, _ in flat], [other for _, other in flat], labels)


def _side(ended: RunEnd | None, question: Question) -> bool | None:
    if ended is None or ended.state != "succeeded":
        return None
    if ended.hateful is not None:
        return ended.hateful
    return question.sides.get(ended.label) if ended.label is not None else None


def _spread(values: Sequence[float | None]) -> Any:
    found = spread(values)
    return found.as_json() if found else None


def _interval(found: Interval | None) -> Any:
    return found.as_json() if found else None


def _two_class(scores: Sequence[Scores]) -> Any:
    """Both classes and their mean; over repeats, the mean of each figure."""
    tables: list[TwoClass] = [two_class(each.confusion) for each in scores if each.overall.total]
    if not tables:
        return None
    rows = [table.as_json() for table in tables]
    names = ("precision", "recall", "f1", "support")
    return {part: {name: sum(row[part][name] for row in rows) / len(rows) for name in names} for part in rows[0]}


def _coverage(gold: Sequence[Gold], repeats: Sequence[Repeat]) -> dict[str, Any]:
    ended = [repeat.get(each.id) for each in gold for repeat in repeats]
    states = Counter(each.state if each else "missing" for each in ended)
    return {
        "asked": len(ended),
        **{state: states[state] for state in ("succeeded", "refused", "unreadable", "failed", "cancelled", "missing")},
        "reasons": dict(Counter(each.reason for each in ended if each and each.reason)),
    }


def _counts(scores: Sequence[Scores], level: str) -> dict[str, int]:
    shares = [each.by_difficulty[level] for each in scores]
    names = ("total", "right", "refused")
    return {name: sum(getattr(share, name) for share in shares) for name in names}


def _refused(gold: Sequence[Gold], repeats: Sequence[Repeat]) -> dict[str, int]:
    found = Counter(
        each.pattern
        for each in gold
        for repeat in repeats
        if each.pattern and (ended := repeat.get(each.id)) and ended.state == "refused"
    )
    return {code: found[code] for code in PATTERNS}


def _by_category(gold: Sequence[Gold], repeats: Sequence[Repeat], names: Mapping[int, str]) -> dict[str, Any]:
    """By the truth's category: how many were asked, refused by the model, blocked by the provider."""
    rows: dict[str, Counter[str]] = {}
    for each in gold:
        side = "hateful" if each.hateful else "not hateful"
        row = rows.setdefault(side if each.label is None else names.get(each.label, str(each.label)), Counter())
        for repeat in repeats:
            ended = repeat.get(each.id)
            row["asked"] += 1
            if ended and ended.state == "refused":
                row["blocked" if ended.reason == "provider_blocked" else "refused"] += 1
    return {name: {key: row[key] for key in ("asked", "refused", "blocked")} for name, row in rows.items()}


def _subsets(gold: Sequence[Gold], said: Sequence[Mapping[str, GivenAnswer]], question: Question) -> dict[str, Any]:
    """By part of the data: accuracy, and recall of its hateful items (AntiHateAgent, Table 3)."""
    found: dict[str, Counter[str]] = {}
    for each in gold:
        row = found.setdefault(each.subset, Counter()) if each.subset else Counter[str]()
        for answers in said:
            answer = answers.get(each.id)
            if answer is None or answer.refused:
                row["refused"] += answer is not None
                continue
            marked = mark_answer(each, answer, question)
            row["total"] += 1
            row["right"] += marked.right
            row["hateful"] += each.hateful
            row["found"] += each.hateful and marked.side_right
    return {
        name: {
            "total": row["total"],
            "refused": row["refused"],
            "accuracy": row["right"] / row["total"] if row["total"] else None,
            "hateful": row["hateful"],
            "recall": row["found"] / row["hateful"] if row["hateful"] else None,
        }
        for name, row in found.items()
    }
